"""Roads: paths through a road network, edited as on a map, by dragging the route onto another road."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from coactor import display, validation
from coactor.domains.roads.network import Network
from coactor.domains.roads.router import Leg, Router
from coactor.domains.roads.trips import Route, Trip
from coactor.habits import HABIT
from coactor.protocol import Indices, Matrix, Move, Part, Usage, Vector

TIE = 1e-7  # weight of plain length, relative to the largest weight, that decides between equal paths


class Roads:
    """Paths from link to link; phi is minus the summed features of the links entered and the turns made.

    The solver is Dijkstra on the graph whose nodes are links. It needs costs that are not negative, so the
    weights are projected: a weight below 0 counts as 0. All features are at least 0, hence so is every cost.
    The projection is justified because a person who drives to a destination has such weights: with a cycle of
    negative cost, driving in circles would beat arriving. The projection onto a convex set that contains the
    true weights never moves away from them, and it keeps the cost linear in the features; clipping single
    links would not, and shifting all links would reward paths of few links.

    An edit is ``{"op": "via", "args": [link, leg]}``: the router has to pass `link` between via-point number
    `leg` and the next (0 is the origin), which is what dragging a route on a map does. All legs are drawn by
    the weights of the proposal. Two points of a leg that follow each other in the network are joined by that
    turn. `moves` offers every link by which one can leave the route. The effort of a correction is its number
    of via-points.

    Parameters
    ----------
    network
        The roads.
    habits
        Whether how unusual a turn is is one more feature of it: see `coactor.habits`.

    Examples
    --------
    >>> import numpy as np
    >>> from coactor.domains import Network
    >>> square = Network.of([0, 1, 0, 2, 3], [1, 3, 2, 3, 0], [1.0, 1.0, 1.0, 2.0, 1.0])
    >>> domain = Roads(square)
    >>> domain.solve(Trip(4, 1), domain.distance)
    <Route links=[4, 0, 1]>
    """

    locally_optimal = False  # for weights below 0, which are projected; for all others it is optimal
    exact = True  # the solver's answer is the one optimum: there is no better one to look for
    feature_signs = -1  # every feature is a cost
    checks_moves = True

    def __init__(self, network: Network, habits: bool = False) -> None:
        self.network = network
        self.habits = habits
        self.router = Router(network)
        self.feature_names = (*network.labels, *[HABIT] * habits)
        self.dim = len(self.feature_names)
        if (network.link_features < 0).any() or (network.turn_features < 0).any():
            raise ValueError("A feature of the network is below 0; costs must not become negative.")
        self._rows = np.hstack([network.link_features[network.head], network.turn_features])
        self._number = {link: k for k, link in enumerate(network.ids)}

    __repr__ = display.brief("network", "habits")

    # -- habits ------------------------------------------------------------------------------------------

    def with_habits(self) -> Roads:
        """The same domain with a feature of habits."""
        return Roads(self.network, habits=True)

    def parts(self, x: Trip, y: Route) -> Iterator[tuple[str, str]]:
        """The turns made, by the ids of the links."""
        return itertools.pairwise([self.network.ids[link] for link in y.links])

    def draw(self, x: Trip, y: Route) -> list[dict[str, Any]]:
        """The route, as a drawing if the junctions have coordinates, and the links that it drives."""
        network, links = self.network, y.links.tolist()
        ends = network.ends[y.links]
        line = [int(ends[0, 0]), *ends[:, 1].tolist()]
        views = display.routes([line], tuple(map(str, range(int(network.ends.max()) + 1))), network.places)
        return [*views[:-1], {"kind": "text", "text": " → ".join(str(network.ids[k]) for k in links)}]

    def lockable(self, x: Trip, y: Route) -> Iterator[Part]:
        """The links that the route passes, and its turns."""
        yield from (self.network.ids[link] for link in y.links)
        yield from self.parts(x, y)

    def replan(self, x: Trip, w: Vector, y: Route, keep: frozenset[Part]) -> Route:
        """The cheapest path that passes the kept links and turns, in the order in which y does."""
        parts = [[part] if isinstance(part, str) else part for part in keep]
        links = {self._number.get(link, -1) for part in parts for link in part}
        if -1 in links:
            raise ValueError("A link to keep is not in the network.")
        place = {link: k for k, link in enumerate(y.links.tolist())}
        vias = sorted(links - {x.origin, x.destination}, key=lambda link: place.get(link, len(place)))
        return self.route(x, vias, w)

    def context(self, x: Trip) -> tuple[str, str]:
        """Where the trip begins and ends."""
        x = validation.problem(x, Trip)
        return f"from {self.network.ids[x.origin]}", f"to {self.network.ids[x.destination]}"

    def extend(self, x: Trip, usage: Usage) -> Trip:
        """The trip with the costs of unusual turns."""
        turns = self.router.turns_between(*usage.numbers(self._number))
        costs = np.ones((len(self.network.head), 1))
        costs[turns[turns >= 0], 0] = usage.costs[turns >= 0]
        return replace(x, habits=costs)

    # -- a domain ----------------------------------------------------------------------------------------

    @property
    def distance(self) -> Vector:
        """The weights under which only length counts: a good prior before anything is learned."""
        w = np.zeros(self.dim)
        w[: self.network.lengths] = 1.0
        return w

    start = distance

    def sample(self, rng: np.random.Generator, n: int) -> Iterator[Trip]:
        """n trips between random links that a path joins; without habits."""
        count = 0
        while count < n:
            a, b = rng.integers(self.network.size, size=2).tolist()
            if a == b:
                continue
            distance, _ = self.router.tree(a, self._costs(Trip(a, b), self.distance), b)
            if np.isfinite(distance[b]):
                count += 1
                yield Trip(a, b)

    def solve(self, x: Trip, w: Vector) -> Route:
        """The cheapest path under the projected weights; plain length decides between equal paths."""
        return self.route(x, (), w)

    def route(self, x: Trip, vias: Sequence[int], w: Vector) -> Route:
        """The cheapest path that passes the given links in order."""
        w = validation.weight_vector(w, self.dim)
        costs = self._costs(validation.problem(x, Trip), w)
        points = [x.origin, *(int(v) for v in vias), x.destination]
        pairs = itertools.pairwise(points)
        legs = [self.router.path(a, b, costs, direct=bool(vias))[1:] for a, b in pairs]
        return Route(np.concatenate([[x.origin], *legs]).astype(np.int64), tuple(points[1:-1]), np.array(w))

    def features(self, x: Trip, y: Route) -> Vector:
        """phi(x, y): minus the summed features; the origin, which all solutions share, is left out."""
        turns = self.router.turns_of(y.links)
        phi = np.zeros(self.dim)
        phi[: self._rows.shape[1]] = -self._rows[turns].sum(axis=0)
        if x.habits is not None:
            phi[self._rows.shape[1] :] = -x.habits[turns].sum(axis=0)
        return phi

    def features_along(self, x: Trip, path: Sequence[Route]) -> Matrix:
        """phi of each route."""
        return np.array([self.features(x, y) for y in path]).reshape(len(path), self.dim)

    def moves(self, x: Trip, y: Route) -> Iterator[Move]:
        """Every link by which one can leave the route and still arrive, leg by leg."""
        for number, (_, links) in enumerate(self._alternatives(x, y)):
            for link in links.tolist():
                yield {"op": "via", "args": [link, number]}

    def apply(self, x: Trip, y: Route, move: Move) -> Route:
        """The route that also passes a link."""
        link, leg = validation.move_args(move, "via", 2)
        if not 0 <= link < self.network.size:
            raise ValueError(f"Cannot go via link {link}; there are links 0 to {self.network.size - 1}.")
        if not 0 <= leg <= len(y.vias):
            raise ValueError(f"Cannot put a via-point on leg {leg}; the route has legs 0 to {len(y.vias)}.")
        return self.route(x, (*y.vias[:leg], link, *y.vias[leg:]), y.weights)

    def move_features(self, x: Trip, y: Route) -> Matrix:
        """The change in phi of each move: two shortest-path trees per leg, however many moves there are."""
        here = self.features(x, y)
        rows = self.turn_rows(x)
        unchanged = np.array([rows[turns].sum(axis=0) for turns in self._leg_turns(y)])
        phi = [np.empty((0, self.dim))]
        for number, (leg, links) in enumerate(self._alternatives(x, y)):
            detours = self.router.detour_features(rows, leg, links)
            phi.append(-(detours + unchanged.sum(axis=0) - unchanged[number]) - here)
        return np.concatenate(phi)

    def turn_rows(self, x: Trip) -> Matrix:
        """What each turn, with the link it leads to, subtracts from phi: one row per turn."""
        unusual = np.zeros((len(self._rows), 1)) if x.habits is None else x.habits
        return np.hstack([self._rows, unusual]) if self.habits else self._rows

    def legs(self, x: Trip, y: Route) -> Iterator[Leg]:
        """The legs of a route with their shortest-path trees under the route's own weights."""
        costs, points = self._costs(x, y.weights), [x.origin, *y.vias, x.destination]
        for (a, b), turns in zip(itertools.pairwise(points), self._leg_turns(y), strict=True):
            yield self.router.leg(a, b, turns, costs)

    def vias_towards(self, x: Trip, y: Route, links: Indices) -> tuple[int, ...]:
        """The fewest via-points that make y's router draw the given path (exact, see kernels.roads)."""
        turns = self.router.turns_of(links)
        places = self.router.via_points(x.origin, turns, self._costs(x, y.weights))
        if len(turns) == 1 and not len(places) and y.links.size != 2:
            return (x.origin,)  # the path is a single turn that the router avoids: name it explicitly
        return tuple(links[places].tolist())

    def edits_between(self, x: Trip, y: Route, z: Route) -> int:
        """The fewest via-points that lead from one route to another."""
        return 0 if np.array_equal(y.links, z.links) else len(self.vias_towards(x, y, z.links))

    def check_solution(self, x: Trip, y: Any) -> None:
        """Raise ValueError unless y leads from origin to destination by existing turns and via-points."""
        if not isinstance(y, Route):
            raise ValueError(f"The solution is a {type(y).__name__}; expected a Route.")
        self.check_path(x, y.links)
        self._leg_turns(y)
        validation.finite(validation.weight_vector(y.weights, self.dim), "The weights of the route")

    def check_path(self, x: Trip, links: Indices) -> None:
        """Raise ValueError unless the links lead from origin to destination by existing turns."""
        n, ids = self.network.size, self.network.ids
        if not validation.is_index_array(links) or not links.size or links.min() < 0 or links.max() >= n:
            raise ValueError(f"The path must be an array of links 0 to {n - 1}, with at least one of them.")
        if links[0] != x.origin or links[-1] != x.destination:
            ends = f"{ids[links[0]]} to {ids[links[-1]]}"
            raise ValueError(
                f"The path leads from link {ends}; the trip is from {ids[x.origin]} to {ids[x.destination]}."
            )
        missing = np.flatnonzero(self.router.turns_of(links) < 0)
        if missing.size:
            a, b = links[missing[0]], links[missing[0] + 1]
            raise ValueError(f"There is no turn from link {ids[a]} into link {ids[b]}.")

    def encode_problem(self, x: Trip) -> Any:
        """The trip as JSON-able data, without habits."""
        return {"origin": x.origin, "destination": x.destination}

    def decode_problem(self, data: Any) -> Trip:
        """A validated trip from JSON-able data; its ends may be link numbers or the ids of the data."""
        ends = [self._link(validation.entry(data, key, "the trip"), key) for key in ("origin", "destination")]
        return Trip(ends[0], ends[1])

    def encode_solution(self, y: Route) -> Any:
        """The route as JSON-able data."""
        return {"links": y.links.tolist(), "vias": list(y.vias), "weights": y.weights.tolist()}

    def decode_solution(self, x: Trip, data: Any) -> Route:
        """A validated route from JSON-able data."""
        links = validation.integers(validation.entry(data, "links", "the route"), "the route")
        vias = validation.integers(data.get("vias", []), "vias").tolist()
        weights = validation.vector(data.get("weights", self.distance), "the weights of the route")
        y = Route(links, tuple(vias), weights)
        self.check_solution(x, y)
        return y

    def _link(self, link: Any, what: str) -> int:
        """A link by its number, or by its id in the data."""
        if isinstance(link, str):
            if link not in self.network.ids:
                raise ValueError(f"{what} is link {link[:60]!r}, which the network does not have.")
            return self.network.ids.index(link)
        if validation.positive(link, 0, what) >= self.network.size:
            raise ValueError(f"{what} is link {link}; there are links 0 to {self.network.size - 1}.")
        return int(link)

    def _costs(self, x: Trip, w: Vector) -> Vector:
        """The cost of each turn under the projected weights."""
        if not (0 <= x.origin < self.network.size and 0 <= x.destination < self.network.size):
            raise ValueError(
                f"{x!r} uses a link that does not exist; links are 0 to {self.network.size - 1}."
            )
        w = np.maximum(w, 0.0)
        w = w + TIE * (w.max() or 1.0) * self.distance
        costs: Vector = self._rows @ w[: self._rows.shape[1]]
        if x.habits is not None:
            costs += x.habits @ w[self._rows.shape[1] :]
        return costs

    def _leg_turns(self, y: Route) -> list[Indices]:
        """The turns of each leg. Raises ValueError if the route does not pass its via-points in order."""
        turns = self.router.turns_of(y.links)
        cuts, place = [0], 0
        for via in y.vias:
            ahead = np.flatnonzero(y.links[place:] == via)
            if not ahead.size:
                raise ValueError(
                    f"The route does not pass link {via}, which is one of its via-points, in order."
                )
            place += int(ahead[0])
            cuts.append(place)
        return [turns[a:b] for a, b in zip(cuts, [*cuts[1:], len(turns)], strict=True)]

    def _alternatives(self, x: Trip, y: Route) -> Iterator[tuple[Leg, Indices]]:
        """For each leg the links by which one can leave it and still arrive."""
        network = self.network
        on_route = np.zeros(network.size, dtype=bool)
        on_route[y.links] = True
        for leg in self.legs(x, y):
            starts = self.router.tail[leg.turns].tolist()
            exits = [network.head[network.start[c] : network.start[c + 1]] for c in starts]
            links = np.unique(np.concatenate([np.empty(0, np.int64), *exits]))
            reachable = np.isfinite(leg.from_origin[links]) & np.isfinite(leg.to_target[links])
            yield leg, links[~on_route[links] & reachable]
