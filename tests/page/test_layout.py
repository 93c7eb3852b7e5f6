"""The editor's window: the map first, the status line always in view, one overload named in the bar."""

from __future__ import annotations

import pytest

from tests.page.actions import console_errors

pytestmark = pytest.mark.browser


@pytest.mark.parametrize(("width", "height", "share"), [(1280, 800, 0.6), (1920, 1080, 0.7)])
def test_map_takes_the_window(site, width, height, share):
    page = site.open(site.log_in(viewport={"width": width, "height": height}), "/s/try-plan/p/1")
    box = page.locator(".map").bounding_box()
    header, bar = page.locator(".top").bounding_box(), page.locator(".bar[role=group]").bounding_box()
    assert box["width"] >= share * width
    assert header["height"] <= 52
    assert abs(box["y"] - header["height"]) < 2
    assert abs(box["y"] + box["height"] - bar["y"]) < 2
    assert abs(bar["y"] + bar["height"] - height) < 2


def test_overload_is_named_in_the_bar(site, revision):
    page = site.open(site.log_in(), "/s/try-plan/p/1")
    assert page.locator("#warning").inner_text() == ""
    for number in range(1, 4):
        page.locator(".route").nth(0).locator(".stop").nth(1).click()
        page.locator(".route").nth(1).locator(".stop").nth(1).click()
        page.keyboard.press("m")
        revision(page, number)
    assert "Route B over by" in page.locator("#warning").inner_text()


def test_status_is_in_view_and_true_when_the_server_is_gone(site):
    page = site.open(site.log_in(viewport={"width": 1280, "height": 420}), "/s/try-ranking/p/1")
    with console_errors(site, "ERR_INTERNET_DISCONNECTED"):
        page.locator(".ranking li").nth(9).scroll_into_view_if_needed()
        page.context.set_offline(True)
        page.locator(".ranking li").nth(8).get_by_role("button", name="up").click()
        page.locator("#message", has_text="1 edit is not saved yet").wait_for()
        box = page.locator("#message").bounding_box()
        assert 0 <= box["y"] < 420
        page.context.set_offline(False)
        page.locator('body[data-revision="1"]').wait_for(state="attached")
