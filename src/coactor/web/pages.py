"""The pages for people: a shell rendered here, filled in the browser by plain modules from the API."""

from __future__ import annotations

from html import escape
from importlib.resources import files
from string import Template
from typing import Annotated

from fastapi import APIRouter, Depends, FastAPI, Request, Response
from fastapi.responses import HTMLResponse

from coactor.studies import Forbidden, NotFound
from coactor.studies.accounts import Account
from coactor.web.auth.limits import CheckedRoute
from coactor.web.auth.middleware import MAY, need, page_user
from coactor.web.demo import routes, studies
from coactor.web.errors import problem
from coactor.web.open_studies import Site
from coactor.web.routes import reports, roads

Person = Annotated[Account, Depends(page_user)]

# The module that edits each kind of solution; any other domain is edited by a list of its moves.
EDITORS = {
    "tour": "routes",
    "fleet": "routes",
    "plan": "routes",
    "ranking": "ranking",
    "hypercube": "steps",
    "roads": "roads",
}


class Shell:
    """The frame around every page."""

    def __init__(self, site: Site) -> None:
        self.site = site
        self.template = Template(files("coactor.web").joinpath("templates/page.html").read_text("utf-8"))

    def title(self, study: str) -> str:
        """What people call a study."""
        kind = studies.KINDS.get(study)
        return kind.title if kind is not None and studies.kind_of(self.site.study(study)) else study

    def page(
        self,
        script: str,
        account: Account,
        title: str,
        *,
        heading: str = "",
        study: str = "",
        proposal: int | None = None,
        free: bool = False,
        editor: str = "",
        here: str = "",
        message: str = "",
        status: int = 200,
    ) -> HTMLResponse:
        """A page; every text that came from people is escaped."""
        files_at = self.site.assets.base
        nav = [("Studies", "/", "home")]
        if study:
            nav += [("Queue", f"/s/{study}", "queue"), ("Report", f"/s/{study}/report", "report")]
        current = ' aria-current="page"'
        links = "".join(
            f'<a href="{escape(href)}"{current if name == here else ""}>{said}</a>'
            for said, href, name in nav
        )
        scripts = [f"pages/{script}", *([f"editors/{editor}.js"] if editor else [])]
        preload = "\n".join(
            f'<link rel="modulepreload" href="{files_at}/{name}">'
            for name in dict.fromkeys([*self.site.assets.imports(*scripts), *scripts[1:]])
        )
        filled = self.template.substitute(
            title=escape(title),
            heading=escape(heading or title),
            study=escape(study),
            proposal="" if proposal is None else proposal,
            free="yes" if free else "",
            name=escape(account.name),
            role=account.role,
            rights=" ".join(right for right, roles in MAY.items() if account.role in roles),
            editor=editor,
            nav=links,
            script=script,
            preload=preload,
            files=files_at,
            message=escape(message),
        )
        return HTMLResponse(filled, status)


def add_pages(app: FastAPI, site: Site) -> None:
    """The pages, and the routes that only they use."""
    router = APIRouter(prefix="/api", route_class=CheckedRoute)
    for part in (reports, roads, routes):
        part.add_routes(router, site)
    app.include_router(router)
    shell = Shell(site)

    def about(study: str, account: Account) -> str:
        """The study's title; refuses what this account may not see or this server cannot open."""
        need(account, "read", study)
        return shell.title(study) if site.study(study) else study

    def lost(account: Account, error: Exception) -> HTMLResponse:
        status = 404 if isinstance(error, NotFound) else 403
        return shell.page(
            "message.js", account, "This page cannot be shown", message=str(error), status=status
        )

    @app.exception_handler(404)
    async def nothing(request: Request, _: Exception) -> Response:
        """An address nobody has thought of: a page for people, data for programs."""
        said, account = "There is nothing at this address.", request.scope.get("account")
        page = "text/html" in request.headers.get("accept", "") and not request.url.path.startswith("/api/")
        if account is None or not page:
            return problem(404, said)
        return lost(account, NotFound(said))

    @app.get("/", include_in_schema=False)
    def home(account: Person) -> HTMLResponse:
        return shell.page("home.js", account, "Studies", here="home")

    @app.get("/s/{study}", include_in_schema=False)
    def queue(study: str, account: Person) -> HTMLResponse:
        try:
            return shell.page("queue.js", account, about(study, account), study=study, here="queue")
        except (NotFound, Forbidden) as error:
            return lost(account, error)

    @app.get("/s/{study}/report", include_in_schema=False)
    def report(study: str, account: Person) -> HTMLResponse:
        try:
            title = about(study, account)
            return shell.page("report.js", account, f"{title}: report", study=study, here="report")
        except (NotFound, Forbidden) as error:
            return lost(account, error)

    @app.get("/s/{study}/p/{id:int}", include_in_schema=False)
    def editor(study: str, id: int, account: Person) -> HTMLResponse:
        try:
            about(study, account)
            if id >= 2**31:
                raise NotFound(f"Study {study!r} has no proposal {id}; see its proposals.")
            ticket = site.desk(study).view(id).ticket
            free = ticket.state != "done" and ticket.holder in ("", account.name)
            label = ticket.label or f"Proposal {id}"
            name = EDITORS.get(site.study(study).config["domain"]["name"], "moves")
            return shell.page("editor.js", account, label, study=study, proposal=id, free=free, editor=name)
        except (NotFound, Forbidden) as error:
            return lost(account, error)
