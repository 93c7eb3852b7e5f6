"""What answers look like, for the OpenAPI description; the routes write them directly."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel


class Problem(BaseModel):
    """An error: a sentence with the remedy (RFC 9457)."""

    type: str
    title: str
    status: int
    detail: str
    current: dict[str, Any] | None = None


_SCHEMA = Problem.model_json_schema()
ERRORS: dict[int | str, dict[str, Any]] = {
    code: {"description": said, "content": {"application/problem+json": {"schema": _SCHEMA}}}
    for code, said in {
        401: "No credential, or a wrong one",
        403: "Not for this role",
        404: "Not there, or not in scope",
        409: "Somebody was faster; the current state comes with it",
        413: "Too large",
        422: "Not what is expected",
        429: "Too many wrong credentials",
        503: "The store cannot be used now",
    }.items()
}


class Summary(BaseModel):
    """A study in a few numbers; all but the first three only where its domain is installed."""

    name: str
    facts: int
    usable: bool
    version: int | None = None
    asked: int | None = None
    told: int | None = None
    open: int | None = None
    untouched: int | None = None
    effort: float | None = None
    learner: str | None = None
    domain: dict[str, Any] | None = None
    feature_names: list[str] | None = None
    grace: float | None = None


class ProposalAnswer(BaseModel):
    """A proposal and its draft; the last four only where the problem comes with it."""

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
    chance: float | None
    due: bool
    proposed: Any
    solution: Any
    moves: list[dict[str, Any]]
    undone: list[dict[str, Any]]
    features: list[float]
    change: list[float]
    problem: Any = None
    domain: dict[str, Any] | None = None
    feature_names: list[str] | None = None
    weights: list[float] | None = None


class Numbers(BaseModel):
    """Weights, one per feature."""

    version: int
    weights: list[float]
    feature_names: list[str]


class Events(BaseModel):
    """Facts, and where to go on."""

    events: list[dict[str, Any]]
    next: int
