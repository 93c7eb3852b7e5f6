"""``coactor serve``: serve a store over HTTP."""

from __future__ import annotations

import errno
import logging
import os
import signal
import socket
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from types import FrameType, ModuleType
from typing import TYPE_CHECKING

import click
import uvicorn
from numba.core.event import Event, Listener, install_listener

from coactor import plugins
from coactor.cli.logs import start_logging
from coactor.cli.options import json_option, noted, store_option, streets_option
from coactor.cli.stores import report_study_errors, show
from coactor.studies.accounts import Accounts
from coactor.studies.errors import Invalid
from coactor.studies.log.store import Store
from coactor.studies.opening import open_study
from coactor.studies.processes import Processes
from coactor.studies.settings import Settings

if TYPE_CHECKING:
    from coactor.protocol import Domain
    from coactor.web.auth.oidc import Provider

LOOPBACK = ("127.0.0.1", "localhost", "::1")
CHECKPOINT_SECONDS = 0.5
RENEWAL_SECONDS = 0.5
DELIVERY_SECONDS = 0.5
PATIENCE = 0.3  # seconds of a solving that an expert who opens a proposal waits for
DEMO_PREFIX = "try-"  # of the names of demo studies


@click.command(context_settings={"auto_envvar_prefix": "COACTOR"})
@store_option
@click.option("--host", default="127.0.0.1", help="Address to listen on.")
@click.option(
    "--port", default=8765, type=click.IntRange(0, 65535), help="Port to listen on; 0 chooses a free one."
)
@click.option(
    "--allow-host",
    multiple=True,
    help="Host name the server answers to, besides localhost; several, separated by spaces, in the variable.",
)
@click.option("--https", is_flag=True, help="A proxy in front serves the pages over https.")
@click.option("--try", "with_demo", is_flag=True, help="Create demo studies in the store.")
@click.option(
    "--study",
    "own",
    multiple=True,
    metavar="NAME=FILE.py:DOMAIN",
    help="Serve this study with a domain from a file, and create it if there is none; NAME=FILE.csv "
    "starts one with what past routes teach.",
)
@streets_option
@click.option(
    "--solver",
    metavar="MODULE:FUNCTION",
    help="Proposals of studies that --study creates come from this function of (problem, weights).",
)
@click.option(
    "--workers",
    type=click.IntRange(0, 64),
    default=0,
    help="Processes for solvers of --solver: one in Python that runs long slows no other study then.",
)
@click.option("--share-port", is_flag=True, help="Let several servers listen on this port, one per core.")
@click.option(
    "--own-port",
    type=click.IntRange(0, 65535),
    help="With --share-port: also listen on this port, for /metrics of this very process.",
)
@click.option(
    "--tiles",
    default="",
    metavar="URL",
    show_default=False,
    help="Draw maps on tiles: an address with {z}, {x} and {y}.",
)
@click.option(
    "--attribution", default="", show_default=False, help="The text that the provider of the tiles asks for."
)
@click.option(
    "--backdrops",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="Folder with STUDY.geojson: draw the maps of a study on it.",
)
@click.option(
    "--renew-ahead",
    is_flag=True,
    help="Solve waiting proposals again in the background. Programs then tell the version they corrected.",
)
@click.option(
    "--body-limit",
    type=click.IntRange(1, 1024),
    default=8,
    metavar="MB",
    help="The largest request: a problem with a table of 1,000 stops has about 20 MB a feature.",
)
@click.option(
    "--webhook",
    metavar="URL",
    help="Tell this address of finished proposals, signed with COACTOR_WEBHOOK_SECRET; for one of several "
    "servers.",
)
@click.option(
    "--oidc",
    metavar="ISSUER",
    help="People may also log in at this identity provider, which knows the server by COACTOR_OIDC_CLIENT "
    "and COACTOR_OIDC_SECRET, and says their roles in the claim coactor.",
)
@click.option("--quiet", is_flag=True, help="Do not log requests.")
@click.option("--log-json", is_flag=True, help="Log JSON, one object a line.")
@json_option
@report_study_errors
def serve(
    url: str,
    host: str,
    port: int,
    allow_host: tuple[str, ...],
    https: bool,
    with_demo: bool,
    own: tuple[str, ...],
    streets: str | None,
    solver: str | None,
    workers: int,
    share_port: bool,
    own_port: int | None,
    tiles: str,
    attribution: str,
    backdrops: Path | None,
    renew_ahead: bool,
    body_limit: int,
    webhook: str | None,
    oidc: str | None,
    quiet: bool,
    log_json: bool,
    as_json: bool,
) -> None:
    """Serve studies over HTTP, with pages for people.

    Options can also be set by environment variables: COACTOR_HOST for --host, and so on.
    """
    if not quiet:
        click.echo("Starting …", err=True)
    from coactor.web.app import create_app, server_config
    from coactor.web.ground import ADDRESS, Ground
    from coactor.web.webhooks import Webhook

    ground = Ground(tiles, attribution, backdrops)
    if host not in LOOPBACK and not allow_host:
        raise Invalid(f"Listening on {host} needs a host name to answer to; add --allow-host NAME.")
    for option, place in (("--webhook", webhook), ("--oidc", oidc)):
        if place is not None and not ADDRESS.fullmatch(place):
            raise Invalid(f"{option} is {place!r}; expected an address such as https://erp.example/done.")
    if solver is not None:
        plugins.load_class(solver, "solver")
    secret = None if webhook is None else variable("COACTOR_WEBHOOK_SECRET")
    start_logging(logging.WARNING if quiet else logging.INFO, log_json)
    with Store(url) as store, install_listener("numba:compile", Compiling()):
        demo = load_demo(store, with_demo)
        domains = dict(domain_of(text, store, solver, streets) for text in own)
        app = create_app(
            store,
            hosts=[*allow_host, host],
            secure=https,
            demo=demo,
            ground=ground,
            domains=domains,
            body_limit=body_limit * 2**20,
            provider=None if oidc is None else provider_of(oidc),
        )
        app.state.studies.patience = PATIENCE
        with listening(host, port, share_port) as listener, ExitStack() as more:
            if workers:
                app.state.studies.processes = more.enter_context(closing(Processes(workers)))
            sockets = [listener]
            if own_port is not None:
                sockets.append(more.enter_context(listening(host, own_port, False)))
            address = public_address(allow_host[0] if allow_host else host, listener.getsockname()[1], https)
            link = f"{address}/login?code={Accounts(store).login_link()}"
            show(
                {
                    "address": address,
                    "own_port": sockets[-1].getsockname()[1],
                    "login": link,
                    "store": store.url,
                },
                f"Serving {store.url} at {address}\nLog in once, within the hour: {link}",
                as_json,
            )
            sys.setswitchinterval(0.0005)  # what computes in threads gives way to the event loop sooner
            server = uvicorn.Server(server_config(app))
            # uvicorn would raise the signal again after it has stopped, and the process would end by it.
            server.capture_signals = lambda: stopping(server, app.state.studies.streams.stop)  # type: ignore[method-assign]
            # In the background, so that no request waits for a checkpoint, and none for a solver.
            more.enter_context(repeating(store.tidy, CHECKPOINT_SECONDS))
            if webhook is not None and secret is not None:
                more.enter_context(repeating(Webhook(store, webhook, secret).deliver, DELIVERY_SECONDS))
            if renew_ahead:
                more.enter_context(repeating(app.state.studies.renew_ahead, RENEWAL_SECONDS))
            if demo is not None and with_demo:  # a Ctrl-C does not wait for a compiler
                threading.Thread(target=demo.fill_demo_queues, args=(store,), daemon=True).start()
            server.run(sockets=sockets)


def variable(name: str) -> str:
    """The value of an environment variable, such as a secret. Raises Invalid if it is not set."""
    value = os.environ.get(name, "")
    if not value:
        raise Invalid(f"The variable {name} is not set.")
    return value


def provider_of(issuer: str) -> Provider:
    """The identity provider at an address."""
    from coactor.web.auth.oidc import Provider

    return Provider(issuer, variable("COACTOR_OIDC_CLIENT"), variable("COACTOR_OIDC_SECRET"))


class Compiling(Listener):
    """Says once that code is compiled: where nothing is cached yet, that takes longer than what is asked."""

    def __init__(self) -> None:
        self.said = False

    def on_start(self, event: Event) -> None:
        if not self.said:
            self.said = True
            click.echo("Compiling for this machine, once …", err=True)

    def on_end(self, event: Event) -> None:
        pass


def public_address(host: str, port: int, secure: bool) -> str:
    """Where people find the pages: with https at the proxy, whose port is that of https, not ours."""
    name = f"[{host}]" if ":" in host else host
    return f"https://{name}" if secure else f"http://{name}:{port}"


@contextmanager
def stopping(server: uvicorn.Server, end_streams: Callable[[], None]) -> Iterator[None]:
    """Let SIGTERM and SIGINT end the server after the running requests; the command then ends with 0."""

    def handle(number: int, frame: FrameType | None) -> None:
        end_streams()
        server.handle_exit(number, frame)

    before = {number: signal.signal(number, handle) for number in (signal.SIGTERM, signal.SIGINT)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def domain_of(text: str, store: Store, solver: str | None, streets: str | None = None) -> tuple[str, Domain]:
    """The study that an option names and its domain. A new study is created, with this solver."""
    study, equals, place = text.partition("=")
    if not equals:
        raise Invalid(f"--study is {text!r}; expected NAME=FILE.py:DOMAIN, such as ward=roster.py:roster.")
    settings: Settings = {} if solver is None else {"solver": solver}
    if place.endswith(".csv"):
        return study, _learned_study(store, study, place, streets, settings)
    domain: Domain = plugins.load_domain(place, {})
    open_study(store, study, domain, create=True, settings=settings).close()
    return study, domain


def _learned_study(store: Store, study: str, place: str, streets: str | None, settings: Settings) -> Domain:
    """The domain of past routes. A study that is new learns from them and asks for the last day."""
    from coactor.archives import open_archive
    from coactor.archives.learning import learn_archive

    archive = noted(lambda: open_archive(place, streets=streets))
    with store.reading() as sql:
        new = all(head.name != study for head in sql.studies())
    if new:
        click.echo(f"Learning from {archive.size} days …", err=True)
        start = learn_archive(archive)[0]
        with open_study(store, study, archive.domain, create=True, start=start, settings=settings) as one:
            one.ask(archive.cases[-1].problem)
    else:
        open_study(store, study, archive.domain, settings=settings).close()
    domain: Domain = archive.domain
    return domain


def load_demo(store: Store, create: bool) -> ModuleType | None:
    """Import the demo if its studies are to be created or exist already."""
    with store.reading() as sql:
        if not create and not any(head.name.startswith(DEMO_PREFIX) for head in sql.studies()):
            return None
    from coactor.web import demo

    if create:
        demo.create_demo_studies(store, fill_queues=False)
    return demo


@contextmanager
def listening(host: str, port: int, shared: bool) -> Iterator[socket.socket]:
    """Listen on an address. Raises Invalid if it is in use."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    # With IPPROTO_TCP, because asyncio disables Nagle's algorithm only for such sockets.
    with socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP) as listener:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        if shared:
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
        try:
            listener.bind((host, port))
        except OSError as error:
            if error.errno == errno.EADDRINUSE:
                raise Invalid(f"Port {port} is in use; choose another one with --port.") from error
            raise Invalid(f"Cannot listen on {host}: {error.strerror}.") from error
        listener.listen(128)  # before the address is printed, so that clients may connect at once
        yield listener


@contextmanager
def repeating(work: Callable[[], None], seconds: float) -> Iterator[None]:
    """Do something again and again in the background."""
    stop = threading.Event()

    def run() -> None:
        while not stop.wait(seconds):
            try:
                work()
            except Exception as error:  # requests report it too; the thread must go on
                logging.getLogger("coactor.web").warning("%s", error)

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    try:
        yield
    finally:
        stop.set()
        thread.join()
