"""Results of a study: plain frozen values, the same in Python, over HTTP and on the command line."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from coactor.protocol import Move, Problem, Solution


@dataclass(frozen=True, slots=True)
class Ticket:
    """A row of the queue: a proposal and where it stands.

    Attributes
    ----------
    id
        Its number in the study.
    state
        "waiting", "held", "draft" (edited, and not held) or "done".
    version
        The version of the weights it was solved with.
    key, label
        The caller's own names for it.
    asked
        When it was asked (seconds since 1970).
    revision
        The revision of its draft; an edit must name it.
    steps, effort
        How many moves the draft or the correction consists of, and what they cost.
    holder, until
        Who holds the lease, and when it expires.
    told
        When it was told; None if it is not finished.
    actor
        Who told it, or holds it.
    chance
        The predicted probability that it is accepted unchanged; None if the learner cannot predict it.
    expected_moves
        The expected number of moves that the expert would make first; None if the learner cannot predict it.
    due
        Whether it was solved with old weights and will be solved again when it is claimed.
    person
        For whom it was solved; empty: no particular person.
    proposer, reason
        Whose weights solved it, and why, see `coactor.proposals.guard`.
    meant_for
        The person, role or depot that `ask` named; empty: the person who opens it.
    editor
        Who edited the draft last.
    for_another
        Whether it was solved with the weights of another person than the one who holds it.
    """

    id: int
    state: str
    version: int
    key: str | None
    label: str
    asked: float
    revision: int
    steps: int
    effort: float
    holder: str
    until: float
    told: float | None
    actor: str
    chance: float | None = None
    due: bool = False
    expected_moves: float | None = None
    person: str = ""
    proposer: str = "learner"
    reason: str = ""
    meant_for: str = ""
    editor: str = ""
    for_another: bool = False


@dataclass(frozen=True, slots=True)
class QueuePage:
    """A page of the unfinished proposals, and how many there are in all.

    Attributes
    ----------
    tag
        Changes whenever the queue, the query or the page does; pass it back to learn whether there is
        anything new.
    waiting, draft, held
        Unfinished proposals by state, on all pages and whatever is searched for.
    matching
        Proposals that match the query, on all pages.
    tickets
        Those on this page.
    people
        Everybody who edits an unfinished proposal or edited it last, or for whom one was solved.
    """

    tag: str
    waiting: int
    draft: int
    held: int
    matching: int
    tickets: list[Ticket]
    people: list[str]


@dataclass(frozen=True, slots=True, eq=False)
class Draft:
    """A proposal as a person sees it: the problem, the proposal, and the draft.

    Attributes
    ----------
    ticket
        Where it stands.
    problem, proposed, solution
        Objects of the domain: the problem, the proposal, and the proposal with the edits made so far.
    moves, undone
        The edits, and those that can be redone.
    features, change
        phi of the solution, and its difference from the proposal's, one number per feature.
    """

    ticket: Ticket
    problem: Problem
    proposed: Solution
    solution: Solution
    moves: list[Move]
    undone: list[Move]
    features: list[float]
    change: list[float]


@dataclass(frozen=True, slots=True)
class Version:
    """A version of the weights and the fact that created it.

    Attributes
    ----------
    version
        Its number.
    seq, time, actor
        The fact's position in the log, when it was written (seconds since 1970), and who acted.
    how
        "created", "told", "reopened" or "rolled back".
    proposal
        The proposal that was told or reopened.
    to, reason
        The version a rollback went to, and why.
    digest
        A hash of the weights.
    person
        Whose correction was told or withdrawn, or who alone was set back; empty: everybody, or nobody named.
    """

    version: int
    seq: int
    time: float
    actor: str
    how: str
    proposal: int | None
    to: int | None
    reason: str
    digest: str
    person: str = ""


@dataclass(frozen=True, slots=True)
class Share:
    """One feature's part of a utility: weight * value."""

    feature: str
    weight: float
    value: float
    share: float


@dataclass(frozen=True, slots=True)
class Explanation:
    """Why this proposal: each feature's share of its utility, and of each edit's.

    Attributes
    ----------
    proposal, version
        The proposal's number, and the version of the weights it was made with.
    utility, shares
        w . phi, and its parts.
    edits
        For each edit its "move", the "text" of it, its "gain" in utility, and the "shares" of that.
    """

    proposal: int
    version: int
    utility: float
    shares: list[Share]
    edits: list[dict[str, Any]]

    def __str__(self) -> str:
        lines = [f"proposal {self.proposal}, weights of version {self.version}, utility {self.utility:.6g}"]
        lines += [
            f"  {s.feature}: {s.weight:.4g} x {s.value + 0.0:.4g} = {s.share + 0.0:.4g}" for s in self.shares
        ]
        lines += [f"  edit {edit['text']!r}: gains {edit['gain']:.4g}" for edit in self.edits]
        return "\n".join(lines)
