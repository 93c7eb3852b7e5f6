"""The pages: a frame rendered here, filled in the browser by ES modules from the API."""

from __future__ import annotations

from collections.abc import Callable

from fastapi import FastAPI, Request, Response
from fastapi.responses import HTMLResponse

from coactor.studies import Forbidden, NotFound, Study
from coactor.studies.accounts import Account
from coactor.web.assets import Assets
from coactor.web.auth.permissions import Me, permissions_of, require
from coactor.web.errors import NO_ADDRESS, problem
from coactor.web.open_studies import OpenStudies
from coactor.web.rendering import render
from coactor.web.routes.requests import LARGEST

# The editor module of each domain; any other domain is edited by a list of its moves.
EDITORS = {
    "tour": "routes",
    "fleet": "routes",
    "plan": "routes",
    "ranking": "ranking",
    "hypercube": "steps",
    "roads": "roads",
}
DEFAULT_EDITOR = "moves"
EDITOR_STYLES = ("editor", "lists", "maps", "roads")
PAGE_STYLES = ("pages",)


class Frame:
    """Renders the frame around every page."""

    def __init__(self, assets: Assets) -> None:
        self.assets = assets

    def page(
        self,
        script: str,
        account: Account,
        title: str,
        *,
        study: str = "",
        proposal: int | None = None,
        free: bool = False,
        editor: str = "",
        message: str = "",
        status: int = 200,
    ) -> HTMLResponse:
        """Return the page that a module of ``static/pages`` fills."""
        module = f"pages/{script}.js"
        editors = [f"editors/{editor}.js"] if editor else []
        links = [("home", "Studies", "/")]
        if study:
            links += [("queue", "Queue", f"/s/{study}"), ("report", "Report", f"/s/{study}/report")]
        html = render(
            "page.html",
            title=title,
            study=study,
            proposal="" if proposal is None else proposal,
            free="yes" if free else "",
            editor=editor,
            name=account.name,
            permissions=" ".join(permissions_of(account.role)),
            links=links,
            script=script,
            module=module,
            preload=dict.fromkeys([*self.assets.imports(module, *editors), *editors]),
            styles=EDITOR_STYLES if editor else PAGE_STYLES,
            files=self.assets.base,
            message=message,
        )
        return HTMLResponse(html, status)


def add_pages(
    app: FastAPI, studies: OpenStudies, assets: Assets, demo_title: Callable[[Study], str | None] | None
) -> None:
    """Add the pages; `demo_title` returns the title of a demo study."""
    frame = Frame(assets)

    def title(study: str, account: Account) -> str:
        """Return the title of a study. Raises NotFound or Forbidden if the account may not read it."""
        require(account, "read", study)
        opened = studies.study(study)
        return (demo_title(opened) if demo_title else None) or study

    def error_page(account: Account, error: Exception) -> HTMLResponse:
        status = 404 if isinstance(error, NotFound) else 403
        return frame.page("message", account, "This page cannot be shown", message=str(error), status=status)

    @app.exception_handler(404)
    async def no_address(request: Request, _: Exception) -> Response:
        """Answer an unknown address: a page for people, JSON for programs."""
        account = request.scope.get("account")
        wants_page = "text/html" in request.headers.get("accept", "")
        if account is None or not wants_page or request.url.path.startswith("/api/"):
            return problem(404, NO_ADDRESS)
        return error_page(account, NotFound(NO_ADDRESS))

    @app.get("/", include_in_schema=False)
    def home_page(account: Me) -> HTMLResponse:
        return frame.page("home", account, "Studies")

    @app.get("/s/{study}", include_in_schema=False)
    def queue_page(study: str, account: Me) -> HTMLResponse:
        try:
            return frame.page("queue", account, title(study, account), study=study)
        except (NotFound, Forbidden) as error:
            return error_page(account, error)

    @app.get("/s/{study}/report", include_in_schema=False)
    def report_page(study: str, account: Me) -> HTMLResponse:
        try:
            return frame.page("report", account, f"{title(study, account)}: report", study=study)
        except (NotFound, Forbidden) as error:
            return error_page(account, error)

    @app.get("/s/{study}/p/{id:int}", include_in_schema=False)
    def editor_page(study: str, id: int, account: Me) -> HTMLResponse:
        try:
            require(account, "read", study)
            if id > LARGEST:
                raise NotFound(f"Study {study!r} has no proposal {id}.")
            ticket = studies.desk(study).view(id).ticket
            free = ticket.state != "done" and ticket.holder in ("", account.name)
            label = ticket.label or f"Proposal {id}"
            editor = EDITORS.get(studies.study(study).config["domain"]["name"], DEFAULT_EDITOR)
            return frame.page("editor", account, label, study=study, proposal=id, free=free, editor=editor)
        except (NotFound, Forbidden) as error:
            return error_page(account, error)
