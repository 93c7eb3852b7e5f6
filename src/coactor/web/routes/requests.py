"""Parameters and bodies of requests; unknown fields are refused."""

from __future__ import annotations

import math
import re
from typing import Annotated, Any, Literal

from fastapi import Depends, Header, HTTPException, Path
from fastapi import Query as Parameter
from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, model_validator

from coactor.protocol import Move, Work
from coactor.studies.queue import QueueQuery
from coactor.studies.settings import BUDGET
from coactor.validation import STUDY_NAME

PROPOSAL = "/studies/{study}/proposals/{id}"
NAME = f"^{STUDY_NAME}$"
LARGEST = 2**31 - 1
MOST_FIELDS = 50
MOST_MOVES = 10_000

StudyName = Annotated[str, Path(pattern=NAME, description="Name of the study.")]
ProposalId = Annotated[int, Path(ge=1, le=LARGEST, description="Number of the proposal.")]
After = Annotated[int, Parameter(ge=0, le=LARGEST, description="Return what comes after this number.")]
Limit = Annotated[int, Parameter(ge=1, le=1000, description="Return at most this many.")]
Version = Annotated[
    int | None, Parameter(ge=0, le=LARGEST, description="Version of the weights; by default the current one.")
]
LearnedFor = Annotated[str, Parameter(max_length=100, description="Whose weights; by default those of all.")]
IdempotencyKey = Annotated[
    str | None,
    Header(
        alias="Idempotency-Key",
        min_length=1,
        max_length=200,
        description="A request with a key that was used before returns the earlier result.",
    ),
]
IfMatch = Annotated[
    str | None,
    Header(
        alias="If-Match",
        max_length=30,
        description="Required: the revision of the draft, the ETag last received.",
    ),
]
Brief = Annotated[bool, Parameter(description="Whether to leave out the problem, features and weights.")]
Omit = Annotated[
    tuple[str, ...], Parameter(max_length=20, description="Fields of the problem to leave out of the answer.")
]


def _queue_query(
    state: Annotated[str, Parameter(description="waiting, held, draft, or open: all of them.")] = "open",
    search: Annotated[
        str, Parameter(max_length=200, description="Part of the label or key, or the number.")
    ] = "",
    order: Annotated[str, Parameter(description="oldest, newest, doubtful or likely first.")] = "oldest",
    expert: Annotated[
        str, Parameter(max_length=100, description="Who edits or edited it, or for whom it was solved.")
    ] = "",
    arrived_from: Annotated[float, Parameter(description="Asked at this time or later.")] = 0.0,
    arrived_until: Annotated[float | None, Parameter(description="Asked before this time.")] = None,
) -> QueueQuery:
    until = math.inf if arrived_until is None else arrived_until
    return QueueQuery(state, search, order, expert, arrived_from, until)


Query = Annotated[QueueQuery, Depends(_queue_query)]


def revision(if_match: str | None) -> int:
    """Parse If-Match. Answers 428 if it is missing and 422 if it is not a revision."""
    if if_match is None:
        raise HTTPException(428, "Send the ETag of the draft you edit as If-Match.")
    match = re.fullmatch(r'(?:W/)?"?([0-9]{1,9})"?', if_match.strip())
    if match is None or not if_match.isascii():
        raise HTTPException(422, 'If-Match must be the revision of the draft, such as "3".')
    return int(match.group(1))


def _few(data: Any) -> Any:
    """Refuse large objects before Pydantic collects an error for each of their keys."""
    if isinstance(data, dict) and len(data) > MOST_FIELDS:
        raise ValueError(f"an object may have at most {MOST_FIELDS} fields here")
    return data


Few = BeforeValidator(_few)
Label = Annotated[str, Field(max_length=200)]
Note = Annotated[str, Field(max_length=2000)]
Actor = Annotated[str, Field(max_length=100)]
Cost = Annotated[float, Field(ge=0, le=1e6, allow_inf_nan=False)]
Weight = Annotated[float, Field(allow_inf_nan=False)]
Seconds = Annotated[float, Field(ge=0, le=1e9, allow_inf_nan=False)]
Budget = Annotated[float, Field(ge=0, le=1e6, allow_inf_nan=False, description="Seconds of an ask.")]
Argument = Annotated[int, Field(ge=-(2**53), le=2**53)]


class Body(BaseModel):
    """Base of all bodies: strict types, no unknown fields."""

    model_config = ConfigDict(extra="forbid", strict=True)

    @model_validator(mode="before")
    @classmethod
    def _check_size(cls, data: Any) -> Any:
        return _few(data)


class MoveBody(Body):
    """A move of the domain."""

    op: Annotated[str, Field(max_length=40)]
    args: Annotated[list[Argument], Field(max_length=10_000, fail_fast=True)]

    def plain(self) -> Move:
        """Return the move as the domain expects it."""
        return {"op": self.op, "args": self.args}


Moves = Annotated[list[MoveBody], Field(max_length=MOST_MOVES, fail_fast=True)]


class EditBody(Body):
    """Moves to apply together, or how many moves to undo or redo."""

    action: Literal["move", "undo", "redo"] = "move"
    moves: Moves = Field(default_factory=list)
    count: Annotated[int, Field(ge=1, le=MOST_MOVES)] = 1


class DomainBody(Body):
    """An installed domain and its parameters."""

    name: Annotated[str, Field(max_length=64)]
    parameters: Annotated[dict[str, Any], Few] = Field(default_factory=dict)


class StudyBody(Body):
    """A study to create."""

    name: Annotated[str, Field(pattern=NAME)]
    domain: DomainBody
    learner: Annotated[str, Field(max_length=64)] = "default"
    costs: Annotated[dict[str, Cost], Few] = Field(default_factory=dict)
    grace: Seconds = 600.0
    proposals: Annotated[str, Field(max_length=64)] = "default"
    budget: Budget | None = BUDGET
    habits: bool = False
    start: Annotated[list[Weight], Field(max_length=5000)] | dict[str, Weight] | None = None
    trust: Annotated[float, Field(gt=0, allow_inf_nan=False)] | None = None


class SettingsBody(Body):
    """Settings to change; those that are left out stay. A budget of null is no time limit."""

    proposals: Annotated[str, Field(max_length=64)] = "default"
    budget: Budget | None = None
    costs: Annotated[dict[str, Cost], Few] = Field(default_factory=dict)
    grace: Seconds = 600.0


class AskBody(Body):
    """A problem to solve, in the JSON form of the domain; or with the solution that another system made."""

    problem: Any
    solution: Any = None
    label: Label = ""
    renew: bool = True
    actor: Actor | None = None
    asked_for: Actor = ""


class TellBody(Body):
    """The correction of a proposal: its moves, its path, or the final solution. A submit has none of them."""

    learn: bool = True
    note: Note = ""
    cut: bool = False
    seconds: Seconds | None = None
    moves: Moves | None = None
    path: Annotated[list[Any], Field(max_length=MOST_MOVES)] | None = None
    solution: Any = None
    effort: Cost | None = None
    costs: Annotated[list[Cost], Field(max_length=MOST_MOVES, fail_fast=True)] | None = None
    estimated: bool = False
    actor: Actor | None = None
    learned_for: Actor = ""
    version: Annotated[int, Field(ge=0, le=LARGEST)] | None = None

    def work(self) -> Work:
        """Return the active time and the remark."""
        return Work(seconds=self.seconds, note=self.note)


class EraseBody(Body):
    """The name that is erased."""

    name: Annotated[str, Field(min_length=1, max_length=100)]


class RollbackBody(Body):
    """The version to go back to, the reason, and the expert; without one, all are set back."""

    to: Annotated[int, Field(ge=0, le=LARGEST)]
    reason: Annotated[str, Field(min_length=1, max_length=2000)]
    actor: Actor | None = None
    learned_for: Actor | None = None
