"""The report for a team lead: the start of a study against now, week by week, and against no learning."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

import numpy as np
from fastapi import APIRouter, Response
from pydantic import BaseModel

from coactor.protocol import feature_signs
from coactor.studies import NotFound, Round, Study
from coactor.studies.errors import Invalid
from coactor.web.auth.permissions import Me, require
from coactor.web.open_studies import OpenStudies
from coactor.web.routes.requests import StudyName
from coactor.web.routes.responses import ERRORS, json_response
from coactor.web.routes.trends import LONGEST, change_between, end_size
from coactor.web.routes.wording import EDITS, MINUTES, PERCENT, Format

LEAST = 3  # values at either end that can be compared
NAMED = 5  # features that caused edits

MEASURES: dict[str, Callable[[Round], float | None]] = {
    "effort": lambda row: row.effort,
    "seconds": lambda row: row.work.seconds,
    "unchanged": lambda row: float(row.effort == 0),
}
FORMATS: dict[str, Format] = {"effort": EDITS, "seconds": MINUTES, "unchanged": PERCENT}


@dataclass(frozen=True, slots=True)
class Measure:
    """Means of the first and of the last proposals; `low` and `high` bound the change with 95 %.

    `texts` has the same four numbers, rounded for people.
    """

    name: str
    first: float
    last: float
    low: float
    high: float
    texts: dict[str, str]


class ProgressReport(BaseModel):
    """The report for a team lead; see `GET /studies/{study}/progress`."""

    proposals: int
    first: dict[str, float] | None
    last: dict[str, float] | None
    measures: list[Measure]
    weeks: list[dict[str, Any]]
    causes: list[dict[str, Any]]
    without_learning: dict[str, Any]


def add_routes(router: APIRouter, studies: OpenStudies) -> None:
    """Add the route of the report for a team lead."""
    background = WithoutLearning()

    @router.get(
        "/studies/{study}/progress", tags=["reports"], response_model=ProgressReport, responses=ERRORS
    )
    def progress(study: StudyName, account: Me) -> Response:
        """Compare the first proposals with the last ones, list the weeks, and compare with no learning.

        Past problems are solved again without learning in the background; `done` says how many are.
        """
        require(account, "read", study)
        opened = studies.study(study)
        rows = opened.effort()
        report = studies.computations.answer(opened, "progress", lambda: compare_ends(opened, rows))
        return json_response({**report, "without_learning": background.compare(opened, rows[-LONGEST:])})


def compare_ends(study: Study, rows: list[Round]) -> dict[str, Any]:
    """The report, but for the comparison with no learning."""
    size = end_size(len(rows))
    return {
        "proposals": len(rows),
        "first": period(rows[:size]),
        "last": period(rows[-size:] if size else []),
        "measures": [] if size == 0 else measures(rows[:size], rows[-size:]),
        "weeks": weeks(rows),
        "causes": causes(study, rows[-LONGEST:]),
    }


def period(rows: list[Round]) -> dict[str, float] | None:
    """The number of proposals, and when the first and the last were finished."""
    return {"proposals": len(rows), "from": rows[0].time, "to": rows[-1].time} if rows else None


def measures(first: list[Round], last: list[Round]) -> list[Measure]:
    """Compare both ends by everything that was recorded often enough."""
    compared = []
    for name, value in MEASURES.items():
        ends = [np.array([v for row in rows if (v := value(row)) is not None]) for rows in (first, last)]
        if min(map(len, ends)) >= LEAST:
            before, after = (float(end.mean()) for end in ends)
            change, write = change_between(*ends), FORMATS[name]
            texts = {"first": write.value(before), "last": write.value(after)}
            texts |= {"low": write.change(change.low), "high": write.change(change.high)}
            compared.append(Measure(name, before, after, change.low, change.high, texts))
    return compared


def weeks(rows: list[Round]) -> list[dict[str, Any]]:
    """Means of each week (Monday to Sunday, UTC), as numbers and as texts for people, the oldest first."""
    groups: dict[str, list[Round]] = {}
    for row in rows:
        day = datetime.fromtimestamp(row.time, UTC).date()
        groups.setdefault(str(day - timedelta(days=day.weekday())), []).append(row)
    table = []
    for monday, some in groups.items():
        means = _means(some)
        texts = {name: "–" if mean is None else FORMATS[name].value(mean) for name, mean in means.items()}
        table.append({"monday": monday, "finished": len(some), **means, "texts": texts})
    return table


def _means(rows: list[Round]) -> dict[str, float | None]:
    means: dict[str, float | None] = {}
    for name, value in MEASURES.items():
        values = [v for row in rows if (v := value(row)) is not None]
        means[name] = sum(values) / len(values) if values else None
    return means


def causes(study: Study, rows: list[Round]) -> list[dict[str, Any]]:
    """The features for whose sake proposals were edited: what the edits gained by the newest weights."""
    edited = [row for row in rows if row.effort > 0]
    if not edited:
        return []
    mean = study.deltas(edited).mean(axis=0)
    gain = study.weights() * mean
    order = [k for k in np.argsort(-gain, kind="stable")[:NAMED] if gain[k] > 0]
    signs, names = feature_signs(study.domain), study.config["features"]
    return [{"feature": names[k], "change": float(signs[k] * mean[k])} for k in order]


class WithoutLearning:
    """Solves past problems again with version 0 of the weights, one after the other, in the background."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._pairs: dict[tuple[str, int], tuple[float, float] | None] = {}
        self._busy: dict[str, threading.Thread] = {}

    def compare(self, study: Study, rows: list[Round]) -> dict[str, Any]:
        """Estimated edits with and without learning, as far as they are known; starts what is missing."""
        with self._lock:
            keys = [(study.uid, row.seq) for row in rows]
            missing = [row for row, key in zip(rows, keys, strict=True) if key not in self._pairs]
            if missing and study.uid not in self._busy:
                thread = threading.Thread(target=self._run, args=(study, missing), daemon=True)
                self._busy[study.uid] = thread
                thread.start()
            pairs = [pair for key in keys if (pair := self._pairs.get(key)) is not None]
            done = len(rows) - len(missing)
        result: dict[str, Any] = {"proposals": len(rows), "done": done, "compared": len(pairs)}
        if done < len(rows) or len(pairs) < LEAST:
            return result
        with_, without = np.array(pairs).T
        saved = without - with_
        draws = saved[np.random.default_rng(len(saved)).integers(0, len(saved), (2000, len(saved)))]
        low, high = np.percentile(draws.mean(axis=1), [2.5, 97.5]).tolist()
        means = {"with": float(with_.mean()), "without": float(without.mean())}
        return result | means | {"saved": float(saved.mean()), "low": low, "high": high}

    def wait(self, study: Study) -> None:
        """Wait until nothing is being computed for a study."""
        thread = self._busy.get(study.uid)
        if thread is not None:
            thread.join()

    def _run(self, study: Study, rows: list[Round]) -> None:
        try:
            for row in rows:
                try:
                    pair = study.without_learning(row.proposal)
                except (Invalid, NotFound):  # reopened since, or an archive without its problem
                    pair = None
                with self._lock:
                    self._pairs[study.uid, row.seq] = pair
        except Exception:
            logging.getLogger("coactor.web").exception("The comparison without learning failed")
            with self._lock:
                for row in rows:
                    self._pairs.setdefault((study.uid, row.seq), None)
        finally:
            with self._lock:
                self._busy.pop(study.uid, None)
