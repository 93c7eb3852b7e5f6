"""A dispatcher's morning with promised times: by mouse, by keys and by finger."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from coactor.domains import Day, Plans, Shifts, Visits
from coactor.studies import open_study
from coactor.web.auth.permissions import PERMISSIONS
from tests.page.actions import Finger, centre, console_errors, drag, drag_seeing, press
from tests.page.test_access import looked_at, with_axe

pytestmark = pytest.mark.browser

PHONE = {"viewport": {"width": 390, "height": 844}, "has_touch": True}
PLACES = np.array([[5.0, 5], [2, 8], [8, 8], [8, 2], [2, 2]])
PATH = "/s/morning/p/1"


@pytest.fixture
def morning(site: Any) -> Any:
    """Two vans that leave at 8; stop "Early" must be reached by 8:30, and "Lane" lies beside it."""
    km = np.hypot(*(PLACES[:, None] - PLACES).transpose(2, 0, 1))
    visits = Visits(service=[0, 20, 20, 20, 20], windows=[None, None, [(480, 510)], None, [(600, 660)]])
    shifts = Shifts(hours=[(480, 720), (480, 600)])
    stops = ["Depot", "Lane", "Early", "Mill", "Noon"]
    more = {"minutes": 3 * km, "visits": visits, "shifts": shifts}
    day = Day.of(km, [0, 1, 1, 1, 1], [4, 2], stops, PLACES, ["Ida", "Jo"], **more)  # type: ignore[arg-type]
    domain = Plans(1, names=["distance (km)"])
    with open_study(site.store, "morning", domain, "default", create=True) as study:
        study.ask(day, solution=[[2, 3, 4], [1]])
        study.ask(day, solution=[[2, 3, 4], [1]])
    return study


def test_morning_by_mouse_and_keys(site, revision, morning):
    page = site.open(site.log_in(viewport={"width": 1280, "height": 1000}), PATH)
    listed = page.locator(".lists .stop")
    assert listed.locator(".at").all_inner_texts() == ["8:30", "9:08", "9:46", "8:13"]
    assert listed.nth(3).locator(".remark").inner_text() == "waits 14 min"
    assert page.locator(".timebar .service").count() == 4
    assert page.locator(".timebar .shift").count() == 2
    assert page.locator(".times").first.inner_text().split() == ["8:00", "12:00"]  # the later shift ends
    dots = page.locator(".stops .stop")
    lane, early = page.locator('.stops [data-stop="1"]'), page.locator('.stops [data-stop="2"]')
    depot = centre(page.locator(".stops .depot"))
    drag(page, lane, ((depot[0] + centre(early)[0]) / 2, (depot[1] + centre(early)[1]) / 2), drop=False)
    hint = page.locator(".consequence")
    hint.get_by_text("Early would be reached at 8:51, 21 min late.").wait_for()
    assert "Ida 4 of 4 · 26.5 km · 21 min late" in hint.inner_text()
    assert "Jo 0 of 2 · 0 km" in hint.inner_text()
    assert abs(centre(hint)[1] - depot[1]) > 100  # away from the hand
    page.mouse.up()
    revision(page, 1)
    assert site.moves("morning") == [{"op": "move", "args": [1, 1, 0, 0], "anyway": "seen on the page"}]
    assert not hint.is_visible()
    assert page.locator(".labels text").all_text_contents() == ["Lane, 8:13"]  # not what was there before
    late = page.locator(".lists .stop", has_text="Early")
    assert late.locator(".over").all_inner_texts() == ["8:51", "21 min late"]
    assert early.get_attribute("class").split()[-1] == "late"
    assert page.locator(".timebar .late").count() == 1
    assert "Early would be reached at 8:51, 21 min late." in page.locator("#warning").inner_text()
    assert looked_at(with_axe(page), "a late stop", [(1280, "light"), (390, "dark")]) == []
    page.set_viewport_size({"width": 1280, "height": 1000})
    page.locator("#submit[data-armed]").wait_for()
    press(page, "Enter")  # asked once
    page.locator("#message", has_text="Submit anyway? Press Enter again.").wait_for()
    assert morning.summary()["told"] == 0
    press(page, "Control+z")
    revision(page, 2)
    assert page.locator(".stops .late").count() == 0

    page.locator(".lists .stop", has_text="Lane").focus()  # the same by keys alone
    press(page, "Space", *["ArrowUp"] * 5)
    hint.get_by_text("21 min late.").wait_for()
    press(page, "Escape")
    hint.wait_for(state="hidden")
    page.locator(".lists .stop", has_text="Mill").focus()
    press(page, "Space", "ArrowDown", "s")
    revision(page, 3)
    assert site.moves("morning")[-1] == {"op": "swap", "args": [0, 2, 0, 3]}
    assert dots.count() == 5
    page.locator("#submit[data-armed]").wait_for()
    press(page, "Enter")
    page.wait_for_url("**/s/morning/p/2")
    assert morning.summary()["told"] == 1
    drag_seeing(page, page.locator(".lists .stop").nth(2), page.locator(".lists .stop").nth(3))
    revision(page, 1)
    page.get_by_role("button", name="distance").click()
    page.locator(".lit path").first.wait_for(state="attached")
    assert page.locator(".lit path").count() == 6  # each edge that is driven


def test_without_the_permission_a_rule_is_not_broken(site, morning, monkeypatch):
    monkeypatch.setitem(PERMISSIONS, "anyway", ("lead", "admin"))
    page = site.open(site.log_in("ana", "expert", viewport={"width": 1280, "height": 1000}), PATH)
    stops = page.locator(".lists .stop")
    with console_errors(site, "422"):
        drag_seeing(page, stops.nth(5), stops.nth(0))
        page.locator("#message", has_text="Early would be reached at 8:51, 21 min late. Your last").wait_for()
        assert page.get_by_role("button", name="Do it anyway").count() == 0
    assert site.moves("morning") == []


def test_morning_by_finger(site, revision, morning):
    page = site.open(site.log_in(**PHONE), PATH)
    finger = Finger(page)
    goal = centre(page.locator('.stops [data-stop="3"]'))
    finger.slide(page.locator('.stops [data-stop="1"]'), goal)
    hint = page.locator(".consequence")
    hint.get_by_text("Ida").wait_for()
    box = hint.bounding_box()
    assert box["x"] >= 0
    assert box["x"] + box["width"] <= 390
    assert box["y"] + box["height"] < goal[1] or box["y"] > goal[1]  # the finger covers nothing of it
    finger.send("touchEnd")
    revision(page, 1)
    assert site.moves("morning") == [{"op": "move", "args": [1, 1, 0, 2]}]
