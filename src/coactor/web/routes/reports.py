"""Routes of the report: effort, its course, calibration, weights and how they changed."""

from __future__ import annotations

import csv
import io
import threading
from collections.abc import Iterator
from dataclasses import asdict, fields
from typing import Annotated, Any

import numpy as np
from fastapi import APIRouter, Query, Response

from coactor.protocol import Learner, Vector
from coactor.studies import Calibration, EffortRow, Study
from coactor.studies.lessons import at_first
from coactor.studies.log.model import Model
from coactor.studies.log.store import END
from coactor.web.auth.permissions import Me, require
from coactor.web.open_studies import OpenStudies
from coactor.web.routes.requests import After, StudyName, Version
from coactor.web.routes.responses import ERRORS, Weights, json_response, list_response
from coactor.web.routes.trends import Trend, trend

FAR = 1000  # facts to look back for the history of the weights


def add_routes(router: APIRouter, studies: OpenStudies) -> None:
    """Add the routes of the report."""
    memory = Memory()

    @router.get("/studies/{study}/effort", tags=["reports"], response_model=list[EffortRow], responses=ERRORS)
    def effort(study: StudyName, account: Me, after: After = 0) -> Response:
        """List the effort of each finished proposal."""
        require(account, "read", study)
        return list_response(studies.study(study).effort(after))

    @router.get("/studies/{study}/effort.csv", tags=["reports"], response_class=Response, responses=ERRORS)
    def effort_csv(study: StudyName, account: Me, after: After = 0) -> Response:
        """Return the effort of each finished proposal as CSV."""
        require(account, "read", study)
        return Response(as_csv(studies.study(study).effort(after)), media_type="text/csv")

    @router.get("/studies/{study}/trend", tags=["reports"], response_model=Trend, responses=ERRORS)
    def course(study: StudyName, account: Me) -> Response:
        """Say whether effort falls: running mean, band and verdict."""
        require(account, "read", study)
        return json_response(asdict(trend([row.effort for row in studies.study(study).effort()])))

    @router.get(
        "/studies/{study}/calibration", tags=["reports"], response_model=Calibration, responses=ERRORS
    )
    def calibration(study: StudyName, account: Me) -> Response:
        """Compare the predicted with the observed share of proposals that were accepted unchanged."""
        require(account, "read", study)
        return json_response(asdict(studies.study(study).calibration()))

    @router.get("/studies/{study}/weights", tags=["reports"], response_model=Weights, responses=ERRORS)
    def weights(study: StudyName, account: Me, version: Version = None) -> Response:
        """Return the weights of a version."""
        require(account, "read", study)
        opened = studies.study(study)
        number = opened.version if version is None else version
        names = opened.config["features"]
        return json_response(
            {"version": number, "weights": opened.weights(number).tolist(), "feature_names": names}
        )

    @router.get("/studies/{study}/beliefs", tags=["reports"], response_model=dict[str, Any], responses=ERRORS)
    def beliefs(study: StudyName, account: Me, version: Version = None) -> Response:
        """Return the weights of a version, how much each matters and how well it is known."""
        require(account, "read", study)
        opened = studies.study(study)
        number = opened.version if version is None else version
        data = believed(opened.ledger.learner_at(number))
        return json_response({"version": number, "feature_names": opened.config["features"], **data})

    @router.get(
        "/studies/{study}/history", tags=["reports"], response_model=list[dict[str, Any]], responses=ERRORS
    )
    def history(study: StudyName, account: Me, points: Annotated[int, Query(ge=2, le=200)] = 40) -> Response:
        """Return the weights of evenly spaced versions, the newest last."""
        require(account, "read", study)
        return json_response(memory.sample(studies.study(study), points))


def as_csv(rows: list[EffortRow]) -> str:
    """Return effort as CSV; cells that a spreadsheet would run as a formula are quoted."""
    out = io.StringIO()
    writer = csv.writer(out)
    names = [field.name for field in fields(EffortRow)]
    writer.writerow(names)
    for row in rows:
        writer.writerow(_cells(row, names))
    return out.getvalue()


def _cells(row: EffortRow, names: list[str]) -> Iterator[Any]:
    for name in names:
        cell = getattr(row, name)
        yield f"'{cell}" if isinstance(cell, str) and cell[:1] in ("=", "+", "-", "@", "\t", "\r") else cell


def believed(learner: Learner) -> dict[str, Any]:
    """Weights, how much is known of each where the learner says so, and how much each matters.

    What matters is a weight in units of the doubt there was about it at first: features of any unit can
    then be compared. A learner without such doubts gives its plain weights.
    """
    weights: Vector = np.asarray(learner.weights)
    known = getattr(learner, "known", None)
    return {
        "weights": weights.tolist(),
        "matter": (weights / at_first(learner)).tolist(),
        "known": np.asarray(known()).tolist() if callable(known) else None,
    }


class Memory:
    """The weights of recent versions, kept as they are read: the log only grows."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._models: dict[str, Model] = {}
        self._seen: dict[str, list[dict[str, Any]]] = {}

    def sample(self, study: Study, points: int) -> list[dict[str, Any]]:
        """Up to `points` versions, evenly spread, the first kept and the newest among them."""
        with self._lock:
            rows = self._follow(study)
            if len(rows) <= points:
                return list(rows)
            return [rows[round(k * (len(rows) - 1) / (points - 1))] for k in range(points)]

    def _follow(self, study: Study) -> list[dict[str, Any]]:
        name = study.ledger.model.uid
        with study.store.reading() as sql:
            model = self._models.get(name)
            if model is None:
                start = max(1, sql.head(study.ledger.head.id)[0] - FAR)
                model = self._models[name] = study.ledger.load(sql, start)
                self._seen[name] = [self._row(model)]
            rows = self._seen[name]
            for entry in sql.after(study.ledger.head.id, model.seq, END):
                model.apply(entry)
                if entry.made is not None:
                    rows.append(self._row(model))
            del rows[:-FAR]
        return rows

    @staticmethod
    def _row(model: Model) -> dict[str, Any]:
        data = believed(model.learner)
        return {"version": model.version, "weights": data["weights"], "matter": data["matter"]}
