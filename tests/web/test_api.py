from __future__ import annotations

import csv
import io
import threading

import numpy as np
import pytest

import coactor
from coactor.studies import Conflict, Forbidden, Invalid, NotFound, Unavailable
from coactor.studies.log import transfer
from coactor.web.app import create_app
from tests.web.conftest import serving

MOVE = {"op": "reverse", "args": [2, 4]}
EDIT = {"moves": [MOVE]}
PLACE = "/api/studies/tours/proposals"


def ask(client, desk, number=0, **headers):
    answer = client.post(
        PLACE, json={"problem": desk.problem(number), "label": f"t{number}"}, headers=headers
    )
    assert answer.status_code == 201, answer.text
    return answer.json()


def test_the_whole_way_of_a_proposal(desk):
    solver, expert = desk.client("solver"), desk.client("expert", name="ana")
    made = ask(solver, desk)
    assert (made["id"], made["state"], made["revision"]) == (1, "waiting", 0)
    taken = expert.post("/api/studies/tours/queue/next")
    assert taken.headers["etag"] == '"0"'
    assert taken.json()["problem"] == desk.problem(0)
    assert taken.json()["holder"] == "ana"
    assert taken.json()["feature_names"] == ["feature 1", "feature 2", "feature 3"]
    edited = expert.post(f"{PLACE}/1/edits", json=EDIT, headers={"If-Match": taken.headers["etag"]})
    assert edited.headers["etag"] == '"1"'
    now = edited.json()
    before = np.array(desk.domain.features(desk.problems[0], np.array(now["proposed"])))
    after = np.array(desk.domain.features(desk.problems[0], np.array(now["solution"])))
    assert now["change"] == (after - before).tolist()
    assert (now["effort"], now["moves"]) == (1.0, [MOVE])
    undone = expert.post(f"{PLACE}/1/edits", json={"action": "undo"}, headers={"If-Match": '"1"'}).json()
    assert (undone["solution"], undone["undone"]) == (undone["proposed"], [MOVE])
    redone = expert.post(f"{PLACE}/1/edits", json={"action": "redo"}, headers={"If-Match": '"2"'})
    done = expert.post(
        f"{PLACE}/1/submit", json={"seconds": 3.5, "note": "n"}, headers={"If-Match": redone.headers["etag"]}
    )
    assert done.json()["change"] == now["change"]
    assert done.json()["sentence"].startswith("Learned: ")
    again = expert.post(f"{PLACE}/1/submit", json={"note": "n"}, headers={"If-Match": '"3"'})
    assert again.json() == done.json() == expert.get(f"{PLACE}/1/outcome").json()
    assert expert.get(f"{PLACE}/1").json()["state"] == "done"
    weights = expert.get("/api/studies/tours/weights").json()
    assert (weights["version"], weights["weights"]) == (1, now["change"])
    assert not any(expert.get("/api/studies/tours/weights?version=0").json()["weights"])
    reopened = expert.post(f"{PLACE}/1/reopen")
    assert reopened.json()["moves"] == [MOVE]
    assert not any(expert.get("/api/studies/tours/weights").json()["weights"])
    assert expert.post(f"{PLACE}/1/release").json()["state"] == "draft"
    assert transfer.verify(desk.store, "tours").version == 2


def test_nothing_waits(desk):
    answer = desk.client("expert").post("/api/studies/tours/queue/next")
    assert (answer.status_code, answer.content) == (204, b"")


def test_two_tabs_the_second_is_told(desk):
    ask(desk.client("solver"), desk)
    one, two = desk.client("expert", name="ana"), desk.client("expert", name="ana")
    for tab in (one, two):
        assert tab.get(f"{PLACE}/1").headers["etag"] == '"0"'
    assert one.post(f"{PLACE}/1/edits", json=EDIT, headers={"If-Match": '"0"'}).status_code == 200
    late = two.post(
        f"{PLACE}/1/edits", json={"moves": [{"op": "reverse", "args": [1, 2]}]}, headers={"If-Match": '"0"'}
    )
    assert late.status_code == 409
    assert late.headers["content-type"] == "application/problem+json"
    assert late.json()["current"]["moves"] == [MOVE]
    assert late.json()["current"]["revision"] == 1
    assert two.get(f"{PLACE}/1").json()["moves"] == [MOVE]
    assert two.post(f"{PLACE}/1/edits", json=EDIT).status_code == 428
    assert two.post(f"{PLACE}/1/edits", json=EDIT, headers={"If-Match": "*"}).status_code == 422


def test_twenty_threads_with_one_idempotency_key(desk):
    solver, found = desk.client("solver"), []

    def run():
        found.append(ask(solver, desk, 0, **{"Idempotency-Key": "one"})["id"])

    threads = [threading.Thread(target=run) for _ in range(20)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [1] * 20
    other = solver.post(PLACE, json={"problem": desk.problem(1)}, headers={"Idempotency-Key": "one"})
    assert other.status_code == 409


def test_leases_run_out_and_a_lead_may_release(desk):
    solver, ana, ben = (
        desk.client("solver"),
        desk.client("expert", name="ana"),
        desk.client("expert", name="ben"),
    )
    ask(solver, desk)
    assert ana.post(f"{PLACE}/1/claim").status_code == 200
    for answer in (
        ben.post(f"{PLACE}/1/claim"),
        ben.post(f"{PLACE}/1/release"),
        ben.post(f"{PLACE}/1/edits", json=EDIT, headers={"If-Match": '"0"'}),
    ):
        assert answer.status_code == 409
        assert "held by ana" in answer.json()["detail"]
    assert desk.client("lead").post(f"{PLACE}/1/release").json()["holder"] == ""
    assert ana.post(f"{PLACE}/1/claim").status_code == 200
    desk.clock.now += 61
    assert ben.post("/api/studies/tours/queue/next").json()["holder"] == "ben"


def test_reopen_is_for_the_same_person_and_for_a_while(desk):
    solver, ana, ben = (
        desk.client("solver"),
        desk.client("expert", name="ana"),
        desk.client("expert", name="ben"),
    )
    ask(solver, desk)
    ana.post(f"{PLACE}/1/submit", json={}, headers={"If-Match": '"0"'})
    assert ben.post(f"{PLACE}/1/reopen").status_code == 403
    desk.clock.now += 101
    late = ana.post(f"{PLACE}/1/reopen")
    assert late.status_code == 409
    assert "100 seconds" in late.json()["detail"]


def test_tell_by_a_machine_for_a_person(desk):
    solver = desk.client("solver")
    proposed = ask(solver, desk)["proposed"]
    final = [proposed[0], *proposed[3:0:-1], *proposed[4:]]
    told = solver.post(f"{PLACE}/1/tell", json={"solution": final, "actor": "ana"}).json()
    assert (told["actor"], told["estimated"], told["effort"]) == ("ana", True, 1.0)
    fact = solver.get("/api/studies/tours/events?after=2").json()["events"][0]
    assert (fact["actor"], fact["via"]) == ("ana", "solver-*")
    wrong = solver.post(f"{PLACE}/1/tell", json={"moves": [MOVE]})
    assert wrong.status_code == 409


def test_events_versions_rollback_effort(desk):
    lead = desk.client("lead")
    for number in range(4):
        ask(lead, desk, number)
        lead.post(f"{PLACE}/{number + 1}/tell", json={"moves": [MOVE], "learn": number != 2})
    first = lead.get("/api/studies/tours/events?limit=4").json()
    rest = lead.get(f"/api/studies/tours/events?after={first['next']}").json()
    assert [e["seq"] for e in first["events"] + rest["events"]] == list(range(1, 10))
    assert lead.get(f"/api/studies/tours/events?after={rest['next']}").json() == {"events": [], "next": 9}
    assert "state" not in first["events"][0]
    made = lead.post("/api/studies/tours/rollback", json={"to": 1, "reason": "a bad day"}).json()
    assert (made["version"], made["to"]) == (4, 1)
    rows = lead.get("/api/studies/tours/versions").json()
    assert [row["how"] for row in rows] == ["created", "told", "told", "told", "rolled back"]
    assert lead.post("/api/studies/tours/rollback", json={"to": 99, "reason": "x"}).status_code == 404
    effort = lead.get("/api/studies/tours/effort").json()
    assert [row["learned"] for row in effort] == [True, True, False, True]
    table = list(csv.DictReader(io.StringIO(lead.get("/api/studies/tours/effort.csv").text)))
    assert [row["proposal"] for row in table] == ["1", "2", "3", "4"]
    about = lead.get("/api/studies/tours").json()
    assert (about["asked"], about["told"], about["effort"], about["version"]) == (4, 4, 4.0, 4)


def test_a_formula_in_a_name_is_harmless_in_the_table(desk):
    solver = desk.client("solver")
    ask(solver, desk)
    solver.post(f"{PLACE}/1/tell", json={"moves": [], "actor": "=HYPERLINK(1)"})
    assert "'=HYPERLINK(1)" in solver.get("/api/studies/tours/effort.csv").text


def test_studies_are_created_from_installed_domains_only(desk):
    admin = desk.client("admin")
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
    assert {d["name"] for d in admin.get("/api/domains").json()} >= {"tour", "fleet", "ranking", "hypercube"}
    assert "CSPER" in admin.get("/api/learners").json()


def test_the_client_is_a_study(desk):
    token = desk.accounts.create("machine", "tours", "lead")
    with coactor.connect(desk.address, "tours", token=token, domain=desk.domain) as study:
        p = study.ask(desk.problems[0], key="k")
        assert study.ask(desk.problems[0], key="k").id == p.id
        assert desk.domain.features(desk.problems[0], p.solution).shape == (3,)
        outcome = study.tell(p.id, moves=[MOVE], note="n")
        assert study.tell(p.id, moves=[MOVE], note="n") == outcome
        q = study.ask(desk.problems[1])
        final = desk.domain.apply(desk.problems[1], q.solution, MOVE)
        assert study.tell(q.id, solution=final).estimated
        r = study.ask(desk.problems[2])
        study.tell(r.id, path=[r.solution, desk.domain.apply(desk.problems[2], r.solution, MOVE)], effort=2)
        assert [row.effort for row in study.effort()] == [1.0, 1.0, 2.0]
        assert study.version == 3
        assert study.weights(1).tolist() == outcome.change
        assert study.explain(1).edits[0]["shares"][0].feature == "feature 1"
        assert [t.state for t in study.proposals()] == ["done"] * 3
        assert study.proposal(1)["moves"] == [MOVE]
        assert study.rollback(0, "again").version == 4
        assert [v.how for v in study.versions(3)] == ["rolled back"]
        assert len(list(study.export())) == 1 + 3 + 8
        with pytest.raises(Conflict):
            study.tell(p.id, moves=[])
        with pytest.raises(NotFound):
            study.tell(99, moves=[])
        with pytest.raises(Invalid):
            study.tell(p.id, moves=[{"op": "reverse"}])
    with coactor.connect(desk.address, "tours", token="coactor_no_no") as stranger, pytest.raises(Forbidden):
        stranger.weights()
    with pytest.raises(Invalid, match="who you are"):
        coactor.connect(desk.address, "tours", token="")
    with coactor.connect("http://127.0.0.1:9", "tours", token=token) as nobody, pytest.raises(Unavailable):
        nobody.weights()


def test_two_servers_on_one_store_behave_as_one(desk, store):
    solver, ana = desk.client("solver"), desk.client("expert", name="ana")
    with serving(create_app(store, clock=desk.clock, lease=60.0)) as second:
        ana.base_url, there = second, desk.client("expert", name="ben")
        ask(solver, desk)
        assert ana.post("/api/studies/tours/queue/next").json()["id"] == 1
        assert there.post("/api/studies/tours/queue/next").status_code == 204
        assert ana.post(f"{PLACE}/1/edits", json=EDIT, headers={"If-Match": '"0"'}).status_code == 200
        assert there.get(f"{PLACE}/1").json()["revision"] == 1
        ana.post(f"{PLACE}/1/submit", json={}, headers={"If-Match": '"1"'})
        assert ask(solver, desk, 1)["version"] == 1


def test_operations(desk):
    solver = desk.client("solver")
    ask(solver, desk)
    assert desk.client().get("/health").json()["status"] == "ok"
    text = solver.get("/metrics").text
    assert 'coactor_open{study="tours"} 1.0' in text
    assert 'route="/api/studies/{study}/proposals",status="201"} 1.0' in text
    assert desk.client("solver", study="tours", name="small").get("/metrics").status_code == 403
    page = solver.get("/api/docs")
    assert page.headers["content-type"].startswith("text/html")
    assert "http://" not in page.text.replace(desk.address, "")
    assert "https://" not in page.text
    assert solver.get("/api/openapi.json").json()["openapi"].startswith("3.1")


def test_large_problems_and_odd_ones(desk):
    solver = desk.client("solver")
    for problem in (
        None,
        [],
        {},
        "x",
        5,
        {"size": 8},
        {"size": 8, "edges": [[1, 2, 3]]},
        {"size": -1, "edges": []},
    ):
        answer = solver.post(PLACE, json={"problem": problem})
        assert answer.status_code == 422, answer.text
        assert len(answer.json()["detail"]) > 20
