"""What requests may say; anything else is refused."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

Text = Annotated[str, Field(max_length=200)]
Note = Annotated[str, Field(max_length=2000)]
Small = Annotated[float, Field(ge=0, le=1e6, allow_inf_nan=False)]
Seconds = Annotated[float, Field(ge=0, le=1e9, allow_inf_nan=False)]
Whole = Annotated[int, Field(ge=-(2**53), le=2**53)]
StudyName = Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$")]


class Body(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)


class MoveBody(Body):
    """One move of the domain."""

    op: Annotated[str, Field(max_length=40)]
    args: Annotated[list[Whole], Field(max_length=10_000)]


class EditBody(Body):
    """Moves to apply together, or how many moves to undo or redo."""

    action: Literal["move", "undo", "redo"] = "move"
    moves: Annotated[list[MoveBody], Field(max_length=10_000)] = Field(default_factory=list)
    count: Annotated[int, Field(ge=1, le=10_000)] = 1


class DomainBody(Body):
    """An installed domain by name."""

    name: Annotated[str, Field(max_length=64)]
    parameters: dict[str, Any] = Field(default_factory=dict, max_length=50)


class StudyBody(Body):
    """A study to create."""

    name: StudyName
    domain: DomainBody
    learner: Annotated[str, Field(max_length=64)] = "default"
    costs: Annotated[dict[str, Small], Field(max_length=50)] = Field(default_factory=dict)
    grace: Seconds = 600.0
    proposals: Annotated[str, Field(max_length=64)] = "default"


class AskBody(Body):
    """A problem to solve, as the domain writes it."""

    problem: Any
    label: Text = ""
    renew: bool = True


class SubmitBody(Body):
    """How a draft is handed in."""

    learn: bool = True
    note: Note = ""
    cut: bool = False
    seconds: Seconds | None = None


class TellBody(SubmitBody):
    """What was made of a proposal: moves, path or solution."""

    moves: Annotated[list[MoveBody], Field(max_length=10_000)] | None = None
    path: Annotated[list[Any], Field(max_length=10_000)] | None = None
    solution: Any = None
    effort: Small | None = None
    actor: Annotated[str, Field(max_length=100)] | None = None
    asked_with: Annotated[int, Field(ge=0, le=2**31 - 1)] | None = None


class RollbackBody(Body):
    """Which version to go back to, and why."""

    to: Annotated[int, Field(ge=0, le=2**31 - 1)]
    reason: Annotated[str, Field(min_length=1, max_length=2000)]
