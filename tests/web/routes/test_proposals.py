from __future__ import annotations

import threading

import numpy as np
import pytest

import coactor
from coactor.protocol import Work
from coactor.studies import Conflict, Forbidden, Invalid, NotFound, Unavailable, open_study
from tests.web.conftest import EDIT, MOVE, PROPOSALS, ask


def test_ask_with_one_key_from_twenty_threads_gives_one_proposal(server):
    solver, ids = server.client("solver"), []

    def run():
        ids.append(ask(solver, server, 0, **{"Idempotency-Key": "one"})["id"])

    threads = [threading.Thread(target=run) for _ in range(20)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert ids == [1] * 20
    other = solver.post(PROPOSALS, json={"problem": server.problem(1)}, headers={"Idempotency-Key": "one"})
    assert other.status_code == 409


def test_ask_refuses_invalid_problems(server):
    solver = server.client("solver")
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
        answer = solver.post(PROPOSALS, json={"problem": problem})
        assert answer.status_code == 422, answer.text
        assert len(answer.json()["detail"]) > 20


def test_tell_on_behalf_of_a_person(server):
    solver = server.client("solver")
    proposed = ask(solver, server)["proposed"]
    final = [proposed[0], *proposed[3:0:-1], *proposed[4:]]
    told = solver.post(f"{PROPOSALS}/1/tell", json={"solution": final, "actor": "ana"}).json()
    assert (told["work"]["actor"], told["estimated"], told["effort"]) == ("ana", True, 1.0)
    fact = solver.get("/api/studies/tours/events?after=2").json()["events"][0]
    assert (fact["actor"], fact["via"]) == ("ana", "solver-*")
    wrong = solver.post(f"{PROPOSALS}/1/tell", json={"moves": [MOVE]})
    assert wrong.status_code == 409


def test_claim_solves_again_with_the_newest_weights(server):
    solver, expert = server.client("solver"), server.client("expert", name="ana")
    ask(solver, server, 0)
    ask(solver, server, 1)
    solver.post(f"{PROPOSALS}/2/tell", json={"moves": [MOVE]})
    assert expert.get(f"{PROPOSALS}?state=waiting").json()[0]["due"]
    before = expert.get(f"{PROPOSALS}/1").json()
    taken = expert.post(f"{PROPOSALS}/1/claim")
    now = taken.json()
    assert (before["basis"]["version"], now["basis"]["version"], now["due"]) == (0, 1, False)
    assert now["proposed"] != before["proposed"]
    assert now["weights"] == expert.get("/api/studies/tours/weights").json()["weights"]
    assert taken.headers["etag"] == '"1"'
    assert expert.post(f"{PROPOSALS}/1/edits", json=EDIT, headers={"If-Match": '"0"'}).status_code == 409
    assert expert.post(f"{PROPOSALS}/1/edits", json=EDIT, headers={"If-Match": '"1"'}).status_code == 200
    facts = expert.get("/api/studies/tours/events").json()["events"]
    assert [fact["version"] for fact in facts if fact["kind"] == "asked" and fact["revision"]] == [1]


def test_a_proposal_of_a_slow_solver_is_shown_at_once_and_renewed_with_consent(server):
    solver, expert = server.client("solver"), server.client("expert", name="ana")
    server.app.state.studies.patience = -1.0  # every solver is slow
    ask(solver, server, 0)
    ask(solver, server, 1)
    solver.post(f"{PROPOSALS}/2/tell", json={"moves": [MOVE]})
    shown = expert.post(f"{PROPOSALS}/1/claim").json()
    assert (shown["basis"]["version"], shown["due"]) == (0, True)
    again = expert.post(f"{PROPOSALS}/1/renew").json()
    assert (again["basis"]["version"], again["due"], again["holder"]) == (1, False, "ana")
    assert again["proposed"] != shown["proposed"]
    ask(solver, server, 2)
    solver.post(f"{PROPOSALS}/3/tell", json={"moves": [MOVE]})
    edited = expert.post(f"{PROPOSALS}/1/edits", json=EDIT, headers={"If-Match": '"1"'}).json()
    assert not edited["due"]  # it has been edited
    assert expert.post(f"{PROPOSALS}/1/renew").json()["moves"] == [MOVE]


def test_renew_solves_again_unless_declined(server):
    solver = server.client("solver")
    for renew in (True, False):
        solver.post(PROPOSALS, json={"problem": server.problem(0), "renew": renew})
    ask(solver, server, 1)
    solver.post(f"{PROPOSALS}/3/tell", json={"moves": [MOVE]})
    assert server.client("viewer").post(f"{PROPOSALS}/1/renew").status_code == 403
    assert solver.post(f"{PROPOSALS}/9/renew").status_code == 404
    assert [solver.post(f"{PROPOSALS}/{id}/renew").json()["basis"]["version"] for id in (1, 2)] == [1, 0]
    unclear = solver.post(f"{PROPOSALS}/1/tell", json={"moves": [MOVE]})
    assert unclear.status_code == 409
    assert unclear.json()["current"]["versions"] == [0, 1]
    told = solver.post(f"{PROPOSALS}/1/tell", json={"moves": [MOVE], "version": 0})
    assert told.json()["basis"]["version"] == 0


def test_client_has_the_methods_of_a_study(server):
    token = server.accounts.create("machine", "tours", "lead")
    with coactor.connect(server.address, "tours", token=token, domain=server.domain) as study:
        p = study.ask(server.problems[0], key="k")
        assert study.ask(server.problems[0], key="k").id == p.id
        assert server.domain.features(server.problems[0], p.solution).shape == (3,)
        outcome = study.tell(p.id, moves=[MOVE], work=Work(note="n"))
        assert study.tell(p.id, moves=[MOVE], work=Work(note="n")) == outcome
        q = study.ask(server.problems[1])
        final = server.domain.apply(server.problems[1], q.solution, MOVE)
        assert study.tell(q.id, solution=final).estimated
        r = study.ask(server.problems[2])
        path = [r.solution, server.domain.apply(server.problems[2], r.solution, MOVE)]
        study.tell(r, coactor.correction(server.domain, r.problem, r.solution, path=path, effort=2))
        assert [row.effort for row in study.effort()] == [1.0, 1.0, 2.0]
        assert study.version == 3
        assert study.weights(1).tolist() == outcome.change.tolist()
        assert study.explain(1).edits[0]["shares"][0].feature == "feature 1"
        assert [t.state for t in study.proposals()] == ["done"] * 3
        assert study.proposal(1).solution.tolist() == p.solution.tolist()
        assert study.rollback(0, "again").version == 4
        assert [v.how for v in study.versions(3)] == ["rolled back"]
        assert len(list(study.export())) == 1 + 3 + 8
        with pytest.raises(Conflict):
            study.tell(p.id, moves=[])
        with pytest.raises(NotFound):
            study.tell(99, moves=[])
        with pytest.raises(Invalid):
            study.tell(p.id, moves=[{"op": "reverse"}])
    with coactor.connect(server.address, "tours", token="coactor_no_no") as unknown, pytest.raises(Forbidden):
        unknown.weights()
    with pytest.raises(Invalid, match="needs a token"):
        coactor.connect(server.address, "tours", token="")
    with (
        coactor.connect("http://127.0.0.1:9", "tours", token=token) as unreachable,
        pytest.raises(Unavailable),
    ):
        unreachable.weights()


@pytest.fixture
def remote(server):
    with open_study(server.store, "chances", server.domain, "default", create=True):
        pass
    server.client("solver")
    with coactor.connect(
        server.address, "chances", token=server.tokens["solver-*"], domain=server.domain
    ) as study:
        yield study


def test_client_receives_chances_and_calibration(server, remote):
    assert remote.ask(server.problems[0]).chance is None
    waiting = remote.ask(server.problems[1])
    remote.tell(1, moves=[MOVE])
    shown = remote.renew(waiting.id)
    assert (shown.id, shown.version) == (waiting.id, 1)
    assert shown.problem.edges.tolist() == server.problems[1].edges.tolist()
    assert 0 < shown.chance < 1
    assert [t.basis.chance for t in remote.proposals()] == [None, shown.chance]
    if shown.solution.tolist() != waiting.solution.tolist():
        with pytest.raises(Conflict, match="which version was corrected"):
            remote.tell(waiting.id, moves=[MOVE])
    assert remote.tell(shown, moves=[]).basis.version == 1
    assert [row.basis.chance for row in remote.effort()] == [None, shown.chance]
    calibration = remote.calibration()
    assert (calibration.proposals, calibration.verdict, calibration.bins[0].proposals) == (1, "early", 1)
    assert calibration.bins[0].predicted == shown.chance
    rows = server.client("admin").get("/api/studies/chances/effort.csv").text.splitlines()
    assert rows[0].endswith(",proposed_with,version,chance,proposer")


def test_ask_with_the_same_key_returns_the_first_proposal_after_a_renewal(server):
    solver = server.client("solver")
    first = ask(solver, server, 0, **{"Idempotency-Key": "k"})
    ask(solver, server, 1)
    solver.post(f"{PROPOSALS}/2/tell", json={"moves": [MOVE]})
    renewed = solver.post(f"{PROPOSALS}/1/renew").json()
    assert renewed["basis"]["version"] == 1
    again = ask(solver, server, 0, **{"Idempotency-Key": "k"})
    for name in ("id", "basis", "proposed"):
        assert again[name] == first[name], name


def test_ask_registers_a_solution_of_another_system(server):
    machine = server.client("solver")
    body = {"problem": server.problem(0), "solution": list(range(8)), "label": "theirs"}
    answer = machine.post(PROPOSALS, json=body, headers={"Idempotency-Key": "k"})
    assert answer.status_code == 201
    assert answer.json()["proposed"] == list(range(8))
    assert machine.post(PROPOSALS, json=body, headers={"Idempotency-Key": "k"}).json()["id"] == 1
    assert machine.post(f"{PROPOSALS}/1/tell", json={"moves": [MOVE]}).json()["effort"] == 1.0
    for wrong in ([0, 1], list(range(1, 9)), "x"):
        assert machine.post(PROPOSALS, json={**body, "solution": wrong}).status_code == 422


def test_a_proposal_says_whose_weights_solved_it_and_why(server):
    study, domain = (
        open_study(server.store, "guarded", server.domain, create=True, start=[1, 0, 0]),
        server.domain,
    )
    for x in server.problems[:2]:  # the guard counts from the second case on
        study.tell(study.ask(x), solution=domain.solve(x, np.ones(3)))
    solver = server.client("solver")
    url = "/api/studies/guarded/proposals"
    asked = solver.post(url, json={"problem": server.problem(1)}).json()
    found = solver.get(f"{url}/{asked['id']}").json()
    assert asked["basis"] == found["basis"]
    assert found["basis"]["reason"].startswith("Proposed with ")
    assert "all features alike" in found["basis"]["reason"]
    solver.post(f"{url}/{asked['id']}/tell", json={"moves": []})
    assert solver.get(f"{url}/{asked['id']}").json()["basis"]["reason"] == found["basis"]["reason"]
