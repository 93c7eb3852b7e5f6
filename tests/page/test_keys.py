"""Keys, questions and what is counted: each of these once went wrong in somebody's hands."""

from __future__ import annotations

import pytest

from coactor.protocol import Work
from tests.page.actions import press

pytestmark = pytest.mark.browser


def test_enter_takes_every_typed_place_at_once(site):
    page = site.open(site.log_in("ana", "expert"), "/s/try-ranking/p/1")
    rows = page.locator(".doc[data-item]")
    names = rows.locator(".called").all_inner_texts()
    page.locator("#submit[data-armed]").wait_for()
    rows.nth(4).focus()
    press(page, "1", "Enter")
    rows.nth(6).focus()  # within the pause that guards a submit
    press(page, "2", "Enter")
    page.locator(".doc", has_text=names[6]).and_(rows.nth(1)).wait_for()
    assert rows.locator(".called").all_inner_texts()[:2] == [names[4], names[6]]
    rows.nth(3).focus()
    press(page, "9", "9")
    assert f"to the last place, {len(names)}?" in page.locator("#gesture").inner_text()


@pytest.mark.parametrize(("study", "item"), [("try-tour", ".stop"), ("try-roster", "[role=gridcell]")])
def test_arrows_go_to_the_work_when_nothing_has_the_focus(site, study, item):
    page = site.open(site.log_in("ana", "expert"), f"/s/{study}/p/1")
    press(page, "ArrowDown")
    assert page.evaluate(f"() => document.activeElement.matches('{item}')")


def test_an_overload_is_asked_about_once(site):
    desk = site.study("try-plan").desk()
    desk.claim(1, "ana")
    move = {"op": "move", "args": [0, 1, 1, 1], "anyway": "a test"}
    desk.edit(1, [move] * 3, revision=0, actor="ana")
    page = site.open(site.log_in("ana", "expert"), "/s/try-plan/p/1")
    page.locator("#warning", has_text="too much").wait_for()
    page.locator("#submit[data-armed]").wait_for()
    press(page, "Enter")
    page.locator("#message", has_text="Submit anyway? Press Enter again.").wait_for()
    assert site.study("try-plan").summary()["told"] == 0
    page.locator("#submit[data-armed]").wait_for()
    press(page, "Enter")
    page.wait_for_url("**/s/try-plan/p/2")


def test_edits_that_wait_for_the_server_are_counted(site):
    page = site.open(site.log_in("ana", "expert"), "/s/try-ranking/p/1")
    page.route("**/edits", lambda route: route.abort())
    page.locator(".doc[data-item]").nth(4).focus()
    press(page, "Alt+ArrowUp", "Alt+ArrowUp")
    page.locator("#submit", has_text="Submit 1 edit (2 waiting)").or_(
        page.locator("#submit", has_text="Submit 2 edits (2 waiting)")
    ).wait_for()
    page.close()
    site.log.errors.clear()  # of the requests that were aborted


def test_a_finished_proposal_says_who_edited_and_how_long_all_took(site):
    study = site.study("try-ranking")
    desk = study.desk()
    desk.claim(1, "ana")
    desk.edit(1, [{"op": "exchange", "args": [2]}], revision=0, actor="ana")
    desk.release(1, "ana", seconds=117.0)
    desk.claim(1, "lea")
    desk.submit(1, revision=1, actor="lea", work=Work(seconds=3.0))
    page = site.open(site.log_in("lea", "lead"), "/s/try-ranking/p/1")
    page.get_by_text("1 edit by ana, submitted by lea").wait_for()
    page.get_by_text("2 minutes").wait_for()


def test_time_of_an_opening_that_was_left_is_kept(site):
    page = site.open(site.log_in("ana", "expert"), "/s/try-ranking/p/1")
    page.evaluate("() => { const now = Date.now; Date.now = () => now() + 5000; }")
    page.locator(".doc[data-item]").nth(4).focus()
    press(page, "Alt+ArrowUp")
    page.locator("body[data-revision='1']").wait_for(state="attached")
    site.open(page, "/s/try-ranking")
    page.locator(".chip.draft").wait_for()
    assert site.study("try-ranking").draft(1).seconds >= 5
