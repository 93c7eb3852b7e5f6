"""Plans: the routes of vehicles from one depot, with capacities, edited within and between routes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any, TypeAlias

import numpy as np

from coactor import validation
from coactor.domains.plans.day import Day
from coactor.domains.plans.solver import solve
from coactor.habits import HABIT
from coactor.kernels import plan_distance
from coactor.kernels import plans as kernel
from coactor.kernels.plans import Rules
from coactor.protocol import Indices, Matrix, Move, Usage, Vector

Routes: TypeAlias = tuple[Indices, ...]
OPS = ("reverse", "move", "swap", "tails")
OVERLOAD = 100.0  # start weight of a vehicle load above the capacity; a distance of 1 has 1


class Plans:
    """Routes that divide the stops among vehicles; phi is minus the summed arc features.

    A plan is a tuple of arrays, the stops of each vehicle in order, without the depot. The moves are

    - ``{"op": "reverse", "args": [r, i, j]}``: reverse stops i to j of route r (2-opt),
    - ``{"op": "move", "args": [r, i, s, j]}``: put stop i of route r after position j of route s (relocate),
    - ``{"op": "swap", "args": [r, i, s, j]}``: exchange stop i of route r and stop j of route s,
    - ``{"op": "tails", "args": [r, i, s, j]}``: exchange what follows position i of r and j of s (2-opt*),

    where positions count from 1 and 0 is the depot. `apply` accepts moves that overload a vehicle
    (`overload` tells by how much), but `solve` and `moves` make no overload worse unless `soft`. The solver
    is cheapest insertion, then steepest descent over all moves, so Assumption 1 holds.

    Parameters
    ----------
    features
        The number of features of an arc.
    soft
        Whether capacities are soft: overload, in units of the mean capacity, is one more feature, the last,
        whose weight is learned like any other. For planners whose own plans exceed the stated capacities.
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
    >>> sorted(route.tolist() for route in domain.solve(day, np.ones(1)))
    [[2, 1], [3]]
    """

    feature_signs = -1  # every feature is a cost
    checks_moves = True

    def __init__(
        self, features: int = 1, soft: bool = False, names: Sequence[str] | None = None, habits: bool = False
    ) -> None:
        self.arc_features = validation.positive(features, 1, "features")
        self.soft = soft
        self.habits = habits
        own = validation.names_for(names, self.arc_features)
        self.feature_names = (*own, *[HABIT] * habits, *["overload"] * soft)
        self.dim = len(self.feature_names)

    def __repr__(self) -> str:
        habits = ", habits=True" if self.habits else ""
        return f"Plans(features={self.arc_features}{', soft=True' if self.soft else ''}{habits})"

    @property
    def start(self) -> Vector | None:
        """Plain distance: the only arc feature, or the one of that name. None if there is none."""
        own = self.feature_names[: self.arc_features]
        if len(own) > 1 and "distance" not in own:
            return None
        start = np.zeros(self.dim)
        start[own.index("distance") if len(own) > 1 else 0] = 1.0
        if self.soft:
            start[-1] = OVERLOAD
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
        depot = x.stops[0]
        for route in y:
            names = [depot, *(x.stops[stop] for stop in route), depot]
            yield from pairwise(names)

    def choices(self, x: Day) -> tuple[str, ...]:
        """The names of the day's stops and of the depot."""
        return validation.problem(x, Day).stops

    def extend(self, x: Day, usage: Usage) -> Day:
        """The day with the costs of unusual arcs as one more arc feature."""
        size = len(x.stops)
        number = {name: k for k, name in enumerate(x.stops)}
        costs = np.ones((size, size, 1))
        rows = [number.get(name, -1) for name in usage.given], [number.get(name, -1) for name in usage.choice]
        given, choice = np.array(rows, np.int64).reshape(2, -1)
        known = (given >= 0) & (choice >= 0)
        costs[given[known], choice[known], 0] = usage.costs[known]
        costs[np.arange(1, size), np.arange(1, size)] = 0.0
        return self._with_columns(x, costs)

    def _with_columns(self, x: Day, costs: Any) -> Day:
        return replace(x, arcs=np.concatenate([x.arcs[:, :, : self.arc_features], costs], axis=2))

    def _whole(self, x: Day) -> Day:
        """The day with columns for habits: zeros if nothing was recalled for it."""
        x = validation.problem(x, Day)
        if x.arcs.shape[2] == self.arc_features + self.habits:
            return x
        if x.arcs.shape[2] != self.arc_features:
            raise ValueError(f"An arc has {x.arcs.shape[2]} features; expected {self.arc_features}.")
        return self._with_columns(x, np.zeros((*x.arcs.shape[:2], 1)))

    # -- a domain ----------------------------------------------------------------------------------------

    def features(self, x: Day, y: Routes) -> Vector:
        """phi(x, y): minus the summed arc features, then, if soft, minus the overload."""
        x = self._whole(x)
        phi = np.zeros(self.dim)
        arcs = x.arcs.shape[2]
        for route in y:
            path = np.concatenate([[0], route, [0]]).astype(np.int64)
            phi[:arcs] -= x.arcs[path[:-1], path[1:]].sum(axis=0)
        if self.soft:
            phi[-1] = -self.overload(x, y) / x.capacity.mean()
        return phi

    def overload(self, x: Day, y: Routes) -> float:
        """The load beyond the capacities, summed over the routes."""
        loads = np.array([x.demand[route].sum() for route in y])
        return float(np.maximum(0.0, loads - x.capacity).sum())

    def solve(self, x: Day, w: Vector) -> Routes:
        """A good plan that no move improves (`plans.solver`)."""
        return unpack(*solve(self.landscape(x, w).rules))

    def moves(self, x: Day, y: Routes) -> Iterator[Move]:
        """Every move that gives a different plan: reverse, then move, swap and tails."""
        for row in kernel.list_moves(self._rules(x), *pack(x, y)).tolist():
            yield to_move(row)

    def apply(self, x: Day, y: Routes, move: Move) -> Routes:
        """The plan after one move."""
        routes, sizes = pack(x, y)
        kernel.apply(routes, sizes, self._edit(y, move))
        return unpack(routes, sizes)

    def landscape(self, x: Day, w: Vector) -> PlanLandscape:
        """The plans of a day under the weights."""
        w, x = validation.weight_vector(w, self.dim), self._whole(x)
        price = float(w[-1] / x.capacity.mean()) if self.soft else 0.0
        costs = np.ascontiguousarray(x.arcs @ w[: x.arcs.shape[2]])
        return PlanLandscape(x, Rules(costs, price, x.demand, x.capacity, self.soft))

    def features_along(self, x: Day, path: Sequence[Routes]) -> Matrix:
        """phi of each plan."""
        return np.array([self.features(x, y) for y in path]).reshape(len(path), self.dim)

    def move_features(self, x: Day, y: Routes) -> Matrix:
        """The change in phi of each move."""
        x = self._whole(x)
        routes, sizes = pack(x, y)
        changes = kernel.move_features(x.arcs, self._rules(x), routes, sizes)
        changes[:, -1] /= x.capacity.mean()
        return changes[:, : self.dim]

    def edits_towards(self, x: Day, y: Routes, goal: Routes) -> list[Move]:
        """Moves that lead from y to the goal, up to a permutation of vehicles (`kernels.plan_distance`)."""
        routes, sizes = pack(x, y)
        rows = plan_distance.towards(routes, sizes, *pack(x, goal))
        return [to_move(row) for row in rows.tolist()]

    def edits_between(self, x: Day, y: Routes, z: Routes) -> int:
        """An upper bound on the moves that lead from one plan to another."""
        return len(self.edits_towards(x, y, z))

    def check_solution(self, x: Day, y: Any) -> None:
        """Raise ValueError unless every vehicle has a route and every stop is on exactly one of them."""
        if not isinstance(y, tuple | list) or len(y) != len(x.capacity):
            raise ValueError(
                f"The plan must have {len(x.capacity)} routes, one for each vehicle; some may be empty."
            )
        order = np.concatenate([validation.integers(route, "a route") for route in y])
        if not validation.is_permutation(order - 1, x.size):
            raise ValueError(f"The plan must visit each of the stops 1 to {x.size} exactly once.")

    def encode_problem(self, x: Day) -> Any:
        """The day as JSON-able data, without habits."""
        data: dict[str, Any] = {
            "arcs": x.arcs[:, :, : self.arc_features].tolist(),
            "demand": x.demand.tolist(),
            "capacity": x.capacity.tolist(),
            "stops": list(x.stops),
        }
        if x.coordinates is not None:
            data["coordinates"] = x.coordinates.tolist()
        if x.vehicles is not None:
            data["vehicles"] = list(x.vehicles)
        return data

    def decode_problem(self, data: Any) -> Day:
        """A validated day from JSON-able data."""
        parts = [validation.entry(data, key, "the day") for key in ("arcs", "demand", "capacity")]
        stops = validation.titles(
            data.get("stops"), len(parts[1]) if isinstance(parts[1], list) else 0, "points"
        )
        day = Day.of(parts[0], parts[1], parts[2], stops, data.get("coordinates"), data.get("vehicles"))
        if day.arcs.shape[2] != self.arc_features:
            raise ValueError(f"An arc has {day.arcs.shape[2]} features; expected {self.arc_features}.")
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

    def _rules(self, x: Day) -> Rules:
        """The rules for moves, without costs."""
        return Rules(np.zeros((x.size + 1, x.size + 1)), 0.0, x.demand, x.capacity, self.soft)

    def _edit(self, y: Routes, move: Move) -> Indices:
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
        same = r == s and (op == "tails" or (op == "move" and j in (i - 1, i)) or (op == "swap" and i == j))
        if same or (op == "reverse" and j <= i):
            raise ValueError(f"The move {move!r} changes nothing.")
        return np.array([OPS.index(op), r, i, s, j])


@dataclass(frozen=True, slots=True)
class PlanLandscape:
    """Plans under one matrix of arc costs and one price per unit of overload."""

    day: Day
    rules: Rules

    def utility(self, y: Routes) -> float:
        """Minus the cost of the arcs and of the overload."""
        total = 0.0
        for route in y:
            path = np.concatenate([[0], route, [0]]).astype(np.int64)
            total += float(self.rules.costs[path[:-1], path[1:]].sum())
        over = kernel.overload(*pack(self.day, y), self.day.demand, self.day.capacity)
        return -total - self.rules.price * float(over)

    def gains(self, y: Routes) -> Vector:
        """What each move saves."""
        return kernel.gains(self.rules, *pack(self.day, y))

    def climb(
        self, y: Routes, *, kappa: float = 0.0, best: bool = False, limit: int = -1
    ) -> tuple[list[Routes], list[Move]]:
        """Local search over all moves by the kernel."""
        routes, sizes = pack(self.day, y)
        rows = kernel.climb(self.rules, routes.copy(), sizes.copy(), kappa, best, limit)
        path = [y]
        for row in rows:
            kernel.apply(routes, sizes, row)
            path.append(unpack(routes, sizes))
        return path, [to_move(row) for row in rows.tolist()]


def pack(x: Day, y: Routes) -> tuple[Indices, Indices]:
    """A plan as the padded matrix and the sizes that the kernels take."""
    routes = np.zeros((len(y), x.size + 2), np.int64)
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
