"""Habits: how earlier trips continued after each link of a network."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from coactor.domains.roads.network import Network
from coactor.protocol import Indices, Vector


class Habits:
    """How earlier trips continued after each link, as a cost of every turn: minus log of its smoothed share.

    Each turn starts with a count of 1 (Laplace smoothing), so no turn is impossible and no cost is negative.

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
        self._turns = {
            pair: k for k, pair in enumerate(zip(self._tail.tolist(), network.head.tolist(), strict=True))
        }

    def __repr__(self) -> str:
        return f"Habits({self.network!r}, {self.counts.sum():g} turns recorded)"

    def record(self, links: Sequence[int] | Indices) -> None:
        """Count the turns of one trip. Raises ValueError and counts nothing if a turn does not exist."""
        path = [int(link) for link in links]
        missing = [pair for pair in itertools.pairwise(path) if pair not in self._turns]
        if missing:
            raise ValueError(f"There is no turn from link {missing[0][0]} into link {missing[0][1]}.")
        for pair in itertools.pairwise(path):
            self.counts[self._turns[pair]] += 1.0

    def costs(self) -> Vector:
        """The cost of each turn: minus log of its smoothed share among past trips."""
        passed = np.bincount(self._tail, self.counts, minlength=self.network.size)[self._tail]
        return np.log((passed + self._exits) / (self.counts + 1.0))

    def frozen(self) -> Network:
        """The network with the present habit costs as one more feature of its turns, the last one."""
        network, name = self.network, "unusual turns"
        return replace(
            network,
            turn_features=np.column_stack([network.turn_features, self.costs()]),
            names=(*network.names, name),
            labels=(*network.labels, name),
        )
