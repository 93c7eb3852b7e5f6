"""Results of a study: plain frozen values, the same in Python, over HTTP and on the command line."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from coactor import display
from coactor.studies.drafts import Draft


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
    drafts
        Those on this page.
    people
        All who edit an unfinished proposal or edited it last, or for whom one was solved.
    """

    tag: str
    waiting: int
    draft: int
    held: int
    matching: int
    drafts: list[Draft]
    people: list[str]


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
        "created", "told", "said", "reopened" or "rolled back".
    proposal
        The proposal that was told or reopened.
    to, reason
        The version a rollback went to; and why, or what was said.
    digest
        A hash of the weights.
    learned_for
        Whose correction was told or withdrawn, or who alone was set back; empty: all.
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
    learned_for: str = ""


@dataclass(frozen=True, slots=True)
class Share:
    """One feature's part of a utility: weight * value."""

    feature: str
    weight: float
    value: float
    share: float


@dataclass(frozen=True, slots=True)
class ExplainedEdit:
    """An edit: the move, in words, its gain in utility, and each feature's part of that."""

    move: dict[str, Any]
    text: str
    gain: float
    shares: list[Share]


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
        Each edit, and why.
    """

    proposal: int
    version: int
    utility: float
    shares: list[Share]
    edits: list[ExplainedEdit]

    __repr__ = display.brief("proposal", "version", "utility", "edits")

    def __str__(self) -> str:
        lines = [f"proposal {self.proposal}, weights of version {self.version}, utility {self.utility:.6g}"]
        lines += [
            f"  {s.feature}: {s.weight:.4g} x {s.value + 0.0:.4g} = {s.share + 0.0:.4g}" for s in self.shares
        ]
        lines += [f"  edit {edit.text!r}: gains {edit.gain:.4g}" for edit in self.edits]
        return "\n".join(lines)
