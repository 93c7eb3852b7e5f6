"""Maps of real places: projected, on tiles or a backdrop, saved as GeoJSON and GPX."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from coactor.domains import Day, Plans
from coactor.studies import open_study
from coactor.web.app import create_app
from coactor.web.ground import Ground
from tests.web.conftest import serving

pytestmark = pytest.mark.browser

BERLIN = np.array([[13.40, 52.50], [13.42, 52.50], [13.42, 52.52], [13.40, 52.52], [13.41, 52.53]])
PIXEL = bytes.fromhex(
    "89504e470d0a1a0a0000000d49484452000000010000000108060000001f15c489"
    "0000000d49444154789c6360606060000000050001a5f645400000000049454e44ae426082"
)
RIVER = {
    "type": "Feature",
    "properties": {},
    "geometry": {"type": "LineString", "coordinates": [[13.39, 52.51], [13.43, 52.515]]},
}


def test_real_places_are_projected_drawn_on_their_ground_and_saved(site, tmp_path):
    length = np.hypot(*(BERLIN[:, None] - BERLIN[None]).transpose(2, 0, 1))
    day = Day.of(
        length[:, :, None], [0, 1, 1, 1, 1], [2, 2], coordinates=BERLIN, vehicles=["Van 7, Ana", "Van 9, Bo"]
    )
    with open_study(site.store, "berlin", Plans(1), "default", create=True) as study:
        study.ask(day)
    (tmp_path / "berlin.geojson").write_text(json.dumps(RIVER))
    ground = Ground("https://tiles.example/{z}/{x}/{y}.png", "© Example maps", tmp_path)
    with serving(create_app(site.store, ground=ground)) as address:
        context = site.new_context(viewport={"width": 1280, "height": 800})
        tiles: list[str] = []

        def answer(route):
            tiles.append(route.request.url)
            route.fulfill(body=PIXEL, content_type="image/png")

        context.route("https://tiles.example/**", answer)
        page = context.new_page()
        page.goto(f"{address}/login?code={site.accounts.login_link('ana', 'expert')}")
        page.goto(f"{address}/s/berlin/p/1")
        page.locator(".backdrop .shapes .line").wait_for(state="attached")
        page.locator(".backdrop image").first.wait_for(state="attached")
        assert page.locator(".attribution").inner_text() == "© Example maps"
        assert "Van 9, Bo" in page.locator(".lists").inner_text()
        boxes = [page.locator(".stops .stop").nth(k).bounding_box() for k in range(5)]
        xs, ys = ([box[axis] for box in boxes] for axis in "xy")
        # 0.02 degrees east are 61 % as long as 0.03 degrees north are, times two thirds.
        assert (max(xs) - min(xs)) / (max(ys) - min(ys)) == pytest.approx(0.609 * 2 / 3, abs=0.03)
        page.locator("#submit[data-armed]").click()
        page.wait_for_url("**/s/berlin")
        assert tiles
        page.goto(f"{address}/s/berlin/p/1")
        for kind, text in (("GeoJSON", '"FeatureCollection"'), ("GPX", "<name>Van 7, Ana</name>")):
            with page.expect_download() as download:
                page.get_by_role("button", name=kind, exact=True).click()
            assert text in Path(download.value.path()).read_text()
        context.close()
