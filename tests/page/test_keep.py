"""Keep what is fixed and solve the rest again: a planner's morning by mouse, by keys and by finger."""

from __future__ import annotations

from typing import Any

import pytest

from coactor.keeping import named_parts, parts_of
from coactor.solutions import same_solution
from tests.page.actions import Finger, centre, drag, press, reverse, submit
from tests.page.test_access import FIRST, SECOND, looked_at, open_folds, with_axe

pytestmark = pytest.mark.browser

PHONE = {"viewport": {"width": 390, "height": 844}, "has_touch": True}


class Morning:
    """A proposal in which there is much to gain, open on a page."""

    def __init__(self, site: Any, study: str, worse: Any, **options: Any) -> None:
        opened = site.study(study)
        proposed = opened.proposal(1)
        self.x = proposed.problem
        self.id = opened.ask(self.x, solution=worse(opened.domain, self.x, proposed.solution)).id
        self.site, self.study, self.path = site, study, f"/s/{study}/p/{self.id}"
        self.page = site.open(site.log_in("ana", "expert", **options), self.path)

    def draft(self) -> Any:
        return self.site.study(self.study).desk().view(self.id)

    def ops(self) -> list[str]:
        return [move["op"] for move in self.draft().moves]

    def parts(self) -> frozenset[Any]:
        return parts_of(self.site.study(self.study).domain, self.x, self.draft().solution)

    def cell(self, part: int) -> Any:
        return self.page.locator(f'.grid [data-part="{part}"]')

    def says(self, text: str) -> None:
        self.page.locator("#message", has_text=text).wait_for()


def sorted_routes(domain: Any, x: Any, y: Any) -> Any:
    return tuple(tuple(sorted(route)) for route in y)


def exchanged(domain: Any, x: Any, y: Any) -> Any:
    """The grid after the first of its exchanges on Tuesday."""
    move = next(m for m in domain.moves(x, y) if m["op"] == "swap" and m["args"][1] == 1)
    return domain.apply(x, y, move)


def kept(draft: Any) -> frozenset[Any]:
    return named_parts(draft.locked) | named_parts(draft.own)


def test_morning_on_a_plan_by_mouse(site, revision):
    day = Morning(site, "try-plan", sorted_routes)
    page, routes = day.page, day.page.locator(".route")
    for number, (first, second) in enumerate([((0, 1), (1, 1)), ((1, 2), (0, 2))], 1):  # fix two things
        drag(page, *(routes.nth(r).locator(".stop").nth(k) for r, k in (first, second)))
        revision(page, number)
    assert page.locator(".lists .stop.kept").count() > 0
    routes.nth(2).locator(".routename .lock").click()
    revision(page, 3)
    assert page.locator(".routename.locked").count() == 1
    before = day.draft()
    page.locator("#replan").click()
    day.says("The re-plan")
    assert page.locator(".preview .coming").get_attribute("d")
    assert day.draft().revision == 3  # a preview is no edit
    page.locator("#replan").click()
    revision(page, 4)
    assert day.ops()[2:] == ["keep", "replan"]
    assert kept(before) <= day.parts()
    page.locator("#undo").click()
    revision(page, 5)
    assert same_solution(day.draft().solution, before.solution)
    gains = 0
    for r in range(routes.count()):  # one route only
        routes.nth(r).locator(".again").click()
        page.wait_for_function("() => !document.querySelector('#message').textContent.endsWith('…')")
        if not page.locator("#leave").is_visible():
            continue
        gains += 1
        was = day.draft()
        page.locator("#replan").click()
        revision(page, was.revision + 1)
        now = day.draft().solution
        assert [k for k, route in enumerate(was.solution) if list(route) != list(now[k])] == [r]
    assert gains
    other = site.open(site.log_in("bo", "expert"), day.path)  # a colleague sees what is locked
    assert other.locator(".routename.locked").count() == 1
    assert other.locator("#replan").is_disabled()
    submit(page)
    site.open(page, day.path)
    assert page.locator(".edits li", has_text="Re-planned: ").count() == gains
    assert page.locator(".edits li", has_text="Move ").count() == 2


def test_morning_on_a_roster_by_mouse(site, revision):
    day = Morning(site, "try-roster", exchanged)
    page = day.page
    for number, part in enumerate((3, 10), 1):
        day.cell(part).click()
        page.locator(".cell-menu button.lock").first.click()
        revision(page, number)
    page.locator('.grid th[data-row="9"] .lock').click()
    revision(page, 3)
    assert page.locator(".grid [data-part].locked").count() == 2 + 7
    open_folds(page)
    page.locator("#replan").click()
    day.says("The re-plan")
    assert page.locator(".grid .changed").count() > 0
    assert looked_at(with_axe(page), "a preview", [*FIRST, SECOND[0]]) == []
    page.set_viewport_size({"width": 1280, "height": 900})
    page.locator("#leave").click()
    assert page.locator(".grid .changed").count() == 0
    day.cell(8).click()
    page.locator(".cell-menu").get_by_text("Re-plan from Tue on").click()
    day.says("The re-plan")
    before = day.draft()
    page.locator("#replan").click()
    revision(page, 4)
    assert kept(before) <= day.parts()
    assert (day.draft().solution != before.solution).any()
    assert (day.draft().solution[:, 0] == before.solution[:, 0]).all()
    page.locator("#undo").click()
    revision(page, 5)
    page.locator("#redo").click()
    revision(page, 6)
    submit(page)


def test_morning_on_a_tour_by_keys(site, revision):
    day = Morning(site, "try-tour", lambda domain, x, y: sorted(range(len(y))))
    page = day.page
    reverse(page, 3, 6)
    revision(page, 1)
    press(page, "ArrowDown", "ArrowDown", "Shift+ArrowDown", "Shift+ArrowDown", "l")
    revision(page, 2)
    assert len(day.draft().moves[1]["parts"]) == 2  # the two legs between the chosen stops
    press(page, "Escape", "r")
    day.says("The re-plan")
    press(page, "Escape")
    page.locator("#leave").wait_for(state="hidden")
    assert page.locator(".preview .coming").count() == 0
    before = day.draft()
    press(page, "r")
    day.says("The re-plan")
    page.locator("#submit[data-armed]").wait_for(state="attached")
    press(page, "Enter")
    revision(page, 3)
    assert kept(before) <= day.parts()
    press(page, "Control+z")
    revision(page, 4)
    press(page, "Control+y")
    revision(page, 5)
    assert day.ops() == ["reverse", "keep", "replan"]
    page.reload()
    revision(page, 5)
    assert page.locator(".edits li", has_text="Re-planned: ").count() == 1
    submit(page)


def test_long_press_locks(site, revision):
    day = Morning(site, "try-roster", exchanged, **PHONE)
    finger, place = Finger(day.page), centre(day.cell(3))
    for number in (1, 2):
        finger.send("touchStart", place)
        revision(day.page, number)
        finger.send("touchEnd")
        assert day.page.locator(".grid .locked").count() == number % 2
    assert not day.page.locator(".cell-menu").is_visible()
    day.cell(3).tap()  # a short one still opens the choices
    day.page.locator(".cell-menu").wait_for()


def test_a_ranking_keeps_its_places(site, revision):
    page = site.open(site.log_in(), "/s/try-ranking/p/1")
    page.locator(".ranking li").nth(4).hover()
    page.locator(".ranking li").nth(4).locator(".lock").click()
    revision(page, 1)
    press(page, "r")
    page.locator("#message", has_text="Nothing better").wait_for()
    page.locator(".ranking li").nth(0).focus()
    press(page, "Alt+ArrowDown")
    revision(page, 2)
    assert page.locator(".ranking li.kept").count() == 2
    assert page.locator(".effort strong").inner_text() == "1"  # a lock is no edit


def test_an_edit_meanwhile_drops_the_re_plan(site, revision):
    day = Morning(site, "try-plan", sorted_routes)
    held: list[Any] = []
    day.page.route("**/replan", lambda route, _: held.append(route))
    with day.page.expect_request("**/replan"):
        press(day.page, "r")
    routes = day.page.locator(".route")
    drag(day.page, routes.nth(0).locator(".stop").nth(1), routes.nth(1).locator(".stop").nth(1))
    revision(day.page, 1)
    held[0].continue_()
    day.says("nothing was re-planned")
    assert not day.page.locator("#leave").is_visible()
