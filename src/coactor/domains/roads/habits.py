"""Habits: how earlier trips went on after each link of a network."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from coactor.domains.roads.network import Network
from coactor.protocol import Indices, Vector


class Habits:
    """How earlier trips went on after each link, as a cost of every turn: -log of its share.

    Unknown links share evenly among their exits, so nothing is ever impossible and nothing is negative.

    Examples
    --------
    >>> from coactor.domains import Network
    >>> network = Network.of([0, 1, 1], [1, 2, 0], [1.0, 1.0, 1.0])  # after link 0: 1, or back by 2
    >>> habits = Habits(network)
    >>> habits.record([0, 1])
    >>> habits.costs().round(2).tolist()
    [0.41, 1.1, 0.0]
    """

    def __init__(self, network: Network) -> None:
        self.network = network
        self.counts = np.zeros(len(network.head))
        self._tail = network.tail
        self._exits = np.diff(network.start)[self._tail]
        self._place = {
            pair: k for k, pair in enumerate(zip(self._tail.tolist(), network.head.tolist(), strict=True))
        }

    def record(self, links: Sequence[int] | Indices) -> None:
        """Remember one trip."""
        path = [int(a) for a in links]
        for pair in itertools.pairwise(path):
            self.counts[self._place[pair]] += 1.0

    def costs(self) -> Vector:
        """What each turn costs a creature of habit."""
        passed = np.bincount(self._tail, self.counts, minlength=self.network.size)[self._tail]
        return np.log((passed + self._exits) / (self.counts + 1.0))

    def kept(self) -> Network:
        """The network with the habits of now as one more feature of its turns, the last one."""
        network, name = self.network, "unusual turns"
        return replace(
            network,
            turn_features=np.column_stack([network.turn_features, self.costs()]),
            names=(*network.names, name),
            labels=(*network.labels, name),
        )
