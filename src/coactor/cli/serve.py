"""``coactor serve``: serve a store over HTTP."""

from __future__ import annotations

import errno
import logging
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import click

from coactor import plugins
from coactor.cli.options import json_option, store_option
from coactor.cli.study import opened, report_study_errors, show
from coactor.studies.accounts import Accounts
from coactor.studies.errors import Invalid, Unavailable
from coactor.studies.log.store import Store
from coactor.studies.opening import open_study

if TYPE_CHECKING:
    from coactor.protocol import Domain
    from coactor.web.app import Demo

LOOPBACK = ("127.0.0.1", "localhost", "::1")
CHECKPOINT_SECONDS = 0.5
DEMO_PREFIX = "try-"  # of the names of demo studies


@click.command()
@store_option
@click.option("--host", default="127.0.0.1", show_default=True, help="Address to listen on.")
@click.option(
    "--port",
    default=8765,
    show_default=True,
    type=click.IntRange(0, 65535),
    help="Port to listen on; 0 chooses a free one.",
)
@click.option(
    "--allow-host", "hosts", multiple=True, help="Host name the server answers to, besides localhost."
)
@click.option("--https", "secure", is_flag=True, help="A proxy in front serves the pages over https.")
@click.option("--try", "with_demo", is_flag=True, help="Create demo studies in the store.")
@click.option(
    "--study",
    "own",
    multiple=True,
    metavar="NAME=FILE.py:DOMAIN",
    help="Serve this study with a domain from a file, and create it if there is none.",
)
@click.option(
    "--share-port", "shared", is_flag=True, help="Let several servers listen on this port, one per core."
)
@click.option(
    "--tiles", default="", metavar="URL", help="Draw maps on tiles: an address with {z}, {x} and {y}."
)
@click.option("--attribution", default="", help="The text that the provider of the tiles asks for.")
@click.option(
    "--backdrops",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="Folder with STUDY.geojson: draw the maps of a study on it.",
)
@click.option("--quiet", is_flag=True, help="Do not log requests.")
@json_option
@report_study_errors
def serve(
    url: str,
    host: str,
    port: int,
    hosts: tuple[str, ...],
    secure: bool,
    with_demo: bool,
    own: tuple[str, ...],
    shared: bool,
    tiles: str,
    attribution: str,
    backdrops: Path | None,
    quiet: bool,
    as_json: bool,
) -> None:
    """Serve studies over HTTP, with pages for people."""
    try:
        import uvicorn
    except ImportError as error:  # pragma: no cover
        raise Invalid("Serving needs uvicorn; install it with: pip install 'coactor[serve]'") from error
    if not quiet:
        click.echo("Starting …", err=True)
    from coactor.web.app import create_app
    from coactor.web.ground import Ground

    ground = Ground(tiles, attribution, backdrops)
    if host not in LOOPBACK and not hosts:
        raise Invalid(f"Listening on {host} needs a host name to answer to; add --allow-host NAME.")
    logging.basicConfig(
        level=logging.WARNING if quiet else logging.INFO, format="%(asctime)s %(name)s %(message)s"
    )
    with opened(url) as store:
        demo = load_demo(store, with_demo)
        domains = dict(domain_of(text, store) for text in own)
        app = create_app(
            store, hosts=[*hosts, host], secure=secure, demo=demo, ground=ground, domains=domains
        )
        with listening(host, port, shared) as listener:
            name = hosts[0] if hosts else f"[{host}]" if ":" in host else host
            address = f"{'https' if secure else 'http'}://{name}:{listener.getsockname()[1]}"
            link = f"{address}/login?code={Accounts(store).login_link()}"
            show(
                {"address": address, "login": link, "store": store.url},
                as_json,
                lambda a: f"Serving {a['store']} at {a['address']}\nLog in once, within the hour: {link}",
            )
            # Without uvicorn's access log: it would record the one-time code of the link.
            config = uvicorn.Config(
                app, access_log=False, log_level="warning", server_header=False, limit_concurrency=500
            )
            with checkpoints(store), preparing(demo, store, quiet):
                uvicorn.Server(config).run(sockets=[listener])


def domain_of(text: str, store: Store) -> tuple[str, Domain]:
    """The study that an option names and its domain. Creates the study if there is none."""
    study, equals, place = text.partition("=")
    if not equals:
        raise Invalid(f"--study is {text!r}; expected NAME=FILE.py:DOMAIN, such as ward=roster.py:roster.")
    try:
        thing = plugins.load(place)[1]
    except ValueError as error:
        raise Invalid(str(error)) from error
    domain: Domain = thing() if isinstance(thing, type) else thing
    open_study(store, study, domain, create=True).close()
    return study, domain


def load_demo(store: Store, create: bool) -> Demo | None:
    """Import the demo if its studies are to be created or exist already."""
    with store.reading() as sql:
        if not create and not any(head.name.startswith(DEMO_PREFIX) for head in sql.studies()):
            return None
    from coactor.web import demo

    if create:
        demo.create_demo_studies(store, fill_queues=False)
    return demo


@contextmanager
def preparing(demo: Demo | None, store: Store, quiet: bool) -> Iterator[None]:
    """Ask for the first proposals of the demo studies in the background: their solvers must be compiled."""
    stop = threading.Event()

    def run() -> None:
        count = 0
        for title in [] if demo is None else demo.fill_demo_queues(store):
            count += 1
            if stop.is_set():
                return
            if not quiet:
                click.echo(f"Preparing “{title}” …", err=True)
        if count and not quiet:
            click.echo("All examples are ready.", err=True)

    thread = threading.Thread(target=run, daemon=True)  # a Ctrl-C does not wait for a compiler
    thread.start()
    try:
        yield
    finally:
        stop.set()


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
            raise
        listener.listen(128)  # before the address is printed, so that clients may connect at once
        yield listener


@contextmanager
def checkpoints(store: Store, seconds: float = CHECKPOINT_SECONDS) -> Iterator[None]:
    """Checkpoint the store in the background, so that no request has to wait for it."""
    stop = threading.Event()

    def run() -> None:
        while not stop.wait(seconds):
            try:
                store.tidy()
            except Unavailable as error:  # requests report a full disk; the thread must go on
                logging.getLogger("coactor.web").warning("%s", error)

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    try:
        yield
    finally:
        stop.set()
        thread.join()
