"""Rows of the queue: where a proposal stands."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from coactor.corrections import move_cost
from coactor.protocol import Move
from coactor.studies.errors import Invalid, NotFound
from coactor.studies.log.chain import Entry
from coactor.studies.log.facts import Asked, Edited, Renewed, Reopened, Told
from coactor.studies.log.projection import DraftState
from coactor.studies.results import Ticket

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
    person
        Who edits it or edited it last, or for whom it was solved; empty: everybody.
    arrived_from, arrived_until
        Only proposals asked from the first time on and before the second (seconds since 1970).

    Raises Invalid if there is no such state or order.
    """

    state: str = "open"
    search: str = ""
    order: str = "oldest"
    person: str = ""
    arrived_from: float = 0.0
    arrived_until: float = math.inf

    def __post_init__(self) -> None:
        if self.state not in STATES or self.state == "done":
            raise Invalid(f"There is no state {self.state!r} of unfinished proposals.")
        if self.order not in ORDERS:
            raise Invalid(f"There is no order {self.order!r}; the orders are {', '.join(ORDERS)}.")

    def select(self, drafts: Iterable[DraftState], now: float) -> list[DraftState]:
        """The drafts that match, in order."""
        words = self.search.casefold().strip()
        matching = [
            draft
            for draft in drafts
            if (self.state == "open" or state_of(draft, now) == self.state)
            and (not self.person or self.person in people_of(draft))
            and self.arrived_from <= draft.time < self.arrived_until
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
            matching.sort(key=lambda draft: 2.0 if draft.chance is None else sign * draft.chance)
        return matching


def people_of(draft: DraftState) -> set[str]:
    """Who edits a proposal or edited it last, and for whom it was solved."""
    return {name for name in (draft.holder, draft.editor, draft.person, draft.solved_for) if name}


def state_of(draft: DraftState, now: float) -> str:
    """The state of an unfinished proposal."""
    if draft.held_by(now):
        return "held"
    return "draft" if draft.touched else "waiting"


def rank_for(draft: DraftState, actor: str, now: float) -> int:
    """How early an actor gets a proposal that is free or theirs; drafts of others come last."""
    state = state_of(draft, now)
    if state == "draft" and draft.editor not in ("", actor):
        return 3
    return {"held": 0, "draft": 1, "waiting": 2}[state]


def effort_of(moves: list[Move], costs: Mapping[str, float]) -> float:
    """What moves cost in a study."""
    return float(sum(move_cost(costs, move) for move in moves))


def open_ticket(
    draft: DraftState, costs: Mapping[str, float], now: float, due: bool, for_another: bool = False
) -> Ticket:
    """The ticket of an unfinished proposal."""
    holder = draft.held_by(now)
    return Ticket(
        id=draft.id,
        state=state_of(draft, now),
        version=draft.version,
        key=draft.key,
        label=draft.label,
        asked=draft.time,
        revision=draft.revision,
        steps=len(draft.moves),
        effort=effort_of(draft.moves, costs),
        holder=holder,
        until=draft.until if holder else 0.0,
        told=None,
        actor=holder,
        chance=draft.chance,
        due=due,
        expected_moves=draft.expected,
        person=draft.solved_for,
        proposer=draft.proposer,
        reason=draft.reason,
        meant_for=draft.person,
        editor=draft.editor,
        for_another=for_another,
    )


def done_ticket(entries: list[Entry]) -> Ticket:
    """The ticket of a finished proposal, from the facts about it. Raises NotFound if there are none."""
    asked, told = (entries[0].fact if entries else None), last_told(entries)
    if told is None or not isinstance(asked, Asked) or not isinstance(told.fact, Told):
        raise NotFound("There is no such proposal; see the list of proposals.")
    fact = told.fact
    solved = [entry.fact for entry in entries if isinstance(entry.fact, Asked | Renewed)][-1]
    return Ticket(
        id=asked.proposal,
        state="done",
        version=fact.asked_with,
        key=asked.key,
        label=asked.label,
        asked=entries[0].time,
        revision=last_revision(entries),
        steps=len(fact.moves),
        effort=fact.effort,
        holder="",
        until=0.0,
        told=told.time,
        actor=told.actor,
        chance=fact.chance,
        expected_moves=fact.expected,
        person=fact.asked_for,
        proposer=solved.proposer,
        reason=solved.reason,
        meant_for=asked.person,
        editor=told.actor,
    )


def last_told(entries: list[Entry]) -> Entry | None:
    """The newest tell among the facts about a proposal."""
    return next((entry for entry in reversed(entries) if isinstance(entry.fact, Told)), None)


def last_revision(entries: list[Entry]) -> int:
    """The newest revision of a draft, from the facts about its proposal."""
    revisions = (e.fact.revision for e in entries if isinstance(e.fact, Edited | Renewed | Reopened))
    return max(revisions, default=0)
