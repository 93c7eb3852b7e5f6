from __future__ import annotations

import numpy as np
import pytest

import coactor
from coactor.protocol import Work
from coactor.studies import Conflict, Forbidden, Invalid, NotFound, Unavailable, open_study
from tests.web.conftest import MOVE, PROPOSALS, ask


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


def test_renew_solves_again_unless_declined(server):
    solver = server.client("solver")
    first = ask(solver, server, 0, **{"Idempotency-Key": "k"})
    solver.post(PROPOSALS, json={"problem": server.problem(0), "renew": False})
    ask(solver, server, 1)
    solver.post(f"{PROPOSALS}/3/tell", json={"moves": [MOVE]})
    assert server.client("viewer").post(f"{PROPOSALS}/1/renew").status_code == 403
    assert solver.post(f"{PROPOSALS}/9/renew").status_code == 404
    assert [solver.post(f"{PROPOSALS}/{id}/renew").json()["basis"]["version"] for id in (1, 2)] == [1, 0]
    again = ask(solver, server, 0, **{"Idempotency-Key": "k"})  # the proposal that was asked
    for name in ("id", "basis", "proposed"):
        assert again[name] == first[name]
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
        path = [q.solution, server.domain.apply(server.problems[1], q.solution, MOVE)]
        study.tell(q, coactor.correction(server.domain, q.problem, q.solution, path=path, effort=2))
        assert [row.effort for row in study.effort()] == [1.0, 2.0]
        assert (study.version, study.renew(study.ask(server.problems[2]).id).version) == (2, 2)
        assert study.weights(1).tolist() == outcome.change.tolist()
        assert study.explain(1).edits[0].shares[0].feature == "feature 1"
        assert study.calibration().verdict == "silent"  # of a learner without predictions
        assert [t.state for t in study.proposals()] == ["done", "done", "waiting"]
        assert study.proposal(1).solution.tolist() == p.solution.tolist()
        assert study.rollback(0, "again").version == 3
        assert [v.how for v in study.versions(2)] == ["rolled back"]
        assert len(list(study.export())) == 1 + 3 + 7
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
