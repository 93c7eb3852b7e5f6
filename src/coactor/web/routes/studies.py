"""The routes for machines: studies, ask and tell, and everything that can be read."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from dataclasses import asdict, fields
from typing import Annotated, Any

import orjson
from fastapi import APIRouter, Header, Path, Query, Response
from fastapi.responses import StreamingResponse

from coactor import learners
from coactor.studies import Invalid, Study, catalog, reports
from coactor.studies.calibration import Calibration
from coactor.studies.desk import plain_draft
from coactor.studies.results import Draft, EffortRow, Explanation, Outcome, Ticket, Version
from coactor.web.auth.middleware import Me, need
from coactor.web.open_studies import Site
from coactor.web.routes.requests import AskBody, RollbackBody, StudyBody, TellBody
from coactor.web.routes.responses import ERRORS, Events, Numbers, ProposalAnswer, Summary

Name = Annotated[str, Path(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$", description="The study's name")]
Id = Annotated[int, Path(ge=1, le=2**31 - 1, description="The proposal's number")]
After = Annotated[int, Query(ge=0, le=2**31 - 1)]
Limit = Annotated[int, Query(ge=1, le=1000)]
Key = Annotated[str | None, Header(alias="Idempotency-Key", min_length=1, max_length=200)]


def answer(data: Any, status: int = 200, revision: int | None = None) -> Response:
    """JSON, fast; with the revision as the ETag where there is one."""
    headers = {} if revision is None else {"ETag": f'"{revision}"'}
    return Response(
        orjson.dumps(data, option=orjson.OPT_SERIALIZE_NUMPY), status, headers, "application/json"
    )


def rows(values: list[Any]) -> Response:
    """A list of values."""
    return answer([asdict(value) for value in values])


def proposal(study: Study, draft: Draft, status: int = 200, *, whole: bool = False) -> Response:
    """A proposal, with its problem where the reader may not have it yet."""
    data = plain_draft(study, draft)
    if whole:
        data["problem"] = orjson.loads(study.codec.problem_bytes(draft.problem))
        data["domain"] = study.config["domain"]
        data["feature_names"] = study.config["features"]
        data["weights"] = study.weights(draft.ticket.version).tolist()
    return answer(data, status, draft.ticket.revision)


def add_routes(router: APIRouter, site: Site) -> None:
    """Everything under /api that is not a draft."""

    @router.get("/me", tags=["accounts"])
    def me(account: Me) -> dict[str, str]:
        """Who this credential belongs to."""
        return {"name": account.name, "role": account.role, "study": account.study}

    @router.get("/domains", tags=["studies"])
    def domains(account: Me) -> list[dict[str, Any]]:
        """The domains a study may be about."""
        return [{"name": name, "parameters": catalog.parameters(name)} for name in catalog.names()]

    @router.get("/learners", tags=["studies"])
    def learner_names(account: Me) -> list[str]:
        """The learners a study may have."""
        return list(learners.names())

    @router.get("/studies", tags=["studies"], response_model=list[Summary])
    def list_studies(account: Me) -> Response:
        """Every study in my scope."""
        return answer([site.summary(name) for name in site.names() if account.sees(name)])

    @router.post("/studies", tags=["studies"], status_code=201, response_model=Summary, responses=ERRORS)
    def create_study(body: StudyBody, account: Me) -> Response:
        """Create a study of an installed domain."""
        need(account, "create", body.name)
        site.create(
            body.name,
            body.domain.name,
            body.domain.parameters,
            body.learner,
            costs=body.costs,
            grace=body.grace,
            proposals=body.proposals,
            actor=account.name,
        )
        return answer(site.summary(body.name), 201)

    @router.get("/studies/{study}", tags=["studies"], response_model=Summary, responses=ERRORS)
    def read_study(study: Name, account: Me) -> Response:
        """A study in a few numbers."""
        need(account, "read", study)
        return answer(site.summary(study))

    @router.post(
        "/studies/{study}/proposals",
        tags=["ask and tell"],
        status_code=201,
        response_model=ProposalAnswer,
        responses=ERRORS,
    )
    def ask(study: Name, body: AskBody, account: Me, key: Key = None) -> Response:
        """Solve a problem and keep the proposal. The same Idempotency-Key gives the same proposal."""
        need(account, "ask", study)
        opened = site.study(study)
        problem = opened.codec.problem(body.problem)
        made = opened.ask(problem, key=key, label=body.label, renew=body.renew, actor=account.name)
        return proposal(opened, site.desk(study).view(made.id), 201)

    @router.post(
        "/studies/{study}/proposals/{id}/tell",
        tags=["ask and tell"],
        response_model=Outcome,
        responses=ERRORS,
    )
    def tell(study: Name, id: Id, body: TellBody, account: Me) -> Response:
        """Say what was made of a proposal: its moves, its path, or the final solution alone."""
        need(account, "tell", study)
        moves = None if body.moves is None else [{"op": move.op, "args": move.args} for move in body.moves]
        actor, via = (account.name, "") if body.actor is None else (body.actor, account.name)
        return answer(
            asdict(
                site.study(study).tell(
                    id,
                    moves=moves,
                    path=body.path,
                    solution=body.solution,
                    effort=body.effort,
                    actor=actor,
                    via=via,
                    learn=body.learn,
                    note=body.note,
                    cut=body.cut,
                    seconds=body.seconds,
                    asked_with=body.asked_with,
                )
            )
        )

    @router.post(
        "/studies/{study}/proposals/{id}/renew",
        tags=["ask and tell"],
        response_model=ProposalAnswer,
        responses=ERRORS,
    )
    def renew(study: Name, id: Id, account: Me) -> Response:
        """The proposal as it should be shown now: solved again if it waits untouched and weights changed."""
        need(account, "ask", study)
        site.study(study).renew(id, actor=account.name)
        return proposal(site.study(study), site.desk(study).view(id))

    @router.get("/studies/{study}/proposals", tags=["queue"], response_model=list[Ticket], responses=ERRORS)
    def list_proposals(
        study: Name, account: Me, state: str | None = None, after: After = 0, limit: Limit = 100
    ) -> Response:
        """Proposals by number; `state` is waiting, held, draft, done, or open for all but done."""
        need(account, "read", study)
        return rows(site.study(study).proposals(state, after, limit))

    @router.get(
        "/studies/{study}/proposals/{id}", tags=["queue"], response_model=ProposalAnswer, responses=ERRORS
    )
    def read_proposal(study: Name, id: Id, account: Me) -> Response:
        """A proposal, its problem and its draft."""
        need(account, "read", study)
        return proposal(site.study(study), site.desk(study).view(id), whole=True)

    @router.get(
        "/studies/{study}/proposals/{id}/explain",
        tags=["reports"],
        response_model=Explanation,
        responses=ERRORS,
    )
    def explain(study: Name, id: Id, account: Me) -> Response:
        """Each feature's share of the proposal's utility, and of each edit's."""
        need(account, "read", study)
        return answer(asdict(site.study(study).explain(id)))

    @router.get(
        "/studies/{study}/proposals/{id}/outcome", tags=["reports"], response_model=Outcome, responses=ERRORS
    )
    def outcome(study: Name, id: Id, account: Me) -> Response:
        """What became of a proposal that is done."""
        need(account, "read", study)
        opened = site.study(study)
        if reports.ticket(opened, id).state != "done":
            raise Invalid(f"Proposal {id} is not done yet; there is nothing to report.")
        entry = opened.last_tell(id)
        if entry is None:
            raise Invalid(f"Proposal {id} is not done yet; there is nothing to report.")
        return answer(asdict(opened.outcome(entry)))

    @router.get("/studies/{study}/effort", tags=["reports"], response_model=list[EffortRow], responses=ERRORS)
    def effort(study: Name, account: Me, after: After = 0) -> Response:
        """What each finished proposal cost."""
        need(account, "read", study)
        return rows(site.study(study).effort(after))

    @router.get("/studies/{study}/effort.csv", tags=["reports"], response_class=Response, responses=ERRORS)
    def effort_csv(study: Name, account: Me, after: After = 0) -> Response:
        """The same as a table."""
        need(account, "read", study)
        return Response(as_csv(site.study(study).effort(after)), media_type="text/csv")

    @router.get(
        "/studies/{study}/calibration", tags=["reports"], response_model=Calibration, responses=ERRORS
    )
    def calibration(study: Name, account: Me) -> Response:
        """Whether proposals were accepted untouched as often as was said beforehand."""
        need(account, "read", study)
        return answer(asdict(site.study(study).calibration()))

    @router.get("/studies/{study}/weights", tags=["reports"], response_model=Numbers, responses=ERRORS)
    def weights(
        study: Name, account: Me, version: Annotated[int | None, Query(ge=0, le=2**31 - 1)] = None
    ) -> Response:
        """The weights now, or those of a version."""
        need(account, "read", study)
        opened = site.study(study)
        number = opened.version if version is None else version
        names = opened.config["features"]
        return answer({"version": number, "weights": opened.weights(number).tolist(), "feature_names": names})

    @router.get("/studies/{study}/versions", tags=["reports"], response_model=list[Version], responses=ERRORS)
    def versions(
        study: Name, account: Me, after: Annotated[int, Query(ge=-1, le=2**31 - 1)] = -1, limit: Limit = 1000
    ) -> Response:
        """Every state of the weights, and what made it."""
        need(account, "read", study)
        return rows(site.study(study).versions(after, limit))

    @router.post("/studies/{study}/rollback", tags=["reports"], response_model=Version, responses=ERRORS)
    def rollback(study: Name, body: RollbackBody, account: Me) -> Response:
        """Take the weights back to an earlier version."""
        need(account, "lead", study)
        return answer(asdict(site.study(study).rollback(body.to, body.reason, actor=account.name)))

    @router.get("/studies/{study}/events", tags=["reports"], response_model=Events, responses=ERRORS)
    def events(study: Name, account: Me, after: After = 0, limit: Limit = 100) -> Response:
        """The facts after a sequence number; ask again from `next`."""
        need(account, "read", study)
        with site.store.reading() as sql:
            found = [orjson.loads(body) for body in sql.bodies(sql.find(study).id, after, limit)]
        for fact in found:
            fact.pop("state", None)  # the learner's insides are for the store, not for readers
        return answer({"events": found, "next": found[-1]["seq"] if found else after})

    @router.get(
        "/studies/{study}/export", tags=["reports"], response_class=StreamingResponse, responses=ERRORS
    )
    def export(study: Name, account: Me) -> Response:
        """The whole study as JSON lines."""
        need(account, "lead", study)
        lines = site.study(study).export()
        return StreamingResponse(
            (orjson.dumps(line) + b"\n" for line in lines), media_type="application/jsonl"
        )


def as_csv(values: list[EffortRow]) -> str:
    """Effort as a table; a cell that a spreadsheet would run is made harmless."""
    out = io.StringIO()
    writer = csv.writer(out)
    names = [field.name for field in fields(EffortRow)]
    writer.writerow(names)
    for value in values:
        writer.writerow(_cells(value, names))
    return out.getvalue()


def _cells(value: EffortRow, names: list[str]) -> Iterator[Any]:
    for name in names:
        cell = getattr(value, name)
        yield f"'{cell}" if isinstance(cell, str) and cell[:1] in ("=", "+", "-", "@", "\t", "\r") else cell
