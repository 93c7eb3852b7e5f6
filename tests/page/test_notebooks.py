"""The notebooks of examples/ in a real JupyterLab, and a person who edits tours in one of them."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.page.actions import drag
from tests.page.conftest import PATIENCE, PageLog

pytestmark = [pytest.mark.browser, pytest.mark.slow]

EXAMPLES = Path(__file__).parents[2] / "examples"
SETTINGS = "lab/user-settings/@jupyterlab/apputils-extension/notification.jupyterlab-settings"
QUIET = {"fetchNews": "false", "checkForUpdates": False}  # ask no other host for news


@contextmanager
def jupyter_lab(folder: Path, own: Path) -> Iterator[str]:
    """The address of a JupyterLab with copies of the examples in a folder; its own files are in another."""
    for file in EXAMPLES.glob("*.ipynb"):
        shutil.copy(file, folder)
    (own / SETTINGS).parent.mkdir(parents=True)
    (own / SETTINGS).write_text(json.dumps(QUIET))
    places = {f"JUPYTER_{name}_DIR": str(own) for name in ("CONFIG", "DATA", "RUNTIME")}
    command = [sys.executable, "-m", "jupyterlab", "--no-browser", "--port=0", "--allow-root"]
    with (own / "log").open("w") as log:
        server = subprocess.Popen(
            [*command, "--ip=127.0.0.1", "--IdentityProvider.token=t", f"--notebook-dir={folder}"],
            env={**os.environ, **places, "IPYTHONDIR": str(own), "MPLBACKEND": ""},
            stdout=log,
            stderr=log,
        )
        try:
            yield _address(server, own)
        finally:
            server.terminate()
            server.wait(30)


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    folder, own = tmp_path_factory.mktemp("notebooks"), tmp_path_factory.mktemp("jupyter")
    with jupyter_lab(folder, own) as address:
        yield address


def _address(server: subprocess.Popen[bytes], folder: Path) -> str:
    deadline = time.monotonic() + PATIENCE / 1000
    while time.monotonic() < deadline:
        assert server.poll() is None, (folder / "log").read_text()
        for file in folder.glob("jpserver-*.json"):
            if text := file.read_text():
                return str(json.loads(text)["url"])
        time.sleep(0.05)
    raise TimeoutError((folder / "log").read_text())


@pytest.fixture
def open_notebook(lab: str, browser: Any) -> Iterator[Any]:
    """A function that opens a notebook; no page may log an error or ask another host."""
    context, log = browser.new_context(viewport={"width": 1280, "height": 900}), PageLog()
    context.set_default_timeout(PATIENCE)

    def opened(name: str) -> Any:
        page = context.new_page()
        log.watch(page)
        return show(page, lab, name)

    yield opened
    context.close()
    assert [address for address in log.addresses if not address.startswith((lab, "blob:", "data:"))] == []
    assert log.errors == []


def show(page: Any, lab: str, name: str) -> Any:
    """Open a notebook of a JupyterLab and go to its first cell of code."""
    page.goto(f"{lab}lab/tree/{name}?token=t&reset")
    page.get_by_text("Python 3 (ipykernel) | Idle").wait_for()
    page.locator(".jp-CodeCell .cm-content").first.click()
    return page


def run(page: Any, cells: int) -> None:
    """Run so many cells from the active one on."""
    for _ in range(cells):
        page.keyboard.press("Shift+Enter")


def done(page: Any, number: int) -> Any:
    """Wait until a code cell has run without an error; return what it shows."""
    cell = page.locator(".jp-CodeCell").nth(number)
    cell.get_by_text(f"[{number + 1}]:", exact=True).first.wait_for()
    assert cell.locator('[data-mime-type="application/vnd.jupyter.stderr"]').all_inner_texts() == []
    return cell.locator(".jp-OutputArea-output").last


def test_notebook_goes_from_a_data_frame_to_a_figure(open_notebook: Any) -> None:
    page = open_notebook("choices.ipynb")
    run(page, 7)
    assert "minutes" in done(page, 4).inner_text()
    figure = done(page, 2).locator("img")
    figure.wait_for()
    assert figure.evaluate("image => image.naturalWidth") > 300
    assert "default" in done(page, 1).inner_text()


def test_a_person_edits_three_tours_in_a_notebook(open_notebook: Any) -> None:
    page = open_notebook("tours.ipynb")
    run(page, 1)
    assert done(page, 0).locator("svg circle").count() == 9
    for day in range(3):
        run(page, 1)
        shown = done(page, 1 + day).locator("iframe[title=coactor]")
        frame = shown.content_frame
        frame.locator("#submit[data-armed]").wait_for()
        assert not frame.locator("header nav").is_visible()
        shown.evaluate("frame => frame.scrollIntoView()")
        stops = frame.locator(".stops .stop")
        stops.nth(2).hover()  # as soon as it no longer moves
        drag(page, stops.nth(2), stops.nth(5))
        frame.locator(".effort strong", has_text="1").wait_for()
        frame.locator("#submit[data-armed]:not([disabled])").click()
        frame.locator("#lesson").wait_for()  # the same proposal, with what was learned from it
        assert frame.locator(".panels, .side").get_by_text("1 edit").first.is_visible()
        page.locator(".jp-CodeCell").nth(2 + day).locator(".cm-content").click()
    run(page, 3)
    assert "3 told" in done(page, 4).inner_text()
    table = done(page, 5)
    assert table.locator("tbody tr").count() == 3
    done(page, 6).locator("img").wait_for()
