from __future__ import annotations

import numpy as np

from coactor import learners
from coactor.protocol import Feedback
from coactor.studies import open_study
from coactor.web.routes import reports
from coactor.web.routes.reports import units_of
from tests.web.conftest import MOVE, PROPOSALS, ask


def test_csv_quotes_formulas(server):
    solver = server.client("solver")
    ask(solver, server)
    solver.post(f"{PROPOSALS}/1/tell", json={"moves": [], "actor": "=HYPERLINK(1)"})
    assert "'=HYPERLINK(1)" in solver.get("/api/studies/tours/effort.csv").text


def test_beliefs_and_history_follow_versions(admin, server):
    admin.post(f"{PROPOSALS}/1/tell", json={"moves": [MOVE]})
    study = open_study(server.store, "tours")
    now = admin.get("/api/studies/tours/beliefs").json()
    assert now["version"] == 1
    assert now["weights"] == study.weights().tolist()
    past = admin.get("/api/studies/tours/history").json()
    assert [row["version"] for row in past] == [0, 1]
    assert past[1]["weights"] == now["weights"]
    admin.post("/api/studies/tours/rollback", json={"to": 0, "reason": "a test"})
    past = admin.get("/api/studies/tours/history?points=2").json()
    assert [row["version"] for row in past] == [0, 2]
    assert past[1]["weights"] == past[0]["weights"] == [0.0, 0.0, 0.0]
    assert admin.get("/api/studies/tours/beliefs?version=9").status_code == 404
    assert admin.get("/api/studies/tours/trend").json()["verdict"] == "early"


def test_matter_is_measured_in_prior_deviations():
    """The unit stays what it was when a feature was first seen, however much is learned later."""
    rng = np.random.default_rng(3)
    learner, units = learners.make("default", 3), []
    for _ in range(15):
        path = rng.normal(size=(4, 3)) * [1.0, 1000.0, 0.01]
        learner.update(Feedback(path, cost=3.0, declined=-np.abs(path[:2])))
        units.append(units_of(learner))
        np.testing.assert_allclose(reports.believed(learner)["matter"], learner.weights / units[-1])
    for later in units[1:]:
        np.testing.assert_allclose(later, units[0], rtol=1e-9)
    plain = learners.make("CSPER", 3)
    plain.update(Feedback(path[:2], cost=1.0))
    assert reports.believed(plain) == {
        "weights": plain.weights.tolist(),
        "matter": plain.weights.tolist(),
        "known": None,
    }
