"""Shortest paths from link to link of one network, given a cost for each turn."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from coactor.domains.roads.network import Network
from coactor.kernels import roads as kernel
from coactor.protocol import Indices, Matrix, Vector


class Leg(NamedTuple):
    """One leg of a route, between two consecutive via-points, with its shortest-path trees.

    Attributes
    ----------
    origin, target
        The links the leg begins and ends with.
    turns
        The turns of the leg.
    from_origin, into
        Forward tree: the cost of reaching each link from the origin, and the turn that reaches it.
    to_target, out
        Backward tree: the cost from each link to the target, and the turn that leaves the link.
    """

    origin: int
    target: int
    turns: Indices
    from_origin: Vector
    into: Indices
    to_target: Vector
    out: Indices


class Router:
    """Dijkstra's algorithm on the graph whose nodes are the links of a network, and whose arcs its turns."""

    def __init__(self, network: Network) -> None:
        self.network = network
        self.tail = network.tail
        self._outgoing = np.arange(len(network.head))
        self._incoming = np.argsort(network.head, kind="stable")
        places = np.searchsorted(network.head[self._incoming], np.arange(network.size + 1))
        self._incoming_start = places.astype(np.int64)

    def tree(self, source: int, costs: Vector, target: int = -1) -> tuple[Vector, Indices]:
        """The cost of reaching each link from `source`, and the turn that reaches it; stops at `target`."""
        return kernel.tree(self.network.start, self._outgoing, self.network.head, costs, source, target)

    def tree_to(self, target: int, costs: Vector) -> tuple[Vector, Indices]:
        """The cost from each link to `target`, and the turn that leaves the link."""
        return kernel.tree(self._incoming_start, self._incoming, self.tail, costs, target, -1)

    def path(self, origin: int, target: int, costs: Vector, direct: bool) -> Indices:
        """The links of the cheapest path, both ends included.

        Parameters
        ----------
        origin, target
            Links.
        costs
            Of each turn, at least 0.
        direct
            Whether a turn from origin to target, if there is one, is taken whatever it costs.
        """
        network = self.network
        if direct and target in network.head[network.start[origin] : network.start[origin + 1]]:
            return np.array([origin, target])
        distance, reached = self.tree(origin, costs, target)
        if not np.isfinite(distance[target]):
            raise ValueError(
                f"There is no way from link {network.ids[origin]} to link {network.ids[target]}."
            )
        turns = kernel.trace(reached, self.tail, origin, target)
        return np.concatenate([[origin], network.head[turns]]).astype(np.int64)

    def leg(self, origin: int, target: int, turns: Indices, costs: Vector) -> Leg:
        """A leg with its two trees."""
        return Leg(origin, target, turns, *self.tree(origin, costs), *self.tree_to(target, costs))

    def turns_of(self, links: Indices) -> Indices:
        """The turn between each link and the next; -1 where the network has none."""
        return kernel.find_turns(self.network.start, self.network.head, links)

    def turns_between(self, links: Indices, following: Indices) -> Indices:
        """The turn from each link into another one; -1 where the network has none."""
        size = self.network.size
        keys = self.tail * size + self.network.head  # turns are sorted by link, then by the next one
        wanted = np.where((links < 0) | (following < 0), -1, links * size + following)
        at = np.minimum(np.searchsorted(keys, wanted), keys.size - 1)
        turns: Indices = np.where(keys[at] == wanted, at, -1)
        return turns

    def via_points(self, origin: int, turns: Indices, costs: Vector) -> Indices:
        """Positions of the fewest via-points that make the router draw the given turns."""
        return kernel.via_points(self.network.start, self._outgoing, self.network.head, costs, origin, turns)

    def gates(self, leg: Leg, links: Indices) -> tuple[Indices, Indices]:
        """The turns into and out of each link on the cheapest path of the leg through it."""
        network = self.network
        into = kernel.direct(network.start, self._outgoing, network.head, leg.into, leg.origin, links)
        out = kernel.direct(self._incoming_start, self._incoming, self.tail, leg.out, leg.target, links)
        return into, out

    def detour_features(self, rows: Matrix, leg: Leg, links: Indices) -> Matrix:
        """The summed rows of the turns on the cheapest path of the leg through each link."""
        return kernel.detours(self.trees(leg), *self.gates(leg, links), rows)

    def trees(self, leg: Leg) -> kernel.Trees:
        """The trees of a leg for the kernels."""
        return kernel.Trees(self.tail, self.network.head, leg.into, leg.out, leg.origin, leg.target)
