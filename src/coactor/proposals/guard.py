"""The guard: propose with whichever alternative would have left the least to edit so far.

The alternatives are the learner and a few fixed weights: the start (the weights in use before), all features
alike, and, in a domain with features of habits, habits first: all alike, but habits count `USUAL` times,
which nearly copies the most similar cases. After each case the guard adds up how many edits lead from the
proposal of each alternative to the solution that the expert chose. The alternative with the least total
leads, and proposes; the learner until, after `CASES` cases, another is ahead by a standard error.

With habits there is no such lead. While little is remembered, the learner cannot tell what habits are worth:
after one case that was unlike the one before, it does without them. So in the first `EARLY` cases another
leads unless the learner is ahead by `LEAD` standard errors, and then whichever is ahead.
No expert is asked for more edits than before.

Trials. People who edit a proposal end near it, so the alternative that proposes looks better than it is, and
could lead for ever, however good the learner becomes. Therefore the learner proposes one case, on trial, when
another has led for `GAP` cases, and again after twice as many. If it was clearly better in its trials, by
more than a standard error and at least twice, the comparison begins again.

Regret. The proposals that were made would have left at most (s + t) B + (r + 1) E edits more than those of
the best alternative in hindsight that was not dropped, unless the comparison began again. s is the number of
changes of the leader, r how often the learner was replaced, t the number of trials, B the most edits of a
case and E the larger of the largest standard error and `CASES` B. Proof: with L the totals so far, the edits
of a leader's term are the difference of its L between two changes. So the sum over terms is L of the last
leader at the end, which is at most E above the least L, plus, at each change, L of the old minus L of the new
leader, which is at most B, and B + E when the learner is replaced or, in early cases with habits, when it
returns. A trial adds at most B.

Cost. An alternative that is behind the leader by more than `BEATEN` times B is dropped, and no longer solved;
the learner is never dropped, because it improves. So a tell costs at most one call of the strategy for the
learner, if another alternative proposed, and one call of the solver for each of three fixed weights.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np

from coactor.learners.serialization import pack, unpack
from coactor.protocol import Invalid, State, Vector

LEARNER, START, ALIKE, HABITS = _NAMES = ("learner", "start", "alike", "habits")


CASES = 3  # that the learner proposes in any event, without habits
EARLY, LEAD = 4, 0.75  # with habits: the first cases, and the standard errors of a lead in them
GAP = 16  # cases until the first trial of a learner that was replaced
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
    >>> for _ in range(3):
    ...     guard.learn({"learner": 3.0, "alike": 1.0})
    >>> guard.leader, guard.weights.tolist()
    ('alike', [1.0, 1.0])
    >>> guard.reason
    'Proposed with all features alike: in 3 cases that would have left 3 edits, what was learned 9.'
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
        self.squares = dict.fromkeys(self.fixed, 0.0)  # of the differences to the learner
        self.leader = LEARNER
        self.cases = 0
        self.most = 0.0  # edits of a case
        self.gap, self.wait = GAP, 0  # cases between the last two trials, and until the next
        self.trials = [0.0, 0.0]  # what the learner left more than the leader, and its square

    @property
    def proposer(self) -> str:
        """The alternative that proposes next: the leader, or the learner on trial."""
        return self.leader if self.wait else LEARNER

    @property
    def weights(self) -> Vector | None:
        """The weights of the proposer; None if it is the learner."""
        return self.fixed.get(self.proposer)

    @property
    def undecided(self) -> tuple[str, ...]:
        """The alternatives that are still compared; none if the learner has beaten the others."""
        return tuple(self.totals) if len(self.totals) > 1 else ()

    @property
    def reason(self) -> str:
        """Why the leader proposes, or the learner on trial, as a sentence; empty if nothing was compared."""
        if not self.cases:
            return ""
        if len(self.totals) == 1:
            return f"Proposed with {_WORDS[LEARNER]}: the alternatives left more to edit."
        proposer = self.proposer
        own, trial = self.totals[proposer], ", on trial" * (proposer != self.leader)
        others = ", ".join(f"{_WORDS[name]} {t:g}" for name, t in self.totals.items() if name != proposer)
        cases = f"in {self.cases} case{'s' * (self.cases != 1)}"
        left = f"that would have left {own:g} edit{'s' * (own != 1)}"
        return f"Proposed with {_WORDS[proposer]}{trial}: {cases} {left}, {others}."

    def learn(self, left: Mapping[str, float]) -> None:
        """Add what each alternative would have left to edit of one case.

        A case that does not compare all of them says nothing: it was told after a rollback, for instance.
        """
        if any(name not in left or not 0 <= left[name] < np.inf for name in self.totals):
            return
        if self.leader != LEARNER and self.wait == 0:
            self._judge_trial(left[LEARNER] - left[self.leader])
        self.wait = max(0, self.wait - 1)
        totals = {name: total + float(left[name]) for name, total in self.totals.items()}
        self.cases += 1
        self.most = max(self.most, *(float(left[name]) for name in totals))
        limit = min(totals.values()) + BEATEN * self.most
        self.totals = {name: t for name, t in totals.items() if name == LEARNER or t <= limit}
        for name in totals.keys() & self.squares.keys():
            self.squares[name] += (left[name] - left[LEARNER]) ** 2
        others = [name for name in self.totals if name != LEARNER]
        if not others:
            self.leader = LEARNER
            return
        best = min(others, key=self.totals.__getitem__)
        if self.leader != LEARNER:
            self.leader = best if self._ahead(best) > min(0.0, self._lead) else LEARNER
        elif self._ahead(best) > self._lead and (HABITS in self.fixed or self.cases >= CASES):
            self.leader, self.gap, self.wait, self.trials = best, GAP, GAP, [0.0, 0.0]

    @property
    def _lead(self) -> float:
        """Standard errors by which another must be ahead of the learner; below 0, it may be behind."""
        if HABITS not in self.fixed:
            return 1.0
        return -LEAD if self.cases <= EARLY else 0.0

    def _ahead(self, name: str) -> float:
        """By how many standard errors an alternative is ahead of the learner."""
        ahead, error = self.totals[LEARNER] - self.totals[name], math.sqrt(self.squares[name])
        if error == 0.0:
            return math.inf if ahead > 0.0 else -math.inf  # no case has shown a difference
        return ahead / error

    def _judge_trial(self, behind: float) -> None:
        self.gap *= 2
        self.wait = self.gap + 1
        self.trials = [self.trials[0] + behind, self.trials[1] + behind**2]
        if -self.trials[0] > self.trials[1] ** 0.5:
            self.totals = dict.fromkeys(self.totals, 0.0)
            self.squares = dict.fromkeys(self.squares, 0.0)
            self.leader, self.cases = LEARNER, 0

    def state(self) -> State:
        """Everything, as JSON-able data."""
        fixed = {name: pack(weights) for name, weights in self.fixed.items()}
        names = ("leader", "cases", "most", "gap", "wait")
        sums = {"totals": dict(self.totals), "squares": dict(self.squares), "trials": list(self.trials)}
        return {"fixed": fixed, **sums, **{name: getattr(self, name) for name in names}}

    def restore(self, state: State) -> None:
        """Return to an earlier state. Raises ValueError, and changes nothing, if it is invalid."""
        try:
            shape = self.fixed[ALIKE].shape
            arrays = {"learner": _OWNER, **state["fixed"]}  # as `unpack` expects it
            fixed = {str(name): unpack(arrays, name, _OWNER, shape) for name in state["fixed"]}
            totals, squares = (
                {name: float(known[name]) for name in _NAMES if name in known}
                for known in (state["totals"], state.get("squares", dict.fromkeys(fixed, 0.0)))
            )  # in the order of the names, whatever order the state is in
            leader, cases, most = str(state["leader"]), int(state["cases"]), float(state["most"])
            gap, wait = int(state.get("gap", GAP)), int(state.get("wait", GAP))  # older states have none
            trials = [float(part) for part in state.get("trials", (0.0, 0.0))]
        except (KeyError, TypeError, AttributeError):
            raise Invalid("This is not the state of a guard; expected what state() returned.") from None
        if LEARNER not in totals or leader not in totals or set(totals) - {LEARNER} - set(fixed):
            raise Invalid("This is not the state of a guard; expected what state() returned.")
        self.fixed, self.totals, self.squares, self.trials = fixed, totals, squares, trials
        self.leader, self.cases, self.most, self.gap, self.wait = leader, cases, most, gap, wait


def _same_direction(one: Vector, other: Vector) -> bool:
    a, b = np.asarray(one, dtype=np.float64), other
    sizes = float(np.linalg.norm(a) * np.linalg.norm(b))
    return bool(sizes > 0.0 and float(a @ b) > (1.0 - 1e-9) * sizes)
