"""What a domain or a learner may have beyond its role: one small protocol each, and who uses it.

`has` tests for an ability by its methods. Where a domain lacks one, `coactor.search` and
`coactor.corrections` do the same by its four methods, more slowly. What a domain says about itself by
attributes has defaults: see `declares`, `feature_names` and `feature_signs`.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, Literal, Protocol, TypeAlias, TypeGuard, TypeVar

import numpy as np

from coactor.protocol.interfaces import Domain, Learner
from coactor.protocol.values import Matrix, Move, Part, Problem, Solution, Solver, Usage, Vector

Ability = TypeVar("Ability")


def has(thing: object, ability: Callable[..., Ability]) -> TypeGuard[Ability]:
    """Whether an object has all methods of an ability; one that is None is missing.

    It runs several times in every round: `isinstance` with a protocol takes 50 times as long, and reads
    properties, which may be costly.

    Examples
    --------
    >>> from coactor import domains
    >>> has(domains.Tour(), Samples)
    True
    """
    for name in _methods(ability):  # noqa: SIM110  (a generator triples the time)
        if getattr(thing, name, None) is None:
            return False
    return True


@cache
def _methods(ability: object) -> tuple[str, ...]:
    public = (name for name in vars(ability) if not name.startswith("_"))
    return tuple(name for name in public if callable(vars(ability)[name]))


# -- attributes of domains -------------------------------------------------------------------------

Fact: TypeAlias = Literal["exact", "locally_optimal", "checks_moves", "lists_all"]


def declares(domain: Domain, fact: Fact) -> bool:
    """What a domain declares about itself by an attribute, or the default.

    exact
        Its solver returns the best solution under the weights, so proposals need no search. Default False.
    locally_optimal
        No move improves what its solver returns (Assumption 1), which `check_domain` tests. Default True.
    checks_moves
        `apply` raises ValueError for every move that the expert may not make. Moves from outside are
        otherwise looked up in `moves`. Such a domain may accept moves that it does not list, for instance
        those that overload a vehicle. Default False.
    lists_all
        One of `moves` leads to each other solution, so a correction is a choice among listed alternatives.
        Default False.
    """
    return bool(getattr(domain, fact, fact == "locally_optimal"))


def feature_names(domain: Domain) -> list[str]:
    """The domain's `feature_names`, or "feature 1", "feature 2", ...; for reports and the page."""
    names = getattr(domain, "feature_names", None)
    return [f"feature {k + 1}" for k in range(domain.dim)] if names is None else list(map(str, names))


def feature_signs(domain: Domain) -> list[int]:
    """1 for each feature that phi counts as it is, -1 for each cost, of which phi is minus what is counted.

    The domain's `feature_signs` is a list, or one number for all features; by default 1. Reports and the
    page say by it whether the expert prefers or avoids something.
    """
    signs = getattr(domain, "feature_signs", 1)
    return [signs] * domain.dim if isinstance(signs, int) else list(map(int, signs))


BROKEN = "broken: "
"""How the names of features begin that say by how much a rule is broken; a start may leave them out."""


def every_weight(domain: Domain, w: Any) -> Any:
    """The weights, with 0 for the features of broken rules if only these are left out."""
    ruled = [name.startswith(BROKEN) for name in feature_names(domain)]
    if not any(ruled) or np.ndim(w) != 1 or len(w) != len(ruled) - sum(ruled):
        return w
    every = np.zeros(len(ruled))
    every[np.logical_not(ruled)] = w
    return every


# -- abilities of domains --------------------------------------------------------------------------


class Samples(Domain, Protocol):
    """Generates random problems: for panels, checks and demos."""

    def sample(self, rng: np.random.Generator, n: int) -> Iterator[Problem]: ...


class Hides(Domain, Protocol):
    """Has features that the expert sees and the solver does not (the paper's noise), for simulated experts.

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


class Landscapes(Domain, Protocol):
    """Climbs by kernel, for `coactor.search`: what depends only on problem and weights is computed once.

    The weights may have d entries, or d + hidden if the domain hides features.
    """

    def landscape(self, x: Problem, w: Vector, /) -> Landscape: ...


class Vectorises(Domain, Protocol):
    """Computes the features of many solutions at once, for `coactor.search`."""

    def features_along(self, x: Problem, path: Sequence[Solution], /) -> Matrix:
        """phi of each solution, one row each."""

    def move_features(self, x: Problem, y: Solution, /) -> Matrix:
        """phi(neighbour) - phi(y) for each move, in scan order, one row each."""


class Declines(Domain, Protocol):
    """Says what an expert who leaves a solution as it is has declined, if its moves are too few to say it.

    Neighbours in a sorted list hardly differ in utility. If these exchanges were all that is declined, every
    correction would contradict the weights that sorted the list, however good they are.
    """

    def declined_features(self, x: Problem, y: Solution, /) -> Matrix:
        """phi(z) - phi(y) for solutions z that are declined, one row each."""


class Validates(Domain, Protocol):
    """Validates solutions from outside, wherever one comes in."""

    def check_solution(self, x: Problem, y: Solution, /) -> None:
        """Raises ValueError if y is not a solution of x."""


class Codes(Domain, Protocol):
    """Encodes problems and solutions as JSON-able data, and decodes them: for studies and external solvers.

    Decoding validates what comes from outside: it raises ValueError if it is invalid.
    """

    def encode_problem(self, x: Problem, /) -> Any: ...
    def decode_problem(self, data: Any, /) -> Problem: ...
    def encode_solution(self, y: Solution, /) -> Any: ...
    def decode_solution(self, x: Problem, data: Any, /) -> Solution: ...


class CountsEdits(Domain, Protocol):
    """Computes how many of its moves lead from one solution to another, where only the last is known."""

    def edits_between(self, x: Problem, y: Solution, z: Solution, /) -> int:
        """The smallest number of moves from y to z, or a good upper bound."""


class HasParts(Domain, Protocol):
    """Names the parts of a solution, so that a memory can tell how usual they are.

    The last name of a part is what was chosen, the names before it say where: ``("depot", "stop 7")``,
    ``("Ana", "Monday", "early")``, or only ``"tent"``. Two more methods are optional: see `surroundings`.
    """

    def parts(self, x: Problem, y: Solution, /) -> Iterable[Part]: ...


class Keeps(HasParts, Protocol):
    """Solves the rest of a solution again around parts that must stay, better than by its moves alone."""

    def lockable(self, x: Problem, y: Solution, /) -> Iterable[Part]:
        """Everything that can be kept: the parts, and more, such as which vehicle has a stop."""

    def replan(self, x: Problem, w: Vector, y: Solution, keep: frozenset[Part], /) -> Solution:
        """A solution with all parts of `keep`: y, changed only where that gains.

        Raises ValueError, and names the parts, if they cannot be kept together.
        """


def surroundings(domain: HasParts, x: Problem, method: Literal["choices", "context"]) -> Iterable[str] | None:
    """Names by which a memory compares problems, by an optional method of the domain; None if it has none.

    choices
        What can be chosen in x; None: whatever was ever chosen in the same place.
    context
        What describes x: two problems are similar if they share most of it; None: the choices do.
    """
    names: Callable[[Problem], Iterable[str] | None] | None = getattr(domain, method, None)
    return None if names is None else names(x)


class TakesHabits(HasParts, Protocol):
    """Can have one more feature, habits: the summed costs of the unusual parts of a solution.

    Features must depend on problem and solution alone. So a memory extends the problem, before it is solved,
    by how usual its parts are; see `coactor.habits`.
    """

    @property
    def habits(self) -> bool:
        """Whether the domain has this feature."""

    def with_habits(self) -> TakesHabits:
        """The same domain with this feature."""

    def extend(self, x: Problem, usage: Usage, /) -> Problem:
        """The problem with these costs of its parts; earlier ones are replaced."""


def uses_habits(domain: Domain) -> TypeGuard[TakesHabits]:
    """Whether the domain has a feature of habits, so that it needs a memory."""
    return has(domain, TakesHabits) and domain.habits


# -- abilities of domains, for the page ------------------------------------------------------------

View: TypeAlias = Mapping[str, Any]


class Shows(Domain, Protocol):
    """Shows a solution: as text, lists, tables and drawings that the page and notebooks draw.

    Domains that the page draws from problem and solution have a method `draw` like it, for notebooks alone.
    """

    def show(self, x: Problem, y: Solution, /) -> Sequence[View]:
        """The solution as JSON-able data; see `coactor.protocol.views`. Text is never read as HTML."""


class Describes(Domain, Protocol):
    """Puts edits into words, for the page and for explanations."""

    def describe_edit(self, x: Problem, y: Solution, move: Move, /) -> str:
        """The edit in words, such as "Ana takes the night on Monday from Bo"; y is as it was before."""


def edit_text(domain: Domain, x: Problem, y: Solution, move: Move) -> str:
    """A move that is applied to y, in words; its operator and its numbers if the domain has no words."""
    if has(domain, Describes):
        return domain.describe_edit(x, y, move)
    return f"{move['op']} {', '.join(map(str, move['args']))}"


def own_editor(domain: Domain) -> str | Path | None:
    """The domain's `editor`: the path of an ES module that exports `mount`, or the name of one of the page's.

    None if the domain has no such attribute.
    """
    editor: str | Path | None = getattr(domain, "editor", None)
    return editor


class OffersEdits(Domain, Protocol):
    """Lists the edits of one part of a solution, with those that a rule forbids: for an editor's menu.

    `GridModel` has it for the cells of a grid; it is a hook for other domains with rules.
    """

    def edits_of(self, x: Problem, y: Solution, part: int, /) -> Sequence[tuple[Move, Vector, str]]:
        """Moves, the change in phi by each, and the rules it would break, in words; "" if it is allowed.

        Raises ValueError if there is no such part.
        """


class Attributes(Domain, Protocol):
    """Divides the features among the parts of a solution: the page shows which of them cause one."""

    def by_cell(self, x: Problem, y: Solution, /) -> Matrix:
        """Each part's share of each feature, one row for a part.

        They add up to `features`, but for what no single part causes.
        """


# -- abilities of solvers --------------------------------------------------------------------------


def takes(solve: Solver, name: Literal["start", "keep", "seconds"]) -> bool:
    """Whether a solver has an optional parameter.

    start
        A solution to start from, ``solve(x, w, start=y)``: cheaper to call again.
    keep
        Parts that must stay, ``solve(x, w, keep=parts)``.
    seconds
        A time limit. What a budget leaves for one call; None does not limit it.
    """
    try:
        parameter = inspect.signature(solve).parameters.get(name)
    except (TypeError, ValueError):  # compiled functions may have no signature
        return False
    if parameter is None:
        return False
    return parameter.kind in (parameter.KEYWORD_ONLY, parameter.POSITIONAL_OR_KEYWORD)


# -- abilities of learners -------------------------------------------------------------------------


class Preferences(Protocol):
    """What is known about the weights of one person, or of a learner: explained, and used by proposals."""

    @property
    def weights(self) -> Vector:
        """The weights to solve with."""

    @property
    def threshold(self) -> float:
        """b, in the unit of the weights: P(a move is made) = sigma(gain - b); infinite before any update."""

    def deviations(self) -> Vector:
        """The posterior standard deviation of each weight."""

    def prior_deviations(self) -> Vector:
        """The prior standard deviation of each weight: its natural unit."""

    def known(self) -> Vector:
        """1 - posterior / prior standard deviation of each weight: 0 nothing learned, 1 certain."""

    def variances(self, rows: Matrix, around_others: bool = False) -> Vector:
        """The posterior variance of rows @ weights; `around_others`: without what is unknown of all."""


class KnowsPeople(Protocol):
    """Keeps weights for each person, by `Feedback.person`; its own weights are those of a newcomer."""

    @property
    def people(self) -> tuple[str, ...]:
        """The people it has learned from."""

    @property
    def difference(self) -> float:
        """By how much people differ, in prior standard deviations; 0 while there is one person."""

    def person(self, name: str, /) -> Preferences:
        """One person's weights, a view that is good until the next update; a newcomer's if unknown."""

    def set_back(self, name: str, earlier: Any, /) -> None:
        """Set what one person has shown back to an earlier state of this learner."""


def learner_for(learner: Learner, person: str) -> Learner | Preferences:
    """What the learner knows about a person: a view of its weights, or the learner itself."""
    return learner.person(person) if has(learner, KnowsPeople) else learner


def whose(learner: Learner, person: str) -> str:
    """The name under which the learner keeps weights for a person; empty if it has none of their own."""
    people = learner.people if has(learner, KnowsPeople) else ()
    return person if len(people) > 1 and person in people else ""
