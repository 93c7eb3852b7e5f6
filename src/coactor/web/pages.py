"""The pages: a frame rendered here, filled in the browser by ES modules from the API."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from fastapi import FastAPI, Response
from fastapi.responses import FileResponse, HTMLResponse

from coactor.protocol import own_editor
from coactor.studies import NotFound, Study
from coactor.studies.accounts import Account
from coactor.web.assets import Assets
from coactor.web.auth.permissions import Me, permissions_of
from coactor.web.errors import NO_ADDRESS
from coactor.web.ground import Ground
from coactor.web.open_studies import ToRead
from coactor.web.rendering import render
from coactor.web.routes.requests import LARGEST

# The editor module of each domain that does not name one; others are edited by a list of their moves.
EDITORS = {"tour": "routes", "fleet": "routes", "plan": "routes", "ranking": "ranking", "roads": "roads"}
DEFAULT_EDITOR = "moves"
EDITOR_STYLES = ("editor", "lists", "maps", "roads", "grids")
EDITOR_FILES = (".js", ".css", ".svg", ".png", ".json")  # of an editor that a domain brings
PAGE_STYLES = ("pages",)


def add_pages(
    app: FastAPI, assets: Assets, demo_title: Callable[[Study], str | None] | None, ground: Ground
) -> None:
    """Add the pages; `demo_title` returns the title of a demo study."""

    def frame(
        script: str,
        account: Account,
        title: str,
        *,
        study: str = "",
        proposal: int | None = None,
        free: bool = False,
        editor: str = "",
    ) -> HTMLResponse:
        """Return the page that a module of ``static/pages`` fills."""
        module = f"pages/{script}.js"
        works = proposal is not None
        editors = [f"editors/{editor}.js"] if works and not editor.startswith("/") else []
        links = [("home", "Studies", "/")]
        if study:
            links += [("queue", "Queue", f"/s/{study}"), ("report", "Report", f"/s/{study}/report")]
        html = render(
            "page.html",
            title=title,
            study=study,
            proposal="" if proposal is None else proposal,
            free="yes" if free else "",
            editor=f"{assets.base}/editors/{editor}.js" if editor and not editor.startswith("/") else editor,
            name=account.name,
            permissions=" ".join(permissions_of(account, study)),
            links=links,
            script=script,
            module=module,
            preload=dict.fromkeys([*assets.imports(module, *editors), *editors]),
            styles=EDITOR_STYLES if works else (EDITOR_STYLES + PAGE_STYLES if editor else PAGE_STYLES),
            files=assets.base,
            tiles=ground.tiles if editor else "",
            attribution=ground.attribution if editor else "",
            backdrop="yes" if editor and ground.backdrop(study) else "",
        )
        return HTMLResponse(html)

    def title(study: Study) -> str:
        return (demo_title(study) if demo_title else None) or study.name

    @app.get("/", include_in_schema=False)
    def home_page(account: Me) -> HTMLResponse:
        return frame("home", account, "Learning from your corrections")

    @app.get("/s/{study}", include_in_schema=False)
    def queue_page(opened: ToRead, account: Me) -> HTMLResponse:
        return frame("queue", account, title(opened), study=opened.name, editor=editor_of(opened))

    @app.get("/s/{study}/report", include_in_schema=False)
    def report_page(opened: ToRead, account: Me) -> HTMLResponse:
        return frame("report", account, f"{title(opened)}: report", study=opened.name)

    @app.get("/s/{study}/wants", include_in_schema=False)
    def wants_page(opened: ToRead, account: Me) -> HTMLResponse:
        return frame("wants", account, "What it thinks you want", study=opened.name)

    @app.get("/s/{study}/p/{id:int}", include_in_schema=False)
    def editor_page(opened: ToRead, id: int, account: Me) -> HTMLResponse:
        if id > LARGEST:
            raise NotFound(f"Study {opened.name!r} has no proposal {id}.")
        draft, editor = opened.draft(id), editor_of(opened)
        free = draft.state != "done" and draft.holder in ("", account.name)
        label = draft.label or f"Proposal {id}"
        return frame("editor", account, label, study=opened.name, proposal=id, free=free, editor=editor)

    @app.get("/s/{study}/editor/{file:path}", include_in_schema=False)
    def editor_file(opened: ToRead, file: str) -> Response:
        """Serve the editor that a domain brings: its module, and the files beside it."""
        module = editor_module(opened)
        folder = None if module is None else module.resolve().parent
        path = None if folder is None or "\0" in file else (folder / file).resolve()
        if (
            path is None
            or folder not in path.parents
            or path.suffix not in EDITOR_FILES
            or not path.is_file()
        ):
            raise NotFound(NO_ADDRESS)
        return FileResponse(path, headers={"cache-control": "no-cache"})


def editor_module(study: Study) -> Path | None:
    """Return the path of the module that a study's domain brings; None if it brings none."""
    editor = own_editor(study.domain)
    return None if editor is None or not str(editor).endswith(".js") else Path(editor)


def editor_of(study: Study) -> str:
    """Return the name of the editor of a study, or the address of the one that its domain brings."""
    module = editor_module(study)
    if module is not None:
        return f"/s/{study.name}/editor/{module.name}"
    name = EDITORS.get(study.config["domain"]["name"], DEFAULT_EDITOR)
    return str(own_editor(study.domain) or name)
