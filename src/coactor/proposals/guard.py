"""The guard: propose with whichever alternative would have left the least to edit so far.

The alternatives are the learner and a few fixed weights: the start (the weights in use before), and all
features alike. After each case the guard adds up how many edits lead from the proposal of each alternative to
the solution that the expert chose. The alternative with the least total proposes (follow the leader); the
learner until another is ahead by more than a standard error, so that one case alone does not replace it.
Nobody is asked for more edits than before. Cases before the learner has learned anything are not counted.

Regret. The proposals that were made would have left at most s B + (r + 1) E edits more than those of the best
alternative in hindsight that was not dropped. s is the number of changes of the leader, r how often the
learner was replaced, B the most edits of a case and E the largest standard error. Proof: with L the totals
so far, the edits of a leader's term are the difference of its L between two changes. So the sum over terms
is L of the last leader at the end, which is at most E above the least L, plus, at each change, L of the old
minus L of the new leader, which is at most B, and B + E for the learner.

Cost. An alternative that is behind the leader by more than `BEATEN` times B is dropped, and no longer solved;
the learner is never dropped, because it improves. So a tell costs at most one call of the strategy for the
learner, if another alternative proposed, and one call of the solver for each of two fixed weights.

Caution. People who edit a proposal end near it, so the alternative that proposed looks better than it is. The
learner proposes first, so the guard errs in its favour.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from coactor.learners.serialization import pack, unpack
from coactor.protocol import Invalid, State, Vector

LEARNER, START, ALIKE = "learner", "start", "alike"
SURE = 1.0  # standard errors by which an alternative must be ahead of the learner to replace it
BEATEN = 5.0  # times the most edits of a case that an alternative may be behind before it is dropped

_OWNER = "guard"
_WORDS = {LEARNER: "what was learned", START: "the weights in use before", ALIKE: "all features alike"}


class Guard:
    """What each alternative would have left to edit so far.

    Parameters
    ----------
    dim
        The number of features.
    start
        The weights in use before; None if there are none.

    Examples
    --------
    >>> guard = Guard(2)
    >>> guard.leader
    'learner'
    >>> for _ in range(2):
    ...     guard.learn({"learner": 3.0, "alike": 1.0})
    >>> guard.leader, guard.weights.tolist()
    ('alike', [1.0, 1.0])
    >>> guard.reason
    'Proposed with all features alike: in 2 cases that would have left 2 edits, what was learned 6.'
    """

    def __init__(self, dim: int, start: Vector | None = None) -> None:
        alike = np.ones(dim)
        self.fixed: dict[str, Vector] = {}
        if start is not None and not _same_direction(start, alike):
            self.fixed[START] = np.array(start, dtype=np.float64)
        self.fixed[ALIKE] = alike
        self.totals = dict.fromkeys((LEARNER, *self.fixed), 0.0)
        self.squares = dict.fromkeys(self.fixed, 0.0)  # of the differences to the learner
        self.leader = LEARNER  # proposes next
        self.cases = 0
        self.most = 0.0  # edits of a case

    @property
    def weights(self) -> Vector | None:
        """The weights of the leader; None if it is the learner."""
        return self.fixed.get(self.leader)

    @property
    def undecided(self) -> tuple[str, ...]:
        """The alternatives that are still compared; none if the learner has beaten the others."""
        return tuple(self.totals) if len(self.totals) > 1 else ()

    @property
    def reason(self) -> str:
        """Why the leader proposes, as a sentence; empty if nothing was compared."""
        if not self.cases:
            return ""
        leader = self.leader
        others = ", ".join(f"{_WORDS[name]} {t:g}" for name, t in self.totals.items() if name != leader)
        if not others:
            return f"Proposed with {_WORDS[leader]}: the alternatives left more to edit."
        cases = f"in {self.cases} case{'s' * (self.cases != 1)}"
        own = f"{cases} that would have left {self.totals[leader]:g} edit{'s' * (self.totals[leader] != 1)}"
        return f"Proposed with {_WORDS[leader]}: {own}, {others}."

    def learn(self, left: Mapping[str, float]) -> None:
        """Add what each alternative would have left to edit of one case.

        A case that does not compare all of them says nothing: it was told after a rollback, for instance.
        """
        if any(name not in left or not 0 <= left[name] < np.inf for name in self.totals):
            return
        totals = {name: total + float(left[name]) for name, total in self.totals.items()}
        self.cases += 1
        self.most = max(self.most, *(float(left[name]) for name in totals))
        limit = min(totals.values()) + BEATEN * self.most
        self.totals = {name: t for name, t in totals.items() if name == LEARNER or t <= limit}
        for name in totals.keys() & self.squares.keys():
            self.squares[name] += (left[name] - left[LEARNER]) ** 2
        best = min(self.totals, key=self.totals.__getitem__)  # the first of equals: the learner
        ahead = totals[LEARNER] - totals[best]
        if self.leader != LEARNER or ahead > SURE * self.squares.get(best, 0.0) ** 0.5:
            self.leader = best

    def state(self) -> State:
        """Everything, as JSON-able data."""
        fixed = {name: pack(weights) for name, weights in self.fixed.items()}
        numbers = {"totals": dict(self.totals), "squares": dict(self.squares)}
        return {"fixed": fixed, **numbers, "leader": self.leader, "cases": self.cases, "most": self.most}

    def restore(self, state: State) -> None:
        """Return to an earlier state. Raises ValueError, and changes nothing, if it is invalid."""
        try:
            shape = self.fixed[ALIKE].shape
            arrays = {"learner": _OWNER, **state["fixed"]}  # as `unpack` expects it
            fixed = {str(name): unpack(arrays, name, _OWNER, shape) for name in state["fixed"]}
            totals, squares = (
                {name: float(state[key][name]) for name in (LEARNER, START, ALIKE) if name in state[key]}
                for key in ("totals", "squares")  # in this order, whatever order the state is in
            )
            leader, cases, most = str(state["leader"]), int(state["cases"]), float(state["most"])
        except (KeyError, TypeError, AttributeError):
            raise Invalid("This is not the state of a guard; expected what state() returned.") from None
        if LEARNER not in totals or leader not in totals or set(totals) - {LEARNER} - set(fixed):
            raise Invalid("This is not the state of a guard; expected what state() returned.")
        self.fixed, self.totals, self.squares = fixed, totals, squares
        self.leader, self.cases, self.most = leader, cases, most


def _same_direction(one: Vector, other: Vector) -> bool:
    a, b = np.asarray(one, dtype=np.float64), other
    sizes = float(np.linalg.norm(a) * np.linalg.norm(b))
    return bool(sizes > 0.0 and float(a @ b) > (1.0 - 1e-9) * sizes)
