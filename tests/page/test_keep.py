"""Keep what is fixed and solve the rest again: a planner's morning by mouse, by keys and by finger."""

from __future__ import annotations

from typing import Any

import pytest

from coactor.keeping import named_parts, parts_of
from coactor.solutions import same_solution
from tests.page.actions import Finger, centre, drag_seeing, press, reverse, submit
from tests.page.test_access import FIRST, SECOND, looked_at, open_folds, with_axe

pytestmark = pytest.mark.browser

TALL = {"viewport": {"width": 1280, "height": 1500}}  # every stop of a day is in view
PHONE = {"viewport": {"width": 390, "height": 844}, "has_touch": True}


Spot = tuple[int, int]


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

    def answer(self) -> None:
        """Wait for what a re-plan has found."""
        self.page.wait_for_function(
            "() => !document.querySelector('#message').textContent.startsWith('Re-planning')"
        )

    def says(self, text: str) -> None:
        self.page.locator("#message", has_text=text).wait_for()


def sorted_routes(domain: Any, x: Any, y: Any) -> Any:
    return tuple(tuple(sorted(route)) for route in y)


def overstaffed(domain: Any, x: Any, y: Any) -> Any:
    """The roster with one night too many, for the ninth nurse on Thursday."""
    return domain.apply(x, y, {"op": "set", "args": [8, 3, 3]})


def row_name(page: Any, row: int) -> str:
    return page.locator(f'.grid th[data-row="{row}"]').evaluate("(head) => head.firstChild.textContent")


def kept(draft: Any) -> frozenset[Any]:
    return named_parts(draft.locked) | named_parts(draft.own)


class Mouse:
    """How a planner works on the page. `at`: where the keyboard is first."""

    window = TALL

    def __init__(self, day: Morning) -> None:
        self.day, self.page = day, day.page

    def stop(self, r: int, k: int) -> Any:
        return self.page.locator(f'.lists .stop[data-r="{r}"][data-k="{k}"]')

    def use(self, target: str | Any, key: str, at: Any = None) -> None:
        (self.page.locator(target) if isinstance(target, str) else target).click()

    def move_stop(self, spot: Spot, after: Spot) -> None:
        drag_seeing(self.page, self.stop(*spot), self.stop(*after))

    def open_stops(self) -> None:
        """Nothing to do: they are beside the map."""

    def choose(self, cell: Any, text: str) -> None:
        """Choose an entry of a cell's menu."""
        cell.click()
        self.page.locator(".cell-menu button", has_text=text).first.click()

    def submit(self) -> None:
        self.page.locator("#submit[data-armed]:not([disabled])").wait_for()
        self.use("#submit", "Enter")
        self.page.locator("#lesson").wait_for()


class Keys(Mouse):
    def use(self, target: str | Any, key: str, at: Any = None) -> None:
        if at:
            at.focus()
        press(self.page, key)

    def move_stop(self, spot: Spot, after: Spot) -> None:
        self.stop(*spot).focus()
        press(self.page, "Space")
        self.walk("ArrowDown" if spot < after else "ArrowUp", self.stop(*after))
        self.page.locator(".consequence:not([hidden])").wait_for()
        press(self.page, "m")

    def walk(self, key: str, goal: Any) -> None:
        for _ in range(100):
            if goal.evaluate("(one) => one === document.activeElement"):
                return
            press(self.page, key)
        raise AssertionError(f"{key} does not lead there.")

    def choose(self, cell: Any, text: str) -> None:
        cell.focus()
        press(self.page, "F2")
        entry = self.page.locator(".cell-menu button", has_text=text).first
        entry.wait_for()
        press(self.page, "Tab")
        self.walk("ArrowDown", entry)
        press(self.page, "Enter")


class Touch(Mouse):
    window = PHONE

    def use(self, target: str | Any, key: str, at: Any = None) -> None:
        (self.page.locator(target) if isinstance(target, str) else target).tap()

    def stop(self, r: int, k: int) -> Any:
        """The stop on the map: on a phone the list is folded."""
        return self.page.locator(f'.stops [data-stop="{self.day.draft().solution[r][k - 1]}"]')

    def move_stop(self, spot: Spot, after: Spot) -> None:
        finger = Finger(self.page)
        finger.slide(self.stop(*spot), self.stop(*after))
        self.page.locator(".consequence:not([hidden])").wait_for()
        finger.send("touchEnd")

    def open_stops(self) -> None:
        self.page.get_by_role("button", name="Stops", exact=True).tap()

    def choose(self, cell: Any, text: str) -> None:
        cell.tap()
        self.page.locator(".cell-menu button", has_text=text).first.tap()


@pytest.fixture(params=[Mouse, Keys, Touch])
def hand(request: pytest.FixtureRequest) -> type[Mouse]:
    return request.param


def test_morning_on_a_plan(site, revision, hand):
    day = Morning(site, "try-plan", sorted_routes, **hand.window)
    page, routes, hand = day.page, day.page.locator(".route"), hand(day)
    for number, (first, second) in enumerate([((0, 1), (1, 1)), ((1, 2), (0, 2))], 1):  # fix two things
        hand.move_stop(first, second)
        revision(page, number)
    assert page.locator(".lists .stop.kept").count() > 0
    hand.open_stops()
    hand.use(routes.nth(2).locator(".routename .lock"), "l", at=routes.nth(2).locator(".stop").first)
    revision(page, 3)
    assert page.locator(".routename.locked").count() == 1
    before = day.draft()
    hand.use("#replan", "r")
    day.says("The re-plan")
    assert page.locator(".preview .coming").get_attribute("d")
    assert day.draft().revision == 3  # a preview is no edit
    hand.use("#replan", "Enter")
    revision(page, 4)
    assert day.ops()[2:] == ["keep", "replan"]
    assert kept(before) <= day.parts()
    hand.use("#undo", "Control+z")
    revision(page, 5)
    assert same_solution(day.draft().solution, before.solution)
    gains = 0
    for r in range(routes.count()):  # one route only
        hand.use(routes.nth(r).locator(".again"), "Shift+R", at=routes.nth(r).locator(".stop").first)
        day.answer()
        if not page.locator("#leave").is_visible():
            continue
        gains += 1
        was = day.draft()
        hand.use("#replan", "Enter")
        revision(page, was.revision + 1)
        now = day.draft().solution
        assert [k for k, route in enumerate(was.solution) if list(route) != list(now[k])] == [r]
    assert gains
    other = site.open(site.log_in("bo", "expert"), day.path)  # a colleague sees what is locked
    assert other.locator(".routename.locked").count() == 1
    assert other.locator("#replan").is_disabled()
    hand.submit()
    site.open(other, day.path)
    assert other.locator(".edits li", has_text="Re-planned: ").count() == gains
    assert other.locator(".edits li", has_text="Move ").count() == 2


def test_morning_on_a_roster(site, revision, hand):
    day = Morning(site, "try-roster", overstaffed, **hand.window)
    page, hand = day.page, hand(day)
    for number, part in enumerate((3, 10), 1):
        hand.choose(day.cell(part), "Lock")
        revision(page, number)
    hand.choose(day.cell(65), f"Lock {row_name(page, 9)}")
    revision(page, 3)
    assert page.locator(".grid [data-part].locked").count() == 2 + 7
    other = site.open(site.log_in("bo", "expert"), day.path)  # a colleague sees what is locked
    assert other.locator(".grid [data-part].locked").count() == 2 + 7
    before = day.draft()
    hand.use("#replan", "r", at=day.cell(0))
    day.says("The re-plan")
    assert page.locator(".grid .changed").count() > 0
    hand.use("#leave", "Escape")
    page.locator("#leave").wait_for(state="hidden")
    assert page.locator(".grid .changed").count() == 0
    for number, (text, changed) in enumerate(
        [
            (f"Re-plan {row_name(page, 8)} only", (slice(8, 9), slice(None))),
            ("Re-plan from Thu on", (slice(None), slice(3, None))),
        ]
    ):
        hand.choose(day.cell(59), text)
        day.says("The re-plan")
        hand.use("#replan", "Enter")
        revision(page, 4 + 2 * number)
        after = day.draft().solution
        assert kept(before) <= day.parts()
        assert not same_solution(after, before.solution)
        others = before.solution.copy()
        others[changed] = after[changed]
        assert same_solution(after, others)  # the rest is as it was
        hand.use("#undo", "Control+z")
        revision(page, 5 + 2 * number)
        assert same_solution(day.draft().solution, before.solution)
    hand.use("#redo", "Control+y")
    revision(page, 8)
    hand.submit()


def test_a_preview_on_a_roster_is_accessible(site):
    day = Morning(site, "try-roster", overstaffed)
    open_folds(day.page)
    press(day.page, "r")
    day.says("The re-plan")
    assert looked_at(with_axe(day.page), "a preview", [*FIRST, SECOND[0]]) == []


def test_a_long_press_locks_and_unlocks(site, revision):
    day = Morning(site, "try-roster", overstaffed, **PHONE)
    page, finger, place = day.page, Finger(day.page), centre(day.cell(3))
    for number in (1, 2, 3):
        finger.send("touchStart", place)
        revision(page, number)
        finger.send("touchEnd")
        assert page.locator(".grid .locked").count() == number % 2
    assert not page.locator(".cell-menu").is_visible()
    day.cell(3).tap()  # a short one still opens the choices
    page.locator(".cell-menu").wait_for()


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
    day = Morning(site, "try-plan", sorted_routes, **TALL)
    held: list[Any] = []
    day.page.route("**/replan", lambda route, _: held.append(route))
    with day.page.expect_request("**/replan"):
        press(day.page, "r")
    routes = day.page.locator(".route")
    drag_seeing(day.page, routes.nth(0).locator(".stop").nth(1), routes.nth(1).locator(".stop").nth(1))
    revision(day.page, 1)
    held[0].continue_()
    day.says("nothing was re-planned")
    assert not day.page.locator("#leave").is_visible()
