"""Two people, two windows, a page that dies, a network that goes away."""

from __future__ import annotations

import socket
import subprocess
import sys
from contextlib import contextmanager

import pytest

from coactor.web.demo import studies

pytestmark = pytest.mark.browser


def turn(page, first: int, last: int) -> None:
    """Turn a stretch round by keyboard."""
    page.locator(".lists .stop").nth(first).focus()
    page.keyboard.press("Space")
    for _ in range(last - first):
        page.keyboard.press("ArrowDown")
    page.keyboard.press("r")


def expected(house, *words: str) -> None:
    """The console spoke of these refusals and of nothing else."""
    rest = [error for error in house.diary.errors if not any(word in error for word in words)]
    assert rest == []
    house.diary.errors.clear()


def test_two_windows_of_one_person(house, revision):
    here, there = house.visit(), house.visit()
    house.open(here, "/s/try-tour/p/1")
    house.open(there, "/s/try-tour/p/1")
    turn(here, 2, 5)
    revision(here, 1)
    turn(there, 7, 9)  # made on a state that is no longer
    there.locator("#message", has_text="was changed elsewhere").wait_for()
    revision(there, 1)
    assert there.locator(".effort strong").inner_text() == "1"
    assert house.study("try-tour").desk().view(1).moves == [{"op": "reverse", "args": [2, 5]}]
    turn(there, 7, 9)  # now it counts
    revision(there, 2)
    here.keyboard.press("Enter")
    here.locator("#message", has_text="was changed elsewhere").wait_for()
    revision(here, 2)
    here.keyboard.press("Enter")
    here.locator("#lesson").wait_for()
    turn(there, 2, 4)  # somebody has finished it meanwhile
    there.locator("#lesson").wait_for()
    expected(house, "409")


def test_two_people_on_one_proposal(house, revision):
    ana, bo = house.visit("ana", "expert"), house.visit("bo", "expert")
    house.open(ana, "/s/try-tour/p/1")
    turn(ana, 2, 5)
    revision(ana, 1)
    house.open(bo, "/s/try-tour")
    assert "ana is editing" in bo.locator(".ticket").inner_text()
    assert bo.locator("#open-first").is_disabled()
    house.open(bo, "/s/try-tour/p/1")
    assert "ana is editing this proposal" in bo.locator("#message").inner_text()
    assert bo.locator("#submit").is_disabled()
    turn(bo, 7, 9)
    bo.keyboard.press("Enter")
    ana.get_by_role("button", name="Back to the queue").click()  # gives it back; the draft stays
    ana.locator(".ticket", has_text="unfinished draft").wait_for()
    bo.get_by_role("button", name="Look again").click()
    bo.locator("#submit:not([disabled])").wait_for()
    assert bo.locator(".effort strong").inner_text() == "1"
    bo.keyboard.press("Enter")
    bo.locator("#lesson").wait_for()
    assert house.study("try-tour").effort()[0].actor == "bo"


def test_a_page_that_dies_leaves_its_draft(house, revision):
    page = house.open(house.visit(), "/s/try-plan/p/1")
    page.locator(".route").nth(0).locator(".stop").nth(1).click()
    page.locator(".route").nth(0).locator(".stop").nth(3).click()
    page.keyboard.press("m")
    revision(page, 1)
    page.context.close()
    again = house.open(house.visit(), "/s/try-plan/p/1")
    assert again.locator(".effort strong").inner_text() == "1"
    assert again.locator(".stop .place s").count() == 3
    again.get_by_role("button", name="Undo").click()
    revision(again, 2)


def test_a_network_that_goes_away(house, revision):
    page = house.open(house.visit(), "/s/try-tour/p/1")
    page.context.set_offline(True)
    turn(page, 2, 5)
    page.locator("#message", has_text="cannot be reached").wait_for()
    assert page.locator(".effort strong").inner_text() == "0"
    page.context.set_offline(False)
    turn(page, 2, 5)
    revision(page, 1)
    assert page.locator("#message").inner_text() == ""
    expected(house, "ERR_INTERNET_DISCONNECTED")


def test_looking_again_tells_of_changes(house, revision):
    page = house.open(house.visit(), "/s/try-tour/p/1")
    house.study("try-tour")
    other = house.open(house.visit(), "/s/try-tour/p/1")
    turn(other, 2, 5)
    revision(other, 1)
    page.evaluate("() => { document.dispatchEvent(new Event('visibilitychange')); }")  # back from another tab
    page.locator("#message", has_text="changed in another window").wait_for()
    revision(page, 1)


def test_lost_ways_are_said_in_a_sentence(house):
    page = house.visit("ana", "expert")
    for path, said in (
        ("/s/nowhere", "no study"),
        ("/s/try-tour/p/99", "no proposal"),
        ("/s/try-tour/p/0", "no proposal"),
        (f"/s/try-tour/p/{10**30}", "no proposal"),
        ("/s/try-tour/p/one", "nothing at this address"),
        (f"/s/{'x' * 300}", "no study"),
        ("/elsewhere", "nothing at this address"),
    ):
        answer = page.goto(house.address + path)
        assert answer.status == 404
        assert said in page.locator("#message").inner_text()
    expected(house, "404")


def test_an_expert_is_not_offered_what_leads_may(house):
    page = house.open(house.visit("ana", "expert"), "/s/try-tour/report")
    page.get_by_role("button", name="Reveal Ada's taste").wait_for()
    assert page.get_by_role("button", name="Let Ada correct 10 proposals").count() == 0
    page = house.open(house.visit("robot", "solver"), "/s/try-tour/p/1")
    assert "can view this, but not edit" in page.locator("#message").inner_text()
    assert page.locator("#submit").is_disabled()


def test_submitted_twice_is_submitted_once(house, revision):
    """An impatient finger: Enter, Enter, click; and the button that goes back."""
    page = house.open(house.visit(), "/s/try-tour/p/1")
    turn(page, 2, 5)
    revision(page, 1)
    page.evaluate(
        """() => { const enter = () => document.body.dispatchEvent(
             new KeyboardEvent("keydown", { key: "Enter", bubbles: true }));
           document.activeElement.blur(); enter(); document.querySelector("#submit").click(); enter(); }"""
    )
    page.locator("#lesson").wait_for()
    study = house.study("try-tour")
    assert (len(study.effort()), study.version) == (1, 1)
    page.keyboard.press("Enter")
    page.wait_for_url("**/p/2")
    revision(page, 0)
    page.go_back()
    page.locator("#lesson").wait_for()  # what is done is shown as done
    assert page.locator("#submit").count() == 0
    page.go_forward()
    page.locator("#submit:not([disabled])").wait_for()


def test_a_reload_loses_no_word(house, revision):
    page = house.open(house.visit(), "/s/try-ranking/p/1")
    page.locator("#note").fill("the lift is broken")
    page.get_by_label("Just today").check()
    page.reload()
    page.locator("#submit:not([disabled])").wait_for()
    assert page.locator("#note").input_value() == "the lift is broken"
    page.locator("#submit").click()
    page.locator("#lesson", has_text="nothing was learned").wait_for()


def test_what_has_waited_is_solved_again_for_whoever_opens_it(house, revision):
    study = house.study("try-tour")
    studies.ask(study, "robot")
    before = study.proposal(2).solution.tolist()
    ana, bo = house.visit("ana", "expert"), house.visit("bo", "expert")
    house.open(ana, "/s/try-tour/p/1")
    turn(ana, 2, 9)
    revision(ana, 1)
    ana.keyboard.press("Enter")
    ana.locator("#lesson").wait_for()
    house.open(bo, "/s/try-tour")
    assert "will be updated when you open it" in bo.locator(".ticket").inner_text()
    bo.keyboard.press("Enter")
    bo.locator("#about", has_text="Made with version 1").wait_for()
    shown = house.study("try-tour").proposal(2).solution.tolist()
    assert shown != before
    problem = study.proposal(2).problem
    listed = bo.locator(".lists .called").all_inner_texts()
    assert listed == [problem.names[stop] for stop in shown]
    house.open(ana, "/s/try-tour/p/2")  # she may look at it, as he sees it
    assert ana.locator(".lists .called").all_inner_texts() == listed
    assert (
        "fine as it is" in bo.locator("#about").inner_text() or "edits" in bo.locator("#about").inner_text()
    )
    turn(bo, 2, 4)
    revision(bo, 2)  # the new solving was a revision too
    bo.keyboard.press("Enter")
    bo.locator("#lesson").wait_for()
    assert [row.asked_with for row in house.study("try-tour").effort()] == [0, 1]
    expected(house, "409")


@contextmanager
def process(url: str, port: int):
    """A server of its own process, which can be killed."""
    command = [
        sys.executable,
        "-c",
        "from coactor.cli import main; main()",
        "serve",
        "--store",
        url,
        "--port",
        str(port),
        "--quiet",
    ]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        assert "Serving" in server.stdout.readline()
        try:
            yield server
        finally:
            server.kill()


def test_a_server_killed_in_the_middle(house, revision):
    """Nothing that was shown as done is lost, and the page goes on when the server is back."""
    url = f"sqlite:///{house.store.engine.url.database}"
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    context = house.browser.new_context()
    page = context.new_page()
    with process(url, port) as server:
        page.goto(f"http://127.0.0.1:{port}/login?code={house.accounts.login_link('ana', 'lead')}")
        page.goto(f"http://127.0.0.1:{port}/s/try-tour/p/1")
        revision(page, 0)
        turn(page, 2, 5)
        revision(page, 1)
        server.kill()
        server.wait()
        turn(page, 7, 9)
        page.locator("#message", has_text="cannot be reached").wait_for()
        page.locator("#submit").click()
        page.locator("#message", has_text="cannot be reached").wait_for()
        assert page.locator(".effort strong").inner_text() == "1"
    with process(url, port):
        turn(page, 7, 9)  # the same window, without a reload
        revision(page, 2)
        page.locator("#submit").click()
        page.locator("#lesson").wait_for()
    context.close()
    assert [row.effort for row in house.study("try-tour").effort()] == [2.0]
