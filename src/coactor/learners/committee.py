"""The default learner for many features: a quick and a slow posterior, and weights between them.

How far to trust a few hundred rounds about as many features cannot be read off the rounds themselves: on some
data a wide prior that learns at once needs least effort, on other data a narrow one that follows what most
rows have in common. Their errors differ, so the weights between the two do nearly as well as the better one,
whichever it is.

    quick    rows by their direction; a wide prior, and a joint posterior of all weights
    slow     rows as they are, so that large changes count more; a narrow prior, and independent weights

Both see every round (choice.py). The direction of the weights is QUICK of one and 1 - QUICK of the other.
With several people, both are populations with independent coordinates (population.py).
"""

from __future__ import annotations

from collections.abc import Sequence
from copy import deepcopy
from typing import Generic, TypeVar

import numpy as np

from coactor.learners.choice import ChoiceLearner
from coactor.learners.people.population import Population
from coactor.learners.people.sites import Person
from coactor.learners.serialization import inner_state, pack
from coactor.learners.units import row_lengths
from coactor.protocol import Feedback, Matrix, Reads, State, Vector

QUICK = 0.6  # the share of the quick learner in the direction
SLOW_SD = 0.1  # the prior standard deviation of the slow learner


Member = TypeVar("Member", bound=ChoiceLearner | Population | Person)
Updated = TypeVar("Updated", bound=ChoiceLearner | Population)


class Blend(Generic[Member]):
    """What a quick and a slow learner believe together.

    Parameters
    ----------
    quick, slow
        The two.
    """

    def __init__(self, quick: Member, slow: Member) -> None:
        self.quick, self.slow = quick, slow

    @property
    def weights(self) -> Vector:
        """Between the two directions, with the length of the quick learner's."""
        quick, slow = self.quick.weights, self.slow.weights
        length, other = row_lengths(np.vstack([quick, slow])).tolist()
        if length == 0.0 or other == 0.0:
            return quick + slow
        between = QUICK * (quick / length) + (1.0 - QUICK) * (slow / other)
        weights: Vector = between * (length / (float(np.linalg.norm(between)) or 1.0))
        return weights

    @property
    def threshold(self) -> float:
        """The quick learner's, because the weights are in its units."""
        return self.quick.threshold

    def deviations(self) -> Vector:
        """The posterior standard deviation of each weight: the quick learner's, which is larger."""
        return self.quick.deviations()

    def prior_deviations(self) -> Vector:
        """The prior standard deviation of each weight: the quick learner's."""
        return self.quick.prior_deviations()

    def known(self) -> Vector:
        """1 - posterior / prior standard deviation of each weight: 0 nothing learned, 1 certain."""
        return self.quick.known()

    def variances(self, rows: Matrix, around_others: bool = False) -> Vector:
        """The posterior variance of rows @ weights: the quick learner's."""
        return self.quick.variances(rows, around_others)

    def chances(self, differences: Matrix) -> Vector:
        """The probability that the expert makes each move: the mean of the two."""
        chances: Vector = 0.5 * (self.quick.chances(differences) + self.slow.chances(differences))
        return chances


class _Both(Blend[Updated]):
    """A blend of two learners that see every round."""

    name: str

    @property
    def dim(self) -> int:
        """d."""
        return self.quick.dim

    @property
    def start(self) -> Vector | None:
        """The weights in use before; None if there are none."""
        return self.quick.start

    @property
    def prior(self) -> Vector:
        """The direction of the prior mean."""
        return self.quick.prior

    def update(self, feedback: Feedback) -> None:
        """Both learn. If one raises, neither has changed."""
        slow = deepcopy(self.slow)
        slow.update(feedback)
        self.quick.update(feedback)
        self.slow = slow

    def state(self) -> State:
        """Everything it has learned, as JSON-able data."""
        both = {"quick": self.quick.state(), "slow": self.slow.state()}
        return {"learner": self.name, "weights": pack(self.weights), **both}

    def restore(self, state: State) -> None:
        """Become the learner that `state` was taken from."""
        quick, slow = deepcopy(self.quick), deepcopy(self.slow)
        quick.restore(inner_state(state, self.name, "quick"))
        slow.restore(inner_state(state, self.name, "slow"))
        self.quick, self.slow = quick, slow


class Committee(_Both[ChoiceLearner]):
    """A quick and a slow Bayesian choice learner.

    Parameters
    ----------
    dim
        d.
    prior
        The direction of the prior mean, as for a `ChoiceLearner`.
    start, trust
        The weights in use today and how far to trust them, as for a `ChoiceLearner`.

    Examples
    --------
    >>> Committee(300).weights[:3]
    array([0.1, 0.1, 0.1])
    """

    name = "committee"
    reads: Reads = "declined"

    def __init__(
        self,
        dim: int,
        prior: Sequence[float] | Vector | None = None,
        start: Sequence[float] | Vector | None = None,
        trust: float | None = None,
    ) -> None:
        super().__init__(*_members(dim, prior, start, trust))

    def __repr__(self) -> str:
        return f"Committee(dim={self.dim}) after {self.quick.rounds} rounds"


class PopulationCommittee(_Both[Population]):
    """The same for several people: a quick and a slow population.

    Parameters
    ----------
    dim
        d.
    prior, start, trust
        As for a `Committee`: the prior of the population.
    """

    name = "population-committee"
    reads: Reads = "declined"

    def __init__(
        self,
        dim: int,
        prior: Sequence[float] | Vector | None = None,
        start: Sequence[float] | Vector | None = None,
        trust: float | None = None,
    ) -> None:
        quick, slow = _members(dim, prior, start, trust)
        super().__init__(Population.of(quick), Population.of(slow))

    @property
    def people(self) -> tuple[str, ...]:
        """The people it has learned from."""
        return self.quick.people

    @property
    def difference(self) -> float:
        """By how much people differ, in prior standard deviations; 0 while there is one person."""
        return self.quick.difference

    def person(self, name: str) -> Blend[ChoiceLearner | Person]:
        """The weights of a person; those of the population for a newcomer, and without a name."""
        return Blend[ChoiceLearner | Person](self.quick.person(name), self.slow.person(name))

    def set_back(self, name: str, earlier: PopulationCommittee) -> None:
        """Set what one person has shown back to an earlier state of this learner; the others' stays."""
        self.quick.set_back(name, earlier.quick)
        self.slow.set_back(name, earlier.slow)

    def __repr__(self) -> str:
        return f"PopulationCommittee(dim={self.dim}) with {len(self.people)} people"


def _members(
    dim: int,
    prior: Sequence[float] | Vector | None,
    start: Sequence[float] | Vector | None,
    trust: float | None,
) -> tuple[ChoiceLearner, ChoiceLearner]:
    slow = ChoiceLearner(
        dim, prior, prior_sd=SLOW_SD, use_lengths=True, independent=True, start=start, trust=trust
    )
    return ChoiceLearner(dim, prior, use_lengths=False, start=start, trust=trust), slow
