from __future__ import annotations

import numpy as np

from coactor import domains
from coactor.studies import catalog, open_study
from coactor.studies.log.verification import verify
from tests.studies.stubs import Switches, flip
from tests.web.conftest import EDIT, MOVE, PROPOSALS, ask

FIRST = f"{PROPOSALS}/1"
OTHER_EDIT = {"moves": [{"op": "reverse", "args": [1, 2]}]}


def test_draft_from_queue_to_submit_and_reopen(server):
    solver, expert = server.client("solver"), server.client("expert", name="ana")
    made = ask(solver, server)
    assert (made["id"], made["state"], made["revision"]) == (1, "waiting", 0)
    taken = expert.post("/api/studies/tours/queue/next")
    assert taken.headers["etag"] == '"0"'
    assert taken.json()["problem"] == server.problem(0)
    assert taken.json()["holder"] == "ana"
    assert taken.json()["feature_names"] == ["feature 1", "feature 2", "feature 3"]
    edited = expert.post(f"{PROPOSALS}/1/edits", json=EDIT, headers={"If-Match": taken.headers["etag"]})
    assert edited.headers["etag"] == '"1"'
    now = edited.json()
    before = np.array(server.domain.features(server.problems[0], np.array(now["proposed"])))
    after = np.array(server.domain.features(server.problems[0], np.array(now["solution"])))
    assert now["change"] == (after - before).tolist()
    assert (now["effort"], now["moves"]) == (1.0, [MOVE])
    undone = expert.post(f"{PROPOSALS}/1/edits", json={"action": "undo"}, headers={"If-Match": '"1"'}).json()
    assert (undone["solution"], undone["undone"]) == (undone["proposed"], [MOVE])
    redone = expert.post(f"{PROPOSALS}/1/edits", json={"action": "redo"}, headers={"If-Match": '"2"'})
    done = expert.post(
        f"{PROPOSALS}/1/submit",
        json={"seconds": 3.5, "note": "n"},
        headers={"If-Match": redone.headers["etag"]},
    )
    assert done.json()["change"] == now["change"]
    assert done.json()["lesson"].startswith("Learned")
    again = expert.post(f"{PROPOSALS}/1/submit", json={"note": "n"}, headers={"If-Match": '"3"'})
    assert again.json() == done.json() == expert.get(f"{PROPOSALS}/1/outcome").json()
    assert expert.get(f"{PROPOSALS}/1").json()["state"] == "done"
    weights = expert.get("/api/studies/tours/weights").json()
    assert (weights["version"], weights["weights"]) == (1, now["change"])
    assert not any(expert.get("/api/studies/tours/weights?version=0").json()["weights"])
    reopened = expert.post(f"{PROPOSALS}/1/reopen")
    assert reopened.json()["moves"] == [MOVE]
    assert not any(expert.get("/api/studies/tours/weights").json()["weights"])
    assert expert.post(f"{PROPOSALS}/1/release").json()["state"] == "draft"
    assert verify(server.store, "tours").version == 2


def test_next_of_an_empty_queue_is_204(server):
    answer = server.client("expert").post("/api/studies/tours/queue/next")
    assert (answer.status_code, answer.content) == (204, b"")


def test_queue_is_read_by_page_and_only_when_it_changed(server):
    solver, expert = server.client("solver"), server.client("expert", name="ana")
    for k in range(3):
        ask(solver, server, k)
    query = {"limit": 2, "order": "newest"}
    page = expert.get("/api/studies/tours/queue", params=query).json()
    assert [ticket["id"] for ticket in page["drafts"]] == [3, 2]
    assert (page["waiting"], page["matching"]) == (3, 3)
    same = expert.get("/api/studies/tours/queue", params={**query, "since": page["tag"]})
    assert (same.status_code, same.content) == (204, b"")
    assert expert.get("/api/studies/tours/queue?order=loudest").status_code == 422
    taken = expert.post("/api/studies/tours/queue/next?order=newest&brief=true").json()
    assert (taken["id"], taken.get("problem")) == (3, None)
    claimed = expert.post(f"{PROPOSALS}/1/claim?omit=edges").json()
    assert "edges" not in claimed["problem"]
    assert claimed["problem"]["size"] == 8


def test_edit_of_a_stale_revision_is_409_with_the_current_draft(server):
    ask(server.client("solver"), server)
    one, two = server.client("expert", name="ana"), server.client("expert", name="ana")
    for tab in (one, two):
        assert tab.get(f"{PROPOSALS}/1").headers["etag"] == '"0"'
    assert one.post(f"{PROPOSALS}/1/edits", json=EDIT, headers={"If-Match": '"0"'}).status_code == 200
    late = two.post(f"{PROPOSALS}/1/edits", json=OTHER_EDIT, headers={"If-Match": '"0"'})
    assert late.status_code == 409
    assert late.headers["content-type"] == "application/problem+json"
    assert late.json()["current"]["moves"] == [MOVE]
    assert late.json()["current"]["revision"] == 1
    assert two.get(f"{PROPOSALS}/1").json()["moves"] == [MOVE]
    assert two.post(f"{PROPOSALS}/1/edits", json=EDIT).status_code == 428
    assert two.post(f"{PROPOSALS}/1/edits", json=EDIT, headers={"If-Match": "*"}).status_code == 422


def reverse(i: int, j: int) -> dict:
    return {"op": "reverse", "args": [i, j]}


def edit(client, revision: int, **body):
    return client.post(f"{FIRST}/edits", json=body, headers={"If-Match": f'"{revision}"'})


def test_edit_applies_all_moves_or_none(admin):
    first = edit(admin, 0, moves=[reverse(1, 3), reverse(2, 5)])
    assert (first.status_code, first.json()["revision"], len(first.json()["moves"])) == (200, 2, 2)
    bad = edit(admin, 2, moves=[reverse(1, 2), reverse(5, 2)])
    assert (bad.status_code, admin.get(FIRST).json()["revision"]) == (422, 2)
    assert edit(admin, 0, moves=[reverse(1, 2)]).status_code == 409
    assert edit(admin, 2, action="undo", count=3).status_code == 422
    back = edit(admin, 2, action="undo", count=2).json()
    assert (back["revision"], back["moves"], len(back["undone"])) == (4, [], 2)
    assert back["solution"] == back["proposed"]
    again = edit(admin, 4, action="redo", count=2).json()
    assert again["solution"] == first.json()["solution"]
    assert edit(admin, 6).status_code == edit(admin, 6, moves=[]).status_code == 422


def test_edit_with_the_same_key_is_applied_once(admin):
    headers = {"If-Match": '"0"', "Idempotency-Key": "k"}
    body = {"moves": [reverse(1, 3), reverse(2, 5)]}
    answers = [admin.post(f"{FIRST}/edits", json=body, headers=headers) for _ in range(2)]
    assert [a.json()["revision"] for a in answers] == [2, 2]


def test_moves_lists_changes_and_gains(admin, server):
    page = admin.get(f"{FIRST}/moves").json()
    rows = page["moves"]
    study = open_study(server.store, "tours")
    problem, solution = study.proposal(1).problem, study.proposal(1).solution
    assert [row["move"] for row in rows] == list(study.domain.moves(problem, solution))
    for row in rows[::5]:
        after = study.domain.features(problem, study.domain.apply(problem, solution, row["move"]))
        np.testing.assert_allclose(row["change"], after - study.domain.features(problem, solution))
    assert page["total"] == len(rows)
    best = sorted(rows, key=lambda row: -row["gain"])
    part = admin.get(f"{FIRST}/moves?order=gain&offset=2&limit=3").json()
    assert (part["total"], part["moves"]) == (len(rows), best[2:5])
    words = admin.get(f"{FIRST}/moves?search=Reverse 4").json()
    expected = [row["move"] for row in rows if "4" in str(row["move"]["args"])]
    assert [row["move"] for row in words["moves"]] == expected
    assert words["total"] == len(expected) < len(rows)
    assert words["moves"][0]["text"].startswith("reverse ")


class Lamps(Switches):
    """Switches whose words depend on the solution."""

    def describe_edit(self, x, y, move):
        return f"Switch lamp {move['args'][0]} {'off' if y[move['args'][0]] else 'on'}"


def test_edits_are_described_with_the_solution_they_are_made_on(server, monkeypatch):
    monkeypatch.setattr(domains, "Lamps", Lamps, raising=False)
    monkeypatch.setitem(catalog.BUILT_IN, "lamps", "Lamps")
    with open_study(
        server.store, "lamps", Lamps(), "CSPER", create=True, settings={"habits": False}
    ) as study:
        study.ask([1.0, 2.0, 3.0])
    admin, path = server.client("admin"), "/api/studies/lamps/proposals/1"
    edited = admin.post(f"{path}/edits", json={"moves": flip(0, 1, 0)}, headers={"If-Match": '"0"'}).json()
    assert edited["texts"] == ["Switch lamp 0 on", "Switch lamp 1 on", "Switch lamp 0 off"]
    listed = admin.get(f"{path}/moves", params={"search": "off"}).json()["moves"]
    assert [option["text"] for option in listed] == ["Switch lamp 1 off"]
    assert admin.get(path).json()["keeps"] is False


def test_locks_and_replans_are_described(server):
    admin = server.client("admin")
    ask(admin, server)
    whole = admin.get(FIRST).json()
    parts = [sorted(map(str, whole["solution"][:2]))]
    moves = [{"op": op, "args": [], "parts": parts} for op in ("keep", "free")]
    moves.append({"op": "replan", "args": [], "to": whole["solution"]})
    edited = admin.post(f"{FIRST}/edits", json={"moves": moves}, headers={"If-Match": '"0"'}).json()
    name = ": ".join(parts[0])
    assert whole["keeps"] is True
    assert edited["texts"] == [f"Locked {name}", f"Unlocked {name}", "Re-planned: 0 changes"]


def test_preview_says_what_a_move_leads_to_and_records_nothing(server):
    domain = domains.Plans(1)
    gaps = np.abs(np.subtract.outer([0.0, 1, 2, 3], [0.0, 1, 2, 3]))
    visits = domains.Visits(windows=[None, [(0, 60)], None, None], service=[0, 30, 30, 30])
    shifts = domains.Shifts(hours=[(0, 600)] * 2)
    day = domains.Day.of(gaps, [0, 1, 1, 1], [3, 1], minutes=10 * gaps, visits=visits, shifts=shifts)
    with open_study(server.store, "days", domain, "default", create=True) as study:
        proposal = study.ask(day, solution=[[1, 2, 3], []])
    viewer = server.client("viewer", study="days")
    path = f"/api/studies/days/proposals/{proposal.id}"
    late = viewer.post(f"{path}/preview", json={"op": "move", "args": [0, 1, 0, 3]}).json()
    assert late["refused"] == "1 would be reached at 1:50, 50 min late."
    assert late["shown"][0]["broken"] == [late["refused"]]
    first, second = late["shown"][0]["routes"]
    assert (first["stops"][2], second["stops"]) == ([110.0, 60.0, 90.0, 50.0], [])
    assert first["amounts"] == [6.0]
    fine = viewer.post(f"{path}/preview", json={"op": "move", "args": [0, 3, 1, 0]}).json()
    assert (fine["refused"], fine["change"]) == (None, [-4.0])
    wrong = viewer.post(f"{path}/preview", json={"op": "move", "args": [0, 1, 0, 9]})
    assert (wrong.status_code, wrong.json()["detail"][:17]) == (422, "There is no posit")
    assert viewer.get(path).json()["revision"] == 0
