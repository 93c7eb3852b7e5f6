"""The guard: propose with whichever alternative would have left the least to edit so far.

The alternatives are the learner and a few fixed weights: the start (the weights in use before), all features
alike, and, in a domain with features of habits, habits first: all alike, but habits count `USUAL` times,
which nearly copies the most similar cases. After each case the guard adds up how many edits lead from the
proposal of each alternative to the solution that the expert chose. The alternative with the least total
proposes (follow the leader), the learner among equals. The expert makes no more edits than before.

Regret. The proposals that were made would have left at most s B edits more than those of the best
alternative in hindsight that was not dropped. s is the number of changes of the leader, and B the most edits
of a case. Proof: with L the totals so far, the edits of a leader's term are the difference of its L between
two changes. So the sum over terms is L of the last leader at the end, which is the least L, plus, at each
change, L of the old minus L of the new leader, which is at most B, because before the case it was at most 0.

Cost. An alternative that is behind the leader by more than `BEATEN` times B is dropped, and no longer solved;
the learner is never dropped, because it improves. So a tell costs at most one call of the strategy for the
learner, if another alternative proposed, and one call of the solver for each of three fixed weights.

Caution. People who edit a proposal end near it, so the alternative that proposed looks better than it is. The
learner proposes first, so the guard errs in its favour.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from coactor.learners.serialization import pack, unpack
from coactor.protocol import Invalid, State, Vector

LEARNER, START, ALIKE, HABITS = _NAMES = ("learner", "start", "alike", "habits")
USUAL = 3.0  # the weight of habits, if they come first; that of other features is 1
BEATEN = 5.0  # times the most edits of a case that an alternative may be behind before it is dropped

_OWNER = "guard"
_WORDS = {
    LEARNER: "what was learned",
    START: "the weights in use before",
    ALIKE: "all features alike",
    HABITS: "habits first",
}


class Guard:
    """What each alternative would have left to edit so far.

    Parameters
    ----------
    dim
        The number of features.
    start
        The weights in use before; None if there are none.
    habits
        Which features are habits.

    Examples
    --------
    >>> guard = Guard(2)
    >>> guard.leader
    'learner'
    >>> guard.learn({"learner": 3.0, "alike": 1.0})
    >>> guard.leader, guard.weights.tolist()
    ('alike', [1.0, 1.0])
    >>> guard.reason
    'Proposed with all features alike: in 1 case that would have left 1 edit, what was learned 3.'
    """

    def __init__(self, dim: int, start: Vector | None = None, habits: Sequence[int] = ()) -> None:
        alike = np.ones(dim)
        self.fixed: dict[str, Vector] = {}
        if start is not None and not _same_direction(start, alike):
            self.fixed[START] = np.array(start, dtype=np.float64)
        self.fixed[ALIKE] = alike
        if habits:
            self.fixed[HABITS] = alike.copy()
            self.fixed[HABITS][list(habits)] = USUAL
        self.totals = dict.fromkeys((LEARNER, *self.fixed), 0.0)
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
        least = self.totals[leader]
        own = f"{cases} that would have left {least:g} edit{'s' * (least != 1)}"
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
        self.leader = min(self.totals, key=self.totals.__getitem__)  # the first of equals: the learner

    def state(self) -> State:
        """Everything, as JSON-able data."""
        fixed = {name: pack(weights) for name, weights in self.fixed.items()}
        numbers = {"cases": self.cases, "most": self.most}
        return {"fixed": fixed, "totals": dict(self.totals), "leader": self.leader, **numbers}

    def restore(self, state: State) -> None:
        """Return to an earlier state. Raises ValueError, and changes nothing, if it is invalid."""
        try:
            shape = self.fixed[ALIKE].shape
            arrays = {"learner": _OWNER, **state["fixed"]}  # as `unpack` expects it
            fixed = {str(name): unpack(arrays, name, _OWNER, shape) for name in state["fixed"]}
            known = state["totals"]  # in the order of the names, whatever order the state is in
            totals = {name: float(known[name]) for name in _NAMES if name in known}
            leader, cases, most = str(state["leader"]), int(state["cases"]), float(state["most"])
        except (KeyError, TypeError, AttributeError):
            raise Invalid("This is not the state of a guard; expected what state() returned.") from None
        if LEARNER not in totals or leader not in totals or set(totals) - {LEARNER} - set(fixed):
            raise Invalid("This is not the state of a guard; expected what state() returned.")
        self.fixed, self.totals = fixed, totals
        self.leader, self.cases, self.most = leader, cases, most


def _same_direction(one: Vector, other: Vector) -> bool:
    a, b = np.asarray(one, dtype=np.float64), other
    sizes = float(np.linalg.norm(a) * np.linalg.norm(b))
    return bool(sizes > 0.0 and float(a @ b) > (1.0 - 1e-9) * sizes)
