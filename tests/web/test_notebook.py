"""The bridge between the page in a notebook and a session, a study or a server."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

import coactor
from coactor import domains, notebook
from coactor.studies import Store
from coactor.studies.accounts import Accounts
from coactor.web.app import create_app
from tests.web.conftest import serving

DOMAIN = domains.Tour(points=7, features=3)
JSON = {"content-type": "application/json"}
MOVE = {"op": "reverse", "args": [2, 4]}


class Page:
    """What the page in the notebook does."""

    def __init__(self, editor: notebook.Editor, monkeypatch: pytest.MonkeyPatch) -> None:
        self.editor, self.answers = editor, []
        monkeypatch.setattr(editor, "send", lambda about, buffers: self.answers.append((about, buffers[0])))

    def ask(self, method: str, path: str, body: Any = None, **headers: str) -> tuple[int, Any]:
        request = {"id": "7", "method": method, "path": path, "headers": {**JSON, **headers}}
        self.editor._handle_custom_msg({**request, "body": body and json.dumps(body)}, [])
        about, content = self.answers.pop()
        assert about["id"] == "7"
        kind = about["headers"].get("content-type", "")
        return about["status"], json.loads(content) if "json" in kind else content.decode()

    def edit_and_submit(self, note: str = "") -> tuple[int, Any]:
        """Open the page, claim the proposal, make an edit, submit."""
        status, page = self.ask("GET", self.editor.address, accept="text/html")
        assert (status, "data-study" in page) == (200, True)
        path = "/api/studies" + self.editor.address[2:].replace("/p/", "/proposals/")
        self.ask("POST", f"{path}/claim")
        status, draft = self.ask("POST", f"{path}/edits", {"moves": [MOVE]}, **{"if-match": '"0"'})
        assert (status, draft["moves"]) == (200, [MOVE])
        return self.ask("POST", f"{path}/submit", {"note": note, "seconds": 4.0}, **{"if-match": '"1"'})


def problems(n: int) -> list[Any]:
    return list(DOMAIN.sample(np.random.default_rng(2), n))


@pytest.mark.parametrize("settings", [{}, {"habits": True}, {"costs": lambda _: 0.5}])
def test_session_learns_from_the_page_what_it_learns_from_a_tell(monkeypatch, settings):
    here, there = (coactor.Session(DOMAIN, "default", **settings) for _ in range(2))
    for x in problems(2):
        page = Page(notebook.edit(here, x, actor="ana"), monkeypatch)
        assert page.editor.round is None
        status, shown = page.edit_and_submit("quiet street")
        told = there.tell(there.ask(x, actor="ana"), moves=[MOVE], actor="ana")
        assert (status, shown["lesson"]) == (200, told.lesson)
        assert page.editor.round == here.effort()[-1]
        assert (page.editor.round.lesson, page.editor.round.effort) == (told.lesson, told.effort)
        assert (page.editor.round.work.note, page.editor.round.work.seconds) == ("quiet street", 4.0)
    assert here.weights().tobytes() == there.weights().tobytes()


def test_page_says_so_if_the_session_was_told_meanwhile(monkeypatch):
    session = coactor.Session(DOMAIN, "PER")
    editor = notebook.edit(session, problems(1)[0])
    session.tell(editor.proposal, moves=[])
    status, answer = Page(editor, monkeypatch).edit_and_submit()
    assert (status, answer["detail"]) == (409, "Proposal 1 was already told; ask again for a new one.")
    assert editor.round is None
    assert session.version == 1


def test_study_and_server_learn_from_the_page(monkeypatch, tmp_path):
    with Store(f"sqlite:///{tmp_path}/desk.db") as store:
        study = coactor.open_study(store, "desk", DOMAIN, create=True)
        proposal = study.ask(problems(1)[0])
        page = Page(notebook.edit(study, proposal, actor="ana"), monkeypatch)
        assert page.edit_and_submit()[0] == 200
        assert page.editor.round == study.round(1)
        assert page.editor.round.work.actor == "ana"
        assert page.ask("POST", "/api/studies/desk/proposals/1/reopen")[0] == 200
        assert page.editor.round is None
        token = Accounts(store).create("ben", "desk", "lead")
        with (
            serving(create_app(store)) as address,
            coactor.connect(address, "desk", token=token, domain=DOMAIN) as far,
        ):
            page = Page(notebook.edit(far, problems(2)[1]), monkeypatch)
            assert page.edit_and_submit()[0] == 200
            assert page.editor.round.work.actor == "ben"
            assert far.efforts == [1.0]
            far.close()


def test_page_reaches_no_other_study_of_the_store(monkeypatch, tmp_path):
    with Store(f"sqlite:///{tmp_path}/desk.db") as store:
        study, other = (coactor.open_study(store, name, DOMAIN, create=True) for name in ("desk", "other"))
        other.ask(problems(1)[0])
        page = Page(notebook.edit(study, problems(1)[0]), monkeypatch)
        assert page.ask("GET", "/api/studies/other/proposals/1")[0] == 404
        assert page.ask("DELETE", "/api/studies/desk")[0] in (403, 405)
