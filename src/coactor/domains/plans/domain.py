"""Plans: the routes of vehicles on one day, edited within and between routes."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any, TypeAlias, cast

import numpy as np

from coactor import display, validation
from coactor.domains.plans import solver
from coactor.domains.plans.coding import decode_day, encode_day
from coactor.domains.plans.day import Day
from coactor.domains.plans.keeping import replan
from coactor.domains.plans.schedule import broken_rules, show_route
from coactor.domains.plans.tables import plain_rules, rules_of
from coactor.habits import HABIT
from coactor.kernels import plan_distance
from coactor.kernels import plans as kernel
from coactor.kernels.plans import Rules
from coactor.kernels.tolerances import LOAD
from coactor.protocol import Indices, Matrix, Move, Part, Usage, Vector

Routes: TypeAlias = tuple[Indices, ...]
OPS = ("reverse", "move", "swap", "tails")
MEASURES = ("lateness", "waiting", "overtime", "overload", "vehicles", "longest shift")  # as in the kernel
RULES = ("lateness", "overtime", "overload")  # hard unless soft
STARTS = {"lateness": 1.0, "overtime": 1.0, "overload": 100.0, "unserved": 100.0}  # a distance of 1 has 1


class Plans:
    """Routes that divide the stops among vehicles; phi is minus the summed arc features, then what is soft.

    A plan is a tuple of arrays, the stops of each vehicle in order, without the depots. If stops may be left
    out, a last array has those that are. The moves are

    - ``{"op": "reverse", "args": [r, i, j]}``: reverse stops i to j of route r (2-opt),
    - ``{"op": "move", "args": [r, i, s, j]}``: put stop i of route r after position j of route s (relocate),
    - ``{"op": "swap", "args": [r, i, s, j]}``: exchange stop i of route r and stop j of route s,
    - ``{"op": "tails", "args": [r, i, s, j]}``: exchange what follows position i of r and j of s (2-opt*),

    where positions count from 1 and 0 is the depot. Loads, windows and shifts are rules unless they are soft;
    skills and pairs are always rules. `solve` and `moves` break no more of the rules than the plan does, and
    `apply` refuses what does, unless the move has a reason, ``"anyway": "the customer agreed"``. The solver
    is a large search, then a climb by all moves, so Assumption 1 holds.

    Parameters
    ----------
    features
        The number of features of an arc.
    soft
        What is measured and priced by a learned weight, as the last features: "lateness", "waiting" and
        "overtime" in minutes, "overload" in mean capacities, "unserved" (the prices of stops left out),
        "vehicles" (the fixed costs of those used), "longest shift" in minutes. True is "overload".
    names
        Of the arc features; optional.
    habits
        Whether how unusual an arc is is one more feature of it: see `coactor.habits`.

    Examples
    --------
    >>> import numpy as np
    >>> line = np.abs(np.subtract.outer([0.0, 1, 2, -1], [0.0, 1, 2, -1]))
    >>> day = Day.of(line, demand=[0, 1, 1, 1], capacity=[2, 2])
    >>> domain = Plans(features=1)
    >>> sorted(sorted(route.tolist()) for route in domain.solve(day, np.ones(1)))
    [[1, 2], [3]]
    """

    feature_signs = -1  # every feature is a cost
    checks_moves = True

    def __init__(
        self,
        features: int = 1,
        soft: bool | Sequence[str] = (),
        names: Sequence[str] | None = None,
        habits: bool = False,
    ) -> None:
        self.arc_features = validation.positive(features, 1, "features")
        given = (("overload",) if soft else ()) if isinstance(soft, bool) else tuple(soft)
        if wrong := [name for name in given if name not in (*MEASURES, "unserved")]:
            expected = ", ".join((*MEASURES, "unserved"))
            raise ValueError(f"{wrong[0]!r} cannot be soft; expected some of {expected}.")
        self.soft = tuple(dict.fromkeys(given))
        self.habits = habits
        own = validation.names_for(names, self.arc_features)
        self.feature_names = (*own, *[HABIT] * habits, *self.soft)
        self.dim = len(self.feature_names)
        self._hard = np.zeros(8)
        self._hard[[kernel.MISSING, kernel.PAIRS]] = 1.0
        self._hard[[MEASURES.index(name) for name in RULES if name not in self.soft]] = 1.0

    def __repr__(self) -> str:
        habits = ", habits=True" if self.habits else ""
        return f"Plans(features={self.arc_features}{f', soft={self.soft}' if self.soft else ''}{habits})"

    @property
    def start(self) -> Vector | None:
        """Plain distance: the only arc feature, or the one of that name. None if there is none."""
        own = self.feature_names[: self.arc_features]
        if len(own) > 1 and "distance" not in own:
            return None
        start = np.zeros(self.dim)
        start[own.index("distance") if len(own) > 1 else 0] = 1.0
        for k, name in enumerate(self.soft, self.dim - len(self.soft)):
            start[k] = STARTS.get(name, 0.0)
        return start

    def sample(self, rng: np.random.Generator, n: int) -> Iterator[Day]:
        """n small random days: features uniform on [0, 1], eight stops, three vehicles."""
        for _ in range(n):
            demand = np.append(0.0, rng.integers(1, 4, size=8))
            yield Day.of(rng.random((9, 9, self.arc_features)), demand, np.full(3, 8.0))

    # -- habits ------------------------------------------------------------------------------------------

    def with_habits(self) -> Plans:
        """The same domain with a feature of habits."""
        return Plans(self.arc_features, self.soft, self.feature_names[: self.arc_features], habits=True)

    def parts(self, x: Day, y: Routes) -> Iterator[tuple[str, str]]:
        """The arcs driven, by the names of their ends; from depot to depot for an idle vehicle."""
        for route, (start, end) in zip(y, self._ends(x), strict=False):
            yield from pairwise([x.stops[start], *(x.stops[stop] for stop in route), x.stops[end]])

    def draw(self, x: Day, y: Routes) -> list[dict[str, Any]]:
        """The routes, as a drawing if the points have coordinates, and as a table."""
        lines = [
            [start, *map(int, route), end] for route, (start, end) in zip(y, self._ends(x), strict=False)
        ]
        return display.routes(lines, x.stops, x.coordinates, x.vehicles or ())

    def _ends(self, x: Day) -> list[list[int]]:
        ends: list[list[int]] = (
            x.tables.fleet[: len(x.capacity), [kernel.START, kernel.END]].astype(int).tolist()
        )
        return ends

    def choices(self, x: Day) -> tuple[str, ...]:
        """The names of the day's stops and of the depot."""
        return validation.problem(x, Day).stops

    def extend(self, x: Day, usage: Usage) -> Day:
        """The day with the costs of unusual arcs as one more arc feature."""
        size = len(x.stops)
        given, choice = usage.numbers({name: k for k, name in enumerate(x.stops)})
        costs = np.ones((size, size, 1))
        known = (given >= 0) & (choice >= 0)
        costs[given[known], choice[known], 0] = usage.costs[known]
        costs[np.arange(1, x.size + 1), np.arange(1, x.size + 1)] = 0.0
        return self._with_columns(x, costs)

    def _with_columns(self, x: Day, costs: Any) -> Day:
        own = x.arcs[..., : self.arc_features]
        return replace(x, arcs=np.concatenate([own, np.broadcast_to(costs, (*own.shape[:-1], 1))], axis=-1))

    def _whole(self, x: Day) -> Day:
        """The day with columns for habits: zeros if nothing was recalled for it."""
        x = validation.problem(x, Day)
        if x.arcs.shape[-1] == self.arc_features + self.habits:
            return x
        if x.arcs.shape[-1] != self.arc_features:
            raise ValueError(f"An arc has {x.arcs.shape[-1]} features; expected {self.arc_features}.")
        return self._with_columns(x, np.zeros((*x.arcs.shape[-3:-1], 1)))

    # -- a domain ----------------------------------------------------------------------------------------

    def features(self, x: Day, y: Routes) -> Vector:
        """phi(x, y): minus the summed arc features, then minus what is soft."""
        x = self._whole(x)
        phi = np.zeros(self.dim)
        arcs = x.arcs.shape[-1]
        for rows in self._driven(x, y):
            phi[:arcs] -= rows.sum(axis=0)
        for k in range(arcs, self.dim):
            phi[k] = -self._totals(self._unit(x, k), x, y)[0]
        return phi

    def _driven(self, x: Day, y: Routes) -> Iterator[Matrix]:
        """The features of the arcs of each route; of an idle vehicle, that of its depot to itself."""
        kinds = x.tables.fleet[:, kernel.KIND].astype(int).tolist()
        for r, (route, (start, end)) in enumerate(zip(y, self._ends(x), strict=False)):
            path = np.array([start, *route, end] if len(route) or start == end else [], np.int64)
            yield (x.arcs if x.arcs.ndim == 3 else x.arcs[kinds[r]])[path[:-1], path[1:]]

    def by_cell(self, x: Day, y: Routes) -> Matrix:
        """The share of each arc that is driven; the arcs of a route share what is soft evenly."""
        x = self._whole(x)
        rows, arcs = list(self._driven(x, y)), x.arcs.shape[-1]
        shares = [np.zeros((len(own), self.dim)) for own in rows]
        for r, (own, share) in enumerate(zip(rows, shares, strict=True)):
            share[:, :arcs] = -own
            alone = [route if r == s else route[:0] for s, route in enumerate(y)]
            for k in range(arcs, self.dim) if len(own) else ():
                share[:, k] = -self._totals(self._unit(x, k), x, tuple(alone))[0] / len(own)
        return np.concatenate(shares)

    def show(self, x: Day, y: Routes) -> list[dict[str, Any]]:
        """The loads, times and arc features of the routes, and the broken rules."""
        routes = [
            show_route(x, r, route) | {"amounts": rows.sum(axis=0).tolist()}
            for r, (route, rows) in enumerate(zip(y, self._driven(self._whole(x), y), strict=False))
        ]
        return [{"kind": "routes", "routes": routes, "broken": self.broken(x, y)}]

    def overload(self, x: Day, y: Routes) -> float:
        """The load beyond the capacities, summed over the routes and the units."""
        loads = np.array([x.demand[route].sum(axis=0) for route in y[: len(x.capacity)]])
        return float(np.maximum(0.0, loads - x.capacity).sum())

    def broken(self, x: Day, y: Routes) -> list[str]:
        """The rules that a plan breaks, in words."""
        rules = [name for name in (*RULES, "unserved") if name not in self.soft]
        return list(broken_rules(x, y, rules))

    def solve(self, x: Day, w: Vector) -> Routes:
        """A good plan that no move improves (`plans.solver`)."""
        return unpack(*solver.solve(self.landscape(x, w).rules, x.size))

    def lockable(self, x: Day, y: Routes) -> Iterator[tuple[str, ...]]:
        """The parts that a person can keep: the arcs, and ("vehicle", stop, vehicle) for each stop."""
        yield from self.parts(x, y)
        for r, route in enumerate(y[: len(x.capacity)]):
            yield from (("vehicle", x.stops[stop], x.vehicle(r)) for stop in route)

    def replan(self, x: Day, w: Vector, y: Routes, keep: Collection[Part]) -> Routes:
        """The plan changed where that gains under the weights, with all parts to keep, see `lockable`.

        Raises ValueError if they cannot be kept together.
        """
        view = self.landscape(x, w)
        z = y
        if x.tables.walked:  # by the moves that lose no part
            while step := self._step_around(view, z, keep):
                z = step[0]
        else:
            z = tuple(replan(x, view.rules, y, keep))
        if lost := sorted(" - ".join(part) for part in {*keep} - self._parts(x, z)):
            raise ValueError(f"These parts cannot be kept together: {', '.join(lost[:4])}.")
        (old, worse), (new, broken) = self._totals(view.rules, x, y), self._totals(view.rules, x, z)
        better = broken < worse - LOAD or (broken <= worse + LOAD and new < old - 1e-9 * abs(old))
        return y if not better and {*keep} <= self._parts(x, y) else z

    def _step_around(self, view: PlanLandscape, y: Routes, keep: Collection[Part]) -> tuple[Routes] | None:
        gains, rows = solver.list_moves(view.rules, kernel.state_of(view.rules, *pack(view.day, y)))
        for k in np.argsort(-gains, kind="stable").tolist():
            if gains[k] <= 1e-9 * abs(view.utility(y)):
                return None
            z = self.apply(view.day, y, to_move(rows[k].tolist()))
            if {*keep} <= self._parts(view.day, z):
                return (z,)
        return None

    def _parts(self, x: Day, y: Routes) -> set[Part]:
        """The arcs, and on which vehicle each stop is, by its number and its name."""
        parts: set[Part] = {*self.lockable(x, y)}
        return parts | {
            ("vehicle", x.stops[v], str(r + 1)) for r, route in enumerate(y[: len(x.capacity)]) for v in route
        }

    def moves(self, x: Day, y: Routes) -> Iterator[Move]:
        """Every move that gives a different plan: reverse, then move, swap and tails."""
        state = kernel.state_of(self._unit(x, -1), *pack(x, y))
        for row in solver.list_moves(self._unit(x, -1), state)[1].tolist():
            yield to_move(row)

    def apply(self, x: Day, y: Routes, move: Move) -> Routes:
        """The plan after one move. Raises ValueError if it breaks a rule, unless the move has a reason."""
        routes, sizes = pack(x, y)
        kernel.apply(routes, sizes, self._edit(x, y, move))
        z = unpack(routes, sizes)
        if not move.get("anyway"):
            rules = self._unit(x, -1)
            if self._totals(rules, x, z)[1] > self._totals(rules, x, y)[1] + LOAD:
                before = set(self.broken(x, y))
                raise ValueError(" ".join(text for text in self.broken(x, z) if text not in before))
        return z

    def landscape(self, x: Day, w: Vector) -> PlanLandscape:
        """The plans of a day under the weights."""
        w, x = validation.weight_vector(w, self.dim), self._whole(x)
        arcs = x.arcs.shape[-1]
        prices, unserved = np.zeros(8), None
        for name, weight in zip(self.soft, w[arcs:].tolist(), strict=True):
            if name == "unserved":
                unserved = weight
            else:
                prices[MEASURES.index(name)] = weight
        costs = np.ascontiguousarray(x.arcs @ w[:arcs])
        return PlanLandscape(x, rules_of(x.tables, x.size, costs, prices, self._hard, unserved))

    def _unit(self, x: Day, k: int) -> Rules:
        """The rules if only feature k costs anything; nothing if it is -1."""
        w = np.zeros(self.dim)
        if k >= 0:
            w[k] = 1.0
        return self.landscape(x, w).rules

    def _totals(self, rules: Rules, x: Day, y: Routes) -> tuple[float, float]:
        return kernel.totals(rules, *pack(x, y))

    def features_along(self, x: Day, path: Sequence[Routes]) -> Matrix:
        """phi of each plan."""
        return np.array([self.features(x, y) for y in path]).reshape(len(path), self.dim)

    def move_features(self, x: Day, y: Routes) -> Matrix:
        """The change in phi of each move."""
        columns = []
        for k in range(self.dim):
            rules = self._unit(x, k)
            columns.append(solver.list_moves(rules, kernel.state_of(rules, *pack(x, y)), False)[0])
        return np.column_stack(columns)

    def edits_towards(self, x: Day, y: Routes, goal: Routes) -> list[Move]:
        """Moves that lead from y to the goal, up to a permutation of vehicles (`kernels.plan_distance`)."""
        routes, sizes = pack(x, y)
        rules = plain_rules(np.zeros((len(x.stops), len(x.stops))), x.tables.fleet[: len(x.capacity)])
        moves = [to_move(row) for row in plan_distance.towards(rules, routes, sizes, *pack(x, goal)).tolist()]
        for k, move in enumerate(moves):
            try:
                y = self.apply(x, y, move)
            except ValueError:  # the goal, or the way there, breaks a rule
                moves[k] = cast(Move, {**move, "anyway": "recorded"})
                y = self.apply(x, y, moves[k])
        return moves

    def edits_between(self, x: Day, y: Routes, z: Routes) -> int:
        """An upper bound on the moves that lead from one plan to another."""
        return len(self.edits_towards(x, y, z))

    def check_solution(self, x: Day, y: Any) -> None:
        """Raise ValueError unless every vehicle has a route and every stop is on exactly one of them."""
        if not isinstance(y, tuple | list) or len(y) != x.rows:
            more = " and the stops left out" if x.tables.optional else ""
            raise ValueError(
                f"The plan must have {x.rows} routes, one for each vehicle{more}; some may be empty."
            )
        order = np.concatenate([validation.integers(route, "a route") for route in y])
        if not validation.is_permutation(order - 1, x.size):
            raise ValueError(f"The plan must visit each of the stops 1 to {x.size} exactly once.")

    def encode_problem(self, x: Day) -> Any:
        """The day as JSON-able data, without habits."""
        return encode_day(replace(x, arcs=x.arcs[..., : self.arc_features]))

    def decode_problem(self, data: Any) -> Day:
        """A validated day from JSON-able data."""
        day = decode_day(data)
        if day.arcs.shape[-1] != self.arc_features:
            raise ValueError(f"An arc has {day.arcs.shape[-1]} features; expected {self.arc_features}.")
        return day

    def encode_solution(self, y: Routes) -> Any:
        """The routes as JSON-able data."""
        return [[int(stop) for stop in route] for route in y]

    def decode_solution(self, x: Day, data: Any) -> Routes:
        """Validated routes from JSON-able data."""
        if not isinstance(data, list):
            raise ValueError(f"The plan is a {type(data).__name__}; expected a list of routes.")
        y = tuple(validation.integers(route, "a route") for route in data)
        self.check_solution(x, y)
        return y

    def _edit(self, x: Day, y: Routes, move: Move) -> Indices:
        """A validated move as the five numbers of the kernel."""
        op = move.get("op") if isinstance(move, dict) else None
        if op not in OPS:
            raise ValueError(f"{move!r} is not a valid move; expected one of {', '.join(OPS)}.")
        if op == "reverse":
            r, i, j = validation.move_args(move, op, 3)
            s = r
        else:
            r, i, s, j = validation.move_args(move, op, 4)
        first = (0 if op == "tails" else 1, 0 if op in ("move", "tails") else 1)
        for route, place, least in ((r, i, first[0]), (s, j, first[1])):
            if not 0 <= route < len(y):
                raise ValueError(f"There is no route {route}; the plan has routes 0 to {len(y) - 1}.")
            if not least <= place <= len(y[route]):
                raise ValueError(
                    f"There is no position {place} on route {route}; it has {len(y[route])} stops."
                )
        if len(x.capacity) in (r, s) and (r == s or op == "tails"):
            raise ValueError(f"The move {move!r} changes nothing: stops that are left out have no order.")
        same = r == s and (op == "tails" or (op == "move" and j in (i - 1, i)) or (op == "swap" and i == j))
        if same or (op == "reverse" and j <= i):
            raise ValueError(f"The move {move!r} changes nothing.")
        return np.array([OPS.index(op), r, i, s, j])


@dataclass(frozen=True, slots=True)
class PlanLandscape:
    """Plans under one table of arc costs and one price for each thing that is soft."""

    day: Day
    rules: Rules

    def utility(self, y: Routes) -> float:
        """Minus the cost of the plan."""
        return -kernel.totals(self.rules, *pack(self.day, y))[0]

    def gains(self, y: Routes) -> Vector:
        """What each move saves."""
        return solver.list_moves(self.rules, kernel.state_of(self.rules, *pack(self.day, y)), False)[0]

    def climb(
        self, y: Routes, *, kappa: float = 0.0, best: bool = False, limit: int = -1
    ) -> tuple[list[Routes], list[Move]]:
        """Local search over all moves by the kernel."""
        routes, sizes = pack(self.day, y)
        rows = solver.climb(
            self.rules, kernel.state_of(self.rules, routes.copy(), sizes.copy()), kappa, best, limit
        )
        path = [y]
        for row in rows:
            kernel.apply(routes, sizes, row)
            path.append(unpack(routes, sizes))
        return path, [to_move(row) for row in rows.tolist()]


def pack(x: Day, y: Routes) -> tuple[Indices, Indices]:
    """A plan as the padded matrix and the sizes that the kernels take."""
    routes = np.zeros((len(y), x.size + 2), np.int64)
    routes[:, 0] = x.tables.fleet[: len(y), kernel.START]
    sizes = np.array([len(route) for route in y], dtype=np.int64)
    for r, route in enumerate(y):
        routes[r, 1 : len(route) + 1] = route
    return routes, sizes


def unpack(routes: Indices, sizes: Indices) -> Routes:
    """The plan in a padded matrix: the inverse of `pack`."""
    return tuple(routes[r, 1 : sizes[r] + 1].copy() for r in range(len(sizes)))


def to_move(row: Sequence[int]) -> Move:
    """The five numbers of the kernel as a move."""
    op, r, i, s, j = row
    return {"op": OPS[op], "args": [r, i, j] if op == kernel.REVERSE else [r, i, s, j]}
