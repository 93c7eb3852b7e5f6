"""The report for a team lead."""

from __future__ import annotations

import numpy as np
import pytest

import coactor
from coactor.protocol import Work
from coactor.web.demo import studies

pytestmark = pytest.mark.browser

OVERLAPS = """() => { const texts = [...document.querySelector(".chart").querySelectorAll("text")];
  const boxes = texts.map((one) => [one.textContent, one.getBoundingClientRect()]);
  return boxes.flatMap(([a, one], i) => boxes.slice(i + 1).filter(([, two]) => one.width && two.width
    && one.left < two.right && one.right > two.left && one.top < two.bottom - 2 && one.bottom - 2 > two.top)
    .map(([b]) => `${a} and ${b}`)); }"""


def test_report_compares_the_start_with_now_and_with_no_learning(site):
    study = site.study("try-ranking")
    simulated = studies.expert(study)
    for k in range(18):
        proposal = study.renew(studies.ask(study, "ana") if k else 1)
        moves = list(simulated(proposal.problem, proposal.solution).moves)
        study.tell(proposal, moves=moves, actor="ana", work=Work(seconds=30.0 + 15 * len(moves)))
    page = site.open(site.log_in("lea", "lead"), "/s/try-ranking/report")
    page.locator("#verdict", has_text="less to correct").wait_for()
    tiles = page.locator(".tile")
    tiles.nth(2).wait_for()
    assert tiles.count() == 3
    texts = [tiles.nth(k).inner_text() for k in range(3)]
    assert "edits per proposal" in texts[0]
    assert "minutes per proposal" in texts[1]
    assert "accepted unchanged" in texts[2]
    assert all("→" in text and "95 %" in text for text in texts)
    verdict = page.locator("#verdict").inner_text()
    for part in (".before", ".after"):
        assert f" {tiles.first.locator(part).inner_text()} " in verdict
    interval = tiles.first.locator("small").inner_text().removeprefix("change ").removesuffix(" (95 %)")
    assert f"of the change {interval}." in verdict
    page.locator("#without-learning", has_text="the last 18 problems would have needed").wait_for()
    assert "Recent proposals were edited for: " in page.locator("#causes").inner_text()
    assert page.get_by_role("region", name="Week by week").locator("tbody tr").count() >= 1
    page.emulate_media(media="print")
    assert not page.locator(".top").is_visible()
    assert page.locator(".tiles").is_visible()


def test_report_says_what_people_share_and_how_each_differs(site):
    study = site.study("try-ranking")
    domain, rng = study.domain, np.random.default_rng(0)
    shared = rng.random(domain.dim)
    shared[1] = 3.0
    tastes = {"ana": shared, "ben": shared.copy()}
    tastes["ben"][0] = -3.0
    for k in range(120):
        name = ("ana", "ben")[k % 2]
        proposal = study.renew(studies.ask(study, name), actor=name)
        expert = coactor.SimulatedExpert(domain, weights=tastes[name], kappa=0.1)
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
    page.get_by_text("The numbers").click()
    rows = page.get_by_role("region", name="Effort of each finished proposal").locator("tbody tr")
    assert rows.count() == 120
    assert page.evaluate(OVERLAPS) == []
    reader = site.open(site.log_in("rita", "viewer"), "/s/try-ranking/report").locator("#people")
    reader.locator("#shared").wait_for()
    assert "ben" not in reader.inner_text()
    assert reader.locator("#hide-names").count() == 0
