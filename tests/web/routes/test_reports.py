from __future__ import annotations

from dataclasses import asdict

from coactor import client
from coactor.studies import open_study, reports
from coactor.studies.log.transactions import Transaction
from tests.web.conftest import MOVE, PROPOSALS, ask


def test_csv_quotes_formulas(server):
    solver = server.client("solver")
    ask(solver, server)
    solver.post(f"{PROPOSALS}/1/tell", json={"moves": [], "actor": "=HYPERLINK(1)"})
    assert "'=HYPERLINK(1)" in solver.get("/api/studies/tours/effort.csv").text


def test_beliefs_follow_versions(admin, server):
    admin.post(f"{PROPOSALS}/1/tell", json={"moves": [MOVE]})
    study = open_study(server.store, "tours")
    now = admin.get("/api/studies/tours/beliefs").json()
    assert now["version"] == 1
    assert [row["weight"] for row in now["features"]] == study.weights().tolist()
    assert [row["feature"] for row in now["features"]] == study.config["features"]
    assert {row["words"] for row in now["features"]} != {"makes no difference"}
    past = admin.get("/api/studies/tours/beliefs?version=0").json()
    assert [row["weight"] for row in past["features"]] == [0.0, 0.0, 0.0]
    assert admin.get("/api/studies/tours/beliefs?version=9").status_code == 404


def test_report_is_the_same_over_http_and_names_people_to_leads_only(server):
    lead = server.client("lead")
    finish(lead, server, [4.0, 0.0, 2.0, 0.0, 1.0])
    answer = lead.get("/api/studies/tours/report").json()
    own = open_study(server.store, "tours").report()
    assert answer == asdict(own)
    assert answer["headline"].startswith("Too early to tell: 5 of")
    assert answer["people"]
    assert server.client("viewer").get("/api/studies/tours/report").json() == {**answer, "people": []}


def finish(client, server, efforts):
    """Finish a proposal with each of these efforts, a day apart."""
    for number, effort in enumerate(efforts, start=1):
        ask(client, server, number)
        server.clock.now += 86400
        body = {"moves": [MOVE] if effort else [], "effort": effort}
        assert client.post(f"{PROPOSALS}/{number}/tell", json=body).status_code == 200


def test_effort_is_paged_and_summed_up(server):
    lead = server.client("lead")
    finish(lead, server, [4.0, 0.0, 2.0, 0.0, 1.0])
    rows = lead.get("/api/studies/tours/effort").json()
    assert [row["effort"] for row in rows] == [4.0, 0.0, 2.0, 0.0, 1.0]
    page = lead.get("/api/studies/tours/effort?limit=2").json()
    assert page == rows[:2]
    assert lead.get(f"/api/studies/tours/effort?after={page[-1]['seq']}&limit=2").json() == rows[2:4]
    assert lead.get("/api/studies/tours/effort?last=2").json() == rows[-2:]
    assert lead.get("/api/studies/tours/effort/summary?days=2.5&last=2").json() == {
        "total": {"finished": 5, "unchanged": 2, "effort": 7.0},
        "recent": {"finished": 3, "unchanged": 1, "effort": 3.0},
        "last": {"finished": 2, "unchanged": 1, "effort": 1.0},
    }
    lead.post(f"{PROPOSALS}/5/reopen")
    assert lead.get("/api/studies/tours/effort").json() == rows[:-1]
    for wrong in ("effort?limit=0", "effort?last=10001", "effort/summary?days=0", "effort/summary?last=0"):
        assert lead.get(f"/api/studies/tours/{wrong}").status_code == 422, wrong


def test_reports_read_only_the_tells_that_they_explain(server, monkeypatch):
    """However many proposals are finished, the log is not read."""
    monkeypatch.setattr(reports, "LAST", 1)
    lead, read, pages = server.client("lead"), [], Transaction.pages
    finish(lead, server, [1.0, 2.0, 3.0])
    study = open_study(server.store, "tours")

    def reading(self, *about):
        for page in pages(self, *about):
            read.extend(row.entry.fact.kind for row in page)
            yield page

    monkeypatch.setattr(Transaction, "pages", reading)
    monkeypatch.setattr(Transaction, "_entries", None)  # of everything else that reads facts
    assert study.report().proposals == 3
    assert study.calibration().verdict == "silent"
    assert study.efforts == [1.0, 2.0, 3.0]
    assert read == ["told"]
    assert study.beliefs()
    assert read == ["told", "told"]


def test_client_pages_through_the_efforts(server, monkeypatch):
    monkeypatch.setattr(client, "PAGE", 2)
    finish(server.client("lead"), server, [1.0, 2.0, 3.0, 1.0])
    with client.connect(server.address, "tours", token=server.tokens["lead-*"]) as study:
        assert study.efforts == [1.0, 2.0, 3.0, 1.0]
        assert [row.effort for row in study.effort(after=study.effort()[1].seq)] == [3.0, 1.0]


def test_features_says_to_a_lead_which_one_is_missing(admin, server):
    few = admin.get("/api/studies/tours/features")
    assert few.status_code == 422
    assert "of 20 finished proposals" in few.json()["detail"]
    assert server.client("viewer").get("/api/studies/tours/features").status_code == 403
    study = open_study(server.store, "tours")
    for x in server.problems:
        study.tell(study.ask(x), moves=[MOVE], actor="ana")
    found = admin.get("/api/studies/tours/features").json()
    assert found["cases"] == len(server.problems)
    assert "ana" not in str(found)
    assert len(found["candidates"]) <= 10
    assert "of the effort cannot be explained" in found["sentences"][0]
