"""Editing in a notebook: the page's own editor in a cell of JupyterLab, VS Code or whatever runs anywidget.

`edit` shows the page of one proposal in a frame. Its requests come here as messages and are answered by the
same app that `coactor serve` runs, in this process; or, for a remote study, by its server. No port is opened.
"""

from __future__ import annotations

import asyncio
import json
import threading
import uuid
from collections.abc import Callable
from copy import deepcopy
from functools import cache
from tempfile import TemporaryDirectory
from typing import Any

try:
    import anywidget
    import httpx
    import traitlets
except ImportError as error:  # pragma: no cover
    raise ImportError(
        "Editing in a notebook needs packages; install them with: pip install 'coactor[notebook]'"
    ) from error

from coactor.client import RemoteStudy
from coactor.protocol import Conflict, Invalid, NotFound, Problem, Proposal, Round, uses_habits
from coactor.session import Session
from coactor.studies import Study, open_study
from coactor.studies.accounts import Account
from coactor.web.app import create_app
from coactor.web.assets import FOLDER

_ONLY_HERE = (
    "header nav, header .brand, header .who, #next, a[href^='/s/']"  # of the page: what leads elsewhere
)
_NOT_OF_SESSIONS = "#about, #reopen"  # a session knows neither versions of a proposal nor a way back


def edit(
    target: Session | Study | RemoteStudy, problem: Problem | Proposal, *, actor: str = "expert"
) -> Editor:
    """Show a proposal in the page's editor; a submit there tells it.

    Parameters
    ----------
    target
        A session, a study or a remote study.
    problem
        What to ask for; or a proposal, which was asked before.
    actor
        Who edits. At a server the account of the token does.

    Examples
    --------
    >>> editor = coactor.notebook.edit(session, problem)  # doctest: +SKIP
    >>> editor.round.lesson                               # after the submit  # doctest: +SKIP
    'Learned: toll avoided.'
    """
    if not isinstance(problem, Proposal):
        remote = isinstance(target, RemoteStudy)
        problem = target.ask(problem) if remote else target.ask(problem, actor=actor)
    return Editor(target, problem, actor)


class Editor(anywidget.AnyWidget):
    """The widget: answers the requests of the page that it shows.

    Attributes
    ----------
    proposal
        What is edited.
    round
        What was learned from it; None until it is submitted.
    """

    _esm = FOLDER / "notebook.js"
    address = traitlets.Unicode().tag(sync=True)
    hidden = traitlets.Unicode(_ONLY_HERE).tag(sync=True)

    def __init__(self, target: Session | Study | RemoteStudy, proposal: Proposal, actor: str) -> None:
        self._target, self.proposal, self._actor = target, proposal, actor
        self.round: Round | None = None
        self._number, hidden = proposal.id, _ONLY_HERE
        if isinstance(target, Session):
            self._folder = TemporaryDirectory(prefix="coactor-")  # removed with the widget
            study = _desk_of(target, f"sqlite:///{self._folder.name}/desk.db")
            self._desk: Study | RemoteStudy = study
            self._number = study.ask(proposal.problem, solution=proposal.solution, actor=actor).id
            hidden = f"{_ONLY_HERE}, {_NOT_OF_SESSIONS}"
        else:
            self._desk = target
        desk = self._desk
        self._request = desk.http.request if isinstance(desk, RemoteStudy) else _local(desk, actor)
        super().__init__(address=f"/s/{self._desk.name}/p/{self._number}", hidden=hidden)
        self.on_msg(lambda _, request, buffers: self._answer(request))

    def _answer(self, request: dict[str, Any]) -> None:
        """Answer a request of the page; a submit becomes a tell."""
        path, headers = request["path"], request["headers"]
        response = self._request(request["method"], path, headers=headers, content=request["body"])
        status, content = response.status_code, response.content
        if response.is_success and path.endswith(("/submit", "/reopen")):
            try:
                self.round = self._told() if path.endswith("/submit") else None
            except (Conflict, Invalid, NotFound) as error:
                status, content = 409, json.dumps({"detail": str(error)}).encode()
        kept = {name: value for name, value in response.headers.items() if name in ("content-type", "etag")}
        self.send({"id": request["id"], "status": status, "headers": kept}, [content])

    def _told(self) -> Round:
        told = self._desk.round(self._number)
        if not isinstance(self._target, Session) or not isinstance(self._desk, Study):
            return told
        moves = self._desk.draft(self._number).moves
        about: Any = {"learn": told.learn, "actor": self._actor, "work": told.work}
        return self._target.tell(self.proposal, moves=moves, **about)


def _desk_of(session: Session, url: str) -> Study:
    """A study for one proposal, which begins with what the session has learned."""
    costs = {} if session.move_costs is None or callable(session.move_costs) else dict(session.move_costs)
    settings: Any = {"grace": 0.0, "costs": costs}
    name, domain, state = f"session-{uuid.uuid4().hex[:8]}", session.domain, session.knowledge.state()
    if uses_habits(domain):
        begun: Any = {"start": {**state, "habits": True}}
        return open_study(url, name, domain, create=True, settings=settings, **begun)
    return open_study(url, name, domain, deepcopy(session.learner), create=True, settings=settings)


def _local(study: Study, actor: str) -> Callable[..., httpx.Response]:
    """Requests to the app of `coactor serve` for one study, in this process, with the rights of an expert."""
    app = create_app(study.store)
    app.state.studies.add(study)
    account = Account(actor, {study.name: "expert"})

    async def known(scope: Any, receive: Any, send: Any) -> None:
        await app({**scope, "account": account}, receive, send)

    transport = httpx.ASGITransport(known, raise_app_exceptions=False)
    client = httpx.AsyncClient(transport=transport, base_url="http://localhost", timeout=None)

    def request(*given: Any, **more: Any) -> httpx.Response:
        return asyncio.run_coroutine_threadsafe(client.request(*given, **more), _loop()).result()

    return request


@cache
def _loop() -> asyncio.AbstractEventLoop:
    """An event loop in a thread of its own: that of the kernel runs the cells."""
    loop = asyncio.new_event_loop()
    threading.Thread(target=loop.run_forever, daemon=True).start()
    return loop
