"""The whole day of an expert, in a real browser."""

from __future__ import annotations

import re

import pytest

from coactor import domains
from coactor.studies import catalog, open_study
from coactor.web.demo import problems, studies
from tests.studies.stubs import Switches

pytestmark = pytest.mark.browser


def moves(house, study: str, id: int = 1) -> list:
    return house.study(study).desk().view(id).moves


def drag(page, start, end) -> None:
    """Press on one element, move to another in steps, let go."""
    a, b = start.bounding_box(), end.bounding_box()
    page.mouse.move(a["x"] + a["width"] / 2, a["y"] + a["height"] / 2)
    page.mouse.down()
    page.mouse.move(b["x"] + b["width"] / 2, b["y"] + b["height"] / 2, steps=12)
    page.mouse.up()


def test_from_the_door_to_the_rollback(house, revision):
    token = house.accounts.create("ana", "*", "lead")
    page = house.browser.new_context().new_page()
    house.diary.watch(page)
    page.goto(house.address)
    page.get_by_label("Your token").fill(token)
    page.get_by_role("button", name="Log in").click()
    page.get_by_role("link", name="A courier's round").first.click()
    page.locator(".ticket").wait_for()
    page.keyboard.press("Enter")  # opens the first
    page.locator("#submit kbd").wait_for()
    assert page.locator(".stop .place s").count() == 0

    drag(page, page.locator(".lists .stop").nth(3), page.locator(".lists .stop").nth(6))
    revision(page, 1)
    assert moves(house, "try-tour") == [{"op": "reverse", "args": [3, 6]}]
    assert page.locator(".stop .place s").count() == 4  # the old places, struck out
    assert page.locator(".ghost path").count() == 1
    assert page.locator(".changes tr.moved").count() > 0
    assert page.locator(".effort strong").inner_text() == "1"

    page.locator(".lists .stop").nth(8).focus()  # the same by keyboard alone
    page.keyboard.press("Space")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("r")
    revision(page, 2)
    assert moves(house, "try-tour")[1] == {"op": "reverse", "args": [8, 10]}

    page.keyboard.press("Control+z")
    revision(page, 3)
    page.reload()
    page.locator("#submit kbd").wait_for()
    assert page.locator(".effort strong").inner_text() == "1"
    page.keyboard.press("Control+y")  # redo survives the reload
    revision(page, 4)
    assert len(moves(house, "try-tour")) == 2

    page.keyboard.press("Enter")
    page.locator("#lesson").wait_for()
    assert page.locator("#lesson").inner_text().startswith("Learned: ")
    assert house.study("try-tour").version == 1
    page.get_by_role("button", name="Undo and edit again").click()  # undo, also after submit
    page.locator("#submit kbd").wait_for()
    assert len(moves(house, "try-tour")) == 2
    page.get_by_label("Just today").check()
    page.keyboard.press("Enter")
    page.locator("#lesson").wait_for()
    assert "nothing was learned" in page.locator("#lesson").inner_text()

    page.keyboard.press("Enter")  # the next proposal
    page.locator("#submit kbd").wait_for()
    assert page.url.endswith("/s/try-tour/p/2")
    page.keyboard.press("Enter")
    page.locator("#lesson").wait_for()
    before = house.study("try-tour").version
    page.get_by_role("link", name="See the report").click()
    page.locator(".log li").first.wait_for()
    assert "Too early to tell" in page.locator("#verdict").inner_text()
    page.get_by_role("button", name="Preview version 0").click()
    page.get_by_label("Why go back?").fill("a test of taste")
    page.get_by_role("button", name="Roll back to version 0").click()
    page.locator("#message", has_text="version 0 again").wait_for()
    after = house.study("try-tour")
    assert after.version == before + 1
    assert (after.weights() == after.weights(0)).all()
    assert "a test of taste" in page.locator(".log").inner_text()


def test_stops_are_moved_between_routes(house, revision):
    page = house.open(house.visit(), "/s/try-plan/p/1")
    rows = page.locator(".route").nth(0).locator(".stop")
    there = page.locator(".route").nth(1).locator(".stop")
    drag(page, rows.nth(1), there.nth(0))  # to the start of another route
    revision(page, 1)
    assert moves(house, "try-plan") == [{"op": "move", "args": [0, 1, 1, 0]}]
    for key, expected in (("s", "swap"), ("t", "tails")):
        page.locator(".route").nth(0).locator(".stop").nth(1).click()
        page.locator(".route").nth(1).locator(".stop").nth(2).click()
        page.keyboard.press(key)
        revision(page, 2 if key == "s" else 3)
        assert moves(house, "try-plan")[-1] == {"op": expected, "args": [0, 1, 1, 2]}
    server = house.study("try-plan")
    problem, solution = server.proposal(1).problem, server.proposal(1).solution
    for move in moves(house, "try-plan"):
        solution = server.domain.apply(problem, solution, move)
    listed = [route.locator(".stop .called").all_inner_texts()[1:] for route in page.locator(".route").all()]
    assert listed == [[problem.stops[stop] for stop in route] for route in solution]  # list and server agree


def test_a_stretch_is_turned_by_dragging_on_the_map(house, revision):
    page = house.open(house.visit(), "/s/try-fleet/p/1")
    a, b = page.locator(".map .stop.c0 .dot").nth(1), page.locator(".map .stop.c0 .dot").nth(3)
    drag(page, a, b)
    revision(page, 1)
    assert moves(house, "try-fleet") == [{"op": "reverse", "args": [0, 1, 3]}]
    page.locator(".map .stop.c0 .dot").nth(2).click()  # and by click and click, without a drag
    page.locator(".map .stop.c0 .dot").nth(4).click()
    page.get_by_role("button", name="Turn stretch round").click()
    revision(page, 2)
    assert moves(house, "try-fleet")[1] == {"op": "reverse", "args": [0, 2, 4]}
    page.locator(".map .stop.c0 .dot").nth(0).click()  # where a route starts is fixed, and the page says so
    page.locator(".map .stop.c0 .dot").nth(2).click()
    page.keyboard.press("r")
    page.get_by_role("button", name="Turn stretch round").click()
    page.locator("#gesture", has_text="fixed").wait_for()
    assert len(moves(house, "try-fleet")) == 2


def test_a_document_is_carried_and_exchanges_are_counted(house, revision):
    page = house.open(house.visit(), "/s/try-ranking/p/1")
    names = page.locator(".ranking .called").all_inner_texts()
    drag(page, page.locator(".ranking li").nth(5), page.locator(".ranking li").nth(2))
    revision(page, 3)
    assert [m["args"] for m in moves(house, "try-ranking")] == [[4], [3], [2]]
    page.locator(".ranking li").nth(2).locator(".called", has_text=names[5]).wait_for()
    assert page.locator(".effort strong").inner_text() == "3"
    page.get_by_role("button", name="Undo").click()  # one gesture, one undo
    revision(page, 6)
    assert page.locator(".ranking .called").all_inner_texts() == names
    page.locator(".ranking li").first.focus()
    page.keyboard.press("Alt+ArrowDown")
    revision(page, 7)
    page.keyboard.press("Space")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Space")
    revision(page, 9)
    assert [m["args"] for m in moves(house, "try-ranking")] == [[0], [1], [2]]
    assert page.locator(".ranking .called").all_inner_texts()[3] == names[0]
    page.keyboard.press("Enter")
    page.locator("#lesson").wait_for()
    assert house.study("try-ranking").effort()[0].effort == 3


def test_another_order_is_chosen_for_a_stretch(house, revision):
    page = house.open(house.visit(), "/s/try-steps/p/1")
    page.locator(".choice").first.wait_for()
    page.locator("ol.steps li").first.focus()
    page.keyboard.press("ArrowDown")
    page.get_by_role("heading", name="Other orders for steps 2 to 4").wait_for()
    shown = page.locator(".choice").nth(2).locator("b").inner_text().split(" → ")
    page.keyboard.press("3")
    revision(page, 1)
    assert page.locator("ol.steps .called").all_inner_texts()[1:4] == shown


def test_in_two_minutes_a_visitor_has_seen_it_learn(house):
    page = house.open(house.visit(), "/s/try-ranking")
    page.get_by_role("button", name="Let Ada correct 10 proposals").click()
    page.locator("#message", has_text="corrected ten").wait_for()
    house.open(page, "/s/try-ranking/report")
    page.get_by_role("button", name="Let Ada correct 10 proposals").click()
    page.locator("#message", has_text="corrected ten").wait_for()
    assert re.search("There is less to correct|No clear change yet", page.locator("#verdict").inner_text())
    assert page.locator(".chart .point").count() == 20
    page.get_by_role("button", name="Reveal Ada's taste").click()
    page.locator(".verdict", has_text="Ada cares about").wait_for()
    taste = studies.taste(house.study("try-ranking"))
    cares = page.locator(".verdict", has_text="Ada cares about").inner_text()
    for name, weight in zip(problems.HOTEL_FEATURES, taste, strict=True):
        assert (name.split(" (")[0] in cares) == bool(weight)
    page.get_by_text("The numbers").click()
    assert (
        page.get_by_role("region", name="Effort of each finished proposal").locator("tbody tr").count() == 20
    )


def test_chances_are_told_and_held_against_the_facts(house):
    study = house.study("try-tour")
    page = house.open(house.visit(), "/s/try-tour")
    assert "fine" not in page.locator(".ticket").inner_text()  # nothing is known yet, so nothing is said
    house.open(page, "/s/try-tour/report")
    assert page.locator("#calibration").count() == 0
    studies.play(study, 24, "admin")
    studies.fill(study, "admin")
    (waiting,) = study.proposals("waiting")
    said = {True: "likely fine as it is", False: "likely to need edits"}[waiting.chance > 0.5]
    share = round(100 * max(waiting.chance, 1 - waiting.chance))
    house.open(page, "/s/try-tour")
    if not 1 / 3 < waiting.chance < 2 / 3:
        assert f"{said}: {share} %" in page.locator(".ticket").inner_text()
    page.keyboard.press("Enter")
    page.locator("#about", has_text=f"{share} %. Made with version 24").wait_for()
    house.open(page, "/s/try-tour/report")
    found = study.calibration()
    assert found.proposals == 23  # the first one could not be foretold
    assert page.locator("#calibration").inner_text().replace("\u00a0", " ") == found.sentence
    assert page.locator(".calibration circle").count() == len(found.bins)
    facts = study.summary()["facts"]
    while page.get_by_role("button", name="Earlier").is_visible():  # back to the very first fact, each once
        shown = page.locator(".log li").count()
        page.get_by_role("button", name="Earlier").click()
        page.locator(".log li").nth(shown).wait_for()
    numbers = page.locator(".log li").evaluate_all("(all) => all.map((one) => one.value)")
    assert numbers == list(range(facts, 0, -1))
    page.get_by_text("Predicted and observed").click()
    rows = page.get_by_role("region", name="Predicted chances").locator("tbody tr")
    assert [int(row.locator("td").nth(1).inner_text()) for row in rows.all()] == [
        one.proposals for one in found.bins
    ]


def test_the_colleagues_advice_can_be_followed(house):
    page = house.open(house.visit(), "/s/try-ranking/p/1")
    page.get_by_role("button", name="What would Ada do?").click()
    page.locator("#do-all").click()
    page.locator("#advice", has_text="leave it as it is").wait_for()
    study = house.study("try-ranking")
    assert (
        len(moves(house, "try-ranking"))
        == len(studies.expert(study)(study.proposal(1).problem, study.proposal(1).solution).moves)
        > 1
    )


def test_a_domain_without_a_drawing_of_its_own(house, revision, monkeypatch):
    """Whatever is installed can be edited: the page lists the domain's own moves."""
    monkeypatch.setattr(domains, "Switches", Switches, raising=False)
    monkeypatch.setitem(catalog.BUILT_IN, "switches", "Switches")
    with open_study(house.store, "switches", Switches(), "CSPER", create=True) as study:
        study.ask([1.0, -2.0, 3.0])
    page = house.open(house.visit(), "/s/switches/p/1")
    page.get_by_role("button", name="flip 2").click()
    revision(page, 1)
    assert page.locator("pre").all_inner_texts() == ["[0,0,1]", "[0,0,0]"]
    page.keyboard.press("Control+z")
    revision(page, 2)
    page.get_by_role("button", name="flip 0").click()
    revision(page, 3)
    page.locator("#submit").click()
    page.locator("#lesson").wait_for()
    assert house.study("switches").weights().tolist() == [1.0, 0.0, 0.0]
