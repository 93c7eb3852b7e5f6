"""The queue: which unfinished proposals there are, in which order, and who gets the next."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

from coactor.studies.drafts import Draft, state_of
from coactor.studies.errors import Invalid, NotFound
from coactor.studies.log.chain import Entry
from coactor.studies.log.facts import Asked, Edited, Reopened, Told
from coactor.studies.telling import last_told, round_of
from coactor.validation import text

STATES = ("waiting", "held", "draft", "done", "open")
ORDERS = ("oldest", "newest", "doubtful", "likely")


@dataclass(frozen=True, slots=True)
class QueueQuery:
    """Which unfinished proposals to list, and in which order.

    Attributes
    ----------
    state
        "waiting", "held", "draft", or "open" for all of them.
    search
        Part of the label or of the key, or the number of the proposal.
    order
        "oldest" or "newest" first, or by the chance to be accepted unchanged: "doubtful" or "likely" first.
        Proposals without a chance come last.
    expert
        Who edits it or edited it last, or for whom it was solved; empty: all.
    arrived_from, arrived_until
        Only proposals asked from the first time on and before the second, if any (seconds since 1970).

    Raises Invalid if there is no such state or order.
    """

    state: str = "open"
    search: str = ""
    order: str = "oldest"
    expert: str = ""
    arrived_from: float = 0.0
    arrived_until: float | None = None

    def __post_init__(self) -> None:
        if self.state not in STATES or self.state == "done":
            raise Invalid(f"There is no state {self.state!r} of unfinished proposals.")
        if self.order not in ORDERS:
            raise Invalid(f"There is no order {self.order!r}; the orders are {', '.join(ORDERS)}.")
        text(self.search, "search", 200)
        text(self.expert, "expert", 100)

    def select(self, drafts: Iterable[Draft], now: float) -> list[Draft]:
        """The drafts that match, in order."""
        until = math.inf if self.arrived_until is None else self.arrived_until
        words = self.search.casefold().strip()
        matching = [
            draft
            for draft in drafts
            if (self.state == "open" or state_of(draft, now) == self.state)
            and (not self.expert or self.expert in people_of(draft))
            and self.arrived_from <= draft.asked < until
            and (
                not words
                or words in draft.label.casefold()
                or words in (draft.key or "").casefold()
                or words.removeprefix("#") == str(draft.id)
            )
        ]
        matching.sort(key=lambda draft: draft.id, reverse=self.order == "newest")
        if self.order in ("doubtful", "likely"):
            sign = 1.0 if self.order == "doubtful" else -1.0
            matching.sort(key=lambda draft: 2.0 if draft.basis.chance is None else sign * draft.basis.chance)
        return matching


def people_of(draft: Draft) -> set[str]:
    """Who edits a proposal or edited it last, and for whom it was solved."""
    return {name for name in (draft.holder, draft.editor, draft.asked_for, draft.solved_for) if name}


def rank_for(draft: Draft, actor: str, now: float) -> int:
    """How early an actor gets a proposal that is free or theirs; drafts of others come last."""
    state = state_of(draft, now)
    if state == "draft" and draft.editor not in ("", actor):
        return 3
    return {"held": 0, "draft": 1, "waiting": 2}[state]


def done_draft(entries: list[Entry]) -> Draft:
    """A finished proposal as a row, from the facts about it. Raises NotFound if there are none."""
    asked, told = (entries[0].fact if entries else None), last_told(entries)
    if told is None or not isinstance(asked, Asked) or not isinstance(told.fact, Told):
        raise NotFound("There is no such proposal; see the list of proposals.")
    result = round_of(told, told.fact)
    return Draft(
        id=asked.proposal,
        key=asked.key,
        label=asked.label,
        asked=entries[0].time,
        asked_for=asked.asked_for,
        solved_for=told.fact.solved_for,
        basis=result.basis,
        revision=last_revision(entries),
        gestures=result.work.gestures,
        moves=told.fact.moves,
        authors=result.work.authors or [told.actor] * len(told.fact.moves),
        seconds=result.work.seconds or 0.0,
        keep=told.fact.keep,
        editor=told.actor,
        state="done",
        steps=len(told.fact.moves),
        effort=result.effort,
        told=told.time,
        actor=told.actor,
    )


def last_revision(entries: list[Entry]) -> int:
    """The newest revision of a draft, from the facts about its proposal."""
    facts = (entry.fact for entry in entries)
    revisions = (
        fact.draft.revision if isinstance(fact, Reopened) else fact.revision
        for fact in facts
        if isinstance(fact, Asked | Edited | Reopened)
    )
    return max(revisions, default=0)
