"""Roads: paths through a road network, edited as on a map, by dragging the route onto another road."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from coactor import validation
from coactor.domains.roads.detours import RoadView
from coactor.domains.roads.network import Network
from coactor.kernels import roads as kernel
from coactor.protocol import Indices, Matrix, Move, Vector

TIE = 1e-7  # how much, beside the largest weight, plain length decides between equals


@dataclass(frozen=True, slots=True, eq=False)
class Trip:
    """From one link to another.

    Attributes
    ----------
    origin, destination
        Link numbers of the network.
    habit
        What each turn costs a creature of habit on that day (`Habits.costs`); None when unknown.
    """

    origin: int
    destination: int
    habit: Vector | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Route:
    """A path and the router that drew it.

    Attributes
    ----------
    links
        The links driven, origin first, destination last.
    vias
        Links that somebody told the router to pass, in order.
    weights
        The weights the router draws with, so that an edit is routed like the proposal it edits.
    """

    links: Indices
    vias: tuple[int, ...]
    weights: Vector


class Roads:
    """Paths from link to link; phi is minus the summed features of the links entered and the turns made.

    The solver is Dijkstra on the graph whose nodes are links. It needs costs that are not negative, so the
    weights are projected: a weight below 0 counts as 0. All features are at least 0, hence so is every cost.
    This is right because whoever has a destination has such weights: with a circle of negative cost, driving
    round and round would beat arriving. The projection onto a convex set that contains the true weights never
    takes one further from them, and it keeps the cost linear in the features; clipping single links would
    not, and shifting all links would reward paths of few links.

    An edit is ``{"op": "via", "args": [link, leg]}``: the router is told to pass `link` on the way between
    via-point number `leg` and the next (0 is the origin), which is what dragging a route on a map does. The
    legs are drawn by the same weights as the proposal. Two points of a leg that follow each other in the
    network are joined by that turn. `moves` offers every link by which one can leave the route. The
    effort of a correction is its number of via-points.

    Parameters
    ----------
    network
        The roads.
    habit
        Whether the last feature is how unusual the turns are (`Trip.habit`).

    Examples
    --------
    >>> import numpy as np
    >>> from coactor.domains import Network
    >>> square = Network.of([0, 1, 0, 2, 3], [1, 3, 2, 3, 0], [1.0, 1.0, 1.0, 2.0, 1.0])
    >>> domain = Roads(square, habit=False)
    >>> route = domain.solve(Trip(4, 4 - 3), domain.distance)
    >>> route.links.tolist()
    [4, 0, 1]
    """

    locally_optimal = False  # for weights below 0, which are projected; for all others it is optimal
    exact = True  # the solver's answer is the one optimum: there is no better one to look for

    def __init__(self, network: Network, habit: bool = True) -> None:
        self.network = network
        self.habit = habit
        self.dim = network.link_features.shape[1] + network.turn_features.shape[1] + int(habit)
        self.feature_names = (*network.labels, "unusual turns") if habit else network.labels
        if (network.link_features < 0).any() or (network.turn_features < 0).any():
            raise ValueError("a feature of the network is below 0; costs must not become negative.")
        self._tail = network.tail
        self._out = np.arange(len(network.head))
        self._in = np.argsort(network.head, kind="stable")
        self._in_start = np.searchsorted(network.head[self._in], np.arange(network.size + 1)).astype(np.int64)
        self._rows = np.hstack([network.link_features[network.head], network.turn_features])

    @property
    def distance(self) -> Vector:
        """The weights under which only length counts: where to start before anything is known."""
        w = np.zeros(self.dim)
        w[: self.network.lengths] = 1.0
        return w

    def sample(self, rng: np.random.Generator, n: int) -> Iterator[Trip]:
        """n trips between random links that can be driven; without habits."""
        made = 0
        while made < n:
            a, b = rng.integers(self.network.size, size=2).tolist()
            if a != b and np.isfinite(self._tree(a, self._costs(Trip(a, b), self.distance), b)[0][b]):
                made += 1
                yield Trip(a, b)

    def solve(self, x: Trip, w: Vector) -> Route:
        """The cheapest path under the projected weights; plain length decides between equals."""
        w = validation.weight_vector(w, self.dim)
        return Route(self._leg(x.origin, x.destination, self._costs(x, w), direct=False), (), np.array(w))

    def features(self, x: Trip, y: Route) -> Vector:
        """phi(x, y): minus the summed features; the origin, which all solutions share, is left out."""
        turns = kernel.find_turns(self.network.start, self.network.head, y.links)
        phi = np.zeros(self.dim)
        phi[: self._rows.shape[1]] = -self._rows[turns].sum(axis=0)
        if self.habit and x.habit is not None:
            phi[-1] = -x.habit[turns].sum()
        return phi

    def moves(self, x: Trip, y: Route) -> Iterator[Move]:
        """Every link by which one can leave the route and still arrive, leg by leg."""
        for leg, links, _, _ in self._alternatives(x, y):
            for link in links.tolist():
                yield {"op": "via", "args": [link, leg]}

    def apply(self, x: Trip, y: Route, move: Move) -> Route:
        """The route that also passes a link."""
        link, leg = validation.move_args(move, "via", 2)
        if not 0 <= link < self.network.size:
            raise ValueError(f"cannot go via link {link}; there are links 0 to {self.network.size - 1}.")
        if not 0 <= leg <= len(y.vias):
            raise ValueError(f"cannot put a via-point on leg {leg}; the route has legs 0 to {len(y.vias)}.")
        return self.route(x, (*y.vias[:leg], link, *y.vias[leg:]), y.weights)

    def route(self, x: Trip, vias: Sequence[int], w: Vector) -> Route:
        """The cheapest path that passes the given links in order."""
        costs = self._costs(x, validation.weight_vector(w, self.dim))
        points = [x.origin, *(int(v) for v in vias), x.destination]
        legs = [self._leg(a, b, costs, direct=bool(vias))[1:] for a, b in itertools.pairwise(points)]
        return Route(np.concatenate([[x.origin], *legs]).astype(np.int64), tuple(points[1:-1]), np.array(w))

    def vias_towards(self, x: Trip, y: Route, links: Indices) -> tuple[int, ...]:
        """The fewest via-points that make y's router draw the given path (exact: see kernels.roads)."""
        turns = kernel.find_turns(self.network.start, self.network.head, links)
        costs = self._costs(x, y.weights)
        places = kernel.via_points(self.network.start, self._out, self.network.head, costs, x.origin, turns)
        if len(turns) == 1 and not len(places) and y.links.size != 2:
            return (x.origin,)  # the only turn there is, and the router avoids it: say it outright
        return tuple(links[places].tolist())

    def edits_between(self, x: Trip, y: Route, z: Route) -> int:
        """How many via-points lead from one route to another."""
        return 0 if np.array_equal(y.links, z.links) else len(self.vias_towards(x, y, z.links))

    def features_along(self, x: Trip, path: Sequence[Route]) -> Matrix:
        """phi of each route."""
        return np.array([self.features(x, y) for y in path]).reshape(len(path), self.dim)

    def move_features(self, x: Trip, y: Route) -> Matrix:
        """The change in phi of each detour: two trees a leg, whatever the number of moves."""
        here = self.features(x, y)
        rows = self.rows(x)
        phi = [np.empty((0, self.dim))]
        points = [x.origin, *y.vias, x.destination]
        kept = np.array([self._sum(rows, piece) for piece in self._pieces(x, y)]).reshape(-1, self.dim)
        for leg, links, ahead, back in self._alternatives(x, y):
            a, b = points[leg], points[leg + 1]
            into, out = self.gates(a, b, ahead, back, links)
            through = kernel.detours(rows, self._tail, self.network.head, ahead, back, into, out, a, b, links)
            phi.append(-(through + kept.sum(axis=0) - kept[leg]) - here)
        return np.concatenate(phi)

    def rows(self, x: Trip) -> Matrix:
        """What each turn, and the link it leads to, adds to the features: minus phi, one row a turn."""
        if not self.habit:
            return self._rows
        return np.column_stack([self._rows, np.zeros(len(self._rows)) if x.habit is None else x.habit])

    def gates(self, a: int, b: int, ahead: Indices, back: Indices, links: Indices) -> tuple[Indices, Indices]:
        """The turns into and out of each link on the best way through it from a to b."""
        into = kernel.direct(self.network.start, self._out, self.network.head, ahead, a, links)
        return into, kernel.direct(self._in_start, self._in, self._tail, back, b, links)

    def landscape(self, x: Trip, w: Vector) -> RoadView:
        """The routes of a trip seen through the weights."""
        return RoadView(self, x, validation.weight_vector(w, self.dim))

    def check_solution(self, x: Trip, y: Any) -> None:
        """Raise ValueError unless y drives from origin to destination by turns that exist."""
        if not isinstance(y, Route):
            raise ValueError(f"the solution is a {type(y).__name__}; expected a Route.")
        self.check_path(x, y.links)

    def check_path(self, x: Trip, links: Indices) -> None:
        """Raise ValueError unless the links lead from origin to destination by turns that exist."""
        n, ids = self.network.size, self.network.ids
        if links.ndim != 1 or not links.size or links.min() < 0 or links.max() >= n:
            raise ValueError(f"the path is not a list of links 0 to {n - 1}.")
        if links[0] != x.origin or links[-1] != x.destination:
            ends = f"{ids[links[0]]} to {ids[links[-1]]}"
            raise ValueError(
                f"the path leads from link {ends}; the trip is from {ids[x.origin]} to {ids[x.destination]}."
            )
        missing = np.flatnonzero(kernel.find_turns(self.network.start, self.network.head, links) < 0)
        if missing.size:
            a, b = links[missing[0]], links[missing[0] + 1]
            raise ValueError(f"one cannot turn from link {ids[a]} into link {ids[b]}.")

    def encode_problem(self, x: Trip) -> Any:
        data: dict[str, Any] = {"origin": x.origin, "destination": x.destination}
        if x.habit is not None:
            data["habit"] = x.habit.tolist()
        return data

    def decode_problem(self, data: Any) -> Trip:
        ends = [self._link(validation.entry(data, key, "the trip"), key) for key in ("origin", "destination")]
        habit = data.get("habit")
        if habit is not None:
            habit = validation.matrix([habit], "habits", 1, len(self.network.head))[0]
            if (habit < 0).any():
                raise ValueError("a habit is below 0; costs must not become negative.")
        return Trip(ends[0], ends[1], habit)

    def encode_solution(self, y: Route) -> Any:
        return {"links": y.links.tolist(), "vias": list(y.vias), "weights": y.weights.tolist()}

    def decode_solution(self, x: Trip, data: Any) -> Route:
        links = validation.integers(validation.entry(data, "links", "the route"), "the route")
        self.check_path(x, links)
        weights = validation.weight_vector(data.get("weights", self.distance), self.dim)
        return Route(links, tuple(validation.integers(data.get("vias", []), "vias").tolist()), weights)

    # -- inside ------------------------------------------------------------------------------------

    def _link(self, said: Any, what: str) -> int:
        """A link by its number, or by what the data calls it."""
        if isinstance(said, str):
            if said not in self.network.ids:
                raise ValueError(f"{what} is link {said[:60]!r}, which the network does not have.")
            return self.network.ids.index(said)
        if validation.positive(said, 0, what) >= self.network.size:
            raise ValueError(f"{what} is link {said}; there are links 0 to {self.network.size - 1}.")
        return int(said)

    def _costs(self, x: Trip, w: Vector) -> Vector:
        w = np.maximum(w, 0.0)
        w = w + TIE * (w.max() or 1.0) * self.distance
        costs: Vector = self._rows @ w[: self._rows.shape[1]]
        if self.habit and x.habit is not None:
            costs += w[-1] * x.habit
        return costs

    def _tree(self, source: int, costs: Vector, target: int = -1) -> tuple[Vector, Indices]:
        return kernel.tree(self.network.start, self._out, self.network.head, costs, source, target)

    def _leg(self, a: int, b: int, costs: Vector, direct: bool) -> Indices:
        """The cheapest links from a to b, both included."""
        network = self.network
        if direct and b in network.head[network.start[a] : network.start[a + 1]]:
            return np.array([a, b])
        distance, reached = self._tree(a, costs, b)
        if not np.isfinite(distance[b]):
            raise ValueError(f"there is no way from link {network.ids[a]} to link {network.ids[b]}.")
        return np.concatenate([[a], network.head[kernel.trace(reached, self._tail, a, b)]]).astype(np.int64)

    def _pieces(self, x: Trip, y: Route) -> list[Indices]:
        """The turns of each leg, between one via-point and the next."""
        turns = kernel.find_turns(self.network.start, self.network.head, y.links)
        cuts, place = [0], 0
        for via in y.vias:
            ahead = np.flatnonzero(y.links[place:] == via)
            if not ahead.size:
                raise ValueError(f"the route does not pass its via-point, link {self.network.ids[via]}.")
            place += int(ahead[0])
            cuts.append(place)
        return [turns[a:b] for a, b in zip(cuts, [*cuts[1:], len(turns)], strict=True)]

    def _sum(self, rows: Matrix, turns: Indices) -> Vector:
        total: Vector = rows[turns].sum(axis=0)
        return total

    def _alternatives(self, x: Trip, y: Route) -> Iterator[tuple[int, Indices, Indices, Indices]]:
        """For each leg: the links by which one can leave it, the tree from its start, the tree to its end."""
        network = self.network
        on_route = np.zeros(network.size, dtype=bool)
        on_route[y.links] = True
        for leg, (turns, far, ahead, near, back) in enumerate(self.trees(x, y)):
            exits = [
                network.head[network.start[c] : network.start[c + 1]] for c in self._tail[turns].tolist()
            ]
            links = np.unique(np.concatenate([np.empty(0, np.int64), *exits]))
            yield (
                leg,
                links[~on_route[links] & np.isfinite(far[links]) & np.isfinite(near[links])],
                ahead,
                back,
            )

    def trees(self, x: Trip, y: Route) -> Iterator[tuple[Indices, Vector, Indices, Vector, Indices]]:
        """For each leg its turns, then costs and turns of the tree from its start and of that to its end."""
        costs, points = self._costs(x, y.weights), [x.origin, *y.vias, x.destination]
        for (a, b), turns in zip(itertools.pairwise(points), self._pieces(x, y), strict=True):
            yield (
                turns,
                *self._tree(a, costs),
                *kernel.tree(self._in_start, self._in, self._tail, costs, b, -1),
            )
