"""Make the pictures of the page: a server with the demo studies, and a headless Chromium.

    python -m docs.screenshots

With the notebooks of examples/ in a JupyterLab. Needs the extras `serve` and `test`, and a Chromium.
"""

from __future__ import annotations

import shutil
import socket
import threading
from pathlib import Path
from tempfile import TemporaryDirectory

import uvicorn
from playwright.sync_api import Browser, Page, sync_playwright
from tests.page import test_notebooks as notebooks
from tests.page.actions import drag

from coactor.studies import Store, Study
from coactor.studies.accounts import Accounts
from coactor.web import demo
from coactor.web.app import create_app
from coactor.web.demo import studies

IMAGES = Path(__file__).parent / "images"
PICTURES = {  # name: address, what is there once the page is filled
    "editor": ("/s/try-plan/p/25", "body[data-revision]"),
    "roads": ("/s/try-roads/p/13", "body[data-revision]"),
    "report": ("/s/try-example/report", ".log li"),
}


def main() -> None:
    with TemporaryDirectory() as folder, Store(f"sqlite:///{folder}/demo.db") as store:
        demo.create_demo_studies(store)
        for name, rounds in (("try-plan", 24), ("try-roads", 12)):
            study = Study(store, name)
            studies.play(study, rounds, "ana")
            studies.fill(study, "ana")
        with socket.create_server(("127.0.0.1", 0)) as listener:
            server = uvicorn.Server(uvicorn.Config(create_app(store, demo=demo), log_level="warning"))
            thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
            thread.start()
            address = f"http://127.0.0.1:{listener.getsockname()[1]}"
            try:
                take(address, Accounts(store).login_link("ana", "lead"))
            finally:
                server.should_exit = True
                thread.join()


def take(address: str, code: str) -> None:
    chromium = shutil.which("chromium") or shutil.which("google-chrome")
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=chromium, args=["--no-sandbox", "--disable-gpu"])
        page = browser.new_page(viewport={"width": 1280, "height": 800})
        page.goto(f"{address}/login?code={code}")
        for name, (path, ready) in PICTURES.items():
            page.set_viewport_size({"width": 1280, "height": 1100 if name == "report" else 800})
            save(page, f"{address}{path}", ready, IMAGES / f"{name}.png")
        take_notebooks(browser)
        browser.close()


def take_notebooks(browser: Browser) -> None:
    """An edit in the middle, and a figure."""
    with (
        TemporaryDirectory() as folder,
        TemporaryDirectory() as own,
        notebooks.jupyter_lab(Path(folder), Path(own)) as lab,
    ):
        page = browser.new_page(viewport={"width": 1280, "height": 800})
        notebooks.run(notebooks.show(page, lab, "tours.ipynb"), 2)
        shown = notebooks.done(page, 1).locator("iframe[title=coactor]")
        shown.content_frame.locator("#submit[data-armed]").wait_for()
        shown.evaluate("frame => frame.scrollIntoView()")
        stops = shown.content_frame.locator(".stops .stop")
        stops.nth(2).hover()
        drag(page, stops.nth(2), stops.nth(5), drop=False)
        page.screenshot(path=IMAGES / "notebook-edit.png")
        page = browser.new_page(viewport={"width": 1280, "height": 800})
        notebooks.run(notebooks.show(page, lab, "choices.ipynb"), 7)
        notebooks.done(page, 4)
        notebooks.done(page, 2).locator("img").evaluate("image => image.scrollIntoView()")
        page.screenshot(path=IMAGES / "notebook-figure.png")


def save(page: Page, address: str, ready: str, file: Path) -> None:
    page.goto(address)
    page.locator(ready).first.wait_for()
    page.get_by_text("solving past problems again").wait_for(state="hidden", timeout=120_000)
    page.wait_for_load_state("networkidle")
    page.screenshot(path=file)
    print(file.name)


if __name__ == "__main__":
    main()
