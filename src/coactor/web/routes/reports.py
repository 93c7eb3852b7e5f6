"""The routes behind the study page: the course of the effort, what is believed and how that moved."""

from __future__ import annotations

import threading
from dataclasses import asdict
from typing import Annotated, Any

import numpy as np
from fastapi import APIRouter, Query, Response

from coactor.protocol import Learner, Vector
from coactor.studies import Study
from coactor.studies.lessons import at_first
from coactor.studies.log.model import Model
from coactor.studies.log.store import END
from coactor.web.auth.middleware import Me, need
from coactor.web.open_studies import Site
from coactor.web.routes.responses import ERRORS
from coactor.web.routes.studies import Name, answer
from coactor.web.routes.trends import trend

FAR = 1000  # facts to look back for the history of the weights
VersionNumber = Annotated[int | None, Query(ge=0, le=2**31 - 1)]


def add_routes(router: APIRouter, site: Site) -> None:
    """What a person wants to know about a study."""
    memory = Memory()

    @router.get("/studies/{study}/trend", tags=["reports"], response_model=dict[str, Any], responses=ERRORS)
    def course(study: Name, account: Me) -> Response:
        """Whether there is less to correct: running mean, band, and a sentence."""
        need(account, "read", study)
        return answer(asdict(trend([row.effort for row in site.study(study).effort()])))

    @router.get("/studies/{study}/beliefs", tags=["reports"], response_model=dict[str, Any], responses=ERRORS)
    def beliefs(study: Name, account: Me, version: VersionNumber = None) -> Response:
        """The weights of a version, and how sure the learner is of each, where it knows."""
        need(account, "read", study)
        opened = site.study(study)
        number = opened.version if version is None else version
        data = believed(opened.ledger.learner_at(number))
        return answer({"version": number, "feature_names": opened.config["features"], **data})

    @router.get(
        "/studies/{study}/history", tags=["reports"], response_model=list[dict[str, Any]], responses=ERRORS
    )
    def history(study: Name, account: Me, points: Annotated[int, Query(ge=2, le=200)] = 40) -> Response:
        """How the weights moved: evenly chosen versions, the newest last."""
        need(account, "read", study)
        return answer(memory.sample(site.study(study), points))


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
