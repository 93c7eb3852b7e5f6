"""The words everything else is written in: the values that flow, and who may be plugged in.

    problem --solve(w)--> proposal --expert--> correction --features--> feedback --update--> weights

Nothing here computes; nothing here imports more than numpy.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol, TypeAlias, TypedDict, runtime_checkable

import numpy as np
from numpy.typing import NDArray

Vector: TypeAlias = NDArray[np.float64]
Matrix: TypeAlias = NDArray[np.float64]
Indices: TypeAlias = NDArray[np.int64]
Problem: TypeAlias = Any
Solution: TypeAlias = Any
State: TypeAlias = dict[str, Any]


class Move(TypedDict):
    """One edit, as plain data: ``{"op": "reverse", "args": [3, 7]}``."""

    op: str
    args: list[int]


MoveCosts: TypeAlias = Mapping[str, float] | Callable[[Move], float]
"""What an operator costs the expert: a number per name, or a function of the move; 1 where silent."""

Solver: TypeAlias = Callable[[Problem, Vector], Solution]
"""S(x; w): any function from a problem and weights to a solution."""

Reads: TypeAlias = Literal["ends", "path", "declined"]
"""How much of a correction a learner looks at; what it does not read is not computed."""


# -- the values that flow ------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, eq=False)
class Proposal:
    """What the solver shows the expert: y = S(x; w).

    Attributes
    ----------
    id
        The session's own number for it.
    problem, solution
        x and y.
    version
        How many updates the learner had made when it was asked.
    chance
        How likely the expert is to accept it untouched; None where the learner cannot tell.
    """

    id: int
    problem: Problem
    solution: Solution
    version: int = 0
    chance: float | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Correction:
    """What the expert did: the path z0, z1, ..., zl and what each step cost.

    Attributes
    ----------
    path
        Solutions, the proposal first, the expert's final solution last.
    moves
        The operators between them; ``len(path) - 1`` of them, or empty when nobody recorded them.
    costs
        The cost of each step.
    cut
        True when the expert stopped for want of time, not because he was satisfied.
    misjudged
        xi: by how much the gain in true utility fell short of kappa * C (Theorem 2); 0 if unknown.
    estimated
        True when the moves were reconstructed from the final solution, not observed.
    """

    path: Sequence[Solution]
    moves: Sequence[Move]
    costs: Sequence[float]
    cut: bool = False
    misjudged: float = 0.0
    estimated: bool = False

    @property
    def effort(self) -> float:
        """C: what the whole correction cost the expert."""
        return float(sum(self.costs))

    @property
    def final(self) -> Solution:
        """zl, the solution the expert ended with."""
        return self.path[-1]


@dataclass(frozen=True, slots=True, eq=False)
class Feedback:
    """A correction in the only language a learner understands: vectors and numbers.

    Attributes
    ----------
    path
        Feature vectors, shape (k + 1, d): the proposal first, the candidate y' last. A learner that
        reads only the ends is given two rows.
    cost
        C: what it cost the expert to get from the first row to the last.
    declined
        phi(neighbour) - phi(y') for every move the expert could have made from his final solution
        and did not, shape (m, d); None when nobody looked.
    cut
        True when the expert stopped for want of time: then the moves he left alone say nothing.
    """

    path: Matrix
    cost: float
    declined: Matrix | None = None
    cut: bool = False

    @property
    def delta(self) -> Vector:
        """phi(x, y') - phi(x, y)."""
        delta: Vector = self.path[-1] - self.path[0]
        return delta


@dataclass(frozen=True, slots=True, eq=False)
class Round:
    """One example, finished.

    Attributes
    ----------
    proposal, correction
        What was shown, and what the expert made of it.
    cost
        The C the learner was given (Assumption 3's candidate may come before the end).
    effort
        The expert's total effort.
    delta
        phi(x, y') - phi(x, y).
    """

    proposal: Proposal
    correction: Correction
    cost: float
    effort: float
    delta: Vector


# -- who may be plugged in -----------------------------------------------------------------------


class Domain(Protocol):
    """What a problem, a solution and an edit are. Four methods and a number; no base class.

    It knows its own objects and weights, and never a learner, an expert or a store.
    """

    @property
    def dim(self) -> int:
        """d, the length of a feature vector."""

    def features(self, x: Problem, y: Solution, /) -> Vector:
        """phi(x, y), length d. Utility is w . phi: for costs, phi is minus the summed features."""

    def solve(self, x: Problem, w: Vector, /) -> Solution:
        """S(x; w). Assumption 1: no move improves w . phi on the answer."""

    def moves(self, x: Problem, y: Solution, /) -> Iterable[Move]:
        """Every operator that can be applied to y, in scan order."""

    def apply(self, x: Problem, y: Solution, move: Move, /) -> Solution:
        """The solution one operator leads to. y itself is left as it is."""


class Learner(Protocol):
    """Feedback in, weights out. It never sees a problem or a solution."""

    @property
    def name(self) -> str:
        """What it is called on the command line and in a figure."""

    @property
    def reads(self) -> Reads:
        """How much of a correction it looks at."""

    @property
    def weights(self) -> Vector:
        """The weights to solve with now."""

    def update(self, feedback: Feedback) -> None:
        """Learn from one correction."""

    def state(self) -> State:
        """Everything it knows, as JSON-able data; floats survive bit for bit."""

    def restore(self, state: State) -> None:
        """Become the learner that `state` was taken from."""


class Expert(Protocol):
    """Simulated, human, or replayed from a log: (problem, solution) -> correction."""

    def __call__(self, x: Problem, y: Solution, /) -> Correction: ...


# -- what a domain may offer beyond the four methods ----------------------------------------------
# Each ability is its own small protocol. Where it is missing, search.py does the same by the four
# methods, slower.


@runtime_checkable
class Samples(Protocol):
    """Makes random problems."""

    def sample(self, rng: np.random.Generator, n: int) -> Iterator[Problem]: ...


@runtime_checkable
class Hides(Domain, Protocol):
    """Has features that the expert sees and the solver does not (the paper's noise).

    Weights of length d + hidden are welcome in `solve` and `landscape`: they score by all features.
    """

    @property
    def hidden(self) -> int: ...

    def all_features(self, x: Problem, y: Solution, /) -> Vector:
        """The d visible features, then the hidden ones."""


class Landscape(Protocol):
    """One problem seen through one set of weights: utility w . phi over its solutions."""

    def utility(self, y: Solution, /) -> float:
        """w . phi(x, y)."""

    def gains(self, y: Solution, /) -> Vector:
        """What each move adds to the utility, in scan order."""

    def climb(
        self, y: Solution, /, *, kappa: float = 0.0, best: bool = False, limit: int = -1
    ) -> tuple[Sequence[Solution], list[Move]]:
        """Apply the first (or best) move in scan order that gains enough, until none does.

        Enough is at least kappa, and more than 0. At most `limit` moves; a negative limit is none.
        Returns the solutions, y first, and the moves between them.
        """


@runtime_checkable
class Landscapes(Domain, Protocol):
    """Climbs by kernel: what can be computed once for a problem and weights is computed once.

    The weights may have d entries, or d + hidden where the domain hides features.
    """

    def landscape(self, x: Problem, w: Vector, /) -> Landscape: ...


@runtime_checkable
class Vectorises(Domain, Protocol):
    """Computes features of many solutions at once."""

    def features_along(self, x: Problem, path: Sequence[Solution], /) -> Matrix:
        """phi of each solution, one row each."""

    def move_features(self, x: Problem, y: Solution, /) -> Matrix:
        """phi(neighbour) - phi(y) for each move, in scan order, one row each."""


@runtime_checkable
class Validates(Domain, Protocol):
    """Says in a sentence what is wrong with an object from outside."""

    def check_solution(self, x: Problem, y: Solution, /) -> None:
        """Raise ValueError unless y is a solution of x."""


@runtime_checkable
class Codes(Domain, Protocol):
    """Turns problems and solutions into JSON-able data and back.

    Decoding checks: what comes out is valid, or a ValueError says in a sentence why not.
    """

    def encode_problem(self, x: Problem, /) -> Any: ...
    def decode_problem(self, data: Any, /) -> Problem: ...
    def encode_solution(self, y: Solution, /) -> Any: ...
    def decode_solution(self, x: Problem, data: Any, /) -> Solution: ...


@runtime_checkable
class Names(Protocol):
    """Knows what its features are called."""

    @property
    def feature_names(self) -> Sequence[str]: ...
