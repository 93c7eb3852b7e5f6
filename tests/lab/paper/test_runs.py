from __future__ import annotations

import numpy as np
import pytest

import coactor
from coactor import Session, SimulatedExpert, search
from coactor.lab.engine.contenders import parse_contenders
from coactor.lab.paper.choices import Choices
from coactor.lab.paper.panels import PANELS, find_panel
from coactor.lab.paper.runs import Unit, make_problems, true_weights, unit_cache
from coactor.lab.paper.theorem import MARGIN, THEOREM_1, THEOREM_2, TheoremCheck
from coactor.learners import PER
from tests.lab.helpers import run_unit

FIVE = ("PER", "CSPER", "PA", "CSPA", "expert")


def unit(
    panel: str = "mtsp-noise",
    contenders=FIVE,
    run: int = 0,
    seed: int = 0,
    examples: int = 12,
    theorem: bool = False,
    **choices,
) -> Unit:
    setting = Choices(**choices).apply(find_panel(panel))
    named = [name for name in contenders if name != "expert" or setting.expert_line]
    return Unit(setting, run, seed, examples, parse_contenders(named, "panel"), theorem)


def test_run_unit_follows_the_protocol_of_the_paper():
    # The same by hand: one session per learner, the same problems, the same expert.
    u = unit("mtsp-noise", ("PER", "expert"))
    result = run_unit(u)
    domain = u.panel.make_domain()
    w = true_weights(u, domain)
    expert = SimulatedExpert(domain, w, kappa=0.1)
    session = Session(domain, u.contenders[0].make(domain.dim, np.ones(domain.dim)))
    for t, x in enumerate(make_problems(u, domain, None)):
        proposal = session.ask(x)
        correction = expert(x, proposal.solution)
        session.tell(proposal, correction)
        assert result.costs[0, t] == correction.effort
        assert result.utilities[0, t] == pytest.approx(w @ domain.all_features(x, correction.final))
        perfect = expert(x, domain.solve(x, w[: domain.dim]))
        assert result.costs[1, t] == perfect.effort


@pytest.mark.parametrize("panel", [*PANELS, "tests.lab.helpers:Bits"])
def test_run_unit_contenders_are_independent(panel):
    together = run_unit(unit(panel, ("PER", "CSPER", "default"), examples=6))
    for k, name in ((1, "CSPER"), (2, "default")):
        alone = run_unit(unit(panel, (name,), examples=6))
        assert np.array_equal(alone.costs[0], together.costs[k])
        assert np.array_equal(alone.utilities[0], together.utilities[k])


def test_run_unit_with_fewer_examples_is_a_prefix():
    long, short = run_unit(unit(examples=12)), run_unit(unit(examples=5))
    assert np.array_equal(long.costs[:, :5], short.costs)


@pytest.mark.parametrize("other", [{"run": 1}, {"seed": 1}, {"policy": "best"}])
def test_run_unit_depends_on_run_seed_and_policy(other):
    assert not np.array_equal(run_unit(unit(**other)).costs, run_unit(unit()).costs)


def test_ranking_panels_have_the_same_problems_and_differ_in_the_budget():
    free = run_unit(unit("rank-unlimited", ("PER",), examples=100)).costs[0]
    bound = run_unit(unit("rank-budget", ("PER",), examples=100)).costs[0]
    assert free.max() > 15 >= bound.max()
    first = int(np.argmax(free > 5))  # until a budget can bind, both are the same run
    assert np.array_equal(free[:first], bound[:first])


def test_contenders_get_the_same_budget():
    # Half of PER's weights sort every list as PER's do, so only the budget could differ.
    costs = run_unit(unit("rank-budget", ("PER", "tests.lab.helpers:Slow"), examples=60)).costs
    assert np.array_equal(costs[0], costs[1])


@pytest.mark.parametrize(
    ("panel", "statement", "learners"),
    [
        ("tsp-clean", THEOREM_1, FIVE[:4]),
        ("path-clean", THEOREM_1, FIVE[:4]),  # with a solver that meets Assumption 1
        ("tsp-noise", THEOREM_2, FIVE[:2]),  # there is no bound for the PA pair
        ("path-noise", THEOREM_2, FIVE[:2]),
    ],
)
def test_theorems_are_checked_where_they_apply(panel, statement, learners):
    *rows, margin = run_unit(unit(panel, examples=10, theorem=True)).theorem
    assert [row.learner for row in rows] == list(learners)
    for row in rows:
        assert (row.statement, row.examples) == (statement, 10)
        assert row.assumptions_met
        assert row.held
        assert 0 < row.measured <= row.bound
        assert statement == THEOREM_2 or row.misjudged == 0
    assert (margin.statement, margin.learner, margin.measured, margin.held) == (MARGIN, "PA", 0.0, True)
    assert (margin.R, margin.W, margin.local, margin.gained, margin.disagreed) == (0.0, 0.0, True, True, True)
    assert (margin.bound, margin.refined, margin.squared) == (0.0, 0.0, False)


def test_theorem_2_measures_the_misjudgement_at_the_candidate():
    u = unit("mtsp-noise", ("PER",), run=1, examples=8, theorem=True)
    (row,) = run_unit(u).theorem
    domain = u.panel.make_domain()
    w = true_weights(u, domain)
    expert = SimulatedExpert(domain, w, kappa=0.1)
    session = Session(domain, PER(domain.dim), candidate="disagreement")
    at_candidate = at_final = norm = 0.0
    updates = 0
    for x in make_problems(u, domain, None):
        proposal = session.ask(x)
        correction = expert(x, proposal.solution)
        told = session.tell(proposal, correction)
        at_candidate += max(0.0, 0.1 * told.cost - w[:10] @ told.delta)
        if told.cost:
            before = domain.features(x, proposal.solution)
            norm = max(norm, np.linalg.norm(before), np.linalg.norm(before + told.delta))
            updates += 1
        whole = domain.features(x, correction.final) - domain.features(x, proposal.solution)
        at_final += max(0.0, 0.1 * correction.effort - w[:10] @ whole)
    assert row.misjudged == pytest.approx(at_candidate)
    assert 0 < at_candidate != pytest.approx(at_final)
    assert (row.R, row.updates, row.examples) == (pytest.approx(norm), updates, 8)
    assert pytest.approx(np.linalg.norm(w[:10])) == row.W
    limit = coactor.bounds.noisy_per(8, row.R, row.W, 0.1, at_candidate)
    assert (row.bound, row.refined) == (pytest.approx(limit), 0.0)


def test_theorem_1_is_checked_on_the_first_100_examples_with_both_bounds():
    u = unit("tests.lab.helpers:Bits", ("PER", "CSPER"), examples=103, theorem=True)
    for row, squared in zip(run_unit(u).theorem, (False, True), strict=True):
        assert (row.examples, row.squared, row.misjudged) == (100, squared, 0.0)
        total = (2 * row.R * row.W / row.kappa) ** 2
        assert row.refined == pytest.approx(total / 100)
        assert row.bound == pytest.approx(total / 100 if squared else np.sqrt(total / 100))


def test_theorem_check_notices_broken_assumptions():
    u = unit("path-clean", examples=12)
    domain = u.panel.make_domain()
    w = true_weights(u, domain)
    erring = SimulatedExpert(domain, w, kappa=0.1, misjudgement=0.5, rng=np.random.default_rng(0))
    for expert, solver, met in (
        (SimulatedExpert(domain, w, kappa=0.1), search.polish(domain), (True, True)),
        (SimulatedExpert(domain, w, kappa=0.1), None, (False, True)),  # the paper's solver on the cube
        (erring, search.polish(domain), (True, False)),
    ):
        check = TheoremCheck("PER", domain, expert, solver)
        for x in make_problems(u, domain, None):
            check.observe(x)
        row = check.row("path-clean", 3)
        assert (row.local, row.gained) == met
        assert row.assumptions_met == all(met)
        assert (row.panel, row.run, row.learner) == ("path-clean", 3, "PER")


def test_theorem_check_changes_no_cost():
    assert np.array_equal(
        run_unit(unit("tsp-clean", examples=8, theorem=True)).costs,
        run_unit(unit("tsp-clean", examples=8)).costs,
    )


def test_theorems_are_checked_on_a_domain_of_the_user():
    plain = run_unit(unit("tests.lab.helpers:Bits", examples=2, theorem=True)).theorem
    noisy = run_unit(unit("tests.lab.helpers:HiddenBits", examples=2, theorem=True)).theorem
    assert {row.statement for row in plain} == {THEOREM_1, MARGIN}
    assert {row.statement for row in noisy} == {THEOREM_2, MARGIN}
    assert run_unit(unit("rank-budget", examples=2, theorem=True)).theorem == []


def test_cached_units_come_back_bit_for_bit_for_their_own_parameters_only(tmp_path):
    u, cache = unit(examples=3, theorem=True), unit_cache(tmp_path)
    result = run_unit(u)
    cache.save(u, result)
    loaded = cache.load(unit(examples=3, theorem=True))
    assert np.array_equal(loaded.costs, result.costs)
    assert np.array_equal(loaded.utilities, result.utilities)
    assert loaded.theorem == result.theorem
    for other in (
        unit(examples=4, theorem=True),
        unit(examples=3, theorem=True, seed=1),
        unit(examples=3, theorem=True, run=1),
        unit("path-noise", examples=3, theorem=True),
        unit(examples=3, theorem=True, policy="best"),
        unit(contenders=("PER",), examples=3, theorem=True),
        unit(examples=3),
    ):
        assert cache.load(other) is None
