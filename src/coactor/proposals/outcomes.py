"""What the outcomes of proposals say: how likely the next one is accepted, and who should make it.

Acceptance. The probability that the expert accepts a proposal unchanged, calibrated on earlier proposals. The
choice model gives the expected number of moves E = sum of sigma(gain - b) over a proposal's moves. Moves are
not independent, so exp(-E) is not the chance that none is made. The link between the two is learned:

    P(accepted) = sigma(a - c log E)

with a Gaussian posterior of (a, c), updated after every told proposal as the learner's own is.

The guard. Another one proposes while, over all cases so far, it is ahead of the learner.

The others are fixed weights: the start (the weights in use before), and all features alike. Each proposal
brings along what the others would have proposed. When the expert has finished it, the guard counts how many
edits each of these solutions is away from the final one. `ahead` is the sum, over the cases in which both
were solved, of the learner's edits minus the other's. The other proposes while

    ahead > ERRORS * sqrt(sum of the squared differences),

that is, while it is ahead by a standard error. If several are, the one furthest ahead proposes.

What was proposed leaves at most min L + (s + 1) B + (r + 1) E edits: L is what each would have left in all, s
the number of changes of the proposer, r how often the learner was replaced, B the most edits of a case, and E
the largest error. A wrong takeover can last, because experts who edit a proposal end near it; it is rare,
because it takes a standard error.

The comparison is computed from finished cases and costs the expert nothing. A case that was not compared, or
that the expert did not finish, says nothing.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np

from coactor.learners.gaussians import Precision
from coactor.learners.serialization import pack, unpack
from coactor.protocol import Invalid, State, Vector

LEAST = 1e-4  # smaller expected numbers of moves are raised to this

LEARNER, START, ALIKE = "learner", "start", "alike"
OUTSIDE = "outside"  # another system: no weights of ours
CONTROL = "control"  # what version 0 would propose, to be compared with

ERRORS = 1.0  # standard errors of a lead; 0.5 and 2 were level on the planner's first 39 days

_OWNER = "guard"
_WORDS = {START: "the weights in use before", ALIKE: "all features alike"}


class Acceptance:
    """Predicts acceptance from the expected number of moves.

    Examples
    --------
    >>> acceptance = Acceptance()
    >>> for _ in range(20):
    ...     acceptance.learn(0.01, accepted=True)
    ...     acceptance.learn(3.0, accepted=False)
    >>> acceptance.chance(0.01) > 0.9, acceptance.chance(3.0) < 0.1
    (True, True)
    """

    name = "acceptance"

    def __init__(self) -> None:
        self._posterior = Precision(np.array([0.0, 1.0]), np.diag([0.25, 1.0]))

    def chance(self, expected_moves: float) -> float:
        """The probability that a proposal with this expected number of moves is accepted unchanged."""
        row = _row(expected_moves)
        blur = float(np.sqrt(1.0 + np.pi / 8.0 * self._posterior.spread(row)[0]))
        return float(0.5 * (1.0 + np.tanh(0.5 * float(row[0] @ self._posterior.mean) / blur)))

    def learn(self, expected_moves: float, accepted: bool) -> None:
        """Learn whether a proposal was accepted."""
        self._posterior.learn(_row(expected_moves), np.array([1.0 if accepted else 0.0]))

    def state(self) -> State:
        """Everything it has learned, as JSON-able data."""
        return {"learner": self.name, **{key: pack(array) for key, array in self._posterior.arrays().items()}}

    def restore(self, state: State) -> None:
        """Return to an earlier state. Raises ValueError if it is invalid."""
        posterior = self._posterior.copy()
        for key, array in posterior.arrays().items():
            setattr(posterior, key, unpack(state, key, self.name, array.shape))
        self._posterior = posterior


def _row(expected_moves: float) -> Vector:
    return np.array([[1.0, -np.log(max(expected_moves, LEAST))]])


class Guard:
    """What other weights would have left to edit so far, compared with the learner.

    Parameters
    ----------
    dim
        The number of features.
    start
        The weights in use before; None if there are none.

    Examples
    --------
    >>> guard = Guard(2)
    >>> guard.proposer
    'learner'
    >>> for _ in range(3):
    ...     guard.learn({"learner": 3.0, "alike": 1.0})
    >>> guard.proposer, guard.weights.tolist()
    ('alike', [1.0, 1.0])
    >>> guard.reason
    'Proposed with all features alike: so far they would have left 6 edits fewer than what was learned.'
    """

    def __init__(self, dim: int, start: Vector | None = None) -> None:
        alike = np.ones(dim)
        self.fixed: dict[str, Vector] = {}
        if start is not None and not _same_direction(start, alike):
            self.fixed[START] = np.array(start, dtype=np.float64)
        self.fixed[ALIKE] = alike
        self.ahead = dict.fromkeys(self.fixed, 0.0)  # the learner's edits minus the other's
        self.squares = dict.fromkeys(self.fixed, 0.0)

    @property
    def proposer(self) -> str:
        """Who proposes next."""
        others = [
            name for name, ahead in self.ahead.items() if ahead > ERRORS * math.sqrt(self.squares[name])
        ]
        return max(others, key=self.ahead.__getitem__, default=LEARNER)

    @property
    def weights(self) -> Vector | None:
        """The weights of the proposer; None if it is the learner."""
        return self.fixed.get(self.proposer)

    @property
    def reason(self) -> str:
        """Why another one proposes, as a sentence; empty if the learner proposes."""
        proposer = self.proposer
        if proposer == LEARNER:
            return ""
        ahead = self.ahead[proposer]
        edits = f"{ahead:g} edit{'s' * (ahead != 1)} fewer than what was learned"
        return f"Proposed with {_WORDS[proposer]}: so far they would have left {edits}."

    def learn(self, left: Mapping[str, float]) -> None:
        """Add how many edits each solution, by the name of who proposed it, was away from the final one."""
        if not all(0 <= edits < math.inf for edits in left.values()) or LEARNER not in left:
            return
        for name in self.fixed.keys() & left.keys():
            difference = float(left[LEARNER] - left[name])
            self.ahead[name] += difference
            self.squares[name] += difference**2

    def state(self) -> State:
        """Everything, as JSON-able data."""
        fixed = {name: pack(weights) for name, weights in self.fixed.items()}
        return {"fixed": fixed, "ahead": dict(self.ahead), "squares": dict(self.squares)}

    def restore(self, state: State) -> None:
        """Return to an earlier state. Raises ValueError, and changes nothing, if it is invalid."""
        try:
            shape = self.fixed[ALIKE].shape
            arrays = {"learner": _OWNER, **state["fixed"]}  # as `unpack` expects it
            fixed = {
                name: unpack(arrays, name, _OWNER, shape) for name in (START, ALIKE) if name in state["fixed"]
            }
            ahead, squares = (
                {name: float(state[sums][name]) for name in fixed} for sums in ("ahead", "squares")
            )
        except (KeyError, TypeError, AttributeError):
            raise Invalid("This is not the state of a guard; expected what state() returned.") from None
        if ALIKE not in fixed or not all(square >= 0 for square in squares.values()):
            raise Invalid("This is not the state of a guard; expected what state() returned.")
        self.fixed, self.ahead, self.squares = fixed, ahead, squares


def _same_direction(one: Vector, other: Vector) -> bool:
    a, b = np.asarray(one, dtype=np.float64), other
    sizes = float(np.linalg.norm(a) * np.linalg.norm(b))
    return bool(sizes > 0.0 and float(a @ b) > (1.0 - 1e-9) * sizes)
