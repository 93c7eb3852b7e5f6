"""The application: the gate in front, the routes behind it, the pages where there are some."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from importlib import import_module
from importlib.util import find_spec

from coactor import __version__

try:
    from fastapi import APIRouter, FastAPI, Response
    from fastapi.responses import HTMLResponse, JSONResponse, RedirectResponse
except ImportError as error:  # pragma: no cover - said to whoever installed the core alone
    raise ImportError("Serving needs FastAPI; install it with: pip install 'coactor[serve]'") from error

from coactor.studies import Forbidden, Store
from coactor.studies.desk import LEASE
from coactor.web import api_docs
from coactor.web.auth import login
from coactor.web.auth.limits import CheckedRoute
from coactor.web.auth.middleware import Gate, Guard, Me
from coactor.web.errors import add_handlers
from coactor.web.metrics import Metrics
from coactor.web.open_studies import Site
from coactor.web.routes import drafts, studies

PAGES = "coactor.web.pages"


def create_app(
    store: Store,
    *,
    hosts: Iterable[str] = (),
    lease: float = LEASE,
    clock: Callable[[], float] = time.time,
    secure: bool = False,
) -> FastAPI:
    """An app that serves a store.

    Parameters
    ----------
    store
        Where the studies are; several apps may share it.
    hosts
        Names the server answers to, besides localhost.
    lease
        Seconds until a proposal that nobody touches is free again.
    clock
        Seconds since 1970.
    secure
        Whether pages come over https, so that the cookie may say so.
    """
    site, metrics = Site(store, lease, clock), Metrics()
    app = FastAPI(
        title="coactor",
        version=__version__,
        openapi_url=None,
        docs_url=None,
        redoc_url=None,
        description="Durable ask and tell: a solver proposes, an expert edits, the learner adjusts.",
    )
    add_handlers(app)
    router = APIRouter(prefix="/api", route_class=CheckedRoute)
    studies.add_routes(router, site)
    drafts.add_routes(router, site)
    app.include_router(router)
    guard = Guard(site.accounts, hosts, metrics)
    login.add_routes(app, site, guard, secure)
    _add_operations(app, site, metrics)
    app.mount("/static", site.assets, name="static")
    if find_spec(PAGES) is not None:
        import_module(PAGES).add_pages(app, site)
    else:
        app.add_api_route("/", _no_pages, include_in_schema=False)
    app.add_middleware(Gate, guard=guard)
    return app


async def _no_pages() -> Response:
    return RedirectResponse("/api/docs", 303)


def _add_operations(app: FastAPI, site: Site, metrics: Metrics) -> None:
    @app.get("/health", tags=["operation"])
    def health() -> Response:
        """Whether the store answers. Open to all, so it says no more than that."""
        with site.store.reading() as sql:
            sql.studies()
        return JSONResponse({"status": "ok", "version": __version__})

    @app.get("/metrics", tags=["operation"], response_class=Response)
    def prometheus(account: Me) -> Response:
        """Counters in Prometheus' words, for accounts that see every study."""
        if account.study != "*":
            raise Forbidden("Metrics show every study; use a token made with --study '*'.")
        for name in site.names():
            about = site.summary(name)
            if about["usable"]:
                metrics.study(
                    name, about["facts"], about["open"], about["told"], about["effort"], about["version"]
                )
        return Response(metrics.text(), media_type="text/plain; version=0.0.4")

    @app.get("/api/openapi.json", include_in_schema=False)
    def openapi(account: Me) -> Response:
        return JSONResponse(app.openapi())

    @app.get("/api/docs", include_in_schema=False)
    def docs(account: Me) -> Response:
        return HTMLResponse(api_docs.page(app.openapi(), site.assets.base))
