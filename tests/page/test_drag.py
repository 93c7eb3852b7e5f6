"""Dragging: by mouse and by real touch events, with a way back at every moment."""

from __future__ import annotations

import pytest

from tests.page.actions import Finger, centre, drag, drag_seeing

pytestmark = pytest.mark.browser

PHONE = {"viewport": {"width": 390, "height": 844}, "has_touch": True}
TABLET = {"viewport": {"width": 1024, "height": 768}, "has_touch": True}
PLAN = "/s/try-plan/p/1"


def stop(page, route: int, place: int):
    """Return a stop on the map; place 1 is the first after the depot."""
    return page.locator(f".stops .stop.c{route}").nth(place - 1)


def empty(page) -> tuple[float, float]:
    """Return a place on the map with nothing near it."""
    box = page.locator(".map").bounding_box()
    return box["x"] + 12, box["y"] + box["height"] - 90


@pytest.mark.parametrize("screen", [PHONE, TABLET], ids=["phone", "tablet"])
def test_finger_drags_a_stop_on_the_map(site, revision, screen):
    page = site.open(site.log_in(**screen), PLAN)
    Finger(page).drag(stop(page, 0, 1), stop(page, 0, 3))
    revision(page, 1)
    assert site.moves("try-plan") == [{"op": "move", "args": [0, 1, 0, 3]}]


def test_finger_chooses_two_stops_and_is_told_what_to_tap(site, revision):
    page = site.open(site.log_in(**PHONE, is_mobile=True), PLAN)
    prompt = page.locator("#gesture")
    stop(page, 0, 1).tap()
    prompt.get_by_text("Tap the other stop").wait_for()
    stop(page, 1, 2).tap()
    prompt.get_by_text("Tap Move.").wait_for()  # a phone has no Enter
    page.get_by_role("button", name="Move").tap()
    revision(page, 1)


def test_held_stop_follows_the_finger(site):
    page = site.open(site.log_in(**PHONE), PLAN)
    finger = Finger(page)
    goal = centre(stop(page, 1, 2))
    finger.slide(stop(page, 0, 1), goal)
    x, y = centre(page.locator(".hand .held"))
    assert abs(x - goal[0]) < 3
    assert abs(y - goal[1]) < 3
    assert "Let go to move" in page.locator("#gesture").inner_text()
    finger.send("touchCancel")
    page.locator(".hand .held").wait_for(state="detached")
    assert site.moves("try-plan") == []


@pytest.mark.parametrize("how", ["escape", "empty ground"])
def test_drag_is_cancelled(site, revision, how):
    page = site.open(site.log_in(), PLAN)
    drag(page, stop(page, 0, 1), stop(page, 1, 2), drop=False)
    if how == "escape":
        page.keyboard.press("Escape")
    else:
        page.mouse.move(*empty(page), steps=8)
        page.locator("#gesture", has_text="to leave it as it is").wait_for()
    page.mouse.up()
    page.locator(".hand .held").wait_for(state="detached")
    assert page.locator(".preview path").count() == 0
    drag_seeing(page, stop(page, 0, 1), stop(page, 1, 2))  # the next drag works, and is the only edit
    revision(page, 1)
    assert len(site.moves("try-plan")) == 1


def test_drop_on_a_line_inserts_there(site, revision):
    page = site.open(site.log_in(), PLAN)
    (ax, ay), (bx, by) = centre(stop(page, 0, 3)), centre(stop(page, 0, 4))
    drag(page, stop(page, 0, 1), ((ax + bx) / 2, (ay + by) / 2))
    revision(page, 1)
    assert site.moves("try-plan") == [{"op": "move", "args": [0, 1, 0, 3]}]


def test_depot_takes_a_stop_for_a_vehicle_that_is_idle(site, revision):
    study = site.study("try-plan")
    x = study.proposal(1).problem
    first, second, third = study.proposal(1).solution
    plan = [[*first, *third], second.tolist(), []]
    id = study.ask(x, solution=[[int(stop) for stop in route] for route in plan]).id
    page = site.open(site.log_in(), f"/s/try-plan/p/{id}")
    depot = page.locator(".stops .depot")
    drag_seeing(page, stop(page, 1, 1), depot)
    revision(page, 1)
    assert site.moves("try-plan", id)[0]["args"] == [1, 1, 2, 0]
    drag(page, stop(page, 0, 1), depot, drop=False)  # no vehicle is idle any more
    page.locator("#gesture", has_text="to leave it as it is").wait_for()
    page.keyboard.press("Escape")
    page.mouse.up()
    stop(page, 0, 1).click()
    depot.click()
    page.locator("#gesture", has_text="No vehicle is idle.").wait_for()
    assert len(site.moves("try-plan", id)) == 1


def test_finger_pulls_a_route_onto_a_road(site, revision):
    page = site.open(site.log_in(**PHONE), "/s/try-roads/p/1")
    page.locator(".badge.w0").wait_for(state="attached")
    start = page.locator(".badge.end").first.bounding_box()
    box = page.locator(".map").bounding_box()
    finger = Finger(page)
    finger.slide(
        (start["x"] + 11, start["y"] + 11), (box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    )
    page.locator("#gesture", has_text="Let go to take it").wait_for()
    finger.send("touchEnd")
    revision(page, 1)
    assert site.moves("try-roads")[0]["op"] == "via"


def test_two_fingers_zoom(site):
    page = site.open(site.log_in(**PHONE), PLAN)
    first, second = stop(page, 0, 1), stop(page, 1, 2)

    def apart() -> float:
        (ax, ay), (bx, by) = centre(first), centre(second)
        return ((ax - bx) ** 2 + (ay - by) ** 2) ** 0.5

    before = apart()
    _, y = empty(page)
    Finger(page).pinch((195, y), 60, 120)
    assert apart() > 1.5 * before
    assert site.moves("try-plan") == []


def test_finger_drags_an_item_by_its_grip(site, revision):
    page = site.open(site.log_in(**PHONE), "/s/try-ranking/p/1")
    grips = page.locator(".ranking .grip")
    Finger(page).drag(grips.nth(2), grips.nth(0))
    revision(page, 2)
    assert [move["args"] for move in site.moves("try-ranking")] == [[1], [0]]


def test_list_of_stops_scrolls_while_dragging(site):
    page = site.open(site.log_in(viewport={"width": 1280, "height": 520}), PLAN)
    body = page.locator(".panel-body", has=page.locator(".lists"))
    box = body.bounding_box()
    drag(
        page,
        page.locator(".lists .stop").nth(1),
        (box["x"] + box["width"] / 2, box["y"] + box["height"] - 4),
        drop=False,
    )
    page.wait_for_function("() => document.querySelector('.lists').closest('.panel-body').scrollTop > 60")
    page.keyboard.press("Escape")
    page.mouse.up()
    assert site.moves("try-plan") == []
