"""The editor's window: the map first, the status line always in view, one overload named in the bar."""

from __future__ import annotations

import numpy as np
import pytest

from coactor.domains import Graph, Query, Ranking, Tour
from coactor.studies import open_study
from tests.page.actions import centre, console_errors, drag, drag_seeing, press, submit

pytestmark = pytest.mark.browser


def test_overload_is_named_in_the_bar(site, revision):
    page = site.open(site.log_in(), "/s/try-plan/p/1")
    assert page.locator("#warning").inner_text() == ""
    for number in range(1, 4):
        page.locator(".route").nth(0).locator(".stop").nth(1).click()
        page.locator(".route").nth(1).locator(".stop").nth(1).click()
        page.locator(".consequence:not([hidden])").wait_for()
        page.keyboard.press("m")
        revision(page, number)
    assert "Van would carry" in page.locator("#warning").inner_text()


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


COVERED = """(selector) => [...document.querySelectorAll(selector)].filter((one) => {
  const { left, right, top, bottom } = one.getBoundingClientRect();
  return [".prompt", ".map-canvas .tools", ".zoom", ".doc.head"].some((above) => {
    const box = document.querySelector(above)?.getBoundingClientRect();
    return box && left < box.right && right > box.left && top < box.bottom && bottom > box.top;
  });
}).length"""


def overlap(one, other) -> bool:
    """Whether two elements share pixels."""
    a, b = one.bounding_box(), other.bounding_box()
    return all(
        a[x] < b[x] + b[size] and b[x] < a[x] + a[size] for x, size in (("x", "width"), ("y", "height"))
    )


@pytest.mark.parametrize("size", [(1280, 800), (390, 844)])
def test_notice_covers_neither_panels_nor_prompt_nor_bar(site, size):
    page = site.open(
        site.log_in(viewport=dict(zip(("width", "height"), size, strict=True))), "/s/try-plan/p/1"
    )
    submit(page)
    page.wait_for_url("**/p/2")
    page.locator("body[data-revision]").wait_for(state="attached")
    for place in (".prompt", ".side", ".bar[role=group]"):
        assert not overlap(page.locator("#notice"), page.locator(place))


def test_what_a_drop_leads_to_covers_no_stop_near_the_hand(site):
    page = site.open(site.log_in(viewport={"width": 1280, "height": 800}), "/s/try-plan/p/1")
    stops = page.locator(".stops .stop:not(.depot)")
    held, box = stops.nth(0), page.locator(".consequence")
    for k in range(1, stops.count(), 3):
        drag(page, held, stops.nth(k), drop=False)
        box.and_(page.locator(":not([hidden])")).wait_for()
        x, y = centre(stops.nth(k))
        at = box.bounding_box()
        apart = max(at["x"] - x, x - at["x"] - at["width"], at["y"] - y, y - at["y"] - at["height"])
        page.keyboard.press("Escape")
        page.mouse.up()
        assert apart > 100


def test_a_phone_shows_the_tastes_to_choose_from_and_the_chosen_one(site):
    page = site.open(site.log_in(viewport={"width": 390, "height": 844}), "/s/try-tour/p/1")
    page.get_by_role("button", name="I hate narrow lanes").click()
    page.get_by_role("button", name="What changes").click()  # folds it
    page.locator(".played", has_text="narrow lanes: as little as you can").wait_for()
    page.locator(".zoom").wait_for()  # it is hidden beside an open panel
    assert not overlap(page.locator(".played"), page.locator(".zoom"))
    page.reload()
    page.locator("#submit[data-armed]").wait_for()
    assert not page.locator("#play-card").is_visible()  # it is chosen


def test_signs_in_cells_have_a_legend_and_one_button_is_called_undo(site):
    page = site.open(site.log_in(), "/s/try-roster/p/1")
    assert page.locator(".legend").inner_text() == "✈ leave · ○ asked off · – dislike · ★ senior"
    submit(page)
    page.wait_for_url("**/p/2")
    page.locator("#notice").get_by_role("button", name="Take back").wait_for()
    assert page.get_by_role("button", name="Undo").count() == 1


def test_edited_stop_is_in_view_in_the_list(site, revision):
    page = site.open(site.log_in(viewport={"width": 1280, "height": 800}), "/s/try-plan/p/1")
    stops = page.locator(".stops .stop")
    drag_seeing(page, stops.nth(1), page.locator(".stops .stop.c1").last)
    revision(page, 1)
    row, panel = page.locator(".lists .stop.moved"), page.locator(".panel.grows .panel-body")
    box, inside = row.bounding_box(), panel.bounding_box()
    assert inside["y"] <= box["y"]
    assert box["y"] + box["height"] <= inside["y"] + inside["height"] + 1  # parts of a pixel
    assert inside["height"] > 280


def test_map_above_an_open_sheet_shows_the_stops_apart(site):
    page = site.open(site.log_in(viewport={"width": 390, "height": 844}), "/s/try-plan/p/1")
    page.get_by_role("button", name="Stops", exact=True).click()
    page.locator(".zoom").wait_for(state="hidden")
    page.wait_for_function(SPREAD, arg=150)
    assert page.evaluate(COVERED, ".stops .stop") == 0


SPREAD = """(least) => {
  const xs = [...document.querySelectorAll(".stops .stop")].map((one) => one.getBoundingClientRect().x);
  return Math.max(...xs) - Math.min(...xs) > least;
}"""


def create_tour(store, name: str, places) -> None:
    i, j = np.triu_indices(len(places), 1)
    length = np.hypot(*(places[i] - places[j]).T)[:, None] + 0.01
    with open_study(
        store, name, Tour(len(places), 1), "default", create=True, settings={"proposals": "paper"}
    ) as study:
        study.ask(Graph.of(len(places), length, coordinates=places))


def test_nothing_covers_a_stop_and_a_far_one_leaves_room_for_the_others(site):
    x, y = np.meshgrid(np.linspace(0, 3, 4), np.linspace(0, 2, 3))
    grid = np.column_stack([x.ravel(), y.ravel()])
    create_tour(site.store, "block", grid)
    create_tour(site.store, "far", np.vstack([grid, [900.0, 900.0]]))
    page = site.log_in(viewport={"width": 1280, "height": 800})
    site.open(page, "/s/block/p/1")
    assert page.evaluate(COVERED, ".stops .stop") == 0  # in no corner
    site.open(page, "/s/far/p/1")
    assert "One stop is far away" in page.locator(".prompt").inner_text()
    xs = [dot.bounding_box()["x"] for dot in page.locator(".stops .stop").all()]
    assert sorted(xs)[-2] - min(xs) > 400  # the twelve use the map
    page.get_by_role("button", name="Show everything").click()
    inside = page.locator(".map").bounding_box()
    box = page.locator(".stops .stop").last.bounding_box()
    assert inside["x"] < box["x"] < inside["x"] + inside["width"]


def test_carried_row_stays_below_the_heading(site):
    with open_study(site.store, "long", Ranking(2), "default", create=True) as study:
        study.ask(Query.of(np.random.default_rng(0).random((60, 2)).round(2)))
    page = site.open(site.log_in(viewport={"width": 1280, "height": 800}), "/s/long/p/1")
    page.locator(".ranking li").nth(40).focus()
    press(page, "Space", *["ArrowUp"] * 20)
    assert page.evaluate(COVERED, ".doc.held") == 0


def test_finished_drive_offers_no_other_ways(site):
    page = site.open(site.log_in(), "/s/try-roads/p/1")
    submit(page)
    with page.expect_response("**/outcome"):
        site.open(page, "/s/try-roads/p/1")
    page.wait_for_load_state("networkidle")
    assert page.get_by_role("button", name="Streets").count() == 1
    assert page.get_by_role("button", name="Other ways").count() == 0
    assert page.locator(".badge[class*=w0]").count() == 0
