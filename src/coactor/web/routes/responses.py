"""Models of responses, for the OpenAPI description, and the functions that write them.

Routes return ready responses, so FastAPI does not validate them again.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from itertools import pairwise
from types import GenericAlias
from typing import Any, get_origin, get_type_hints

import numpy as np
import orjson
from fastapi import Response
from pydantic import BaseModel, Field, create_model

from coactor.archives.missing_features import Diagnosis
from coactor.explanations import Belief
from coactor.keeping import move_text, parts_of, plain_parts
from coactor.protocol import Attributes, HasParts, Round, Shows, has
from coactor.studies import Draft, QueuePage, Study
from coactor.studies.drafts import HIDDEN, plain_draft


class Problem(BaseModel):
    """An error (RFC 9457); `detail` is a sentence for people."""

    type: str
    title: str
    status: int
    detail: str
    current: dict[str, Any] | None = None


def _error(description: str) -> dict[str, Any]:
    return {"description": description, "content": {"application/problem+json": {"schema": _PROBLEM}}}


_PROBLEM = {"$ref": "#/components/schemas/Problem"}  # added by `coactor.web.app.openapi`
_RETRY_AFTER = {"Retry-After": {"description": "Seconds to wait.", "schema": {"type": "integer"}}}
ERRORS: dict[int | str, dict[str, Any]] = {
    401: _error("The credential is missing or invalid."),
    403: _error("The role does not allow this."),
    404: _error("It does not exist, or is outside the scope of the account."),
    409: _error("It was changed in the meantime; `current` is its present state."),
    413: _error("The request is too large."),
    422: _error("The request is not valid."),
    429: {**_error("Too many wrong credentials from this address."), "headers": _RETRY_AFTER},
    502: _error("The solver failed; `detail` has the id of the error in the server's log."),
    504: _error("The solver ran out of time."),
    503: {**_error("The store is unavailable."), "headers": _RETRY_AFTER},
}
UNREVISED: dict[int | str, dict[str, Any]] = {428: _error("If-Match is missing.")}


class StudySummary(BaseModel):
    """A study: its totals and its settings. If it is not usable, only the first three are set."""

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
    signs: list[int] | None = None
    proposals: str | None = None
    budget: float | None = None
    costs: dict[str, float] | None = None
    grace: float | None = None
    control: float | None = None


def model_of(kind: Any, without: Collection[str] = (), **more: Any) -> type[BaseModel]:
    """A model with the fields of a dataclass and some more; an array is a list of numbers."""
    described: dict[str, Any] = {}
    for name, hint in get_type_hints(kind).items():
        if name not in without:
            described[name] = list[float] if get_origin(hint) is np.ndarray else hint, ...
    return create_model(f"{kind.__name__}Answer", __doc__=kind.__doc__, **described | more)


# What follows `proposed` is not set in a row of the queue, and what follows `problem` only if the problem is
# part of the response. `shown` and `texts` are the solution and the moves as the domain shows them; `parts`
# are what it is made of, if only the domain shows it; `keeps` says whether parts can be kept.
WHOLE = {
    "proposed": Any,
    "solution": Any,
    "features": list[float],
    "change": list[float],
    "shown": list[dict[str, Any]],
    "texts": list[str],
    "parts": list[list[str]],
    "problem": Any,
    "domain": dict[str, Any],
    "feature_names": list[str],
    "signs": list[int],
    "shown_proposed": list[dict[str, Any]],
    "weights": list[float],
    "keeps": bool,
}
RoundAnswer = model_of(Round)
RoundAnswers: Any = GenericAlias(list, (RoundAnswer,))
DraftAnswer = model_of(
    Draft,
    HIDDEN,
    moves=(list[dict[str, Any]], ...),
    undone=(list[dict[str, Any]], ...),
    **{name: (kind | None, None) for name, kind in WHOLE.items()},
)
DraftAnswers: Any = GenericAlias(list, (DraftAnswer,))
QueueAnswer = model_of(QueuePage, drafts=(DraftAnswers, ...))


class Cause(BaseModel):
    """How much of a feature one part of a solution causes."""

    part: int
    amount: float


class MoveOption(BaseModel):
    """A move, in words too, the change of the features it makes, and its gain in utility.

    `refused` says which rules a move would break that is not allowed, `shown` what a preview leads to.
    """

    move: dict[str, Any]
    text: str
    change: list[float]
    gain: float
    refused: str | None = None
    shown: list[dict[str, Any]] | None = None


class MovePage(BaseModel):
    """Some of the moves that match, and how many there are."""

    total: int
    moves: list[MoveOption]


class RoadAlternative(BaseModel):
    """An alternative route, the move that leads to it, and what it changes."""

    move: dict[str, Any]
    links: list[int]
    vias: list[int]
    change: list[float]
    gain: float


class NetworkMap(BaseModel):
    """A road network to draw; `street` and `kind` are positions in `streets` and `kinds`."""

    nodes: list[list[float]] | None
    from_: list[int] = Field(alias="from")
    to: list[int]
    ids: list[str] | None
    streets: list[str]
    street: list[int]
    kinds: list[str]
    kind: list[int]
    length: list[float]


class Totals(BaseModel):
    """Finished proposals: how many, how many of them accepted unchanged, and their total effort."""

    finished: int
    unchanged: int
    effort: float


class Beliefs(BaseModel):
    """What is known at a version about each feature, see `coactor.explanations.Belief`."""

    version: int
    features: list[Belief]


# `parts` are pairs of a name and how often; `habits` says whether `coactor study extend` adds a candidate.
MissingFeatures = model_of(
    Diagnosis, candidates=(list[dict[str, Any]], ...), habits=(bool, ...), sentences=(list[str], ...)
)


class Weights(BaseModel):
    """The weights of a version, one per feature."""

    version: int
    weights: list[float]
    feature_names: list[str]


class Events(BaseModel):
    """Facts of the log, and the number to continue from."""

    events: list[dict[str, Any]]
    next: int


def json_response(data: Any, status: int = 200, revision: int | None = None) -> Response:
    """Return data or dataclasses as JSON, with the revision as its ETag if there is one."""
    headers = {} if revision is None else {"ETag": f'"{revision}"'}
    content = orjson.dumps(data, option=orjson.OPT_SERIALIZE_NUMPY)
    return Response(content, status, headers, "application/json")


def draft_response(
    study: Study,
    draft: Draft,
    status: int = 200,
    *,
    whole: bool = False,
    reader: str | None = None,
    omit: Sequence[str] = (),
    before: Any = None,
) -> Response:
    """Return a draft; if it is to be whole, with its problem but for some fields, and a reader's weights."""
    data, domain, x = plain_draft(study.codec, draft), study.domain, draft.problem
    if before is not None:
        data["before"] = before
    if has(domain, Shows):
        data["shown"] = domain.show(x, draft.solution)
    steps = zip(pairwise(study.path(draft)), draft.moves, strict=False)
    data["texts"] = [move_text(domain, x, y, z, move) for (y, z), move in steps]
    if has(domain, Shows) and has(domain, HasParts) and not has(domain, Attributes):
        data["parts"] = plain_parts(parts_of(domain, x, draft.solution))
    if whole:
        problem = study.codec.plain_problem(x)
        if isinstance(problem, dict):
            problem = {name: value for name, value in problem.items() if name not in omit}
        data["problem"] = problem
        data["domain"] = study.config["domain"]
        data["feature_names"] = study.config["features"]
        data["signs"] = study.signs
        data["shown_proposed"] = domain.show(x, draft.proposed) if has(domain, Shows) else None
        data["weights"] = study.weights_of(draft, reader).tolist()
        data["keeps"] = has(domain, HasParts)
    return json_response(data, status, draft.revision)
