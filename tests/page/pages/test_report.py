"""The report for a team lead."""

from __future__ import annotations

import numpy as np
import pytest

import coactor
from coactor.protocol import Work
from coactor.web.demo import studies
from tests.page.actions import console_errors

pytestmark = pytest.mark.browser

OVERLAPS = """() => { const texts = [...document.querySelector(".chart").querySelectorAll("text")];
  const boxes = texts.map((one) => [one.textContent, one.getBoundingClientRect()]);
  return boxes.flatMap(([a, one], i) => boxes.slice(i + 1).filter(([, two]) => one.width && two.width
    && one.left < two.right && one.right > two.left && one.top < two.bottom - 2 && one.bottom - 2 > two.top)
    .map(([b]) => `${a} and ${b}`)); }"""


def test_report_page_draws_what_the_study_reports(site):
    study = site.study("try-ranking")
    simulated = studies.expert(study)
    for k in range(22):
        proposal = study.renew(studies.ask(study, "ana") if k else 1)
        moves = list(simulated(proposal.problem, proposal.solution).moves)
        study.tell(proposal, moves=moves, actor="ana", work=Work(seconds=30.0 + 15 * len(moves)))
    report = study.report()
    assert report.verdict == "less"
    page = site.open(site.log_in("lea", "lead"), "/s/try-ranking/report")
    assert page.locator("#verdict.less").inner_text() == report.headline
    tiles = page.locator(".tile")
    assert tiles.count() == len(report.measures) == 3
    for tile, measure in zip(tiles.all(), report.measures, strict=True):
        assert tile.locator(".before").inner_text() == measure.texts["first"]
        assert tile.locator(".after").inner_text() == measure.texts["last"]
    notes = page.locator("#notes p").all_inner_texts()
    assert [text.replace("\u00a0", " ") for text in notes] == report.notes
    assert any("at most" in note and "Without learning" in note for note in notes)
    page.locator("#control").click()  # one in ten from now on without what was learned
    page.get_by_text("10 % of the proposals are made without what was learned").wait_for()
    assert site.study("try-ranking").config["control"] == 0.1
    page.locator("#control", has_text="End the comparison").wait_for()
    page.emulate_media(media="print")
    assert not page.locator(".top").is_visible()
    assert page.locator(".tiles").is_visible()
    assert not page.locator("button").first.is_visible()


def test_report_of_people_who_accept_unread_praises_nothing(site):
    study = site.study("try-tour")
    for k in range(24):
        actor, seconds = ("ana", 40.0) if k < 5 else ("ben", 1.6)
        moves = [{"op": "reverse", "args": [3, 6]}] if k < 5 else []
        proposal = study.proposal(studies.ask(study, actor))
        study.tell(proposal, moves=moves, actor=actor, work=Work(seconds=seconds))
    page = site.open(site.log_in("lea", "lead"), "/s/try-tour/report")
    page.locator("#notes", has_text="19 of 24 proposals were accepted within 3 seconds").wait_for()
    assert "Too early to tell: 5 of" in page.locator("#verdict").inner_text()


def test_look_for_a_missing_feature_is_refused_beside_the_button(site):
    page = site.open(site.log_in("lea", "lead"), "/s/try-tour/report")
    with console_errors(site, "422"):
        page.locator("#look-for-missing").click()
        page.locator("#missing", has_text="Too early to tell: 0 of 20 finished proposals").wait_for()


def test_example_report_has_weeks_people_and_minutes_and_cards_open_anywhere(site):
    page = site.open(site.log_in("lea", "lead"), "/")
    corner = {"position": {"x": 12, "y": 12}, "force": True}  # not the button
    page.locator(".card", has_text="Two months of rounds").click(**corner)
    page.locator('#content[aria-busy="false"]').wait_for()
    assert page.url.endswith("/s/try-example/report")
    assert "learning saves" in page.locator("#verdict.less").inner_text()
    weeks = page.get_by_role("region", name="Week by week").locator("tbody tr")
    assert weeks.count() in (8, 9)
    assert page.get_by_role("region", name="By person").locator("tbody tr").count() == 3
    crossed = page.get_by_role("region", name="of each person, by the week")
    assert crossed.get_by_role("columnheader").count() == 1 + 3
    assert crossed.locator("td", has_text=":").count() >= 2 * 8  # most of them worked in most weeks
    assert page.locator(".chart .point.control").count() > 5
    assert page.get_by_role("columnheader", name="of which without learning").count() == 2
    page.set_viewport_size({"width": 390, "height": 844})
    versions = page.get_by_role("region", name="Versions of the weights")
    assert versions.evaluate("(it) => it.scrollWidth <= it.clientWidth")  # with the date and the buttons
    assert versions.get_by_role("button").first.bounding_box()["height"] < 40  # on one line
    log, earlier = page.get_by_role("region", name="Log"), page.get_by_role("button", name="Earlier")
    bottom = log.bounding_box()["y"] + log.bounding_box()["height"]
    assert earlier.bounding_box()["y"] >= bottom + 8
    site.open(page, "/")
    page.locator(".card", has_text="A courier's round").click(**corner)
    page.wait_for_url("**/s/try-tour/p/1")  # straight into the proposal
    viewer = site.open(site.log_in("rita", "viewer"), "/s/try-example/report")
    assert viewer.get_by_role("region", name="By person").count() == 0
    assert viewer.get_by_role("region", name="of each person").count() == 0


def test_report_says_what_people_share_and_how_each_differs(site):
    study = site.study("try-ranking")
    domain, taste = study.domain, np.array(studies.DEMOS["try-ranking"].largest)
    tastes = {"ana": taste, "ben": taste * [-3.0, *np.ones(domain.dim - 1)]}
    for k in range(120):
        name = ("ana", "ben")[k % 2]
        proposal = study.renew(studies.ask(study, name), actor=name)
        expert = coactor.SimulatedExpert(domain, weights=tastes[name], kappa=0.02)
        study.tell(proposal, expert(proposal.problem, proposal.solution), actor=name)
    assert study.people().shared
    assert study.people().people[1].words
    page = site.open(site.log_in("lea", "lead"), "/s/try-ranking/report")
    card = page.locator("#people")
    card.locator("#shared li").first.wait_for()
    page.get_by_label("One person").select_option("ben")
    card.locator("#person-view li", has_text="ben").first.wait_for()
    assert card.locator(".weight").count() == min(20, domain.dim)
    page.get_by_label("Hide names").check()
    card.locator("option", has_text="Person 2").wait_for(state="attached")
    assert "ben" not in card.inner_text()
    assert page.locator("#hide-names").is_checked()
    page.get_by_text("Finished proposals").click()
    rows = page.get_by_role("region", name="Effort of each finished proposal").locator("tbody tr")
    assert rows.count() == 120
    assert page.evaluate(OVERLAPS) == []
    reader = site.open(site.log_in("rita", "viewer"), "/s/try-ranking/report").locator("#people")
    reader.locator("#shared").wait_for()
    assert "ben" not in reader.inner_text()
    assert reader.locator("#hide-names").count() == 0
