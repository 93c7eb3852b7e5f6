"""Chances and renewals over HTTP, and through the client."""

from __future__ import annotations

import pytest

import coactor
from coactor.studies import Conflict, open_study
from tests.web.test_api import MOVE, ask

TOURS = "/api/studies/tours/proposals"


def test_a_claim_shows_the_newest_weights(desk):
    solver, expert = desk.client("solver"), desk.client("expert", name="ana")
    ask(solver, desk, 0)
    ask(solver, desk, 1)
    solver.post(f"{TOURS}/2/tell", json={"moves": [MOVE]})
    assert expert.get(f"{TOURS}?state=waiting").json()[0]["due"]
    before = expert.get(f"{TOURS}/1").json()
    taken = expert.post(f"{TOURS}/1/claim")
    now = taken.json()
    assert (before["version"], now["version"], now["due"]) == (0, 1, False)
    assert now["proposed"] != before["proposed"]
    assert now["weights"] == expert.get("/api/studies/tours/weights").json()["weights"]
    assert taken.headers["etag"] == '"1"'
    assert (
        expert.post(f"{TOURS}/1/edits", json={"moves": [MOVE]}, headers={"If-Match": '"0"'}).status_code
        == 409
    )
    assert (
        expert.post(f"{TOURS}/1/edits", json={"moves": [MOVE]}, headers={"If-Match": '"1"'}).status_code
        == 200
    )
    kinds = [fact["kind"] for fact in expert.get("/api/studies/tours/events").json()["events"]]
    assert kinds.count("renewed") == 1


def test_a_proposal_can_be_renewed_or_kept(desk):
    solver, expert = desk.client("solver"), desk.client("expert", name="ana")
    for renew in (True, False):
        solver.post(TOURS, json={"problem": desk.problem(0), "renew": renew})
    ask(solver, desk, 1)
    solver.post(f"{TOURS}/3/tell", json={"moves": [MOVE]})
    assert expert.post(f"{TOURS}/1/renew").status_code == 403
    assert solver.post(f"{TOURS}/9/renew").status_code == 404
    assert [solver.post(f"{TOURS}/{id}/renew").json()["version"] for id in (1, 2)] == [1, 0]
    unclear = solver.post(f"{TOURS}/1/tell", json={"moves": [MOVE]})
    assert unclear.status_code == 409
    assert unclear.json()["current"]["versions"] == [0, 1]
    told = solver.post(f"{TOURS}/1/tell", json={"moves": [MOVE], "asked_with": 0})
    assert told.json()["asked_with"] == 0


@pytest.fixture
def remote(desk):
    with open_study(desk.store, "chances", desk.domain, "default", create=True, clock=desk.clock):
        pass
    desk.client("solver")
    with coactor.connect(desk.address, "chances", token=desk.tokens["solver-*"], domain=desk.domain) as study:
        yield study


def test_chances_over_the_wire(desk, remote):
    assert remote.ask(desk.problems[0]).chance is None
    waiting = remote.ask(desk.problems[1])
    remote.tell(1, moves=[MOVE])
    shown = remote.renew(waiting.id)
    assert (shown.id, shown.version) == (waiting.id, 1)
    assert shown.problem.edges.tolist() == desk.problems[1].edges.tolist()
    assert 0 < shown.chance < 1
    assert [t.chance for t in remote.proposals()] == [None, shown.chance]
    if shown.solution.tolist() != waiting.solution.tolist():
        with pytest.raises(Conflict, match="asked_with"):
            remote.tell(waiting.id, moves=[MOVE])
    assert remote.tell(shown, moves=[]).asked_with == 1
    assert [row.chance for row in remote.effort()] == [None, shown.chance]
    found = remote.calibration()
    assert (found.proposals, found.verdict, found.bins[0].proposals) == (1, "early", 1)
    assert found.bins[0].predicted == shown.chance
    rows = desk.client("admin").get("/api/studies/chances/effort.csv").text.splitlines()
    assert rows[0].endswith(",chance")
