"""Models of responses, for the OpenAPI description, and the functions that write them.

Routes return ready responses, so FastAPI does not validate them again.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

import orjson
from fastapi import Response
from pydantic import BaseModel, Field

from coactor.protocol import Basis, Describes, Shows, Work, edit_text, has
from coactor.studies import Draft, Study
from coactor.studies.drafts import plain_draft, plain_row


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
REVISION_ERRORS = {**ERRORS, 428: _error("If-Match is missing.")}


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
    counts_costs: bool | None = None
    signs: list[int] | None = None
    proposals: str | None = None
    budget: float | None = None
    costs: dict[str, float] | None = None
    grace: float | None = None


class RoundAnswer(BaseModel):
    """The result of a tell: what was proposed, what the expert did, and what was learned.

    Lists leave `delta` and `change` empty.
    """

    proposal: int
    key: str | None
    basis: Basis
    effort: float
    estimated: bool
    accepted: bool
    work: Work
    learn: bool
    learned_for: str
    cost: float
    version: int
    lesson: str
    delta: list[float]
    change: list[float]
    seq: int
    time: float


class DraftAnswer(BaseModel):
    """A proposal and where it stands, see `coactor.studies.Draft`.

    What follows `proposed` is not set in a row of the queue, and what follows `problem` only if the problem
    is part of the response. `shown` and `texts` are the solution and the moves as the domain shows and
    describes them.
    """

    id: int
    key: str | None
    label: str
    asked: float
    asked_for: str
    solved_for: str
    basis: Basis
    revision: int
    moves: list[dict[str, Any]]
    undone: list[dict[str, Any]]
    holder: str
    until: float
    editor: str
    state: str
    steps: int
    effort: float
    told: float | None
    actor: str
    due: bool
    for_another: bool
    proposed: Any = None
    solution: Any = None
    features: list[float] | None = None
    change: list[float] | None = None
    shown: list[dict[str, Any]] | None = None
    texts: list[str] | None = None
    problem: Any = None
    domain: dict[str, Any] | None = None
    feature_names: list[str] | None = None
    counts_costs: bool | None = None
    signs: list[int] | None = None
    shown_proposed: list[dict[str, Any]] | None = None
    weights: list[float] | None = None


class QueueAnswer(BaseModel):
    """A page of the queue, see `coactor.studies.QueuePage`."""

    tag: str
    waiting: int
    draft: int
    held: int
    matching: int
    drafts: list[DraftAnswer]
    people: list[str]


class Cause(BaseModel):
    """How much of a feature one part of a solution causes."""

    part: int
    amount: float


class MoveOption(BaseModel):
    """A move, in words too, the change of the features it makes, and its gain in utility.

    `refused` says which rules a move would break that is not allowed.
    """

    move: dict[str, Any]
    text: str
    change: list[float]
    gain: float
    refused: str | None = None


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
    """The weights of a version; in units of their prior standard deviations; how well each is known."""

    version: int
    feature_names: list[str]
    weights: list[float]
    matter: list[float]
    known: list[float] | None


class MissingFeatures(BaseModel):
    """What no weights of the present features explain, and which feature would have; in words, too.

    `parts` are pairs of a name and how often. Candidates have a `name`, the `gain` in log-likelihood of a
    held-back case, `z`, the gain in standard errors, and `missing`: whether that is more than chance.
    `habits` says whether `coactor study extend` adds one of them.
    """

    cases: int
    effort: float
    unexplained: float
    candidates: list[dict[str, Any]]
    parts: list[tuple[str, int]]
    habits: bool
    sentences: list[str]


class PastWeights(BaseModel):
    """The weights of an earlier version, plain and in units of their prior standard deviations."""

    version: int
    weights: list[float]
    matter: list[float]


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
    """Return JSON, with the revision as its ETag if there is one."""
    headers = {} if revision is None else {"ETag": f'"{revision}"'}
    content = orjson.dumps(data, option=orjson.OPT_SERIALIZE_NUMPY)
    return Response(content, status, headers, "application/json")


def list_response(values: list[Any]) -> Response:
    """Return a list of dataclasses as JSON."""
    return json_response([asdict(value) for value in values])


def rows_response(drafts: list[Draft]) -> Response:
    """Return rows of the queue as JSON."""
    return json_response([plain_row(draft) for draft in drafts])


def draft_response(
    study: Study, draft: Draft, status: int = 200, *, whole: bool = False, omit: Sequence[str] = ()
) -> Response:
    """Return a draft; if it is to be whole, with features, weights and its problem but for some fields."""
    data, domain, x = plain_draft(study.codec, draft), study.domain, draft.problem
    if has(domain, Shows):
        data["shown"] = domain.show(x, draft.solution)
    if has(domain, Describes):
        path = study.path(draft)
        data["texts"] = [edit_text(domain, x, y, m) for y, m in zip(path, draft.moves, strict=False)]
    if whole:
        problem = study.codec.plain_problem(x)
        if isinstance(problem, dict):
            problem = {name: value for name, value in problem.items() if name not in omit}
        data["problem"] = problem
        data["domain"] = study.config["domain"]
        data["feature_names"] = study.config["features"]
        data["counts_costs"] = study.counts_costs
        data["signs"] = study.signs
        data["shown_proposed"] = domain.show(x, draft.proposed) if has(domain, Shows) else None
        data["weights"] = study.weights_of(draft).tolist()
    return json_response(data, status, draft.revision)
