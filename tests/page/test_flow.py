"""From one proposal to the next: Enter, the notice, finished proposals, leases."""

from __future__ import annotations

from datetime import datetime, timedelta

import pytest

from coactor.web.demo import studies
from tests.page.actions import reverse, submit

pytestmark = pytest.mark.browser


def stop_clock(page) -> None:
    """Stop the clock of a page; `page.clock.run_for` moves it on."""
    page.clock.install()
    page.clock.pause_at(datetime.now() + timedelta(hours=1))


def test_enter_performs_the_edit_that_is_asked_for(site, revision):
    page = site.open(site.log_in(), "/s/try-plan/p/1")
    page.locator("#submit[data-armed]").wait_for()
    page.locator(".stops .stop.c0").nth(0).click()
    page.keyboard.press("Enter")  # one stop is chosen: nothing is submitted
    page.locator("#gesture", has_text="Choose a second stop").wait_for()
    page.locator(".stops .stop.c0").nth(2).click()
    page.locator("#gesture", has_text="Press Enter").wait_for()
    page.locator("#submit[data-armed]").wait_for()  # quick presses count once
    page.keyboard.press("Enter")
    revision(page, 1)
    assert site.moves("try-plan") == [{"op": "move", "args": [0, 1, 0, 3]}]
    assert site.study("try-plan").effort() == []


def test_quick_presses_of_enter_accept_one_proposal(site):
    page = site.open(site.log_in(), "/s/try-tour/p/1")
    page.locator("#submit[data-armed]").wait_for()
    stop_clock(page)
    page.keyboard.press("Enter")
    page.wait_for_url("**/p/2")
    page.locator("body[data-revision]").wait_for(state="attached")
    for _ in range(12):
        page.keyboard.press("Enter")
        page.clock.run_for(250)
    assert len(site.study("try-tour").effort()) == 1
    page.clock.run_for(650)
    page.keyboard.press("Enter")
    page.wait_for_url("**/p/3")
    assert len(site.study("try-tour").effort()) == 2


def test_finished_proposal_is_shown_before_and_after(site, revision):
    page = site.open(site.log_in("ana", "expert"), "/s/try-tour/p/1")
    names = page.locator(".lists .called").all_inner_texts()
    reverse(page, 3, 6)
    revision(page, 1)
    page.locator("#note").fill("the bridge is closed")
    submit(page)
    site.open(page, "/s/try-tour/p/1")
    assert page.locator(".stops .stop").count() == 16
    assert page.locator(".routes .added").count() == 1
    assert "1 edit by ana" in page.locator(".side").inner_text()
    assert "“the bridge is closed”" in page.locator(".side").inner_text()
    assert page.locator("#notice").count() == 0  # it would say the same and lead here
    assert f"Reverse {names[3]} to {names[6]}" in page.locator(".edits").inner_text()
    assert page.get_by_role("toolbar", name="Edits").count() == 0  # nothing can be edited
    assert "Submit" not in page.locator(".side").inner_text()
    assert page.locator("#submit").count() == 0
    page.get_by_role("button", name="Before").click()
    assert page.locator(".lists .called").all_inner_texts() == names
    page.get_by_role("button", name="After").click()
    assert page.locator(".lists .called").all_inner_texts() != names


def test_surprising_correction_is_asked_about_once_and_may_be_for_today_only(site, revision):
    study = site.study("try-tour")
    studies.play(study, 50, "admin")
    ids = [studies.ask(study, "ana") for _ in range(2)]
    assert all((study.proposal(id).chance or 0) >= 0.9 for id in ids)
    page = site.open(site.log_in("ana", "expert"), f"/s/try-tour/p/{ids[0]}")
    before = study.weights().tolist()
    reverse(page, 3, 6)
    revision(page, 1)
    unexpected = page.get_by_text("The solver did not expect this edit. Submitted, it learns from it.")
    unexpected.wait_for()
    page.get_by_label("Just today").check()
    unexpected.wait_for(state="detached")
    page.get_by_label("Just today").uncheck()
    unexpected.wait_for()
    page.locator("#note").fill("the bridge is closed")
    submit(page)
    page.locator("#notice", has_text="Just today, or always?").wait_for()
    assert study.effort()[-1].learn
    half = study.weights().tolist()
    page.keyboard.press("a")
    page.locator("#notice", has_text="Always: it was learned.").wait_for()
    assert study.weights().tolist() not in (half, before)
    study.desk().reopen(ids[0], actor="ana")
    page = site.open(page, f"/s/try-tour/p/{ids[0]}")
    submit(page)
    page.locator("#notice", has_text="Just today, or always?").wait_for()
    page.keyboard.press("j")
    page.locator("#notice", has_text="nothing was learned from it").wait_for()
    told = study.effort()[-1]
    assert (told.proposal, told.learn, told.effort, told.work.note) == (
        ids[0],
        False,
        1.0,
        "the bridge is closed",
    )
    assert study.weights().tolist() == before
    page.locator("#submit[data-armed]:not([disabled])").wait_for()
    submit(page)  # as it was thought
    assert page.locator("#just-today").is_hidden()


def test_leaving_the_page_releases_the_proposal(site):
    page = site.open(site.log_in("ana", "expert"), "/s/try-tour/p/1")
    page.get_by_role("link", name="Studies").click()
    page.locator(".cards").first.wait_for()
    other = site.open(site.log_in("bo", "expert"), "/s/try-tour")
    other.locator(".ticket:not(:has(.chip))").wait_for()  # it waits
    assert not other.locator("#open-first").is_disabled()
