from __future__ import annotations

import csv
import io
import re
import time

import httpx
import pytest

from coactor.domains import Ranking
from coactor.studies import open_study
from coactor.web.app import create_app
from tests.web.conftest import MOVE, PROPOSALS, ask, serving


def test_create_study_accepts_installed_domains_only(server):
    admin = server.client("admin")
    body = {"name": "ranks", "domain": {"name": "ranking", "parameters": {"features": 3}}, "learner": "PER"}
    assert admin.post("/api/studies", json=body).status_code == 201
    assert admin.post("/api/studies", json=body).status_code == 409
    assert {row["name"] for row in admin.get("/api/studies").json()} == {"tours", "ranks"}
    for change in (
        {"domain": {"name": "os"}},
        {"domain": {"name": "coactor.domains.Tour"}},
        {"domain": {"name": "tour", "parameters": {"points": 10**9}}},
        {"domain": {"name": "tour", "parameters": {"__class__": 1}}},
        {"domain": {"name": "tour", "parameters": {"points": "many"}}},
        {"learner": "clairvoyant"},
        {"proposals": "telepathic"},
        {"name": "../x"},
        {"name": "x" * 65},
        {"extra": 1},
    ):
        answer = admin.post("/api/studies", json={**body, "name": "other", **change})
        assert answer.status_code == 422, (change, answer.text)


def test_events_versions_and_rollback(server):
    lead = server.client("lead")
    for number in range(4):
        ask(lead, server, number)
        lead.post(f"{PROPOSALS}/{number + 1}/tell", json={"moves": [MOVE], "learn": number != 2})
    first = lead.get("/api/studies/tours/events?limit=4").json()
    rest = lead.get(f"/api/studies/tours/events?after={first['next']}").json()
    assert [e["seq"] for e in first["events"] + rest["events"]] == list(range(1, 10))
    assert lead.get(f"/api/studies/tours/events?after={rest['next']}").json() == {"events": [], "next": 9}
    assert "state" not in first["events"][0]
    version = lead.post("/api/studies/tours/rollback", json={"to": 1, "reason": "a bad day"}).json()
    assert (version["version"], version["to"], version["learned_for"]) == (4, 1, "")
    events = lead.get("/api/studies/tours/events").json()["events"]
    assert not any({"state", "acceptance"} & event.keys() for event in events)
    rows = lead.get("/api/studies/tours/versions").json()
    assert [row["how"] for row in rows] == ["created", "told", "told", "told", "rolled back"]
    assert lead.post("/api/studies/tours/rollback", json={"to": 99, "reason": "x"}).status_code == 404
    empty = lead.post("/api/studies/tours/rollback", json={"to": 0, "reason": "x", "learned_for": ""})
    assert (empty.status_code, empty.json()["detail"][:32]) == (422, "The name of the expert is empty;")
    effort = lead.get("/api/studies/tours/effort").json()
    assert [row["learn"] for row in effort] == [True, True, False, True]
    table = list(csv.DictReader(io.StringIO(lead.get("/api/studies/tours/effort.csv").text)))
    assert [row["proposal"] for row in table] == ["1", "2", "3", "4"]
    assert {row["learned_for"] for row in table} == {row["actor"] for row in table} == {"lead-*"}
    assert {row["time"] for row in table} == {"1970-01-12T13:46:40+00:00"}
    assert table[0]["label"] == lead.get(f"{PROPOSALS}/1").json()["label"]
    about = lead.get("/api/studies/tours").json()
    assert (about["asked"], about["told"], about["effort"], about["version"]) == (4, 4, 4.0, 4)


def test_settings_can_be_changed(server):
    lead, path = server.client("lead"), "/api/studies/tours"
    about = lead.get(path).json()
    assert [about[name] for name in ("proposals", "budget", "costs", "grace")] == ["default", 1.0, {}, 100.0]
    about = lead.patch(path, json={"budget": 0.5, "costs": {"reverse": 2.0}}).json()
    assert (about["budget"], about["costs"], about["grace"]) == (0.5, {"reverse": 2.0}, 100.0)
    assert lead.patch(path, json={"budget": None}).json()["budget"] is None
    for body in ({"budget": -1}, {"proposals": "telepathic"}, {"learner": "PER"}, {"costs": {"a": "b"}}):
        assert lead.patch(path, json=body).status_code == 422
    assert [e.get("settings") for e in lead.get(f"{path}/events?after=1").json()["events"]] == [
        {"budget": 0.5, "costs": {"reverse": 2.0}},
        {"budget": None},
    ]


def test_study_and_proposal_say_whether_features_are_costs(server):
    lead = server.client("lead")
    ask(lead, server)
    for path in ("/api/studies/tours", f"{PROPOSALS}/1"):
        assert lead.get(path).json()["signs"] == [-1, -1, -1]
    with open_study(server.store, "ranks", Ranking(3), "PER", create=True):
        assert server.client("admin").get("/api/studies/ranks").json()["signs"] == [1, 1, 1]


def test_a_study_over_http_starts_from_the_weights_in_use(server):
    lead = server.client("admin")
    tour = {"name": "tour", "parameters": {"points": 8, "features": 2}}
    body = {"name": "depot", "domain": tour, "start": {"feature 1": 1, "feature 2": 4}, "trust": 3}
    made = lead.post("/api/studies", json=body)
    assert made.status_code == 201, made.text
    one, two = lead.get("/api/studies/depot/weights").json()["weights"]
    assert two == pytest.approx(4 * one)
    for wrong in ({"start": [1, 2, 3]}, {"trust": 0}, {"start": [1, "x"]}, {"start": None}):
        refused = lead.post("/api/studies", json={**body, "name": "other", **wrong})
        assert refused.status_code == 422, refused.text


def test_a_study_over_http_remembers_what_people_chose(server):
    lead = server.client("admin")
    plan = {"name": "plan", "parameters": {"features": 1}}
    body = {"name": "depot", "domain": plan, "habits": True}
    made = lead.post("/api/studies", json=body)
    assert made.status_code == 201, made.text
    assert made.json()["feature_names"][1:] == ["unusual in similar cases"]
    wrong = {**body, "name": "other", "habits": "weather"}
    assert lead.post("/api/studies", json=wrong).status_code == 422


def test_an_admin_deletes_a_study_that_other_servers_have_open(admin, server, store):
    with serving(create_app(store)) as address:
        headers = {"Authorization": admin.headers["Authorization"]}
        with httpx.Client(base_url=address, headers=headers, timeout=30) as elsewhere:
            assert elsewhere.get("/api/studies/tours").json()["asked"] == 1
            assert server.client("lead").delete("/api/studies/tours").status_code == 403
            assert admin.delete("/api/studies/tours").status_code == 204
            assert admin.get("/api/studies/tours").status_code == 404
            assert elsewhere.get("/metrics").status_code == 200
            assert elsewhere.get("/api/studies/tours").status_code == 404
            body = {"name": "tours", "domain": {"name": "tour", "parameters": {"points": 5, "features": 2}}}
            assert admin.post("/api/studies", json=body).status_code == 201
            assert elsewhere.get("/api/studies/tours").json()["asked"] == 0  # the new one
    assert admin.delete("/api/studies/nowhere").status_code == 404


def test_an_admin_erases_a_name(admin, server, caplog):
    caplog.set_level("DEBUG")
    ana = server.client("expert", name="ana")
    ana.post("/api/studies/tours/queue/next")
    deadline = time.monotonic() + 30
    while "ana" not in caplog.text:  # who asked is in the access log, which is written after the answer
        assert time.monotonic() < deadline
        time.sleep(0.01)
    caplog.clear()
    assert server.client("lead").post("/api/studies/tours/erase", json={"name": "ana"}).status_code == 403
    alias = admin.post("/api/studies/tours/erase", json={"name": "ana"}).json()["name"]
    assert admin.get("/api/studies/tours/proposals/1").json()["holder"] == alias
    assert '"ana"' not in admin.get("/api/studies/tours/events").text
    assert admin.post("/api/studies/tours/erase", json={"name": "ana"}).status_code == 404
    assert not re.search(r"\bana\b", caplog.text)  # no line from the erasure on


def test_experts_say_what_they_want_for_themselves(server):
    solver, ana = server.client("solver"), server.client("expert", name="ana")
    with open_study(server.store, "days", server.domain, "default", create=True) as study:
        path, wish = "/api/studies/days/say", {"feature": "feature 1", "wish": "less"}
        early = ana.post(path, json=wish)
        assert (early.status_code, early.json()["detail"][:26]) == (422, "No edit has concerned 'fea")
        for x in server.problems[:2]:
            study.tell(study.ask(x), moves=[MOVE], actor="ana")
    assert ana.post(path, json=wish).json() == {"version": 3}
    assert ana.post(path, json={**wish, "learned_for": "ben"}).status_code == 403
    assert server.client("viewer").post(path, json=wish).status_code == 403
    more = {"feature": "feature 1", "wish": "more", "actor": "ben", "learned_for": "ana"}
    assert solver.post(path, json=more).json() == {"version": 4}
    last = ana.get("/api/studies/days/events").json()["events"][-1]
    assert more.items() <= last.items()
    assert ana.post(path, json={**wish, "wish": "none"}).status_code == 422
