"""Static files are cached by browsers and never outdated."""

from __future__ import annotations

import re

import pytest

from coactor.web.assets import FOLDER, FOREVER, Assets
from tests.web.conftest import BROWSER


@pytest.fixture
def login_page(shared_server):
    """The log-in page, which names its files as every page does."""
    return shared_server.client(**BROWSER).get("/login").text


def test_files_of_a_page_may_be_cached_for_ever(shared_server, login_page):
    client = shared_server.client()
    addresses = set(re.findall(r'(?:href|src)="(/static/[^"]+)"', login_page))
    assert len(addresses) >= 2
    for address in addresses:
        answer = client.get(address)
        assert (answer.status_code, answer.headers["cache-control"]) == (200, FOREVER)
        assert answer.headers["etag"]
        assert answer.content == (FOLDER / re.sub("^/static/v[0-9a-f]{16}/", "", address)).read_bytes()


def test_pages_and_api_responses_are_not_stored(shared_server):
    client = shared_server.client("admin")
    for path in ("/", "/s/tours", "/s/tours/report", "/api/studies", "/api/openapi.json", "/login"):
        assert client.get(path).headers["cache-control"] == "no-store", path


def test_stale_hash_is_served_but_not_stored(shared_server, login_page):
    """A page of yesterday, or of a newer server next door, must not be stuck with what it gets here."""
    client = shared_server.client()
    current = re.search(r"/static/v([0-9a-f]{16})/", login_page).group(1)
    other = client.get(f"/static/v{'0' * 16}/app/api.js")
    assert (other.status_code, other.headers["cache-control"]) == (200, "no-store")
    assert client.get(f"/static/v{current}/nothing.js").status_code == 404
    assert "immutable" not in client.get(f"/static/v{current}/nothing.js").headers["cache-control"]
    for path in (
        f"/static/v{current}/..%2fapp.py",
        f"/static/v{current}/%2e%2e/%2e%2e/app.py",
        f"/static/v{current}/",
    ):
        assert client.get(path).status_code == 404, path


def test_file_without_hash_is_revalidated(shared_server):
    client = shared_server.client()
    first = client.get("/static/app/api.js")
    assert first.headers["cache-control"] == "no-cache"
    again = client.get("/static/app/api.js", headers={"If-None-Match": first.headers["etag"]})
    assert (again.status_code, again.content) == (304, b"")


def test_base_depends_on_the_content(tmp_path):
    stamps = []
    for name, text in (("one", "a"), ("two", "a"), ("three", "b")):
        folder = tmp_path / name
        folder.mkdir()
        (folder / "x.js").write_text(text)
        stamps.append(Assets(folder).base)
    assert stamps[0] == stamps[1] != stamps[2]
    assets = Assets(tmp_path / "one")
    before = assets.base
    (tmp_path / "one" / "x.js").write_text("changed while the server runs")
    assert assets.base != before
    (tmp_path / "one" / "y.js").write_text("a new file")
    assert assets.base not in (before, stamps[2])


def test_imports_lists_all_modules_of_a_page():
    assert set(Assets().imports("app/shell.js")) == {"app/elements.js"}
    assert set(Assets().imports("pages/editor.js", "editors/roads.js")) > {
        "app/api.js",
        "editors/roads/map.js",
    }
    for script in FOLDER.rglob("*.js"):
        for module in Assets().imports(script.relative_to(FOLDER).as_posix()):
            assert (FOLDER / module).is_file(), module
