"""Fixtures: a real browser on a real server, both on this machine."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from uuid import UUID

import numpy as np
import pytest

from coactor.studies import Store, Study, opening
from coactor.studies.accounts import Accounts
from coactor.web import demo
from coactor.web.app import create_app
from tests.web.conftest import serving

# Each window of Chromium prepares the suggestions of its address bar, two pages of its own: about a quarter
# of the processor time of a small test. The others are Playwright's own, but for those of Windows and Edge:
# only the last such option counts.
FEATURES = (
    "WebUIOmniboxPopup,WebUIOmniboxAimPopup,AimEnabled,AvoidCorsURLLoaderRestartOnRedirect,"
    "AvoidUnnecessaryBeforeUnloadCheckSync,DestroyProfileOnBrowserClose,HttpsFirstBalancedModeAutoEnable,"
    "HttpsUpgrades,LensOverlay,MediaRouter,NetworkTimeServiceQuerying,OptimizationHints,PaintHolding,"
    "PreconnectToSearch,ThirdPartyStoragePartitioning"
)
CHROMIUM = shutil.which("chromium") or shutil.which("google-chrome")
ARGS = [
    "--headless=new",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
    f"--disable-features={FEATURES}",
]
PATIENCE = 60_000  # milliseconds to wait for a condition before giving up; a first use may compile


@dataclass
class PageLog:
    """Console errors, dialogs and requested addresses of all pages of a test."""

    errors: list[str] = field(default_factory=list)
    dialogs: list[str] = field(default_factory=list)
    addresses: list[str] = field(default_factory=list)

    def watch(self, page: Any) -> None:
        page.on("console", lambda entry: self.errors.append(entry.text) if entry.type == "error" else None)
        page.on("pageerror", lambda error: self.errors.append(str(error)))
        page.on("request", lambda request: self.addresses.append(request.url))
        page.on("dialog", self._dialog)

    def _dialog(self, dialog: Any) -> None:
        self.dialogs.append(dialog.message)
        dialog.dismiss()


class Site:
    """A server with the demo studies, and as many logged-in browsers as a test needs."""

    def __init__(self, store: Store, address: str, browser: Any, app: Any) -> None:
        self.store, self.address, self.browser, self.app = store, address, browser, app
        self.accounts = Accounts(store)
        self.log = PageLog()
        self._contexts: list[Any] = []

    def new_context(self, **options: Any) -> Any:
        """Return a browser context that is closed after the test; an open page would poll until the end."""
        context = self.browser.new_context(**options)
        context.set_default_timeout(PATIENCE)
        self._contexts.append(context)
        return context

    def log_in(self, name: str = "admin", role: str = "admin", **options: Any) -> Any:
        """Return a page with a logged-in person; `options` are those of a browser context."""
        context = self.new_context(**{"viewport": {"width": 1280, "height": 900}, **options})
        context.request.get(f"{self.address}/login?code={self.accounts.login_link(name, role)}")  # the cookie
        page = context.new_page()
        self.log.watch(page)
        return page

    def open(self, page: Any, path: str) -> Any:
        """Open a path and wait until the page is filled."""
        page.goto(self.address + path)
        page.locator(READY[path.count("/")]).first.wait_for()
        return page

    def study(self, name: str) -> Study:
        return Study(self.store, name)

    def moves(self, study: str, id: int = 1) -> list[Any]:
        """Return the moves of a draft, as the server has them."""
        return self.study(study).desk().view(id).moves

    def close(self) -> None:
        """Close all browsers."""
        for context in self._contexts:
            context.close()
        self._contexts.clear()


# What a page shows once it is filled, by the depth of its path.
READY = {
    1: ".cards, .card",
    2: ".figures dd",
    3: '#content[aria-busy="false"]',
    4: "body[data-revision], #lesson",
}


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    if CHROMIUM is None or find_spec("playwright") is None:
        missing = pytest.fail if os.environ.get("CI") else pytest.skip
        missing("There is no browser here; get one with: apt-get install chromium; pip install playwright")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=CHROMIUM, args=ARGS)
        yield browser
        browser.close()


@contextmanager
def same_identity() -> Iterator[None]:
    """Demo studies draw their problems from their identity: the same problems in every run."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(opening, "uuid", SimpleNamespace(uuid4=lambda: UUID(int=2014 << 100)))
        yield


@pytest.fixture(scope="session")
def demo_store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a store of the demo studies, which each test copies."""
    folder = tmp_path_factory.mktemp("demo")
    plan = demo.studies.DEMOS["try-plan"]  # compiled here, else that takes the budget of the first ask
    plan.domain().solve(plan.problem(np.random.default_rng(0)), np.ones(8))
    with same_identity(), Store(f"sqlite:///{folder}/desk.db") as store:
        demo.create_demo_studies(store)
    return folder


@contextmanager
def demo_site(folder: Path, demo_store: Path, browser: Any) -> Iterator[Site]:
    """A server with a copy of the demo studies in a folder."""
    shutil.copytree(demo_store, folder, dirs_exist_ok=True)
    with same_identity(), Store(f"sqlite:///{folder}/desk.db") as store:
        app = create_app(store, demo=demo)
        with serving(app) as address:
            site = Site(store, address, browser, app)
            yield site
            site.close()


def check_log(site: Site) -> None:
    """Fail if a page has logged an error, opened a dialog or requested another host; forget what it did."""
    log, site.log = site.log, PageLog()
    assert log.errors == []
    assert log.dialogs == []
    assert all(url.startswith(site.address) for url in log.addresses)


@pytest.fixture
def site(tmp_path: Path, demo_store: Path, browser: Any) -> Iterator[Site]:
    """A server of its own. The test fails if a page logs an error or requests another host."""
    with demo_site(tmp_path, demo_store, browser) as site:
        yield site
    check_log(site)


@pytest.fixture
def revision() -> Callable[[Any, int], None]:
    """A function that waits until a page shows a revision of its draft."""

    def wait(page: Any, number: int) -> None:
        page.locator(f'body[data-revision="{number}"]').wait_for(state="attached")

    return wait
