"""Builds the FastAPI app: authentication, API routes, pages."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from operator import attrgetter
from types import ModuleType
from typing import TYPE_CHECKING, Any

from coactor.version import __version__

try:
    import uvicorn
    from fastapi import APIRouter, FastAPI, Request, Response
    from fastapi.middleware.gzip import GZipMiddleware
    from fastapi.responses import JSONResponse
except ImportError as error:  # pragma: no cover
    raise ImportError("The server needs FastAPI; install it with: pip install 'coactor[serve]'") from error

from coactor.protocol import Domain
from coactor.studies import Forbidden, Store
from coactor.studies.accounts import Accounts
from coactor.studies.desk import LEASE
from coactor.studies.errors import Deleted
from coactor.web import health, pages
from coactor.web.assets import Assets
from coactor.web.auth import login
from coactor.web.auth.middleware import COOKIE, PUBLIC, Authenticator, AuthMiddleware
from coactor.web.auth.permissions import Me
from coactor.web.errors import add_handlers, error_response
from coactor.web.ground import Ground
from coactor.web.metrics import Metrics
from coactor.web.open_studies import OpenStudies
from coactor.web.routes import drafts, events, moves, proposals, reports, roads, tokens
from coactor.web.routes import studies as study_routes
from coactor.web.routes.requests import BODY, LimitedRoute
from coactor.web.routes.responses import ERRORS, Problem

if TYPE_CHECKING:
    from coactor.web.auth.oidc import Provider


class App(FastAPI):
    """The FastAPI app, with errors and credentials in its OpenAPI description."""

    def openapi(self) -> dict[str, Any]:
        """Return the OpenAPI description."""
        description = super().openapi()
        description["components"]["schemas"].setdefault("Problem", Problem.model_json_schema())
        description["components"]["securitySchemes"] = {
            "token": {"type": "http", "scheme": "bearer", "description": "Of `coactor token create`."},
            "session": {"type": "apiKey", "in": "cookie", "name": COOKIE},
        }
        description["security"] = [{"token": []}, {"session": []}]
        for path in PUBLIC:
            for operation in description["paths"].get(path, {}).values():
                operation["security"] = []
        return description


def create_app(
    store: Store,
    *,
    hosts: Iterable[str] = (),
    lease: float = LEASE,
    secure: bool = False,
    demo: ModuleType | None = None,
    ground: Ground | None = None,
    domains: Mapping[str, Domain] | None = None,
    body_limit: int = BODY,
    provider: Provider | None = None,
) -> FastAPI:
    """Return an app that serves a store.

    Parameters
    ----------
    store
        The store; several apps may share it.
    hosts
        Host names the server answers to, besides loopback.
    lease
        Seconds until an untouched proposal is free again.
    secure
        Whether the pages are served over https, so that the session cookie is marked secure.
    demo
        The package `coactor.web.demo`, if the store holds demo studies; no other server loads it.
    ground
        What maps are drawn on; by default nothing.
    domains
        Of studies whose domains are not installed, by the names of the studies.
    body_limit
        Bytes of the largest request; larger ones may also hold more values.
    provider
        Where people may log in besides; see `coactor.web.auth.oidc`.
    """
    ground = ground or Ground()
    studies, accounts = OpenStudies(store, lease, domains), Accounts(store)
    assets, metrics = Assets(), Metrics()
    authenticator = Authenticator(accounts, hosts, body_limit=body_limit)
    app = App(
        title="coactor",
        version=__version__,
        openapi_url=None,
        docs_url=None,
        redoc_url=None,
        description="Durable ask and tell: a solver proposes, an expert edits, the learner adjusts.",
        generate_unique_id_function=attrgetter("name"),
    )
    add_handlers(app)

    @app.exception_handler(Deleted)
    async def deleted(request: Request, error: Deleted) -> Response:
        studies.forget(request.path_params.get("study", ""))
        return error_response(request.scope, 404, error.args[0])

    router = APIRouter(
        prefix="/api",
        route_class=LimitedRoute,
        responses=ERRORS,
        generate_unique_id_function=attrgetter("name"),
    )
    # They are tried in this order: first what is asked for most often.
    for routes in (drafts, proposals, moves, study_routes, reports, events, roads, tokens):
        routes.add_routes(router, studies)
    if demo is not None:
        demo.add_routes(router, studies)
    else:
        router.add_api_route("/try", _no_demos, include_in_schema=False)  # the pages ask for it
    ground.add_routes(router)
    app.router.routes.extend(router.routes)  # included as a router, each request would be matched twice
    login.add_routes(app, accounts, assets, authenticator, secure, provider is not None)
    if provider is not None:
        from coactor.web.auth import oidc  # needs an extra

        oidc.add_routes(app, accounts, provider, secure)
    health.add_routes(app, store)
    _add_operations(app, studies, metrics)
    app.mount("/static", assets, name="static")
    app.state.studies, app.state.assets = studies, assets
    pages.add_pages(app, assets, demo.title if demo else None, ground)
    app.add_middleware(AuthMiddleware, authenticator=authenticator, metrics=metrics, images=ground.host)
    app.add_middleware(GZipMiddleware, minimum_size=2000, compresslevel=4)
    return app


def server_config(app: Any) -> uvicorn.Config:
    """Return how uvicorn serves an app: without its access log, which would record one-time codes.

    h11 limits the size of headers; httptools, which uvicorn would take where it finds it, has no limit.
    """
    options: dict[str, Any] = {"http": "h11", "ws": "none", "access_log": False, "server_header": False}
    return uvicorn.Config(app, log_level="warning", **options)


def _no_demos(account: Me) -> list[str]:
    return []


def _add_operations(app: FastAPI, studies: OpenStudies, metrics: Metrics) -> None:
    @app.get("/metrics", tags=["operation"], response_class=Response)
    def prometheus(account: Me) -> Response:
        """Return metrics in the Prometheus text format, for accounts that see every study.

        Totals are given for the studies that are open in this process; a scrape opens none.
        """
        if not account.role():
            raise Forbidden("Metrics cover all studies; use a token created with --study '*'.")
        with studies.store.reading() as sql:
            totals: dict[str, dict[str, float]] = {head.name: {"facts": head.seq} for head in sql.studies()}
        for study in studies.opened():
            about = studies.summary(study.name)
            totals[study.name] = {**about, "solve_seconds": study.solve_seconds}
        return Response(metrics.text(totals), media_type="text/plain; version=0.0.4")

    @app.get("/api/openapi.json", include_in_schema=False)
    def openapi_json(account: Me) -> Response:
        return JSONResponse(app.openapi())
