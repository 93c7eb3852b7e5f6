"""Routes of the report: effort, its course, calibration, weights and how they changed."""

from __future__ import annotations

import csv
import io
from dataclasses import asdict
from datetime import UTC, datetime
from typing import Annotated, Any

import numpy as np
from fastapi import APIRouter, Query, Response

from coactor.archives.missing_features import cases_of_study, diagnose
from coactor.explanations import PeopleView
from coactor.proposals.calibration import Calibration
from coactor.protocol import Learner, Preferences, Vector, has, learner_for
from coactor.studies import Invalid, Round
from coactor.studies.log.facts import Asked
from coactor.web.auth.permissions import PERMISSIONS, Me, require_weights
from coactor.web.open_studies import OpenStudies, ToLead, ToRead
from coactor.web.routes.requests import After, LearnedFor, StudyName, Version
from coactor.web.routes.responses import (
    Beliefs,
    MissingFeatures,
    PastWeights,
    RoundAnswers,
    Totals,
    Weights,
    json_response,
)
from coactor.web.routes.trends import MOST_ROWS, Trend, trend

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
        rows = opened.effort(after)
        return json_response(rows[:limit] if last is None else rows[-last:])

    @router.get("/studies/{study}/effort/summary", tags=["reports"], response_model=dict[str, Totals])
    def effort_summary(
        opened: ToRead, days: Days = 7.0, last: Annotated[int, Query(ge=1, le=1000)] = 10
    ) -> Response:
        """Add up the effort of all finished proposals, of those in the last days, and of the last few."""
        rows, since = opened.effort(), studies.clock() - days * 86400
        recent = [row for row in rows if row.time > since]
        parts = {"total": rows, "recent": recent, "last": rows[-last:]}
        return json_response({name: totals(part) for name, part in parts.items()})

    @router.get("/studies/{study}/effort.csv", tags=["reports"], response_class=Response)
    def effort_csv(opened: ToRead, after: After = 0) -> Response:
        """Return the effort of each finished proposal as CSV."""
        with opened.store.reading() as sql:
            facts = (entry.fact for entry in sql.of_kind(sql.find(opened.name).id, "asked"))
            labels = {
                fact.proposal: fact.label for fact in facts if isinstance(fact, Asked) and not fact.revision
            }
        return Response(as_csv(opened.effort(after), labels), media_type="text/csv")

    @router.get("/studies/{study}/trend", tags=["reports"], response_model=Trend)
    def course(opened: ToRead) -> Response:
        """Say whether effort falls: running mean, band and verdict."""
        return json_response(trend(opened.efforts))

    @router.get("/studies/{study}/calibration", tags=["reports"], response_model=Calibration)
    def calibration(opened: ToRead) -> Response:
        """Compare the predicted with the observed share of proposals that were accepted unchanged."""
        return json_response(opened.calibration())

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
        names = opened.config["features"]
        return json_response(
            {
                "version": number,
                "weights": opened.weights(number, learned_for=learned_for).tolist(),
                "feature_names": names,
            }
        )

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
        data = believed(learner_for(opened.learner(number), learned_for))
        return json_response({"version": number, "feature_names": opened.config["features"], **data})

    @router.get("/studies/{study}/people", tags=["reports"], response_model=PeopleView)
    def people(opened: ToRead, account: Me, hide: Hide = False) -> Response:
        """Return what people share, how they differ and who goes together. Only a lead sees names."""
        hide = hide or account.role(opened.name) not in PERMISSIONS["lead"]
        return json_response(opened.people(hide=hide, reader=account.name))

    @router.get("/studies/{study}/features", tags=["reports"], response_model=MissingFeatures)
    def features(opened: ToLead, last: Annotated[int, Query(ge=20, le=500)] = 200) -> Response:
        """Say which feature is missing, from the last finished proposals. Takes seconds; for leads."""
        try:
            diagnosis = diagnose(*cases_of_study(opened, last))
        except ValueError as error:
            raise Invalid(str(error)) from error
        candidates = [asdict(one) for one in diagnosis.candidates[:MOST_CANDIDATES]]
        words = {"habits": diagnosis.habits, "sentences": diagnosis.sentences()}
        return json_response({**asdict(diagnosis), "candidates": candidates, **words})

    @router.get("/studies/{study}/history", tags=["reports"], response_model=list[PastWeights])
    def history(opened: ToRead, points: Annotated[int, Query(ge=2, le=200)] = 40) -> Response:
        """Return the weights of evenly spaced versions, the newest last."""
        newest, units = opened.version, units_of(opened.learner())
        versions = sorted({round(k * newest / (points - 1)) for k in range(points)})
        rows = [(version, opened.weights(version)) for version in versions]
        return json_response(
            [{"version": v, "weights": w.tolist(), "matter": (w / units).tolist()} for v, w in rows]
        )


def as_csv(rows: list[Round], labels: dict[int, str]) -> str:
    """Return effort as CSV with ISO 8601 times (UTC); cells that a spreadsheet would run are quoted."""
    out = io.StringIO()
    writer = csv.writer(out)
    for row in [COLUMNS, *(_row(row, labels.get(row.proposal, "")) for row in rows)]:
        writer.writerow([_cell(value) for value in row])
    return out.getvalue()


COLUMNS = (
    *("seq", "time", "proposal", "key", "label", "actor", "learned_for", "effort", "estimated", "accepted"),
    *("gestures", "seconds", "learn", "proposed_with", "version", "chance"),
)


def _row(row: Round, label: str) -> tuple[Any, ...]:
    time, work, basis = datetime.fromtimestamp(row.time, UTC), row.work, row.basis
    asked = row.seq, time.isoformat(timespec="seconds"), row.proposal, row.key, label
    did = row.effort, row.estimated, row.accepted, work.gestures, work.seconds
    learned = row.learn, basis.version, row.version, basis.chance
    return *asked, work.actor, row.learned_for, *did, *learned


def _cell(value: Any) -> Any:
    risky = isinstance(value, str) and value[:1] in ("=", "+", "-", "@", "\t", "\r")
    return f"'{value}" if risky else value


def totals(rows: list[Round]) -> dict[str, float]:
    """Add up the effort of finished proposals."""
    return {
        "finished": len(rows),
        "unchanged": sum(row.effort == 0 for row in rows),
        "effort": sum(row.effort for row in rows),
    }


def believed(learner: Learner | Preferences) -> dict[str, Any]:
    """Return the weights, how much each matters, and how well each is known if the learner can tell.

    How much a weight matters is its size in prior standard deviations, so that features of different units
    can be compared; for a learner without a posterior it is the plain weight.
    """
    weights: Vector = np.asarray(learner.weights)
    return {
        "weights": weights.tolist(),
        "matter": (weights / units_of(learner)).tolist(),
        "known": learner.known().tolist() if has(learner, Preferences) else None,
    }


def units_of(learner: Learner | Preferences) -> Vector:
    """Return the prior standard deviation of each weight; ones if the learner keeps no posterior."""
    if has(learner, Preferences):
        return np.maximum(learner.prior_deviations(), 1e-300)
    return np.ones(len(learner.weights))
