"""The learners of the paper for several people: separate and balanced. population.py has the default one.

    pooled      one learner for all: any learner, which ignores who made a correction
    separate    one learner each, "separate-CSPER"
    balanced    shared and personal weights, "balanced-CSPER"

Balanced is our reading of Goetschalckx, Fern and Tadepalli, "Multitask Coactive Learning" (IJCAI 2015), whose
text leaves the details to the implementer: w_k = u / sqrt(mu) + v_k, the perceptron with the feature map
(phi / sqrt(mu), phi in the block of person k). With delta and the rate lambda of Algorithm 1:

    shared      u / sqrt(mu) := u / sqrt(mu) + lambda / mu * delta
    personal    v_k          := v_k + lambda * delta

It is a perceptron in the larger space, so Theorem 1 holds for it over the rounds of all people, with

    R^2 := (1 + 1 / mu) R^2,    W^2 := mu |w_0|^2 + sum_k |w_k - w_0|^2    for any w_0

`coactor.bounds.balanced` computes the two. Large mu is separate, small mu pooled.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from copy import deepcopy
from typing import Generic, Self, TypeVar

from coactor.learners.coactive import CoactiveLearner
from coactor.learners.serialization import (
    check_feedback,
    inner_state,
    pack,
    people_in,
    positive_number,
    setting,
    tells,
    unpack,
)
from coactor.protocol import Feedback, Reads, State, Vector

Own = TypeVar("Own")


class _OnePartEach(ABC, Generic[Own]):
    """A part of its own for each person."""

    difference = 0.0  # not modelled
    _people: dict[str, Own]

    @property
    def people(self) -> tuple[str, ...]:
        """The people it has learned from."""
        return tuple(self._people)

    @property
    def weights(self) -> Vector:
        """Those of corrections without a name."""
        return self.person("").weights

    @abstractmethod
    def person(self, name: str) -> CoactiveLearner:
        """The weights of one person."""

    def set_back(self, name: str, earlier: Self) -> None:
        """Set one person's own part back to an earlier state of this learner; what is shared stays."""
        people = {key: own for key, own in self._people.items() if key != name}
        self._people = people | {key: own for key, own in earlier._people.items() if key == name}


class Separate(_OnePartEach[CoactiveLearner]):
    """One learner of Algorithm 1 for each person; a newcomer starts from nothing.

    Parameters
    ----------
    learner
        A learner that has learned nothing.
    """

    def __init__(self, learner: CoactiveLearner) -> None:
        self.learner = learner
        self.name = f"separate-{learner.name}"
        self.reads: Reads = learner.reads
        self._people: dict[str, CoactiveLearner] = {}

    def person(self, name: str) -> CoactiveLearner:
        """The learner of a person."""
        return self._people.get(name, self.learner)

    def update(self, feedback: Feedback) -> None:
        """Update the learner of `feedback.person`."""
        own = deepcopy(self.person(feedback.person))
        own.update(feedback)
        self._people = {**self._people, feedback.person: own}

    def __repr__(self) -> str:
        return f"Separate({self.learner!r}) with {len(self._people)} people"

    def state(self) -> State:
        """Everything it has learned, as JSON-able data."""
        people = [{"person": name, "inner": own.state()} for name, own in self._people.items()]
        return {
            "learner": self.name,
            "weights": pack(self.weights),
            "inner": self.learner.state(),
            "people": people,
        }

    def restore(self, state: State) -> None:
        """Become the learner that `state` was taken from."""
        learner = deepcopy(self.learner)
        unpack(state, "weights", self.name, self.weights.shape)
        learner.restore(inner_state(state, self.name))
        people: dict[str, CoactiveLearner] = {}
        for row in people_in(state, self.name):
            own = deepcopy(learner)
            own.restore(inner_state(row, self.name))
            people[row["person"]] = own
        self.learner, self._people = learner, people


class Balanced(_OnePartEach[Vector]):
    """The balanced perceptron: w_k = shared + personal, both moved by every correction.

    Parameters
    ----------
    learner
        PER or CSPER, which has the rate; it has learned nothing.
    mu
        How personal weights are: the shared part of a step is 1 / mu.

    Examples
    --------
    >>> import numpy as np
    >>> from coactor.learners import CSPER
    >>> learner = Balanced(CSPER(2), mu=2.0)
    >>> learner.update(Feedback(np.array([[0.0, 0.0], [1.0, -2.0]]), cost=3, person="ana"))
    >>> learner.person("ana").weights, learner.person("ben").weights
    (array([ 4.5, -9. ]), array([ 1.5, -3. ]))
    """

    def __init__(self, learner: CoactiveLearner, mu: float = 1.0) -> None:
        if learner.name not in ("PER", "CSPER"):
            raise ValueError(f"The balanced perceptron has the rate of PER or CSPER, not of {learner.name}.")
        self.learner = learner  # its weights are the shared ones
        self.name = f"balanced-{learner.name}"
        self.reads: Reads = learner.reads
        self.mu = positive_number(mu, "mu")
        self._people: dict[str, Vector] = {}

    def person(self, name: str) -> CoactiveLearner:
        """The weights of a person; the shared ones for a newcomer."""
        own = deepcopy(self.learner)
        if name in self._people:
            own.weights = own.weights + self._people[name]
        return own

    def update(self, feedback: Feedback) -> None:
        """Algorithm 1 in the space of shared and personal weights."""
        check_feedback(feedback, self.learner.weights.size)
        delta, name = feedback.delta, feedback.person
        if feedback.cost > 0 and tells(delta, feedback.path[0]):
            step = self.learner.rate(feedback.cost, delta) * delta
            self._people = {**self._people, name: self._people.get(name, 0.0 * delta) + step}
            self.learner.weights = self.learner.weights + step / self.mu

    def __repr__(self) -> str:
        return f"Balanced({self.learner!r}, mu={self.mu}) with {len(self._people)} people"

    def state(self) -> State:
        """Everything it has learned, as JSON-able data."""
        rows = [
            {"person": name, "learner": self.name, "own": pack(own)} for name, own in self._people.items()
        ]
        return {
            "learner": self.name,
            "weights": pack(self.weights),
            "mu": self.mu,
            "inner": self.learner.state(),
            "people": rows,
        }

    def restore(self, state: State) -> None:
        """Become the learner that `state` was taken from."""
        learner, shape = deepcopy(self.learner), self.learner.weights.shape
        unpack(state, "weights", self.name, shape)
        learner.restore(inner_state(state, self.name))
        mu = setting(state, "mu", self.name)
        rows = people_in(state, self.name)
        people = {row["person"]: unpack(row, "own", self.name, shape) for row in rows}
        self.learner, self.mu, self._people = learner, mu, people
