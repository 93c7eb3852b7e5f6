"""Two people, two windows, a page that dies, a network that fails."""

from __future__ import annotations

from contextlib import ExitStack

import pytest

from coactor.web.demo import studies
from tests.page.actions import console_errors, reverse, submit
from tests.web.test_failures import ServerProcess

pytestmark = pytest.mark.browser


def test_two_windows_of_one_person(site, revision):
    here, there = site.log_in(), site.log_in()
    site.open(here, "/s/try-tour/p/1")
    site.open(there, "/s/try-tour/p/1")
    tab = site.open(here.context.new_page(), "/s/try-tour/p/1")
    reverse(here, 2, 5)
    revision(here, 1)
    revision(tab, 1)  # tabs of one browser tell each other
    assert tab.locator(".effort strong").inner_text() == "1"
    tab.close()
    with console_errors(site, "409"):
        reverse(there, 7, 9)  # made on an old revision
        there.locator("#message", has_text="Your last edit was not made").wait_for()
        revision(there, 1)
        assert there.locator(".effort strong").inner_text() == "1"
        assert site.moves("try-tour") == [{"op": "reverse", "args": [2, 5]}]
        reverse(there, 7, 9)  # now it counts
        revision(there, 2)
        here.locator("#submit[data-armed]").wait_for()
        here.keyboard.press("Enter")
        here.locator("#message", has_text="changed in another window").wait_for()
        revision(here, 2)
        submit(here)
        reverse(there, 2, 4)  # finished meanwhile
        there.locator("#reopen").wait_for()


def test_two_people_on_one_proposal(site, revision):
    ana, bo = site.log_in("ana", "expert"), site.log_in("bo", "expert")
    site.open(ana, "/s/try-tour/p/1")
    reverse(ana, 2, 5)
    revision(ana, 1)
    site.open(bo, "/s/try-tour")
    assert "ana is editing" in bo.locator(".ticket").inner_text()
    assert not bo.locator("#open-first").is_visible()
    site.open(bo, "/s/try-tour/p/1")
    assert "ana is editing this proposal" in bo.locator("#message").inner_text()
    assert not bo.locator("#submit").is_visible()
    assert bo.get_by_role("button", name="Take over").count() == 0  # for leads only
    reverse(bo, 7, 9)
    bo.keyboard.press("Enter")
    ana.get_by_role("link", name="Queue").click()  # releases it; the draft stays
    ana.locator(".ticket", has_text="unfinished draft").wait_for()
    bo.get_by_role("button", name="Look again").click()
    bo.locator("#submit:not([disabled])").wait_for()
    assert bo.locator(".effort strong").inner_text() == "1"
    submit(bo)
    assert site.study("try-tour").effort()[0].work.actor == "bo"


def test_a_lead_takes_a_proposal_over(site, revision):
    ana, lead = site.log_in("ana", "expert"), site.log_in("lea", "lead")
    site.open(ana, "/s/try-tour/p/1")
    reverse(ana, 2, 5)
    revision(ana, 1)
    site.open(lead, "/s/try-tour/p/1")
    lead.get_by_role("button", name="Take over").click()
    lead.locator("#submit:not([disabled])").wait_for()
    reverse(lead, 7, 9)
    revision(lead, 2)


def test_a_page_that_dies_leaves_its_draft(site, revision):
    page = site.open(site.log_in(), "/s/try-plan/p/1")
    page.locator(".route").nth(0).locator(".stop").nth(1).click()
    page.locator(".route").nth(0).locator(".stop").nth(3).click()
    page.keyboard.press("m")
    revision(page, 1)
    page.context.close()
    again = site.open(site.log_in(), "/s/try-plan/p/1")
    assert again.locator(".effort strong").inner_text() == "1"
    assert again.locator(".stop .place s").count() == 1
    again.get_by_role("button", name="Undo").click()
    revision(again, 2)


@pytest.mark.parametrize("status", [0, 500, 502, 503, 429])
def test_edits_are_kept_while_the_server_does_not_answer_or_cannot_save(site, revision, status):
    page = site.open(site.log_in(), "/s/try-tour/p/1")
    with console_errors(site, str(status) if status else "ERR_INTERNET_DISCONNECTED"):
        if status:
            answer = {"status": status, "headers": {"Retry-After": "3600"}}
            page.route("**/edits", lambda route: route.fulfill(**answer))
        page.context.set_offline(not status)
        reverse(page, 2, 5)
        page.locator("#message", has_text="1 edit is not saved yet").wait_for()
        reverse(page, 7, 9)
        page.locator("#message", has_text="2 edits are not saved yet").wait_for()
        assert page.locator(".edits li").count() == 2  # still shown
        page.locator("#submit[data-armed]").click()
        page.locator("#message", has_text="2 edits are not saved yet").wait_for()
        assert site.moves("try-tour") == []
        page.unroute("**/edits")
        page.context.set_offline(False)  # it goes on by itself: the browser says that it is online
        if status:
            page.get_by_role("button", name="Try now").click()
        revision(page, 2)
        assert "Saved." in page.locator("#message").inner_text()
        assert [move["args"] for move in site.moves("try-tour")] == [[2, 5], [7, 9]]


def test_an_edit_that_fails_for_good_can_be_discarded(site, revision):
    page = site.open(site.log_in(), "/s/try-tour/p/1")
    with console_errors(site, "500"):
        page.route("**/edits", lambda route: route.fulfill(status=500))
        reverse(page, 2, 5)
        page.get_by_role("button", name="Discard").click()
        revision(page, 0)
        page.unroute("**/edits")
        reverse(page, 7, 9)
        revision(page, 1)
        assert [move["args"] for move in site.moves("try-tour")] == [[7, 9]]


def test_a_refused_edit_is_not_submitted_without(site, revision):
    page = site.open(site.log_in(), "/s/try-tour/p/1")
    with console_errors(site, "422"):
        held = []
        page.route("**/edits", lambda route: held.append(route))
        page.locator("#submit[data-armed]").wait_for()
        reverse(page, 2, 5)
        page.locator("#submit").click()
        held[0].fulfill(status=422, json={"detail": "This move is not valid."})
        page.locator("#message", has_text="not valid. Your last edit was not made.").wait_for()
        assert page.locator(".effort strong").inner_text() == "0"
    assert site.study("try-tour").effort() == []


def test_edits_made_offline_survive_a_reload(site, revision):
    page = site.open(site.log_in(), "/s/try-tour/p/1")
    with console_errors(site, "ERR_INTERNET_DISCONNECTED", "ERR_FAILED"):
        page.route("**/edits", lambda route: route.abort())
        reverse(page, 2, 5)
        page.locator("#message", has_text="1 edit is not saved yet").wait_for()
        page.unroute("**/edits")
        page.reload()
        revision(page, 1)
        assert site.moves("try-tour") == [{"op": "reverse", "args": [2, 5]}]


def test_a_window_that_is_seen_again_shows_changes(site, revision):
    page = site.open(site.log_in(), "/s/try-tour/p/1")
    site.study("try-tour")
    other = site.open(site.log_in(), "/s/try-tour/p/1")
    reverse(other, 2, 5)
    revision(other, 1)
    page.evaluate("() => { document.dispatchEvent(new Event('visibilitychange')); }")  # back from another tab
    page.locator("#message", has_text="changed in another window").wait_for()
    revision(page, 1)


def test_wrong_addresses_show_a_sentence(site):
    page = site.log_in("ana", "expert")
    for path, text in (
        ("/s/nowhere", "no study"),
        ("/s/try-tour/p/99", "no proposal"),
        ("/s/try-tour/p/0", "no proposal"),
        (f"/s/try-tour/p/{10**30}", "no proposal"),
        ("/s/try-tour/p/one", "nothing at this address"),
        (f"/s/{'x' * 300}", "no study"),
        ("/elsewhere", "nothing at this address"),
    ):
        answer = page.goto(site.address + path)
        assert answer.status == 404
        assert text in page.locator("#message").inner_text()
        assert page.get_by_role("link", name="Back to the queue").count() == ("/p/" in path)
    with console_errors(site, "404"):
        pass


def test_an_expert_is_not_offered_what_leads_may(site):
    page = site.open(site.log_in("ana", "expert"), "/s/try-tour/report")
    assert page.get_by_role("button", name="Let Ada correct 10 proposals").count() == 0
    page = site.open(site.log_in("robot", "solver"), "/s/try-tour/p/1")
    assert "can view this, but not edit" in page.locator("#message").inner_text()
    assert page.locator("#submit").is_disabled()


def test_submit_twice_submits_once(site, revision):
    """Enter, a click and Enter at the same moment; and the browser's Back button."""
    page = site.open(site.log_in(), "/s/try-tour/p/1")
    reverse(page, 2, 5)
    revision(page, 1)
    page.locator("#submit[data-armed]").wait_for()
    page.evaluate(
        """() => { const enter = () => document.body.dispatchEvent(
             new KeyboardEvent("keydown", { key: "Enter", bubbles: true }));
           document.activeElement.blur(); enter(); document.querySelector("#submit").click(); enter(); }"""
    )
    page.wait_for_url("**/p/2")
    page.locator("#lesson").wait_for()
    study = site.study("try-tour")
    assert (len(study.effort()), study.version) == (1, 1)
    page.go_back()
    page.locator("#reopen").wait_for()  # a finished proposal is shown as finished
    assert page.locator("#submit").count() == 0
    page.go_forward()
    page.locator("#submit:not([disabled])").wait_for()


def test_a_reload_keeps_the_note(site, revision):
    page = site.open(site.log_in(), "/s/try-ranking/p/1")
    page.locator("#note").fill("the lift is broken")
    page.get_by_label("Just today").check()
    page.reload()
    page.locator("#submit:not([disabled])").wait_for()
    assert page.locator("#note").input_value() == "the lift is broken"
    submit(page)
    assert "nothing was learned" in page.locator("#lesson").inner_text()


def test_a_proposal_that_waited_is_updated_for_whoever_opens_it(site, revision):
    study = site.study("try-tour")
    studies.ask(study, "robot")
    before = study.proposal(2).solution.tolist()
    ana, bo = site.log_in("ana", "expert"), site.log_in("bo", "expert")
    site.open(ana, "/s/try-tour/p/1")
    reverse(ana, 2, 9)
    revision(ana, 1)
    study.tell(1, moves=site.moves("try-tour"), actor="ana")
    site.open(bo, "/s/try-tour")
    assert "more was learned since" in bo.locator(".ticket").inner_text()
    bo.keyboard.press("Enter")
    bo.locator('#about[title*="after 1 proposal"]').wait_for()
    shown = site.study("try-tour").proposal(2).solution.tolist()
    assert shown != before
    problem = study.proposal(2).problem
    listed = bo.locator(".lists .called").all_inner_texts()
    assert listed == [problem.names[stop] for stop in shown]
    site.open(ana, "/s/try-tour/p/2")  # Ana may look at it, as Bo sees it
    assert ana.locator(".lists .called").all_inner_texts() == listed
    about = bo.locator("#about").inner_text()
    assert "fine as it is" in about or "edits" in about
    reverse(bo, 2, 4)
    revision(bo, 2)  # the update was a revision too
    submit(bo)
    assert [row.basis.version for row in site.study("try-tour").effort()] == [0, 1]


def test_a_server_killed_in_the_middle(site, revision):
    """Nothing that was shown as saved is lost, and the page goes on when the server is back."""
    url = f"sqlite:///{site.store.engine.url.database}"
    context = site.new_context()
    page = context.new_page()
    with ExitStack() as stack:
        server = ServerProcess(url)
        stack.callback(server.kill)
        page.goto(f"{server.address}/login?code={site.accounts.login_link('ana', 'lead')}")
        page.goto(f"{server.address}/s/try-tour/p/1")
        revision(page, 0)
        reverse(page, 2, 5)
        revision(page, 1)
        server.kill()
        reverse(page, 7, 9)
        page.locator("#message", has_text="cannot be reached").wait_for()
        page.locator("#submit[data-armed]").click()
        page.locator("#message", has_text="cannot be reached").wait_for()
        assert page.locator(".effort strong").inner_text() == "2"  # one of them not saved yet
        stack.callback(ServerProcess(url, "--port", server.address.rpartition(":")[2]).kill)
        revision(page, 2)  # the same window sends the edit by itself
        submit(page)
    context.close()
    assert [row.effort for row in site.study("try-tour").effort()] == [2.0]
