"""A day of an expert: every editor, from the first edit to the report."""

from __future__ import annotations

import numpy as np
import pytest

from coactor import open_study
from coactor.domains import Fleet, FleetProblem
from coactor.web.demo import problems, studies
from tests.page.actions import console_errors, drag, reverse, submit

pytestmark = pytest.mark.browser


def test_from_login_to_rollback(site, revision):
    token = site.accounts.create("ana", "*", "lead")
    page = site.new_context(viewport={"width": 1280, "height": 900}).new_page()
    site.log.watch(page)
    page.goto(site.address)
    page.get_by_label("Your token").fill(token)
    page.get_by_role("button", name="Log in").click()
    page.get_by_role("link", name="A courier's round").first.click()
    revision(page, 0)  # straight into the proposal
    assert page.locator(".stop .place s").count() == 0

    stops = page.locator(".lists .stop")
    drag(page, stops.nth(3), stops.nth(6))
    revision(page, 1)
    assert site.moves("try-tour") == [{"op": "reverse", "args": [3, 6]}]
    assert page.locator(".stop .place s").count() == 4  # all have another number now
    assert page.locator(".routes .added").count() == 1
    assert page.locator(".changes tr.moved").count() > 0
    assert page.locator(".effort strong").inner_text() == "1"

    reverse(page, 8, 10)  # the same by keyboard alone
    revision(page, 2)
    assert site.moves("try-tour")[1] == {"op": "reverse", "args": [8, 10]}
    page.keyboard.press("Control+z")
    revision(page, 3)
    page.reload()
    revision(page, 3)
    assert page.locator(".effort strong").inner_text() == "1"
    page.keyboard.press("Control+y")  # redo survives the reload
    revision(page, 4)
    assert len(site.moves("try-tour")) == 2

    submit(page)
    page.wait_for_url("**/s/try-tour/p/2")
    assert page.locator("#lesson").inner_text().startswith("Submitted, 2 edits. ")
    assert site.study("try-tour").version == 1
    page.locator("#undo-submit").click()  # undo, also after submit
    page.wait_for_url("**/s/try-tour/p/1")
    revision(page, 5)
    assert len(site.moves("try-tour")) == 2
    page.get_by_label("Just today").check()
    submit(page)
    page.wait_for_url("**/s/try-tour/p/2")
    assert "nothing was learned" in page.locator("#lesson").inner_text()

    submit(page)
    page.wait_for_url("**/s/try-tour/p/3")
    before = site.study("try-tour").version
    page.get_by_role("link", name="Report").click()
    page.locator("#verdict", has_text="Too early to tell").wait_for()
    page.get_by_role("button", name="Preview version 0").click()
    page.get_by_label("Why go back?").fill("a test of taste")
    page.get_by_role("button", name="Roll back to version 0").click()
    page.locator("#message", has_text="version 0 again").wait_for()
    after = site.study("try-tour")
    assert after.version == before + 1
    assert (after.weights() == after.weights(0)).all()
    page.locator(".log", has_text="a test of taste").wait_for()


def test_stops_move_between_routes(site, revision):
    server = site.study("try-plan")
    plan = [[4, 8, 10, 13, 11, 5, 12, 9], [6, 3, 1], [14, 7, 2]]  # the second vehicle has room
    id = server.ask(server.proposal(1).problem, solution=plan).id
    page = site.open(site.log_in(viewport={"width": 1280, "height": 1500}), f"/s/try-plan/p/{id}")
    rows = page.locator(".route").nth(0).locator(".stop")
    there = page.locator(".route").nth(1).locator(".stop")
    drag(page, rows.nth(1), there.nth(0))  # to the start of another route
    revision(page, 1)
    assert site.moves("try-plan", id) == [{"op": "move", "args": [0, 1, 1, 0]}]
    for key, expected in (("s", "swap"), ("t", "tails")):
        page.locator(".route").nth(0).locator(".stop").nth(1).click()
        page.locator(".route").nth(1).locator(".stop").nth(2).click()
        page.keyboard.press(key)
        if key == "t":  # it breaks a rule, and nobody has seen that it does
            with console_errors(site, "422"):
                page.locator("#message", has_text="too much. Your last edit was not made.").wait_for()
                page.keyboard.press("Enter")  # on "Do it anyway"
        revision(page, 2 if key == "s" else 3)
        assert site.moves("try-plan", id)[-1]["op"] == expected
        assert site.moves("try-plan", id)[-1]["args"] == [0, 1, 1, 2]
    assert site.moves("try-plan", id)[-1]["anyway"] == "seen on the page"
    problem, solution = server.proposal(id).problem, server.proposal(id).solution
    for move in site.moves("try-plan", id):
        solution = server.domain.apply(problem, solution, move)
    listed = [route.locator(".stop .called").all_inner_texts()[1:] for route in page.locator(".route").all()]
    assert listed == [[problem.stops[stop] for stop in route] for route in solution]  # list and server agree


def test_dragging_on_the_map_reverses_a_stretch(site, revision):
    graph = problems.graph(np.random.default_rng(0), 18)
    with open_study(site.store, "pair", Fleet(18, 2, 5), "default", create=True) as study:
        study.ask(FleetProblem.of(graph, [[0, 1], [2, 3]]))
    page = site.open(site.log_in(), "/s/pair/p/1")
    a, b = page.locator(".stops .stop.c0").nth(1), page.locator(".stops .stop.c0").nth(3)
    drag(page, a, b)
    revision(page, 1)
    assert site.moves("pair") == [{"op": "reverse", "args": [0, 1, 3]}]
    stops = page.locator(".stops .stop.c0")
    stops.nth(2).click()  # and by click and click, without a drag
    stops.nth(4).click()
    page.get_by_role("button", name="Reverse").click()
    revision(page, 2)
    assert site.moves("pair")[1] == {"op": "reverse", "args": [0, 2, 4]}
    stops.nth(0).click()  # the start of a route is fixed, and the page says so
    stops.nth(2).click()
    page.locator("#gesture", has_text="fixed").wait_for()
    assert len(site.moves("pair")) == 2


def test_dragging_an_item_makes_exchanges(site, revision):
    page = site.open(site.log_in(), "/s/try-ranking/p/1")
    names = page.locator(".ranking .called").all_inner_texts()
    drag(page, page.locator(".ranking li").nth(5), page.locator(".ranking li").nth(2))
    revision(page, 3)
    assert [m["args"] for m in site.moves("try-ranking")] == [[4], [3], [2]]
    page.locator(".ranking li").nth(2).locator(".called", has_text=names[5]).wait_for()
    assert page.locator(".effort").inner_text() == "1 move (counts as 3 edits)"
    assert "Submit 1 move" in page.locator("#submit").inner_text()
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
    assert [m["args"] for m in site.moves("try-ranking")] == [[0], [1], [2]]
    assert page.locator(".ranking .called").all_inner_texts()[3] == names[0]
    submit(page)
    assert "Submitted, 1 move." in page.locator("#lesson").inner_text()
    assert site.study("try-ranking").effort()[0].effort == 3


@pytest.mark.parametrize("name", ["try-ranking", "try-roads"])
def test_simulated_corrections_and_the_report(site, name):
    page = site.open(site.log_in(), f"/s/{name}")
    for path in (f"/s/{name}", f"/s/{name}/report"):
        site.open(page, path)
        page.get_by_role("button", name="Let Ada correct 10 proposals").click()
        page.locator("#message", has_text="corrected ten").wait_for()
    study = site.study(name)
    assert sum(study.efforts[10:]) < sum(study.efforts[:10])
    assert page.locator("#verdict").inner_text() == study.report().headline
    assert page.locator(".chart .point").count() == 20
    page.get_by_text("Finished proposals").click()
    rows = page.get_by_role("region", name="Effort of each finished proposal").locator("tbody tr")
    assert rows.count() == 20
    page.get_by_role("link", name="What it thinks you want").click()
    page.get_by_role("button", name="Reveal Ada's taste").click()
    cares = page.locator(".verdict", has_text="Ada cares about").inner_text()
    for feature, weight in zip(study.config["features"], studies.taste(study), strict=True):
        assert (feature.split(" (")[0] in cares) == bool(weight)


def test_chances_are_shown_and_checked_in_the_report(site):
    study = site.study("try-tour")
    page = site.open(site.log_in(), "/s/try-tour")
    assert "fine" not in page.locator(".ticket").inner_text()  # nothing is known yet, so nothing is said
    site.open(page, "/s/try-tour/report")
    assert page.locator("#calibration").count() == 0
    studies.play(study, 24, "admin")
    studies.fill(study, "admin")
    (waiting,) = study.proposals("waiting")
    said = {True: "likely fine as it is", False: "likely to need edits"}[waiting.basis.chance > 0.5]
    share = round(100 * (waiting.basis.chance if waiting.basis.chance >= 1 / 3 else 1 - waiting.basis.chance))
    site.open(page, "/s/try-tour")
    if not 1 / 3 < waiting.basis.chance < 2 / 3:
        assert f"{said}: {share} %" in page.locator(".ticket").inner_text()
    page.keyboard.press("Enter")
    page.locator("#about", has_text=f"{share} %").wait_for()
    assert "24 proposals" in page.locator("#about").get_attribute("title")
    site.open(page, "/s/try-tour/report")
    found = study.calibration()
    assert found.proposals == 23  # the first one could not be foretold
    assert page.locator("#calibration").inner_text().replace("\u00a0", " ") == found.sentence
    while page.get_by_role("button", name="Earlier").is_visible():  # back to the very first fact, each once
        shown = page.locator(".log li").count()
        page.get_by_role("button", name="Earlier").click()
        page.locator(".log li").nth(shown).wait_for()
    numbers = page.locator(".log li").evaluate_all("(all) => all.map((one) => one.value)")
    assert numbers == list(range(numbers[0], 0, -1))  # the release of the proposal may come later
    page.get_by_text("Predicted and observed").click()
    rows = page.get_by_role("region", name="Predicted chances").locator("tbody tr")
    assert [int(row.locator("td").nth(1).inner_text()) for row in rows.all()] == [
        one.proposals for one in found.bins
    ]
