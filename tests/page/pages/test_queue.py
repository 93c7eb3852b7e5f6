"""A long queue: counts, pages, search, order, changes while it is open; the way back after a login."""

from __future__ import annotations

from typing import Any

import pytest

from coactor.domains import Query, Ranking
from coactor.studies import open_study
from coactor.web.demo import studies
from tests.page.actions import console_errors

pytestmark = pytest.mark.browser


@pytest.fixture
def long_queue(site):
    """A study with 230 waiting proposals."""
    domain, query = Ranking(2), Query.of([[1.0, 0.0], [0.0, 1.0]])
    with open_study(
        site.store, "long", domain, "default", create=True, settings={"proposals": "paper"}
    ) as study:
        for k in range(230):
            study.ask(query, label=f"Guest {k + 1}")
    return study


def test_long_queue_counts_pages_searches_and_keeps_the_focus(site, long_queue):
    page = site.open(site.log_in("ana", "expert"), "/s/long")
    assert page.locator(".figures dd").first.inner_text() == "230"
    assert page.locator("#range").inner_text() == "1 to 50 of 230"
    page.get_by_role("button", name="Next").click()
    page.locator("#range", has_text="51 to 100").wait_for()
    page.locator("#search").fill("guest 22")
    page.locator(".ticket", has_text="Guest 229").wait_for()
    assert page.locator(".ticket").count() == 11
    page.locator("#search").fill("")
    page.locator("#order").select_option("newest")
    page.locator("li:first-child .ticket", has_text="Guest 230").wait_for()
    page.locator(".ticket").nth(2).focus()  # Guest 228
    long_queue.tell(230, moves=[])
    page.evaluate("() => document.dispatchEvent(new Event('visibilitychange'))")
    page.locator("li:first-child .ticket", has_text="Guest 229").wait_for()
    assert page.locator(".figures dd").first.inner_text() == "229"
    assert "Guest 228" in page.evaluate("() => document.activeElement.textContent")
    page.evaluate("() => document.activeElement.blur()")
    page.keyboard.press("Enter")  # opens the first in this order, and so does every submit after it
    page.wait_for_url("**/p/229")


def test_queue_leads_to_the_finished_proposals_and_to_what_was_learned(site, long_queue):
    long_queue.tell(1, moves=[])
    desk = long_queue.desk()
    desk.edit(2, [{"op": "exchange", "args": [0]}], revision=0, actor="ana")
    desk.undo(2, revision=1, actor="ana")
    desk.release(2, "ana")
    page = site.open(site.log_in("ana", "expert"), "/s/long")
    assert page.locator(".figures dd").first.inner_text() == "229"  # with the one without edits
    assert page.locator(".ticket", has_text="unfinished draft").count() == 0
    page.get_by_role("link", name="Finished proposals").click()
    table = page.get_by_role("region", name="Effort of each finished proposal")
    table.get_by_role("link", name="1", exact=True).wait_for()
    site.open(page, "/s/long")
    page.get_by_role("link", name="What it thinks you want").click()
    page.wait_for_url("**/s/long/wants")


def test_queue_is_filtered_by_person_and_by_day(site, long_queue):
    desk = long_queue.desk()
    desk.claim(7, "ben")
    desk.edit(7, [{"op": "exchange", "args": [0]}], revision=0, actor="ben")
    desk.release(7, "ben")
    page = site.open(site.log_in("ana", "expert"), "/s/long")
    page.get_by_label("Person").select_option("ben")
    page.locator("#range", has_text="1 to 1 of 1").wait_for(state="attached")
    assert page.locator(".ticket b").all_inner_texts() == ["Guest 7"]
    page.reload()  # the window remembers what is looked for
    page.locator(".ticket", has_text="Guest 7").wait_for()
    assert page.locator(".ticket").count() == 1
    page.get_by_label("Person").select_option("")
    page.locator("#range", has_text="of 230").wait_for()
    page.get_by_label("Arrived on this day").fill("2001-02-03")
    page.get_by_text("Nothing matches.").wait_for()
    today = page.evaluate("() => new Date().toLocaleDateString('sv')")
    page.get_by_label("Arrived on this day").fill(today)
    page.locator(".ticket", has_text="Guest 8").first.wait_for()


def test_row_shows_a_drawing_the_size_and_what_is_broken(site):
    desk = site.study("try-plan").desk()
    desk.claim(1, "ben")
    move = {"op": "move", "args": [1, 1, 0, 0], "anyway": "a test"}
    desk.edit(1, [move] * 3, revision=0, actor="ben")
    page = site.open(site.log_in("ana", "expert"), "/s/try-plan")
    page.locator(".ticket", has_text="14 stops 1 rule broken").wait_for()
    assert page.locator(".sketch polyline").count() >= 2
    assert not page.locator("#open-first").is_visible()  # there is nothing that ana could open
    page.get_by_text("Others are editing these.").wait_for()
    desk.release(1, "ben")
    page.evaluate("() => document.dispatchEvent(new Event('visibilitychange'))")
    page.locator("#open-first").wait_for()
    site.open(page, "/s/try-roster")
    page.locator(".sketch rect").nth(69).wait_for(state="attached")


def test_old_proposal_is_shown_at_once_and_proposed_again_with_consent(site, long_queue):
    site.app.state.studies.patience = -1.0  # every solver is slow
    long_queue.tell(230, moves=[{"op": "exchange", "args": [0]}])
    page = site.open(site.log_in("ana", "expert"), "/s/long/p/1")
    assert site.study("long").draft(1).basis.version == 0
    held: list[Any] = []
    page.route("**/renew", lambda route, _: held.append(route))
    page.locator("#again").click()
    page.locator("#again", has_text="Solving … 1 s of about 1 s").wait_for()
    held[0].continue_()
    page.locator("#again").wait_for(state="detached")
    page.locator("body[data-revision='1']").wait_for(state="attached")
    assert site.study("long").draft(1).basis.version == 1


def test_login_leads_back_to_the_proposal_with_the_edit(site, revision):
    page = site.log_in("ana", "expert")
    token = site.accounts.create("ana", "*", "expert")
    site.open(page, "/s/try-ranking/p/1")
    with console_errors(site, "401"):
        page.context.clear_cookies()
        page.locator(".ranking li").nth(3).get_by_role("button", name="up").click()
        page.get_by_text("Your session ended; your draft is saved.").wait_for()
        page.locator("#token").fill(token)
        page.get_by_role("button", name="Log in").click()
        page.wait_for_url("**/s/try-ranking/p/1")
        revision(page, 1)
    assert len(site.moves("try-ranking")) == 1


def test_what_is_surely_fine_is_accepted_together_after_a_preview(site):
    study = site.study("try-ranking")
    studies.play(study, 50, "admin")
    for _ in range(6):
        studies.ask(study, "ana")
    fine = [d.id for d in study.proposals("waiting") if (d.basis.chance or 0) >= 0.9]
    assert len(fine) > 1
    page = site.open(site.log_in("ana", "expert"), "/s/try-ranking")
    page.get_by_role("button", name=f"Accept all above 90 % ({len(fine)})").click()
    previewed = page.locator("#together li")
    assert previewed.count() == len(fine)
    assert "likely fine as it is" in previewed.first.inner_text()
    assert study.summary()["told"] == 50
    page.get_by_role("button", name=f"Accept these {len(fine)}").click()
    page.locator("#message", has_text="accepted as proposed").wait_for()
    told = [row for row in study.effort() if row.work.actor == "ana"]
    assert 1 <= len(told) <= len(fine)
    assert {row.proposal for row in told} <= set(fine)
    assert study.report().unread == len(told)
