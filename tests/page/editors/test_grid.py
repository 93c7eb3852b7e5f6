"""A planner's morning on a roster and a timetable: by mouse, by finger and by keyboard."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

from coactor.web.demo import studies
from tests.page.actions import Finger, drag, press, submit

pytestmark = pytest.mark.browser

PHONE = {"viewport": {"width": 390, "height": 844}, "has_touch": True}
ROSTER, TIMETABLE = "/s/try-roster/p/1", "/s/try-timetable/p/1"


class Plan:
    """What the model says about the first proposal of a study."""

    def __init__(self, site: Any, name: str) -> None:
        self.model = site.study(name).domain
        proposal = site.study(name).proposal(1)
        self.x, self.y = proposal.problem, proposal.solution

    def find(self, op: str, refused: bool) -> tuple[int, int, Any, str]:
        """Return the first edit of this kind: its cell, the other cell or the choice, the move, the rules."""
        for part in range(self.y.size):
            for move, _, rules in self.model.edits_of(self.x, self.y, part):
                if move["op"] == op and bool(rules) == refused:
                    n = self.y.ndim
                    if op == "set":
                        other = int(np.ravel_multi_index(move["args"][n:], self.x.widths()))
                    else:
                        ends = [
                            np.ravel_multi_index(a, self.y.shape)
                            for a in (move["args"][:n], move["args"][n:])
                        ]
                        other = next(int(end) for end in ends if end != part)
                    return part, other, move, rules
        raise AssertionError(f"There is no such {op}.")


def cell(page: Any, part: int) -> Any:
    return page.locator(f'.grid [data-part="{part}"]')


def rule_in(text: str) -> str:
    return re.search(r"'([^']+)'", text)[1]


def gesture(page: Any, text: str) -> None:
    page.locator("#gesture", has_text=text).wait_for()


def test_planners_morning_by_mouse(site, revision):
    plan = Plan(site, "try-roster")
    page = site.open(site.log_in(), ROSTER)
    a, b, _, rules = plan.find("swap", refused=True)
    drag(page, cell(page, a), cell(page, b), drop=False)
    gesture(page, rule_in(rules))  # before it happens
    assert "refused" in cell(page, b).get_attribute("class")
    page.mouse.up()
    gesture(page, rule_in(rules))
    a, b, move, _ = plan.find("swap", refused=False)
    drag(page, cell(page, a), cell(page, b), drop=False)
    gesture(page, f"Let go: {plan.model.describe(plan.x, move)}")
    page.keyboard.press("Escape")
    page.mouse.up()
    assert site.moves("try-roster") == []
    drag(page, cell(page, a), cell(page, b))
    revision(page, 1)
    assert site.moves("try-roster") == [move]
    assert page.locator(".grid .changed").count() == 2
    page.locator(".changes tbody tr.moved").first.wait_for()  # what changes, wish by wish
    page.keyboard.press("Control+z")
    revision(page, 2)
    part, choice, move, _ = plan.find("set", refused=False)
    cell(page, part).click()
    page.locator(".cell-menu .menu-item").nth(choice).click()
    revision(page, 3)
    assert site.moves("try-roster") == [move]
    days = page.locator(".grid tbody tr").nth(part // 7).locator("td.count")
    worked = plan.model.apply(plan.x, plan.y, move)[part // 7] > 0
    assert days.inner_text() == str(worked.sum())
    cell(page, part).focus()
    press(page, "Shift+L")
    assert "locked" in cell(page, part).get_attribute("class")
    press(page, "1", "2", "3", "4")
    gesture(page, "is locked")
    assert len(site.moves("try-roster")) == 1
    page.keyboard.press("Escape")
    submit(page)
    site.open(page, "/s/try-roster/report")
    page.get_by_text("The numbers").click()
    row = page.get_by_role("region", name="Effort of each finished proposal").locator("tbody tr").first
    assert row.locator("td").nth(1).inner_text() == "1"
    site.open(page, ROSTER)
    assert page.locator(".edits li").inner_text() == plan.model.describe(plan.x, move)
    page.get_by_role("button", name="Before").click()
    assert cell(page, part).inner_text() == plan.x.positions["shift"][plan.y.ravel()[part]]


def test_planners_morning_by_keyboard(site, revision):
    plan = Plan(site, "try-roster")
    page = site.open(site.log_in(), ROSTER)
    part, choice, move, _ = plan.find("set", refused=False)
    cell(page, 0).focus()
    press(page, *["ArrowDown"] * (part // 7), *["ArrowRight"] * (part % 7))
    press(page, ("o", "e", "l", "n")[choice])
    revision(page, 1)
    assert site.moves("try-roster") == [move]
    press(page, "Control+z")
    revision(page, 2)
    a, b, move, _ = plan.find("swap", refused=False)
    cell(page, a).focus()
    press(page, "Space", *["ArrowDown" if b > a else "ArrowUp"] * (abs(b - a) // 7))
    gesture(page, f"Space: {plan.model.describe(plan.x, move)}")
    press(page, "Space")
    revision(page, 3)
    assert site.moves("try-roster") == [move]
    part, choice, _, rules = plan.find("set", refused=True)
    press(page, "Control+z")
    revision(page, 4)
    cell(page, part).focus()
    press(page, str(choice + 1))
    gesture(page, rule_in(rules))
    press(page, "F2")
    page.locator(".cell-menu .refusal").first.wait_for()
    press(page, "Escape")
    submit(page)
    assert site.study("try-roster").effort()[0].effort == 0


def test_planners_morning_by_finger(site, revision):
    plan = Plan(site, "try-roster")
    page = site.open(site.log_in(**PHONE), ROSTER)
    finger = Finger(page)
    a, b, move, _ = plan.find("swap", refused=False)
    cell(page, a).tap()
    page.locator(".cell-menu .menu-item").first.wait_for()
    finger.drag(cell(page, a), cell(page, b))
    revision(page, 1)
    assert site.moves("try-roster") == [move]
    page.locator("#undo").tap()
    revision(page, 2)
    a, b, _, rules = plan.find("swap", refused=True)
    cell(page, a).tap()
    page.locator(".cell-menu .menu-item").first.wait_for()
    finger.slide(cell(page, a), cell(page, b))
    gesture(page, rule_in(rules))
    finger.send("touchEnd")
    assert site.moves("try-roster") == []
    part, choice, move, _ = plan.find("set", refused=False)
    cell(page, part).tap()
    page.locator(".cell-menu .menu-item").nth(choice).tap()
    revision(page, 3)
    cell(page, part).tap()
    page.locator(".cell-menu").get_by_text("Lock").tap()
    assert "locked" in cell(page, part).get_attribute("class")
    page.locator("#submit[data-armed]").tap()
    page.locator("#lesson").wait_for()
    assert site.study("try-roster").effort()[0].effort == 1


def test_lessons_are_moved_and_exchanged_on_a_board(site, revision):
    plan = Plan(site, "try-timetable")
    page = site.open(site.log_in(viewport={"width": 1600, "height": 900}), TIMETABLE)
    part, choice, move, _ = plan.find("set", refused=False)
    slot = page.locator(f'.grid [data-slot="{choice}"]')
    drag(page, cell(page, part), slot)
    revision(page, 1)
    assert site.moves("try-timetable") == [move]
    assert slot.locator(".item").get_attribute("data-part") == str(part)
    page.keyboard.press("Control+z")
    revision(page, 2)
    a, b, move, _ = plan.find("swap", refused=False)
    drag(page, cell(page, a), cell(page, b))
    revision(page, 3)
    assert site.moves("try-timetable") == [move]


def test_colleague_advises_on_a_roster_in_words(site):
    study = site.study("try-roster")
    moves = studies.advice(study, 1).moves
    page = site.open(site.log_in(), ROSTER)
    page.locator("#ask-colleague").click()
    if not moves:
        page.locator("#advice", has_text="leave it as it is").wait_for()
        return
    words = study.domain.describe(study.proposal(1).problem, moves[0])
    page.locator("#advice", has_text=f"{words[0].lower()}{words[1:]}").wait_for()
