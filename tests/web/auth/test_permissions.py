from __future__ import annotations

import numpy as np
import pytest

from coactor.experts import SimulatedExpert
from coactor.studies import open_study
from tests.web.conftest import PROPOSALS

REQUESTS = {
    "read": ("GET", f"{PROPOSALS}/1", None),
    "list": ("GET", PROPOSALS, None),
    "effort": ("GET", "/api/studies/tours/effort", None),
    "weights": ("GET", "/api/studies/tours/weights", None),
    "events": ("GET", "/api/studies/tours/events", None),
    "ask": ("POST", PROPOSALS, {"problem": None}),
    "tell": ("POST", f"{PROPOSALS}/1/tell", {}),
    "next": ("POST", "/api/studies/tours/queue/next", None),
    "claim": ("POST", f"{PROPOSALS}/1/claim", None),
    "edit": ("POST", f"{PROPOSALS}/1/edits", {}),
    "replan": ("POST", f"{PROPOSALS}/1/replan", {}),
    "submit": ("POST", f"{PROPOSALS}/1/submit", {}),
    "release": ("POST", f"{PROPOSALS}/1/release", None),
    "reopen": ("POST", f"{PROPOSALS}/9/reopen", None),
    "configure": ("PATCH", "/api/studies/tours", {"proposals": "?"}),
    "rollback": ("POST", "/api/studies/tours/rollback", {"to": 99, "reason": "x"}),
    "export": ("GET", "/api/studies/tours/export", None),
}


READ = {"read", "list", "effort", "weights", "events"}


EDIT = {"next", "claim", "edit", "replan", "submit", "release", "reopen"}


ALLOWED = {
    "viewer": READ,
    "expert": READ | EDIT,
    "solver": READ | {"ask", "tell", "replan"},
    "lead": set(REQUESTS),
    "admin": set(REQUESTS),
}


@pytest.mark.parametrize("role", ALLOWED)
def test_permissions_by_role_and_study(server, role):
    server.client("admin").post(PROPOSALS, json={"problem": server.problem(0)})
    inside, everywhere = server.client(role, "tours"), server.client(role, "*")
    outside = server.client(role, "elsewhere")
    for verb, (method, path, body) in REQUESTS.items():
        for client in (inside, everywhere):
            status = client.request(method, path, json=body).status_code
            # Allowed calls may fail for another reason (these bodies are half empty), but not with 403.
            assert (status != 403) == (verb in ALLOWED[role]), (role, verb, status)
            assert status not in (401, 500)
        assert outside.request(method, path, json=body).status_code == 404, verb
    assert outside.get("/api/studies").json() == []
    create = {"name": f"new-{role}", "domain": {"name": "tour"}, "learner": "PER"}
    assert everywhere.post("/api/studies", json=create).status_code == (201 if role == "admin" else 403)
    assert inside.post("/api/studies", json=create).status_code == 403
    token = {"name": f"by-{role}", "study": "tours", "role": "viewer"}
    for client in (inside, everywhere):
        allowed = role == "admin" and client is everywhere
        assert client.post("/api/tokens", json=token).status_code == (201 if allowed else 403)
        assert client.get("/api/tokens").status_code == (200 if allowed else 403)
        grant = {"study": "tours", "role": "expert"}
        assert client.patch(f"/api/tokens/by-{role}", json=grant).status_code == (204 if allowed else 403)
        assert client.delete(f"/api/tokens/by-{role}").status_code == (204 if allowed else 403)


def test_weights_of_another_person_are_for_those_who_tell_or_lead(server):
    for role in ALLOWED:
        client = server.client(role, name=f"{role}-1")
        for path in ("weights", "beliefs"):
            url = f"/api/studies/tours/{path}"
            own = client.get(url, params={"learned_for": f"{role}-1"})
            other = client.get(url, params={"learned_for": "ana"})
            assert own.status_code == client.get(url).status_code == 200
            assert other.status_code == (403 if role in ("viewer", "expert") else 200), (role, path)
    assert server.client("viewer", "elsewhere").get(url, params={"learned_for": "ana"}).status_code == 404
    detail = server.client("viewer").get(url, params={"learned_for": "ana"}).json()["detail"]
    assert detail.startswith("The role 'viewer' may not do this;")


def test_no_answer_has_the_weights_of_another_expert_for_viewers_and_experts(server):
    with open_study(server.store, "people", server.domain, "default", create=True) as study:
        experts = [
            SimulatedExpert(server.domain, np.array(w), 0.05) for w in ([0.1, 2.0, 1.0], [2.0, 0.1, 1.0])
        ]
        for k, problem in enumerate(server.problems[:8]):
            proposal = study.ask(problem)
            corrected = experts[k % 2](problem, proposal.solution)
            study.tell(proposal, corrected, actor=("ana", "bo")[k % 2])
        proposal = study.ask(server.problems[9], asked_for="ana")
        all_, ana = study.weights(), study.weights(learned_for="ana")
        change = study.round(1).change.tolist()
    here = f"/api/studies/people/proposals/{proposal.id}"

    def answers(client):
        explained, moves = (client.get(f"{here}/{name}").json() for name in ("explain", "moves"))
        first = moves["moves"][0]
        return [
            client.get(here).json()["weights"],
            [share["weight"] for share in explained["shares"]],
            pytest.approx(first["gain"]),
            client.get("/api/studies/people/proposals/1/outcome").json()["change"],
        ], first["change"]

    readers = {"lead": ana, "solver": ana, "viewer": all_, "expert": all_}
    for role, weights in readers.items():
        expected = list(map(float, weights))
        found, features = answers(server.client(role))
        shown = change if role in ("lead", "solver") else []
        assert found == [expected, expected, float(weights @ features), shown], role
    assert server.client("viewer", name="ana").get(here).json()["weights"] == list(map(float, ana))
    assert not np.array_equal(ana, all_)
