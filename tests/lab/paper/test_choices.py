"""The choices that the paper leaves open change what they say, and nothing else."""

from __future__ import annotations

import html
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import coactor
from coactor import Session, SimulatedExpert
from coactor.lab.engine.contenders import parse_contenders
from coactor.lab.paper.choices import Choices, solver_with_random_ties
from coactor.lab.paper.experiment import Settings
from coactor.lab.paper.open_choices import ALTERNATIVES, FILE, explore_choices
from coactor.lab.paper.panels import PANELS, find_panel
from coactor.lab.paper.runs import Unit, make_problems, true_weights
from coactor.solutions import same_solution
from tests.lab.helpers import run_unit

FOUR = parse_contenders(["PER", "CSPER", "PA", "CSPA"], "panel")


def unit(panel: str, examples: int = 12, **choices: Any) -> Unit:
    return Unit(Choices(**choices).apply(PANELS[panel]), 0, 0, examples, FOUR)


def test_candidate_is_what_the_learners_get() -> None:
    u = unit("path-noise", 15, candidate="disagreement")
    domain = u.panel.make_domain()
    expert = SimulatedExpert(domain, true_weights(u, domain), kappa=0.1)
    session = Session(domain, coactor.learners.CSPER(domain.dim), candidate="disagreement")
    for x in make_problems(u, domain, None):
        proposal = session.ask(x)
        session.tell(proposal, expert(x, proposal.solution))
    costs = run_unit(u).costs
    assert costs[1].tolist() == session.efforts  # the whole effort, though the learner is given less
    assert sum(session.costs) < sum(session.efforts)
    assert not np.array_equal(costs, run_unit(unit("path-noise", 15)).costs)


@pytest.mark.parametrize("name", ["path-noise", "tsp-clean", "mtsp-clean", "rank-unlimited"])
def test_random_ties_give_valid_solutions_while_all_weights_are_zero(name: str) -> None:
    u = unit(name, 1)
    domain = u.panel.make_domain()
    (x,) = make_problems(u, domain, None)
    solve = solver_with_random_ties(domain, np.random.default_rng(0))
    zero = np.zeros(domain.dim)
    first, second = solve(x, zero), solve(x, zero)
    for y in (first, second):
        domain.check_solution(x, y)  # type: ignore[attr-defined]
    assert not same_solution(first, second)
    w = np.random.default_rng(1).random(domain.dim)
    assert same_solution(solve(x, w), domain.solve(x, w))


def test_random_ties_spread_the_points_over_all_salespeople() -> None:
    domain = PANELS["mtsp-clean"].make_domain()
    (x,) = make_problems(unit("mtsp-clean", 1), domain, None)
    solve = solver_with_random_ties(domain, np.random.default_rng(0))
    sizes = np.mean([[len(path) for path in solve(x, np.zeros(domain.dim))] for _ in range(400)], axis=0)
    assert sizes == pytest.approx(10.0, abs=2.0)


def test_random_ties_are_the_same_for_every_learner() -> None:
    first = run_unit(unit("mtsp-clean", 1, ties="random")).costs[:, 0]
    assert len(set(first.tolist())) == 1
    assert first[0] != run_unit(unit("mtsp-clean", 1)).costs[0, 0]


def test_kappa_replaces_that_of_the_panel() -> None:
    assert Choices().apply(PANELS["mtsp-noise"]).kappa == 0.1
    assert Choices(kappa=0.3).apply(PANELS["mtsp-noise"]).kappa == 0.3
    patient = run_unit(unit("mtsp-noise", kappa=0.9)).costs.sum()
    assert patient < run_unit(unit("mtsp-noise")).costs.sum()


def test_discount_applies_to_rankings_alone() -> None:
    choices = Choices(discount="linear")
    assert choices.apply(PANELS["tsp-clean"]) == PANELS["tsp-clean"]
    assert choices.apply(PANELS["rank-budget"]).make_domain().discount == "linear"  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Choices(candidate="last"), "candidate is 'last'; expected final or disagreement"),  # type: ignore[arg-type]
        (lambda: Choices(policy="worst"), "expected first or best"),  # type: ignore[arg-type]
        (lambda: Choices(ties="highest"), "expected lowest or random"),  # type: ignore[arg-type]
        (lambda: Choices(discount="none"), "expected log or linear"),  # type: ignore[arg-type]
        (lambda: Choices(kappa=0.0), "above 0"),
        (lambda: Choices(kappa=float("inf")), "finite"),
        (
            lambda: Choices(ties="random").apply(find_panel("tests.lab.helpers:Bits")),
            "for the paper's panels",
        ),
    ],
)
def test_choices_refuse_invalid_values(make: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        make()


DATA = "2 qid:1 1:0.5\n0 qid:1 2:1\n" + "1 qid:2 1:0.1\n3 qid:2 2:0.7\n" + "0 qid:3 1:0.1\n2 qid:3 2:0.7\n"


@pytest.mark.parametrize(("examples", "length", "cut"), [(None, 3, ""), (2, 2, "cut to 2 of 3")])
def test_data_are_whole_permutations_unless_the_report_says_so(
    tmp_path: Path, examples: Any, length: int, cut: str
) -> None:
    file = tmp_path / "train.txt"
    file.write_text(DATA)
    settings = Settings(["rank-unlimited"], ["PER"], runs=2, examples=examples, data=[str(file)])
    result = coactor.lab.reproduce(tmp_path / "out", settings, jobs=1)
    assert result.results[0].examples == length
    page = (result.out / "report.html").read_text()
    assert cut in page
    assert ("cut to" in page) == bool(cut)


def test_choices_are_in_the_manifest_and_can_be_verified(tmp_path: Path) -> None:
    choices = Choices("disagreement", "best", "random", "linear", 0.3)
    settings = Settings(["mtsp-clean", "rank-budget"], ["PER", "CSPER"], runs=2, examples=3, choices=choices)
    result = coactor.lab.reproduce(tmp_path, settings, jobs=1)
    verification = coactor.lab.verify(tmp_path / "manifest.json", jobs=1)
    assert verification.same, verification.findings
    page = html.unescape((result.out / "report.html").read_text())
    assert repr(choices) in page  # in the line of Python that makes these numbers
    assert "linear discount" in page


def test_open_choices_are_judged_one_at_a_time(tmp_path: Path) -> None:
    """Each row has a verdict for every alternative that is about a panel which was run."""
    settings = Settings(["mtsp-clean", "rank-budget"], runs=5, examples=4)
    rows = explore_choices(tmp_path, settings, jobs=1)
    assert len(rows) == 22
    assert list(rows[0])[2:] == list(ALTERNATIVES)
    assert rows[4]["as reproduced"] != "not run"  # claim 5 is about multi-TSP without noise alone
    assert rows[0]["policy: best"] == "not run"  # claim 1 is about paths
    text = (tmp_path / FILE).read_text()
    assert rows[4]["claim"] in text
    assert "5 runs of 4 examples" in text
    again = explore_choices(tmp_path, settings, jobs=1)
    assert again == rows


@pytest.mark.parametrize("name", [name for name in ALTERNATIVES if name != "as reproduced"])
def test_an_open_choice_changes_only_the_panels_that_it_names(name: str) -> None:
    choices, where = ALTERNATIVES[name]
    for panel in PANELS.values():
        here = parse_contenders(["PER"], "panel")
        one, other = (Unit(p, 0, 0, 25, here) for p in (panel, choices.apply(panel)))
        same = np.array_equal(run_unit(one).costs, run_unit(other).costs)
        if panel.name not in where and "kappa" not in name:
            assert same, panel.name
