"""The app as a whole: health, metrics, two servers on one store, no demo in production."""

from __future__ import annotations

import logging
import re
import subprocess
import sys
import threading

from coactor.cli.serve import load_demo, preparing
from coactor.domains import Tour
from coactor.studies import Study, open_study
from coactor.studies.log import schema
from coactor.studies.log.store import Transaction
from coactor.web import demo
from coactor.web.app import create_app
from coactor.web.demo.studies import DEMOS
from tests.web.conftest import EDIT, PROPOSALS, ask, serving


def test_two_servers_on_one_store_act_as_one(server, store):
    solver, ana = server.client("solver"), server.client("expert", name="ana")
    with serving(create_app(store, lease=60.0)) as second:
        ana.base_url, there = second, server.client("expert", name="ben")
        ask(solver, server)
        assert ana.post("/api/studies/tours/queue/next").json()["id"] == 1
        assert there.post("/api/studies/tours/queue/next").status_code == 204
        assert ana.post(f"{PROPOSALS}/1/edits", json=EDIT, headers={"If-Match": '"0"'}).status_code == 200
        assert there.get(f"{PROPOSALS}/1").json()["revision"] == 1
        ana.post(f"{PROPOSALS}/1/submit", json={}, headers={"If-Match": '"1"'})
        assert ask(solver, server, 1)["basis"]["version"] == 1


def test_health_metrics_and_openapi(server):
    solver = server.client("solver")
    ask(solver, server)
    assert server.client().get("/health").json()["status"] == "ok"
    text = solver.get("/metrics").text
    assert 'coactor_open{study="tours"} 1.0' in text
    assert 'route="/api/studies/{study}/proposals",status="201"} 1.0' in text
    assert server.client("solver", study="tours", name="small").get("/metrics").status_code == 403
    assert solver.get("/api/openapi.json").json()["openapi"].startswith("3.1")


def python(code: str, *arguments: str) -> None:
    """Run code in a process of its own."""
    done = subprocess.run(
        [sys.executable, "-c", code, *arguments], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr


def test_create_app_does_not_import_the_demo(tmp_path):
    python(
        "import sys\n"
        "from coactor.studies import Store\n"
        "from coactor.web.app import create_app\n"
        "with Store(sys.argv[1]) as store:\n"
        "    create_app(store)\n"
        "assert not [name for name in sys.modules if name.startswith('coactor.web.demo')]\n",
        f"sqlite:///{tmp_path}/empty.db",
    )


def test_import_of_the_demo_builds_no_road_network():
    python(
        "import coactor.web.demo\n"
        "from coactor.web.demo import problems\n"
        "assert problems.roads.cache_info().currsize == 0\n"
    )


def test_serve_loads_the_demo_only_for_demo_studies(store):
    assert load_demo(store, create=False) is None
    with open_study(store, "try-something", Tour(5, 2), "PER", create=True):
        assert load_demo(store, create=False) is demo


def test_metrics_opens_no_study(server):
    admin = server.client("admin")
    text = admin.get("/metrics").text
    assert 'coactor_facts{study="tours"} 1.0' in text
    assert 'coactor_told{study="tours"}' not in text
    admin.get("/api/studies/tours")
    assert 'coactor_told{study="tours"} 0.0' in admin.get("/metrics").text


def test_metrics_have_the_last_solving_and_forget_deleted_studies(server):
    admin = server.client("admin")
    assert 'coactor_solve_seconds{study="tours"}' not in admin.get("/metrics").text
    ask(admin, server)
    solved = re.search(r'coactor_solve_seconds{study="tours"} (.*)', admin.get("/metrics").text)
    assert 0 < float(solved.group(1)) < 60
    admin.delete("/api/studies/tours")
    assert 'study="tours"' not in admin.get("/metrics").text


def test_health_says_nothing_about_studies(server, monkeypatch):
    def forbidden(self):
        raise AssertionError("health reads the studies")

    monkeypatch.setattr(Transaction, "studies", forbidden)
    answer = server.client().get("/health")
    assert (answer.status_code, sorted(answer.json())) == (200, ["status", "version"])


def test_first_proposals_of_the_demo_are_prepared_while_the_server_runs(store, capsys):
    finished = threading.Event()

    class Examples:
        def fill_demo_queues(self, store):
            yield "A courier's round"
            yield "A taxi ride"
            finished.set()

    with preparing(Examples(), store, quiet=False):
        assert finished.wait(30)
    assert "Preparing “A courier's round” …\nPreparing “A taxi ride” …" in capsys.readouterr().err


def test_demo_studies_are_created_before_their_solvers_are_compiled(store):
    demo.create_demo_studies(store, fill_queues=False)
    with store.reading() as sql:
        names = [head.name for head in sql.studies()]
    assert set(DEMOS) <= set(names)
    assert {Study(store, name).summary()["asked"] for name in DEMOS} == {0}


def test_ready_needs_the_tables_of_this_version(server, monkeypatch):
    assert server.client().get("/ready").json()["status"] == "ready"
    monkeypatch.setattr(schema, "is_current", lambda connection: False)
    assert server.client().get("/ready").status_code == 503


def test_requests_have_an_id_in_the_response_and_in_the_log(server, caplog):
    caplog.set_level(logging.INFO, "coactor.access")
    admin = server.client("admin")
    assert admin.get("/api/me", headers={"X-Request-ID": "abc-1"}).headers["x-request-id"] == "abc-1"
    made = admin.get("/api/me", headers={"X-Request-ID": "<b>"}).headers["x-request-id"]
    assert re.fullmatch("[0-9a-f]{16}", made)
    logged = list[str]()
    while made not in logged:  # a record is written after its response
        logged = [r.request for r in caplog.records if hasattr(r, "request")]
    assert logged == ["abc-1", made]
