"""The second visit: next to nothing is fetched again, and after an upgrade everything that changed is."""

from __future__ import annotations

import shutil

import pytest

from coactor.web.assets import FOLDER, Assets

pytestmark = pytest.mark.browser

PATHS = ("/", "/s/try-tour", "/s/try-tour/report", "/s/try-tour/p/1", "/s/try-ranking/p/1")


def fetched(site, page, path) -> dict[str, float]:
    """Bytes that came over the wire for each file of a page that is opened."""
    found: dict[str, float] = {}

    def count(message) -> None:
        # Encoded data length is 0 for what the browser had already.
        if message["requestId"] in names:
            found[names[message["requestId"]]] = message["encodedDataLength"]

    names: dict[str, str] = {}
    wire = page.context.new_cdp_session(page)
    wire.on("Network.requestWillBeSent", lambda m: names.update({m["requestId"]: m["request"]["url"]}))
    wire.on("Network.loadingFinished", count)
    wire.send("Network.enable")
    site.open(page, path)
    page.wait_for_load_state("networkidle")
    wire.detach()
    return {url.rpartition("/")[2]: size for url, size in found.items() if "/static/" in url}


def test_the_second_open_fetches_no_file_again(site):
    page = site.log_in()
    for path in PATHS:
        first = fetched(site, page, path)
        again = fetched(site, page, path)
        assert set(again) <= set(first)
        assert sum(again.values()) == 0, again
    assert fetched(site, page, "/s/try-steps/p/1")["steps.js"] > 0  # what was never seen does come


def test_an_upgrade_is_seen_at_once(site, tmp_path, monkeypatch):
    page = site.log_in()
    site.open(page, "/s/try-tour")
    folder = tmp_path / "static"
    shutil.copytree(FOLDER, folder)
    script = folder / "pages" / "queue.js"
    script.write_text(script.read_text() + '\ndocument.body.dataset.upgraded = "yes";\n')
    assets = next(route.app for route in site.app.routes if getattr(route, "name", "") == "static")
    for name, value in vars(Assets(folder)).items():  # as if another version had been installed here
        monkeypatch.setattr(assets, name, value)
    site.open(page, "/s/try-tour")
    page.locator('body[data-upgraded="yes"]').wait_for()
