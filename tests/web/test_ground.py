from __future__ import annotations

import httpx
import pytest

from coactor.studies import Invalid
from coactor.web.app import create_app
from coactor.web.ground import Ground
from tests.web.conftest import serving

TILES = "https://tiles.example/{z}/{x}/{y}.png"


def test_images_of_other_hosts_are_refused_but_for_the_tiles(server, store):
    with serving(create_app(store, ground=Ground(TILES, "© Example"))) as address:
        policy = httpx.get(f"{address}/login", timeout=30).headers["content-security-policy"]
    assert "img-src 'self' data: https://tiles.example;" in policy
    plain = server.client().get("/login").headers["content-security-policy"]
    assert "tiles.example" not in plain
    assert policy.replace(" https://tiles.example", "") == plain


@pytest.mark.parametrize(
    ("tiles", "attribution", "wrong"),
    [
        ("tiles/{z}/{x}/{y}", "x", "https://"),
        ("https://a.example;script-src/{z}/{x}/{y}", "x", "https://"),
        ("https://a.example/{z}/{x}", "x", "{y}"),
        (TILES, " ", "--attribution"),
    ],
)
def test_ground_refuses_addresses_that_are_not_tiles(tiles, attribution, wrong):
    with pytest.raises(Invalid, match=wrong.replace("{", "\\{").replace("}", "\\}")):
        Ground(tiles, attribution)


def test_backdrop_is_read_by_those_who_see_the_study(server, store, tmp_path):
    (tmp_path / "tours.geojson").write_text('{"type": "FeatureCollection", "features": []}')
    with serving(create_app(store, ground=Ground(folder=tmp_path))) as address:
        reader, stranger = server.client("solver"), server.client("expert", study="other", name="bo")
        reader.base_url = stranger.base_url = address
        answer = reader.get("/api/studies/tours/backdrop")
        assert (answer.json()["type"], answer.headers["content-type"]) == (
            "FeatureCollection",
            "application/geo+json",
        )
        assert stranger.get("/api/studies/tours/backdrop").status_code in (403, 404)
    assert server.client("solver").get("/api/studies/tours/backdrop").status_code == 404
