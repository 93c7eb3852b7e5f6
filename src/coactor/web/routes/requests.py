"""Parameters and bodies of requests: unknown fields are refused, and so is what exceeds the limits."""

from __future__ import annotations

import re
from collections.abc import Callable, Coroutine
from typing import Annotated, Any, Literal

import orjson
from fastapi import Depends, Header, HTTPException, Path, Response
from fastapi import Query as Parameter
from fastapi import Request as HttpRequest
from fastapi.concurrency import run_in_threadpool
from fastapi.routing import APIRoute
from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, model_validator

from coactor.corrections import OPTIONAL
from coactor.protocol import Move, Work
from coactor.studies.queue import QueueQuery
from coactor.studies.settings import BUDGET, MOST_CONTROL
from coactor.studies.telling import Request
from coactor.validation import STUDY_NAME

PROPOSAL = "/studies/{study}/proposals/{id}"
NAME = f"^{STUDY_NAME}$"
LARGEST = 2**31 - 1
MOST_FIELDS = 50
MOST_MOVES = 10_000

StudyName = Annotated[str, Path(description="Name of the study.")]
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


Query = Annotated[QueueQuery, Depends()]


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
Control = Annotated[float, Field(ge=0, le=MOST_CONTROL, description="Share made without learning.")]
Parts = Annotated[
    list[Annotated[list[Annotated[str, Field(max_length=200)]], Field(min_length=1, max_length=10)]],
    Field(max_length=100_000, fail_fast=True, description="Names of parts of a solution."),
]
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
    args: Annotated[list[Argument], Field(max_length=10_000, fail_fast=True)] = Field(default_factory=list)
    anyway: Annotated[str | None, Field(min_length=1, max_length=200)] = None
    parts: Parts | None = None
    to: Any = None

    def plain(self) -> Move:
        """Return the move as the domain expects it."""
        move: Move = {"op": self.op, "args": self.args}
        for name in OPTIONAL:
            if getattr(self, name) is not None:
                move[name] = getattr(self, name)
        return move


Moves = Annotated[list[MoveBody], Field(max_length=MOST_MOVES, fail_fast=True)]


def plain_moves(moves: list[MoveBody] | None) -> list[Move] | None:
    """Return moves as the domain expects them."""
    return None if moves is None else [move.plain() for move in moves]


class EditBody(Body):
    """Moves to apply together, or how many moves to undo or redo."""

    action: Literal["move", "undo", "redo"] = "move"
    moves: Moves = Field(default_factory=list)
    count: Annotated[int, Field(ge=1, le=MOST_MOVES)] = 1


class DomainBody(Body):
    """An installed domain and its parameters."""

    name: Annotated[str, Field(max_length=64)]
    parameters: Annotated[dict[str, Any], Few] = Field(default_factory=dict)


class SettingsBody(Body):
    """Settings to change; those that are left out stay. A budget of null is no time limit."""

    proposals: Annotated[str, Field(max_length=64)] = "default"
    budget: Budget | None = BUDGET
    costs: Annotated[dict[str, Cost], Few] = Field(default_factory=dict)
    grace: Seconds = 600.0
    control: Control = 0.0


class StudyBody(SettingsBody):
    """A study to create."""

    name: Annotated[str, Field(pattern=NAME)]
    domain: DomainBody
    learner: Annotated[str, Field(max_length=64)] = "default"
    habits: bool = False
    start: Annotated[list[Weight], Field(max_length=5000)] | dict[str, Weight] | None = None
    trust: Annotated[float, Field(gt=0, allow_inf_nan=False)] | None = None


class AskBody(Body):
    """A problem to solve, in the JSON form of the domain; or with the solution that another system made."""

    problem: Any
    solution: Any = None
    label: Label = ""
    renew: bool = True
    actor: Actor | None = None
    asked_for: Actor = ""
    keep: Parts = Field(default_factory=list)
    near: Any = None


class CorrectionBody(Body):
    """What was done to a proposal: its moves, its path, or the solution that it led to."""

    moves: Moves | None = None
    path: Annotated[list[Any], Field(max_length=MOST_MOVES)] | None = None
    solution: Any = None
    costs: Annotated[list[Cost], Field(max_length=MOST_MOVES, fail_fast=True)] | None = None
    cut: bool = False
    estimated: bool = False
    replans: Annotated[list[Argument], Field(max_length=MOST_MOVES)] = Field(default_factory=list)

    def request(self, **more: Any) -> Request:
        """Return it as a study takes it."""
        given = {name: getattr(self, name) for name in CorrectionBody.model_fields}
        return Request(**{**given, "moves": plain_moves(self.moves), **more})


class ReplanBody(CorrectionBody):
    """What must stay, or what alone may change; by default what edits brought about must stay.

    Programs that keep drafts themselves describe what was done so far.
    """

    keep: Parts | None = None
    only: Parts | None = None


class TellBody(CorrectionBody):
    """The correction of a proposal. A submit has none."""

    learn: bool = True
    unsure: bool = False
    note: Note = ""
    seconds: Seconds | None = None
    effort: Cost | None = None
    actor: Actor | None = None
    learned_for: Actor = ""
    version: Annotated[int, Field(ge=0, le=LARGEST)] | None = None

    def work(self) -> Work:
        """Return the active time and the remark."""
        return Work(seconds=self.seconds, note=self.note)


class ReleaseBody(Body):
    """The active time since the proposal was opened."""

    seconds: Seconds = 0.0


class EraseBody(Body):
    """The name that is erased."""

    name: Annotated[str, Field(min_length=1, max_length=100)]


class SayBody(Body):
    """A feature, whether more or less of it is wanted, and by whom."""

    feature: Annotated[str, Field(max_length=200)]
    wish: Literal["more", "less"]
    actor: Actor | None = None
    learned_for: Actor = ""


class RollbackBody(Body):
    """The version to go back to, the reason, and the expert; without one, all are set back."""

    to: Annotated[int, Field(ge=0, le=LARGEST)]
    reason: Annotated[str, Field(min_length=1, max_length=2000)]
    actor: Actor | None = None
    learned_for: Actor | None = None


# -- limits: bytes, depth, number of values, length of text, size of numbers --------------------------------

BODY = 8 * 2**20  # bytes, by default
SMALL = 2**15  # bytes that are parsed faster than a thread is started
DEPTH = 24
COUNT = 1_000_000  # of a body of that size; more in proportion if larger bodies are allowed
TEXT = 20_000
NUMBER = 1e15


def check(data: Any, count: int = COUNT) -> None:
    """Raise ValueError if parsed JSON exceeds the limits."""
    left, layer = count, [data]
    for _ in range(DEPTH):
        next_layer: list[Any] = []
        for item in layer:
            if isinstance(item, dict):
                for name in item:
                    _check_text(name)
                next_layer.extend(item.values())
                left -= len(item)
            elif isinstance(item, list):
                left -= len(item)
                if not _all_numbers(item):
                    next_layer.extend(item)
            elif isinstance(item, str):
                _check_text(item)
            elif isinstance(item, int | float) and abs(item) > NUMBER:
                raise ValueError(f"Numbers may not exceed {NUMBER:g} in size.")
        if left < 0:
            raise ValueError(f"A request may hold at most {count} values.")
        if not next_layer:
            return
        layer = next_layer
    raise ValueError(f"Lists and objects may be nested at most {DEPTH} deep.")


def _all_numbers(items: list[Any]) -> bool:
    """Whether all items are numbers within the limit; a fast path for long vectors."""
    if not items or not isinstance(items[0], int | float):
        return False
    try:
        low, high = min(items), max(items)
    except TypeError:
        return False
    return isinstance(low, int | float) and low >= -NUMBER and high <= NUMBER


def _check_text(value: str) -> None:
    if len(value) > TEXT:
        raise ValueError(f"Text may have at most {TEXT} characters.")


def _parse(body: bytes, limit: int) -> Any:
    data = orjson.loads(body)  # strict: refuses NaN and infinity
    try:
        check(data, COUNT * limit // BODY)
    except ValueError as error:
        raise HTTPException(422, str(error)) from error
    return data


class LimitedRequest(HttpRequest):
    """A request whose JSON is strict and within the limits; large bodies are parsed off the event loop."""

    async def json(self) -> Any:
        if not hasattr(self, "_data"):
            body = await self.body()
            limit = self.scope.get("body_limit", BODY)
            small = len(body) < SMALL
            self._data = _parse(body, limit) if small else await run_in_threadpool(_parse, body, limit)
        return self._data


class LimitedRoute(APIRoute):
    """A route that reads its body through `LimitedRequest`."""

    def get_route_handler(self) -> Callable[[HttpRequest], Coroutine[Any, Any, Response]]:
        handler = super().get_route_handler()

        async def limited(request: HttpRequest) -> Response:
            return await handler(LimitedRequest(request.scope, request.receive))

        return limited
