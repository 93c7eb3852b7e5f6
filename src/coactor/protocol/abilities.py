"""Optional abilities of domains and learners: one small protocol each.

Where a domain lacks an ability, `coactor.search` and `coactor.corrections` do the same by its four methods,
more slowly. Functions such as `counts_costs` give the default of an ability that is a flag.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Protocol, TypeGuard, runtime_checkable

import numpy as np

from coactor.protocol.interfaces import Domain, Learner
from coactor.protocol.values import Matrix, Move, Part, Problem, Solution, Usage, Vector

# -- of domains ----------------------------------------------------------------------------------


@runtime_checkable
class Samples(Protocol):
    """Generates random problems."""

    def sample(self, rng: np.random.Generator, n: int) -> Iterator[Problem]: ...


@runtime_checkable
class Hides(Domain, Protocol):
    """Has features that the expert sees and the solver does not (the paper's noise).

    `solve` and `landscape` also accept weights of length d + hidden; these score all features.
    """

    @property
    def hidden(self) -> int:
        """The number of hidden features."""

    def all_features(self, x: Problem, y: Solution, /) -> Vector:
        """The d visible features, then the hidden ones."""


class Landscape(Protocol):
    """One problem under one set of weights: the utility w . phi over its solutions."""

    def utility(self, y: Solution, /) -> float:
        """w . phi(x, y)."""

    def gains(self, y: Solution, /) -> Vector:
        """What each move adds to the utility, in scan order."""

    def climb(
        self, y: Solution, /, *, kappa: float = 0.0, best: bool = False, limit: int = -1
    ) -> tuple[Sequence[Solution], list[Move]]:
        """Apply the first (or best) move in scan order that gains enough, until none does.

        Enough is at least kappa, and more than 0. At most `limit` moves; no limit if negative.
        Returns the solutions, y first, and the moves between them.
        """


@runtime_checkable
class Landscapes(Domain, Protocol):
    """Climbs by kernel: what depends only on the problem and the weights is computed once.

    The weights may have d entries, or d + hidden if the domain hides features.
    """

    def landscape(self, x: Problem, w: Vector, /) -> Landscape: ...


@runtime_checkable
class Vectorises(Domain, Protocol):
    """Computes the features of many solutions at once."""

    def features_along(self, x: Problem, path: Sequence[Solution], /) -> Matrix:
        """phi of each solution, one row each."""

    def move_features(self, x: Problem, y: Solution, /) -> Matrix:
        """phi(neighbour) - phi(y) for each move, in scan order, one row each."""


@runtime_checkable
class Validates(Domain, Protocol):
    """Validates solutions from outside."""

    def check_solution(self, x: Problem, y: Solution, /) -> None:
        """Raises ValueError if y is not a solution of x."""


@runtime_checkable
class Codes(Domain, Protocol):
    """Encodes problems and solutions as JSON-able data, and decodes them.

    Decoding validates what comes from outside: it raises ValueError if it is invalid.
    """

    def encode_problem(self, x: Problem, /) -> Any: ...
    def decode_problem(self, data: Any, /) -> Problem: ...
    def encode_solution(self, y: Solution, /) -> Any: ...
    def decode_solution(self, x: Problem, data: Any, /) -> Solution: ...


@runtime_checkable
class Names(Protocol):
    """Names its features."""

    @property
    def feature_names(self) -> Sequence[str]: ...


@runtime_checkable
class CountsEdits(Protocol):
    """Computes how many of its moves lead from one solution to another."""

    def edits_between(self, x: Problem, y: Solution, z: Solution, /) -> int:
        """The smallest number of moves from y to z, or a good upper bound."""


@runtime_checkable
class CountsCosts(Protocol):
    """Says whether its features are costs: then phi is minus their sum, and a positive weight avoids them."""

    @property
    def counts_costs(self) -> bool: ...


@runtime_checkable
class Signs(Protocol):
    """Says for each feature whether phi is what is counted (1) or minus it (-1), a cost.

    For domains whose features are not all alike; `counts_costs` is enough for the others.
    """

    @property
    def feature_signs(self) -> Sequence[int]: ...


@runtime_checkable
class Exact(Protocol):
    """Says whether its solver returns the best solution under the weights."""

    @property
    def exact(self) -> bool: ...


@runtime_checkable
class LocallyOptimal(Protocol):
    """Says whether no move improves what its solver returns (Assumption 1)."""

    @property
    def locally_optimal(self) -> bool: ...


@runtime_checkable
class HasParts(Domain, Protocol):
    """Names the parts of a solution, so that a memory can tell how usual they are.

    The last name of a part is what was chosen, the names before it say where: ``("depot", "stop 7")``,
    ``("Ana", "Monday", "early")``, or only ``"tent"``.
    """

    def parts(self, x: Problem, y: Solution, /) -> Iterable[Part]: ...


@runtime_checkable
class LimitsChoices(Protocol):
    """Says what can be chosen in a problem; without it, whatever was ever chosen in the same place."""

    def choices(self, x: Problem, /) -> Iterable[str] | None:
        """The names of all choices; None if there is no limit."""


@runtime_checkable
class HasContext(Protocol):
    """Describes a problem by names; two problems are similar if they share most. By default, the choices."""

    def context(self, x: Problem, /) -> Iterable[str] | None:
        """The names; None for the choices."""


@runtime_checkable
class TakesHabits(HasParts, Protocol):
    """Has one more feature for each kind of habit: the summed costs of the parts of a solution.

    Features must depend on problem and solution alone. So a memory extends the problem, before it is solved,
    by how usual its parts are.
    """

    @property
    def habits(self) -> tuple[str, ...]:
        """The kinds of habits, see `coactor.habits`; empty if the domain does not use any."""

    def with_habits(self, kinds: Sequence[str], /) -> TakesHabits:
        """The same domain with these kinds of habits."""

    def extend(self, x: Problem, usage: Usage, /) -> Problem:
        """The problem with these costs of its parts; earlier ones are replaced."""


@runtime_checkable
class ChecksMoves(Protocol):
    """Says whether `apply` itself raises ValueError for every move that the expert may not make.

    Moves from outside are otherwise looked up in `moves`, which takes time if there are many. Such a domain
    may also accept moves that it does not propose, for instance those that overload a vehicle.
    """

    @property
    def checks_moves(self) -> bool: ...


def checks_moves(domain: Domain) -> bool:
    """Whether the domain's `apply` validates moves; False by default."""
    return hasattr(domain, "checks_moves") and bool(domain.checks_moves)


def counts_costs(domain: Domain) -> bool:
    """Whether the domain's features are costs; False by default."""
    return isinstance(domain, CountsCosts) and domain.counts_costs


def feature_signs(domain: Domain) -> list[int]:
    """1 for each feature that is counted as it is, -1 for each cost."""
    if isinstance(domain, Signs):
        return [int(sign) for sign in domain.feature_signs]
    return [-1 if counts_costs(domain) else 1] * domain.dim


def is_exact(domain: Domain) -> bool:
    """Whether the domain's solver returns the best solution; False by default."""
    return isinstance(domain, Exact) and domain.exact


def is_locally_optimal(domain: Domain) -> bool:
    """Whether the domain's solver satisfies Assumption 1; True by default."""
    return not isinstance(domain, LocallyOptimal) or domain.locally_optimal


def feature_names(domain: Domain) -> list[str]:
    """The domain's names of its features, or "feature 1", "feature 2", ..."""
    if isinstance(domain, Names):
        return [str(name) for name in domain.feature_names]
    return [f"feature {k + 1}" for k in range(domain.dim)]


def uses_habits(domain: Domain) -> TypeGuard[TakesHabits]:
    """Whether the domain has features of habits, so that it needs a memory."""
    return hasattr(domain, "habits") and bool(domain.habits) and isinstance(domain, TakesHabits)


# -- of learners ---------------------------------------------------------------------------------


@runtime_checkable
class PredictsMoves(Protocol):
    """Models which moves the expert makes: P(a move is made) = sigma(gain - threshold)."""

    @property
    def threshold(self) -> float:
        """b, in the unit of the weights; infinite before anything was learned."""

    def chances(self, differences: Matrix, /) -> Vector:
        """The probability that the expert makes each move, given its feature difference, one row each."""


@runtime_checkable
class HasPosterior(Protocol):
    """Keeps a posterior distribution of the weights."""

    def deviations(self) -> Vector:
        """The posterior standard deviation of each weight."""

    def prior_deviations(self) -> Vector:
        """The prior standard deviation of each weight: its natural unit."""

    def known(self) -> Vector:
        """1 - posterior / prior standard deviation of each weight: 0 nothing learned, 1 certain."""


class Preferences(Protocol):
    """One person's weights in a learner of several people: a view, good until the next update."""

    @property
    def weights(self) -> Vector:
        """The weights to solve with for this person."""

    @property
    def threshold(self) -> float:
        """b, as in `PredictsMoves`."""

    def deviations(self) -> Vector:
        """The posterior standard deviation of each weight."""

    def prior_deviations(self) -> Vector:
        """The prior standard deviation of each weight."""

    def known(self) -> Vector:
        """1 - posterior / prior standard deviation of each weight."""

    def variances(self, rows: Matrix, around_others: bool = False) -> Vector:
        """The posterior variance of rows @ weights; `around_others`: without what is unknown of all."""


@runtime_checkable
class KnowsPeople(Protocol):
    """Keeps weights for each person, by `Feedback.person`; its own weights are those of a newcomer."""

    @property
    def people(self) -> tuple[str, ...]:
        """The people it has learned from."""

    @property
    def difference(self) -> float:
        """By how much people differ, in prior standard deviations; 0 while there is one person."""

    def person(self, name: str, /) -> Preferences:
        """One person's weights; those of a newcomer if the name is unknown or empty."""

    def set_back(self, name: str, earlier: Any, /) -> None:
        """Set what one person has shown back to an earlier state of this learner."""


# These run in every round, and isinstance() with a protocol takes microseconds.


def has_landscapes(domain: Domain) -> TypeGuard[Landscapes]:
    """Whether the domain climbs by kernel."""
    return hasattr(domain, "landscape")


def has_vectors(domain: Domain) -> TypeGuard[Vectorises]:
    """Whether the domain computes features of many solutions at once."""
    return hasattr(domain, "features_along") and hasattr(domain, "move_features")


def has_checks(domain: Domain) -> TypeGuard[Validates]:
    """Whether the domain validates solutions."""
    return hasattr(domain, "check_solution")


def has_posterior(learner: Learner | Preferences) -> TypeGuard[HasPosterior]:
    """Whether the learner keeps a posterior distribution of the weights."""
    return hasattr(learner, "prior_deviations")


def knows_people(learner: object) -> TypeGuard[KnowsPeople]:
    """Whether the learner keeps weights for each person."""
    return hasattr(learner, "people")


def learner_for(learner: Learner, person: str) -> Learner | Preferences:
    """What the learner knows about a person: a view of its weights, or the learner itself."""
    return learner.person(person) if knows_people(learner) else learner


def whose(learner: Learner, person: str) -> str:
    """The name under which the learner keeps weights for a person; empty if it has none of their own."""
    return person if knows_people(learner) and len(learner.people) > 1 and person in learner.people else ""


def predicts_moves(learner: Learner | Preferences) -> TypeGuard[PredictsMoves]:
    """Whether the learner models which moves the expert makes."""
    return hasattr(learner, "threshold")
