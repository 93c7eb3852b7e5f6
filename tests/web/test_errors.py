"""Failures become problem+json: a full disk, a read-only file, a busy store, a bug."""

from __future__ import annotations

import re

import pytest
import sqlalchemy as sa

from coactor.studies import Invalid, SolverFailed, Tampered, Unavailable
from coactor.studies.accounts import Accounts
from coactor.studies.log.verification import verify
from coactor.studies.study import Study
from coactor.web import pages
from tests.web.conftest import BROWSER, EDIT, MOVE, PROPOSALS


def on_connect(store, statement):
    """Say something to every connection of a store."""
    store.engine.dispose()
    sa.event.listen(store.engine, "connect", lambda connection, _: connection.execute(statement))


def test_full_disk_is_503_and_loses_nothing(server):
    lead, done = server.client("lead"), []
    lead.post(PROPOSALS, json={"problem": server.problem(0)})
    with server.store.reading() as sql:
        pages = sql.connection.exec_driver_sql("PRAGMA page_count").scalar()
    on_connect(server.store, f"PRAGMA max_page_count = {pages + 2}")  # "disk is full"
    refused = None
    for number in range(1, 20):
        asked = lead.post(
            PROPOSALS, json={"problem": server.problem(number)}, headers={"Idempotency-Key": f"k{number}"}
        )
        if asked.status_code != 201:
            refused = asked
            break
        done.append(asked.json()["id"])
    assert refused is not None
    assert refused.status_code == 503
    assert "retry-after" in refused.headers
    assert "may or may not have been recorded" in refused.json()["detail"]
    assert lead.get(f"{PROPOSALS}/1").status_code == 200  # reading goes on
    on_connect(server.store, "PRAGMA max_page_count = 1000000")  # there is room again
    assert lead.post(PROPOSALS, json={"problem": server.problem(19)}).json()["id"] == max(done, default=1) + 1
    assert verify(server.store, "tours").facts == 2 + len(done) + 1


def test_read_only_store_is_503_and_loses_nothing(server):
    lead = server.client("lead")
    lead.post(PROPOSALS, json={"problem": server.problem(0)})
    before = lead.get("/api/studies/tours").json()
    on_connect(server.store, "PRAGMA query_only = ON")  # a file that cannot be written, also for root
    for answer in (
        lead.post(PROPOSALS, json={"problem": server.problem(1)}),
        lead.post(f"{PROPOSALS}/1/tell", json={"moves": [MOVE]}),
        lead.post(f"{PROPOSALS}/1/edits", json=EDIT, headers={"If-Match": '"0"'}),
        lead.post("/api/studies/tours/queue/next"),
        lead.post("/api/studies/tours/rollback", json={"to": 0, "reason": "r"}),
    ):
        assert answer.status_code == 503, answer.text
    assert lead.get("/api/studies/tours").json() == before
    on_connect(server.store, "PRAGMA query_only = OFF")
    assert lead.post(f"{PROPOSALS}/1/tell", json={"moves": [MOVE]}).json()["version"] == 1
    assert verify(server.store, "tours").version == 1


@pytest.mark.parametrize(("error", "status"), [(RuntimeError, 502), (TimeoutError, 504), (KeyError, 502)])
def test_failed_solver_is_502_or_504_with_an_id_and_records_nothing(
    server, monkeypatch, caplog, error, status
):
    lead = server.client("lead")

    def broken(self, x, w):
        raise error("no licence")

    monkeypatch.setattr(type(server.domain), "solve", broken)
    answer = lead.post(PROPOSALS, json={"problem": server.problem(0)})
    assert answer.status_code == status
    assert "no licence" not in answer.text
    error_id = re.search(r"error ([0-9a-f]{8})", answer.json()["detail"])[1]
    record = next(r for r in caplog.records if error_id in r.getMessage())
    assert record.exc_info[1].__cause__.args == ("no licence",)
    assert lead.get("/api/studies/tours").json()["asked"] == 0


@pytest.mark.parametrize(
    ("error", "status", "sentence"),
    [
        (Invalid("No <b>domain</b>."), 422, "No &lt;b&gt;domain&lt;/b&gt;."),
        (Unavailable("disk I/O error"), 503, "The store is unavailable; try again in a moment."),
        (Tampered("fact 3"), 503, "an operator must run"),
        (SolverFailed("no licence"), 502, "The cause is logged as error"),
        (RuntimeError("a bug"), 500, "it is logged as error"),
    ],
)
def test_error_is_a_page_where_a_browser_navigates(server, monkeypatch, error, status, sentence):
    def broken(study):
        raise error

    monkeypatch.setattr(pages, "editor_of", broken)
    client = server.client("admin")
    answer = client.get("/s/tours", headers=BROWSER)
    assert answer.status_code == status
    assert answer.headers["content-type"].startswith("text/html")
    assert sentence in answer.text
    assert "content-security-policy" in answer.headers
    assert "a bug" not in answer.text
    if status != 500:  # of a page, a bug is a page for everybody
        answer = client.get("/s/tours", headers={"accept": "application/json"})
        assert (answer.status_code, answer.headers["content-type"]) == (status, "application/problem+json")


def test_error_before_login_and_in_a_download_is_a_page(server, monkeypatch):
    def broken(*_):
        raise Unavailable("disk I/O error")

    navigation = BROWSER | {"sec-fetch-mode": "navigate"}
    missing = "/api/studies/nothing/effort.csv"
    answer = server.client("admin").get(missing, headers=navigation)
    assert answer.status_code == 404
    assert "There is no study" in answer.text
    assert answer.headers["content-type"].startswith("text/html")
    assert server.client("admin").get(missing, headers=BROWSER).json()["status"] == 404
    monkeypatch.setattr(Accounts, "by_token", broken)
    answer = server.client("lead").get("/", headers=navigation)
    assert answer.status_code == 503
    assert "retry-after" in answer.headers
    assert "The store is unavailable; try again in a moment." in answer.text


def test_unexpected_error_is_logged_under_the_id_in_the_response(server, monkeypatch, caplog):
    def broken(self, *args, **kwargs):
        raise RuntimeError("secret inside")

    monkeypatch.setattr(Study, "effort", broken)
    answer = server.client("admin").get("/api/studies/tours/effort")
    assert answer.status_code == 500
    assert "secret inside" not in answer.text
    assert "content-security-policy" in answer.headers
    error_id = re.search(r"error ([0-9a-f]{8})", answer.json()["detail"])[1]
    record = next(r for r in caplog.records if error_id in r.getMessage())
    assert record.exc_info[1].args == ("secret inside",)


def test_a_body_of_another_form_is_refused_in_plain_words(server):
    answer = server.client("admin").post("/api/studies", json={"name": "new", "domain": 5})
    assert answer.status_code == 422
    assert answer.json()["detail"].startswith("domain: this must be a JSON object. See")
