"""Several people at one queue: whose draft it is, for whom it was solved, and whom it is meant for."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest

import coactor
from coactor.explanations.words import without_unit
from coactor.studies import Study, open_study
from coactor.web.demo import studies
from tests.page.conftest import check_log, demo_site


def teach(study: Study, tastes: dict[str, Any], rounds: int) -> None:
    """Let simulated people correct proposals in turn."""
    domain = study.domain
    for k in range(rounds):
        name = list(tastes)[k % len(tastes)]
        proposal = study.renew(studies.ask(study, name), actor=name)
        expert = coactor.SimulatedExpert(domain, weights=tastes[name], kappa=0.1)
        study.tell(proposal, expert(proposal.problem, proposal.solution), actor=name)


@pytest.fixture(scope="module")
def shared_store(tmp_path_factory: pytest.TempPathFactory, demo_store: Path) -> Path:
    """A folder with the demo studies, one of which Ana and Ben have taught opposite tastes."""
    folder = tmp_path_factory.mktemp("shared")
    shutil.copytree(demo_store, folder, dirs_exist_ok=True)
    with open_study(f"sqlite:///{folder}/desk.db", "try-ranking") as study:
        tastes = {"ana": [3.0] + [0.0] * 6, "ben": [-3.0] + [0.0] * 6}
        teach(study, tastes, 12)
    return folder


@pytest.fixture
def site(tmp_path: Path, shared_store: Path, browser: Any) -> Any:
    with demo_site(tmp_path, shared_store, browser) as site:
        yield site
    check_log(site)


def test_draft_of_another_person_comes_last_and_can_be_started_again(site):
    study = site.study("try-ranking")
    first, second = 1, studies.ask(study, "ana")
    study.desk().edit(first, [{"op": "exchange", "args": [0]}], revision=0, actor="ana")
    study.desk().release(first, "ana")
    page = site.open(site.log_in("ben", "expert"), "/s/try-ranking")
    page.locator(".ticket", has_text="unfinished draft of ana").wait_for()
    page.keyboard.press("Enter")
    page.wait_for_url(f"**/s/try-ranking/p/{second}")
    assert page.locator("#begun").count() == 0
    site.open(page, f"/s/try-ranking/p/{first}")
    page.locator("#begun", has_text="ana began this: 1 edit.").wait_for()
    page.get_by_role("button", name="Start again for me").click()
    page.locator("#begun").wait_for(state="detached")
    page.locator("#submit", has_text="Accept as proposed").wait_for()
    draft = site.study("try-ranking").desk().view(first)
    assert (draft.solved_for, draft.moves) == ("ben", [])


def test_proposal_solved_for_another_person_says_so(site):
    site.app.state.studies.patience = -1.0  # every solver is slow
    study = site.study("try-ranking")
    id = studies.ask(study, "ana")
    page = site.open(site.log_in("ben", "expert"), f"/s/try-ranking/p/{id}")
    page.get_by_text("This was solved for another person.").wait_for()
    assert page.get_by_text("More was learned").count() == 0
    page.get_by_role("button", name="Solve it for me").click()
    page.get_by_text("This was solved for another person.").wait_for(state="detached")
    page.locator("body[data-revision='1']").wait_for(state="attached")
    assert site.study("try-ranking").draft(id).solved_for == "ben"


def test_proposal_meant_for_a_depot_is_marked_everywhere(site):
    study = site.study("try-ranking")
    problem = study.proposal(1).problem
    id = study.ask(problem, label="Depot", actor="ben", asked_for="depot-7").id
    page = site.open(site.log_in("ben", "expert"), "/s/try-ranking")
    page.locator(".ticket", has_text="Depot").locator(".for-whom", has_text="for depot-7").wait_for()
    site.open(page, f"/s/try-ranking/p/{id}")
    page.locator(".title .for-whom", has_text="for depot-7").wait_for()
    page.locator("#submit[data-armed]").click()
    page.locator("#notice #lesson", has_text="Learned for depot-7.").wait_for()
    site.open(page, f"/s/try-ranking/p/{id}")
    page.locator(".finished .title .for-whom", has_text="for depot-7").wait_for()
    own = studies.ask(site.study("try-ranking"), "ana")
    site.open(page, f"/s/try-ranking/p/{own}")
    assert page.locator(".for-whom").count() == 0


NAMES = r"() => /\b(ana|ben|lea)\b/.test(document.querySelector('#content').textContent)"
HIDDEN = f"() => !({NAMES})()"


def open_report(site: Any, **options: Any) -> Any:
    return site.open(site.log_in("lea", "lead", **options), "/s/try-ranking/report")


def test_hide_names_hides_them_on_the_whole_report_and_keeps_the_choice(site):
    site.study("try-ranking").rollback(6, "a test", actor="lea")
    page = open_report(site)
    assert page.evaluate(NAMES)
    person = page.get_by_label("One person")
    person.select_option("ben")
    page.get_by_label("Hide names").check()
    page.wait_for_function(HIDDEN)
    label = person.locator("option:checked").inner_text()
    page.get_by_text("Finished proposals").click()
    rows = page.get_by_role("region", name="Effort of each finished proposal").locator("tbody tr")
    assert label in {row.split("\t")[5] for row in rows.all_inner_texts()}
    page.locator(".log li", has_text=f"{label} finished").first.wait_for()
    assert label in page.locator(".chart title").last.text_content()
    assert person.locator("option:checked").inner_text() == label
    page.reload()  # the window remembers it
    page.locator("#content[aria-busy=false]").wait_for()
    assert page.evaluate(HIDDEN)
    page.get_by_label("Hide names").uncheck()
    page.wait_for_function(NAMES)


def test_other_cards_of_the_report_do_not_wait_for_people(site):
    page, waiting = site.log_in("lea", "lead"), list[Any]()
    page.route("**/api/studies/try-ranking/people*", lambda route: waiting.append(route))
    page.goto(f"{site.address}/s/try-ranking/report")
    page.get_by_role("region", name="Versions of the weights").wait_for()
    page.locator(".log li").first.wait_for()
    assert not page.locator("#people").is_visible()
    for route in waiting:
        route.continue_()
    page.locator("#people #shared").wait_for()


def test_one_person_is_rolled_back_from_the_report(site):
    before = site.study("try-ranking").weights(learned_for="ben")
    page = open_report(site)
    page.get_by_role("button", name="Preview version 4").click()
    page.get_by_label("Roll back for").select_option("ana")
    page.get_by_label("Why go back?").fill("a test")
    page.get_by_role("button", name="Roll back to version 4").click()
    page.locator("#message", has_text="The weights of ana are those of version 4 again").wait_for()
    page.locator(".log li", has_text="lea made a rollback of ana to version 4: “a test”").wait_for()
    study = site.study("try-ranking")
    assert study.weights(learned_for="ben")[0] == pytest.approx(before[0], rel=0.25)


def test_reader_sees_what_it_thinks_they_want_and_says_otherwise(site):
    page = site.open(site.log_in("ana", "lead"), "/s/try-ranking/wants")
    study = site.study("try-ranking")
    own = next(one for one in study.beliefs(learned_for="ana") if abs(one.taste) == 1.0)
    row = page.locator(".weight").first
    assert own.words in row.inner_text()
    assert [link.inner_text() for link in row.get_by_role("link").all()] == [
        f"proposal {n}" for n in own.behind
    ]
    before = study.weights(learned_for="ana")
    row.get_by_role("button", name="No, that is wrong").click()
    page.locator(
        "#said", has_text=f"ana: {'less' if own.taste > 0 else 'more'} “{without_unit(own.feature)}”"
    ).wait_for()
    assert page.locator("#reveal").count() == 0  # Ada has corrected nothing
    assert study.versions()[-1].how == "said"
    assert abs(study.weights(learned_for="ana") - before).max() > 0
    page.get_by_role("button", name="Take it back").click()
    page.locator("#message", has_text="Taken back.").wait_for()
    page.locator("#said", has_text="taken back").wait_for()
    assert study.weights(learned_for="ana").tolist() == before.tolist()
    page.get_by_label("Whose wishes").select_option("ben")
    page.locator(".weight button").first.wait_for()
    page.get_by_label("Whose wishes").select_option("What a new person starts from")
    page.wait_for_function("() => !document.querySelector('.weight button')")
    reader = site.open(site.log_in("rita", "viewer"), "/s/try-ranking/wants")
    reader.locator(".weight").first.wait_for()
    assert reader.locator(".weight button").count() == 0
    assert "ben" not in reader.locator("#whose").inner_text()


def test_a_revealed_taste_is_shown_beside_what_was_learned_of_that_person(site):
    study = site.study("try-ranking")
    ada = studies.play(study, 3, "admin")[0][-1].learned_for
    page = site.open(site.log_in("ana", "lead"), "/s/try-ranking/wants")
    page.locator("#reveal").click()
    page.locator(".revealed", has_text="taste was found").wait_for()
    assert page.get_by_label("Whose wishes").input_value() == ada
