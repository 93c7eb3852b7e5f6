"""A real browser on a real server, both on this machine, with nothing else in reach."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest

from coactor.studies import Store, Study, opening
from coactor.studies.accounts import Accounts
from coactor.web import demo
from coactor.web.app import create_app
from tests.web.conftest import serving

CHROMIUM = shutil.which("chromium") or shutil.which("google-chrome")
ARGS = [
    "--headless=new",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
]
PATIENCE = 10_000  # milliseconds to wait for a condition before giving up


@dataclass
class Diary:
    """What went wrong in a page, and where it wanted to go."""

    errors: list[str] = field(default_factory=list)
    dialogs: list[str] = field(default_factory=list)
    addresses: list[str] = field(default_factory=list)

    def watch(self, page: Any) -> None:
        page.on("console", lambda said: self.errors.append(said.text) if said.type == "error" else None)
        page.on("pageerror", lambda error: self.errors.append(str(error)))
        page.on("request", lambda request: self.addresses.append(request.url))
        page.on("dialog", self._dialog)

    def _dialog(self, dialog: Any) -> None:
        self.dialogs.append(dialog.message)
        dialog.dismiss()


class House:
    """A server with studies to try, and as many people at browsers as a test wants."""

    def __init__(self, store: Store, address: str, browser: Any, app: Any) -> None:
        self.store, self.address, self.browser, self.app = store, address, browser, app
        self.accounts = Accounts(store)
        self.diary = Diary()
        self._contexts: list[Any] = []

    def visit(self, name: str = "admin", role: str = "admin", **how: Any) -> Any:
        """A logged-in page of somebody."""
        context = self.browser.new_context(**{"viewport": {"width": 1280, "height": 900}, **how})
        context.set_default_timeout(PATIENCE)
        self._contexts.append(context)
        page = context.new_page()
        self.diary.watch(page)
        page.goto(f"{self.address}/login?code={self.accounts.login_link(name, role)}")
        return page

    def open(self, page: Any, path: str) -> Any:
        """Go somewhere, and wait until the page has filled itself."""
        page.goto(self.address + path)
        page.locator(READY[path.count("/")]).first.wait_for()
        return page

    def study(self, name: str) -> Study:
        return Study(self.store, name)

    def close(self) -> None:
        for context in self._contexts:
            context.close()


# What a page shows once it is filled: by the depth of its path.
READY = {1: ".cards, .card", 2: ".figures dd", 3: ".log li", 4: "body[data-revision], #lesson"}


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    if CHROMIUM is None:
        pytest.skip("There is no Chromium here; get one with: apt-get install chromium")
    playwright = pytest.importorskip("playwright.sync_api", reason="pip install playwright brings the driver")
    with playwright.sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=CHROMIUM, args=ARGS)
        yield browser
        browser.close()


@pytest.fixture
def house(tmp_path: Path, browser: Any, monkeypatch: pytest.MonkeyPatch) -> Iterator[House]:
    """A house of one's own; whoever forgets to look at an error in the console is reminded."""
    # Studies draw their problems from their identity: the same problems in every run.
    monkeypatch.setattr(opening.uuid, "uuid4", lambda: UUID(int=2014 << 100))
    with Store(f"sqlite:///{tmp_path}/desk.db") as store:
        demo.create_demo_studies(store)
        app = create_app(store, demo=demo)
        with serving(app) as address:
            made = House(store, address, browser, app)
            yield made
            made.close()
    assert made.diary.errors == []
    assert made.diary.dialogs == []
    assert all(url.startswith(address) for url in made.diary.addresses)


@pytest.fixture
def revision() -> Callable[[Any, int], None]:
    """Wait until a page shows a revision of its draft."""

    def wait(page: Any, number: int) -> None:
        page.locator(f'body[data-revision="{number}"]').wait_for(state="attached")

    return wait
