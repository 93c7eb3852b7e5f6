"""Several people at one queue: whose draft it is, for whom it was solved, and whom it is meant for."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest

import coactor
from coactor.studies import Study, open_study
from coactor.web.demo import studies
from tests.page.conftest import check_log, demo_site

PHONE = {"viewport": {"width": 390, "height": 800}}


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
    assert (draft.ticket.person, draft.moves) == ("ben", [])


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
    assert site.study("try-ranking").ticket(id).person == "ben"


def test_proposal_meant_for_a_depot_is_marked_everywhere(site):
    study = site.study("try-ranking")
    problem = study.proposal(1).problem
    id = study.ask(problem, label="Depot", actor="ben", person="depot-7").id
    page = site.open(site.log_in("ben", "expert"), "/s/try-ranking")
    page.locator(".ticket", has_text="Depot").locator(".for-whom", has_text="for depot-7").wait_for()
    site.open(page, f"/s/try-ranking/p/{id}")
    page.locator(".title .for-whom", has_text="for depot-7").wait_for()
    page.locator("#submit[data-armed]").click()
    page.locator("#notice #lesson", has_text="Learned for depot-7.").wait_for()
    site.open(page, f"/s/try-ranking/p/{id}")
    page.locator(".side .for-whom", has_text="for depot-7").wait_for()
    own = studies.ask(site.study("try-ranking"), "ana")
    site.open(page, f"/s/try-ranking/p/{own}")
    assert page.locator(".for-whom").count() == 0


@pytest.mark.parametrize("path", ["/s/try-ranking", "/s/try-ranking/p/1"])
def test_login_name_is_in_the_header_of_a_phone(site, path):
    page = site.open(site.log_in("ben", "expert", **PHONE), path)
    assert page.locator(".who", has_text="ben").is_visible()
