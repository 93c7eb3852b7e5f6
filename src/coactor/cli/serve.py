"""``coactor serve``: a store on an address, loopback unless told otherwise."""

from __future__ import annotations

import logging
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager

import click

from coactor.cli.options import json_option, store_option
from coactor.cli.study import in_words, opened, show
from coactor.studies.accounts import Accounts
from coactor.studies.errors import Invalid, Unavailable
from coactor.studies.log.store import Store

LOOPBACK = ("127.0.0.1", "localhost", "::1")


@click.command()
@store_option
@click.option("--host", default="127.0.0.1", show_default=True, help="The address to listen on.")
@click.option(
    "--port", default=8765, show_default=True, type=click.IntRange(0, 65535), help="0 takes a free one."
)
@click.option(
    "--allow-host", "hosts", multiple=True, help="A name this server answers to, besides localhost."
)
@click.option("--https", "secure", is_flag=True, help="Pages come over https (from a proxy in front).")
@click.option("--try", "try_it", is_flag=True, help="Put studies into the store, to try it out.")
@click.option(
    "--share-port", "shared", is_flag=True, help="Several servers may listen on this port: one per core."
)
@click.option("--quiet", is_flag=True, help="No line per request.")
@json_option
@in_words
def serve(
    url: str,
    host: str,
    port: int,
    hosts: tuple[str, ...],
    secure: bool,
    try_it: bool,
    shared: bool,
    quiet: bool,
    as_json: bool,
) -> None:
    """Serve studies over HTTP."""
    try:
        import uvicorn
    except ImportError as error:  # pragma: no cover - said to whoever installed the core alone
        raise Invalid("Serving needs uvicorn; install it with: pip install 'coactor[serve]'") from error
    from coactor.web.app import create_app
    from coactor.web.demo.studies import add_trials

    if host not in LOOPBACK and not hosts:
        raise Invalid(f"Listening on {host} needs a name to answer to; add --allow-host NAME.")
    logging.basicConfig(
        level=logging.WARNING if quiet else logging.INFO, format="%(asctime)s %(name)s %(message)s"
    )
    with opened(url) as store:
        if try_it:
            add_trials(store)
        app = create_app(store, hosts=[*hosts, host], secure=secure)
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        # Named TCP, so that asyncio turns Nagle's delay off: it looks at the number given here.
        with socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP) as listener:
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            if shared:
                listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
            listener.bind((host, port))
            listener.listen(128)  # before the address is printed: whoever reads it may come at once
            name = f"[{host}]" if ":" in host else host
            address = (
                f"{'https' if secure else 'http'}://{hosts[0] if hosts else name}:{listener.getsockname()[1]}"
            )
            link = f"{address}/login?code={Accounts(store).login_link()}"
            show(
                {"address": address, "login": link, "store": store.url},
                as_json,
                lambda a: f"Serving {a['store']} at {a['address']}\nOpen this once, within the hour: {link}",
            )
            # No access log of uvicorn's: it would write the one-time code of the link into a file.
            config = uvicorn.Config(
                app, access_log=False, log_level="warning", server_header=False, limit_concurrency=500
            )
            with kept_tidy(store):
                uvicorn.Server(config).run(sockets=[listener])


@contextmanager
def kept_tidy(store: Store, every: float = 0.5) -> Iterator[None]:
    """Tidy the store up in the background, so that no request has to wait for it."""
    stop = threading.Event()

    def run() -> None:
        while not stop.wait(every):
            try:
                store.tidy()
            except Unavailable as error:  # a full disk shows in the requests; here it must not end the thread
                logging.getLogger("coactor.web").warning("%s", error)

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    try:
        yield
    finally:
        stop.set()
        thread.join()
