"""Routes of the report: effort, whether it falls, calibration, weights and people."""

from __future__ import annotations

import csv
import io
from dataclasses import asdict
from datetime import UTC, datetime
from typing import Annotated, Any

from fastapi import APIRouter, Query, Response

from coactor.archives.missing_features import cases_of_study, diagnose
from coactor.explanations import PeopleView
from coactor.proposals.calibration import Calibration
from coactor.studies import Invalid, Round
from coactor.studies.log.facts import Asked
from coactor.studies.report import Report
from coactor.web.auth.permissions import PERMISSIONS, Me, require_weights
from coactor.web.open_studies import OpenStudies, ToLead, ToRead
from coactor.web.routes.requests import After, LearnedFor, StudyName, Version
from coactor.web.routes.responses import (
    Beliefs,
    MissingFeatures,
    RoundAnswers,
    Totals,
    Weights,
    json_response,
)

MOST_ROWS = 10_000
MOST_CANDIDATES = 10  # of a missing feature, that a response lists
RowLimit = Annotated[int, Query(ge=1, le=MOST_ROWS, description="Return at most this many.")]
Last = Annotated[int | None, Query(ge=1, le=MOST_ROWS, description="Return only the last ones.")]
Hide = Annotated[bool, Query(description="Leave out the names of people.")]
Days = Annotated[float, Query(gt=0, le=36_500, description="Length of the recent period.")]


def add_routes(router: APIRouter, studies: OpenStudies) -> None:
    """Add the routes of the report."""

    @router.get("/studies/{study}/effort", tags=["reports"], response_model=RoundAnswers)
    def effort(opened: ToRead, after: After = 0, limit: RowLimit = MOST_ROWS, last: Last = None) -> Response:
        """List the effort of finished proposals, in the order of their log entries (`seq`)."""
        return json_response(opened.effort(after, last or limit, newest=last is not None))

    @router.get("/studies/{study}/effort/summary", tags=["reports"], response_model=dict[str, Totals])
    def effort_summary(
        opened: ToRead, days: Days = 7.0, last: Annotated[int, Query(ge=1, le=1000)] = 10
    ) -> Response:
        """Add up the effort of all finished proposals, of those in the last days, and of the last few."""
        recent = opened.totals(studies.clock() - days * 86400)
        return json_response({"total": opened.totals(), "recent": recent, "last": opened.totals(last=last)})

    @router.get("/studies/{study}/effort.csv", tags=["reports"], response_class=Response)
    def effort_csv(opened: ToRead, after: After = 0) -> Response:
        """Return the effort of each finished proposal as CSV."""

        def rows() -> str:
            with opened.store.reading() as sql:
                facts = [entry.fact for entry in sql.of_kind(sql.find(opened.name).id, "asked")]
            asked = [fact for fact in facts if isinstance(fact, Asked) and not fact.revision]
            return as_csv(opened.effort(after), {fact.proposal: fact.label for fact in asked})

        text = studies.computations.answer(opened, ("effort.csv", after), rows, keep=False)  # it may be long
        return Response(text, media_type="text/csv")

    @router.get("/studies/{study}/report", tags=["reports"], response_model=Report)
    def report(opened: ToRead, account: Me) -> Response:
        """Say whether there is less to correct, and what learning saves. Only a lead sees who did what."""
        lead = account.role(opened.name) in PERMISSIONS["lead"]
        return json_response(
            studies.computations.answer(opened, ("report", lead), lambda: opened.report(people=lead))
        )

    @router.get("/studies/{study}/calibration", tags=["reports"], response_model=Calibration)
    def calibration(opened: ToRead) -> Response:
        """Compare the predicted with the observed share of proposals that were accepted unchanged."""
        return json_response(studies.computations.answer(opened, "calibration", opened.calibration))

    @router.get("/studies/{study}/weights", tags=["reports"], response_model=Weights)
    def weights(
        study: StudyName, account: Me, version: Version = None, learned_for: LearnedFor = ""
    ) -> Response:
        """Return the weights of a version: an expert's, or those of all.

        An expert or viewer may read their own.
        """
        require_weights(account, study, learned_for)
        opened = studies.study(study)
        number = opened.version if version is None else version
        values = studies.computations.answer(
            opened, ("weights", number, learned_for), lambda: opened.weights(number, learned_for=learned_for)
        )
        names = opened.config["features"]
        return json_response({"version": number, "weights": values.tolist(), "feature_names": names})

    @router.get("/studies/{study}/beliefs", tags=["reports"], response_model=Beliefs)
    def beliefs(
        study: StudyName, account: Me, version: Version = None, learned_for: LearnedFor = ""
    ) -> Response:
        """Return the weights of a version, how much each matters and how well it is known.

        An expert or viewer may read their own.
        """
        require_weights(account, study, learned_for)
        opened = studies.study(study)
        number = opened.version if version is None else version
        rows = studies.computations.answer(
            opened, ("beliefs", number, learned_for), lambda: opened.beliefs(number, learned_for=learned_for)
        )
        return json_response({"version": number, "features": rows})

    @router.get("/studies/{study}/people", tags=["reports"], response_model=PeopleView)
    def people(opened: ToRead, account: Me, hide: Hide = False) -> Response:
        """Return what people share, how they differ and who goes together. Only a lead sees names."""
        hide, reader = hide or account.role(opened.name) not in PERMISSIONS["lead"], account.name
        view = studies.computations.answer(
            opened, ("people", hide, reader), lambda: opened.people(hide=hide, reader=reader)
        )
        return json_response(view)

    @router.get("/studies/{study}/features", tags=["reports"], response_model=MissingFeatures)
    def features(opened: ToLead, last: Annotated[int, Query(ge=20, le=500)] = 200) -> Response:
        """Say which feature is missing, from the last finished proposals. Takes seconds; for leads."""
        try:
            diagnosis = studies.computations.answer(
                opened, ("features", last), lambda: diagnose(*cases_of_study(opened, last))
            )
        except ValueError as error:
            raise Invalid(str(error)) from error
        candidates = [asdict(one) for one in diagnosis.candidates[:MOST_CANDIDATES]]
        words = {"habits": diagnosis.habits, "sentences": diagnosis.sentences()}
        return json_response({**asdict(diagnosis), "candidates": candidates, **words})


def as_csv(rows: list[Round], labels: dict[int, str]) -> str:
    """Return effort as CSV with ISO 8601 times (UTC); cells that a spreadsheet would run are quoted."""
    out = io.StringIO()
    writer = csv.writer(out)
    for row in [COLUMNS, *(_row(row, labels.get(row.proposal, "")) for row in rows)]:
        writer.writerow([_cell(value) for value in row])
    return out.getvalue()


COLUMNS = (
    *("seq", "time", "proposal", "key", "label", "actor", "learned_for", "effort", "estimated", "accepted"),
    *("gestures", "seconds", "learn", "proposed_with", "version", "chance", "proposer"),
)


def _row(row: Round, label: str) -> tuple[Any, ...]:
    time, work, basis = datetime.fromtimestamp(row.time, UTC), row.work, row.basis
    asked = row.seq, time.isoformat(timespec="seconds"), row.proposal, row.key, label
    did = row.effort, row.estimated, row.accepted, work.gestures, work.seconds
    learned = row.learn, basis.version, row.version, basis.chance, basis.proposer
    return *asked, work.actor, row.learned_for, *did, *learned


def _cell(value: Any) -> Any:
    risky = isinstance(value, str) and value[:1] in ("=", "+", "-", "@", "\t", "\r")
    return f"'{value}" if risky else value
