"""The routes behind the page, and the sentences it shows; no browser needed."""

from __future__ import annotations

from uuid import UUID

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from coactor import learners
from coactor.domains import Cube, Day, Graph, Hypercube, Plans, Query, Ranking, Tour
from coactor.protocol import Feedback
from coactor.studies import Invalid, catalog, open_study, opening
from coactor.studies.desk import Desk
from coactor.studies.lessons import at_first, lesson
from coactor.web.demo import city, studies
from coactor.web.routes import reports
from coactor.web.routes.trends import ENOUGH, trend
from tests.web.conftest import desk, store  # noqa: F401  (fixtures)

PLACE = "/api/studies/tours/proposals/1"


def reverse(i: int, j: int) -> dict:
    return {"op": "reverse", "args": [i, j]}


@pytest.fixture
def admin(desk):  # noqa: F811
    client = desk.client("admin")
    client.post("/api/studies/tours/proposals", json={"problem": desk.problem(0)})
    return client


def edit(client, revision: int, **body):
    return client.post(f"{PLACE}/edits", json=body, headers={"If-Match": f'"{revision}"'})


def test_edit_applies_all_moves_or_none(admin):
    first = edit(admin, 0, moves=[reverse(1, 3), reverse(2, 5)])
    assert (first.status_code, first.json()["revision"], len(first.json()["moves"])) == (200, 2, 2)
    bad = edit(admin, 2, moves=[reverse(1, 2), reverse(5, 2)])
    assert (bad.status_code, admin.get(PLACE).json()["revision"]) == (422, 2)
    assert edit(admin, 0, moves=[reverse(1, 2)]).status_code == 409
    assert edit(admin, 2, action="undo", count=3).status_code == 422
    back = edit(admin, 2, action="undo", count=2).json()
    assert (back["revision"], back["moves"], len(back["undone"])) == (4, [], 2)
    assert back["solution"] == back["proposed"]
    again = edit(admin, 4, action="redo", count=2).json()
    assert again["solution"] == first.json()["solution"]
    assert edit(admin, 6).status_code == 422
    assert admin.post(f"{PLACE}/edits", json={"moves": [reverse(1, 2)]}).status_code == 428


def test_edit_with_the_same_key_is_applied_once(admin):
    headers = {"If-Match": '"0"', "Idempotency-Key": "k"}
    body = {"moves": [reverse(1, 3), reverse(2, 5)]}
    answers = [admin.post(f"{PLACE}/edits", json=body, headers=headers) for _ in range(2)]
    assert [a.json()["revision"] for a in answers] == [2, 2]


def test_the_edits_to_choose_from(admin, desk):  # noqa: F811
    rows = admin.get(f"{PLACE}/moves").json()
    study = open_study(desk.store, "tours")
    problem, solution = study.material(1)
    assert [row["move"] for row in rows] == list(study.domain.moves(problem, solution))
    for row in rows[::5]:
        after = study.domain.features(problem, study.domain.apply(problem, solution, row["move"]))
        np.testing.assert_allclose(row["change"], after - study.domain.features(problem, solution))
    assert len(admin.get(f"{PLACE}/moves?limit=3").json()) == 3


def test_beliefs_and_how_they_moved(admin, desk):  # noqa: F811
    admin.post(f"{PLACE}/tell", json={"moves": [reverse(1, 3)]})
    study = open_study(desk.store, "tours")
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


def test_what_matters_is_measured_by_the_first_doubt():
    """The unit stays what it was when a feature was first seen, however much is learned later."""
    rng = np.random.default_rng(3)
    learner, units = learners.make("default", 3), []
    for _ in range(15):
        path = rng.normal(size=(4, 3)) * [1.0, 1000.0, 0.01]
        learner.update(Feedback(path, cost=3.0, declined=-np.abs(path[:2])))
        units.append(at_first(learner))
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


@given(st.lists(st.floats(0, 50), max_size=60))
def test_the_band_holds_the_mean(efforts):
    course = trend(efforts)
    assert len(course.mean) == len(efforts)
    for low, mean, high in zip(course.low, course.mean, course.high, strict=True):
        assert low <= mean + 1e-9 <= high + 2e-9
    assert (course.verdict == "early") == (len(efforts) < ENOUGH)
    if course.interval is not None and course.verdict == "fell":
        assert course.interval[1] < 0
        assert course.change < 0


def test_the_verdict():
    rng = np.random.default_rng(0)
    fell = trend([*rng.poisson(8, 20), *rng.poisson(1, 20)])
    assert fell.verdict == "fell"
    assert "less to correct" in fell.sentence
    assert trend([*rng.poisson(1, 20), *rng.poisson(8, 20)]).verdict == "rose"
    assert trend([4.0] * 30).verdict == "unclear"
    assert trend([9.0] * 6 + [0.0] * 5).sentence.startswith("Too early to tell: 11")
    said = [trend(list(rng.poisson(3, 30))).verdict for _ in range(200)]
    assert said.count("unclear") > 160  # where nothing changes, it seldom says that something did


def test_a_lesson_in_words():
    names = ["distance (km)", "left turns", "hills"]
    before, after = learners.make("CSPER", 3), learners.make("CSPER", 3)
    assert lesson(names, before, after, True, 0.0) == "Accepted as proposed; the weights stay."
    assert lesson(names, before, after, True, 2.0) == "Recorded; the weights stay."
    assert "nothing was learned" in lesson(names, before, after, False, 2.0)
    after.update(Feedback(np.array([[0.0, 0.0, 0.0], [2.0, -4.0, 0.0]]), cost=1.0))
    assert lesson(names, before, after, True, 1.0) == "Learned: more weight on left turns and distance."
    assert lesson(names, after, before, True, 1.0) == "Learned: less weight on left turns and distance."


# -- names and places for people -----------------------------------------------------------------------


def test_problems_keep_the_names_people_gave():
    graph = Graph.of(3, np.ones((3, 2)), coordinates=np.eye(3, 2), names=["a", "<b>", "c"])
    tour, ranking, cube = Tour(3, 2), Ranking(2), Hypercube(2, 1)
    assert tour.decode_problem(tour.encode_problem(graph)).names == ("a", "<b>", "c")
    query = Query.of([[0.0, 1.0], [1.0, 0.0]], names=["x", "y"])
    assert ranking.decode_problem(ranking.encode_problem(query)).names == ("x", "y")
    corner = Cube(np.ones((4, 1)), np.empty((4, 0)), ("p", "q"))
    assert cube.decode_problem(cube.encode_problem(corner)).names == ("p", "q")
    day = Day.of(np.ones((3, 3)), [0, 1, 1], [2], coordinates=np.eye(3, 2))
    plans = Plans(1)
    np.testing.assert_array_equal(plans.decode_problem(plans.encode_problem(day)).coordinates, np.eye(3, 2))
    for wrong in (["a"], "abc", [1, 2, 3], ["a", "b", "c" * 300]):
        with pytest.raises(ValueError, match="names"):
            Graph.of(3, np.ones((3, 2)), names=wrong)


@pytest.mark.parametrize("soft", [False, True])
def test_plans_can_be_made_again_from_their_name(soft):
    domain = Plans(2, soft=soft, names=["a", "b"])
    said = catalog.describe(domain)
    again = catalog.make(said["name"], said["parameters"])
    assert (said["name"], again.dim, again.feature_names) == ("plan", domain.dim, domain.feature_names)


# -- studies to try --------------------------------------------------------------------------------------


def test_the_city_is_the_same_both_ways():
    rng = np.random.default_rng(5)
    places, names = city.stops(rng, 20)
    table = city.drives(rng, places)
    np.testing.assert_array_equal(table, table.transpose(1, 0, 2))
    assert (table >= 0).all()
    assert table.shape == (20, 20, len(city.FEATURES))
    assert (np.diagonal(table) == 0).all()
    assert len(set(names)) == 20
    straight = np.hypot(*(places[:, None] - places[None]).transpose(2, 0, 1))
    assert (table[:, :, 0] >= straight - 0.01).all()


@pytest.mark.parametrize("name", list(studies.DEMOS))
def test_the_colleague_is_learned(store, name, monkeypatch):  # noqa: F811
    monkeypatch.setattr(opening.uuid, "uuid4", lambda: UUID(int=2014 << 100))  # fixed problems
    studies.create_demo_studies(store)
    studies.create_demo_studies(store)  # a second time adds nothing
    with open_study(store, name) as study:
        assert study.ledger.model.asked == 1
        done = studies.play(study, 20, "admin")
        assert [o.actor for o in done] == [studies.ACTOR] * 20
        assert sum(o.effort for o in done[10:]) <= sum(o.effort for o in done[:10])
        assert studies.fill(study, "admin") == studies.fill(study, "admin") == 1  # one waits, not two
        assert studies.advice(study, 1).effort == 0  # what she has finished suits her
    with open_study(store, name) as again:
        np.testing.assert_array_equal(studies.taste(again), studies.taste(study))


def test_other_studies_are_nobodys_riddle(admin):
    assert admin.get("/api/try").json() == []
    for verb, path in (("GET", "taste"), ("POST", "fill"), ("POST", "play"), ("GET", "advice/1")):
        answer = admin.request(verb, f"/api/try/tours/{path}", json={} if path == "play" else None)
        assert answer.status_code == 404, path


def test_a_study_of_that_name_about_something_else(store):  # noqa: F811
    with open_study(store, "try-tour", Tour(5, 2), "CSPER", create=True) as study:
        assert studies.demo_of(study) is None
        with pytest.raises(Invalid, match="at least one"):
            Desk(study).edit(
                study.ask(next(Tour(5, 2).sample(np.random.default_rng(0), 1))).id,
                [],
                revision=0,
                actor="ana",
            )
