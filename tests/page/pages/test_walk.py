"""The walk of table in docs/tutorials/expert.md, step by step: by mouse and by keyboard."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from coactor.web.demo import studies
from tests.page.actions import drag, press, reverse, submit

pytestmark = pytest.mark.browser

PAGE = Path(__file__).parents[3] / "docs" / "tutorials" / "expert.md"
STEP = re.compile(r'^\| \d:\d\d \|.*?\*\*(.+?)\*\*.*\| "(.+?)" \|$', re.MULTILINE)


class Mouse:
    """The morning by mouse."""

    def __init__(self, site: Any, page: Any) -> None:
        self.site, self.page = site, page

    def use(self, selector: str, key: str = "") -> None:
        self.page.locator(selector).first.click()

    def move_stop(self) -> None:
        drag(
            self.page,
            self.page.locator(".stops .stop.c0").nth(1),
            self.page.locator(".stops .stop.c0").nth(4),
        )

    def step(self, name: str) -> None:
        getattr(self, name.lower().replace(" ", "_"))()

    def start(self) -> None:  # wherever the card is clicked
        self.page.locator(".card", has_text="A day's deliveries").click(position={"x": 250, "y": 15})

    def move(self) -> None:
        self.page.locator("body[data-revision]").wait_for(state="attached")
        self.move_stop()

    def undo(self) -> None:
        self.use("#undo", "Control+z")

    def redo(self) -> None:
        self.use("#redo", "Control+y")

    def note(self) -> None:
        self.use("#note")
        self.page.keyboard.type("The bridge is closed.")

    def submit(self) -> None:
        self.page.locator("#submit[data-armed]:not([disabled])").wait_for()
        self.page.evaluate("() => document.querySelector('#notice')?.remove()")  # of the proposal before
        self.page.evaluate("() => document.activeElement.blur()")
        self.use("#submit", "Enter")

    accept = submit

    def take_back(self) -> None:
        self.use("#undo-submit", "z")
        self.page.wait_for_url("**/p/1")

    def look_back(self) -> None:
        self.page.evaluate("() => document.querySelector('#notice')?.remove()")
        self.site.open(self.page, "/s/try-plan/p/1")

    def report(self) -> None:
        self.use('nav a[href$="/report"]')


class Keyboard(Mouse):
    """The morning without a mouse."""

    def use(self, selector: str, key: str = "") -> None:
        if key:
            self.page.keyboard.press(key)
        else:
            self.page.locator(selector).first.focus()
            self.page.keyboard.press("Enter")

    def start(self) -> None:
        self.use('a.primary[href="/s/try-plan"]')

    def note(self) -> None:
        self.page.locator("#note").focus()
        self.page.keyboard.type("The bridge is closed.")

    def move_stop(self) -> None:
        self.page.locator(".lists .stop").nth(2).focus()
        press(self.page, "Space", *["ArrowDown"] * 5, "m")


@pytest.mark.parametrize("hand", [Mouse, Keyboard])
def test_morning(site, hand):
    page = site.open(site.log_in("ana", "expert"), "/")
    walk = hand(site, page)
    steps = STEP.findall(PAGE.read_text("utf-8"))
    assert len(steps) == 11
    for name, seen in steps:
        walk.step(name)
        page.get_by_text(seen).first.wait_for()
    efforts = {row.proposal: row.effort for row in site.study("try-plan").effort()}
    assert efforts == {1: 1.0, 2: 0.0}


def test_the_number_that_is_played_for_lies_over_no_text_of_a_roster(site):
    page = site.open(site.log_in("ana", "expert"), "/s/try-roster/p/1")
    page.get_by_role("button", name="I hate refused days off").click()
    page.locator(".played", has_text=re.compile(r"^\d+ refused days off")).wait_for()
    page.locator(".grid td").first.hover()
    page.locator("#gesture:not(:empty)").wait_for()
    badge, text = page.locator(".played").bounding_box(), page.locator("#gesture").bounding_box()
    assert text["y"] + text["height"] <= badge["y"] or badge["y"] + badge["height"] <= text["y"]


def test_a_newcomer_picks_a_taste_and_sees_the_edits_fall(site):
    page = site.open(site.log_in("ana", "expert"), "/s/try-tour/p/1")
    page.get_by_role("button", name="I hate narrow lanes").click()
    before = page.locator("#played").inner_text()
    assert before.endswith("km")
    assert page.locator(".canvas .played").inner_text() == f"{before} narrow lanes"  # on the map
    page.locator(".lit path").first.wait_for(state="attached")
    reverse(page, 3, 6)
    page.locator("body[data-revision='1']").wait_for(state="attached")
    assert page.locator("#played").inner_text() != before
    submit(page)
    page.wait_for_url("**/p/2")
    page.locator("#course", has_text="You: 1 edit").wait_for()
    assert page.locator("#played").is_visible()  # the taste stays
    submit(page)
    page.wait_for_url("**/p/3")
    page.locator("#course", has_text="You: 1 → 0 edits").wait_for()
    submit(page)
    page.wait_for_url("**/p/4")
    page.locator("#course", has_text="You: 1 → 0 → 0 edits").wait_for()
    assert page.locator(".canvas .played").is_visible()
    own = site.study("try-tour")
    for _ in range(7):
        own.tell(studies.ask(own, "ana"), moves=[], actor="ana")
    page.reload()
    page.locator("#submit[data-armed]").wait_for()
    assert page.locator("#play-card, .played").count() == 0  # ten proposals are enough to see it
