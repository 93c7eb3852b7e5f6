from __future__ import annotations

import json

import numpy as np
import pytest

from coactor import Session, SimulatedExpert
from coactor.lab.engine import cache
from coactor.lab.engine.contenders import parse_lines
from coactor.lab.paper.panels import PANELS, find_panel
from coactor.lab.paper.runs import Unit, make_problems, run_unit, true_weights

FIVE = ("PER", "CSPER", "PA", "CSPA", "expert")


def unit(
    panel: str = "mtsp-noise", lines=FIVE, run: int = 0, seed: int = 0, examples: int = 12, **more
) -> Unit:
    found = find_panel(panel)
    named = [name for name in lines if name != "expert" or found.expert_line]
    return Unit(found, run, seed, examples, parse_lines(named), **more)


def test_a_run_is_the_papers_protocol():
    # The same by hand: one session a learner, the same problems, the same expert.
    u = unit("mtsp-noise", ("PER", "expert"))
    found = run_unit(u)
    domain = u.panel.make_domain()
    w = true_weights(u, domain)
    expert = SimulatedExpert(domain, w, kappa=0.1)
    session = Session(domain, u.lines[0].make(domain.dim))
    for t, x in enumerate(make_problems(u, domain, None)):
        proposal = session.ask(x)
        correction = expert(x, proposal.solution)
        session.tell(proposal, correction)
        assert found.costs[0, t] == correction.effort
        assert found.utilities[0, t] == pytest.approx(w @ domain.all_features(x, correction.final))
        perfect = expert(x, domain.solve(x, w[: domain.dim]))
        assert found.costs[1, t] == perfect.effort


@pytest.mark.parametrize("panel", [*PANELS, "tests.lab.helpers:Bits"])
def test_adding_a_line_changes_no_other_number(panel):
    all_lines = run_unit(unit(panel, examples=6))
    alone = run_unit(unit(panel, ("CSPER",), examples=6))
    assert np.array_equal(alone.costs[0], all_lines.costs[1])
    assert np.array_equal(alone.utilities[0], all_lines.utilities[1])


def test_lines_that_search_at_random_are_addressed_too():
    both = run_unit(unit("mtsp-clean", ("default", "PER+deep"), examples=4))
    alone = run_unit(unit("mtsp-clean", ("PER+deep",), examples=4))
    assert np.array_equal(both.costs[1], alone.costs[0])


def test_fewer_examples_are_the_beginning_of_more():
    long, short = run_unit(unit(examples=12)), run_unit(unit(examples=5))
    assert np.array_equal(long.costs[:, :5], short.costs)


def test_runs_and_seeds_differ():
    base = run_unit(unit()).costs
    assert not np.array_equal(base, run_unit(unit(run=1)).costs)
    assert not np.array_equal(base, run_unit(unit(seed=1)).costs)


def test_the_policy_matters():
    assert not np.array_equal(run_unit(unit(policy="best")).costs, run_unit(unit()).costs)


def test_ranking_panels_see_the_same_problems_and_the_budget_binds():
    free = run_unit(unit("rank-unlimited", ("PER",), examples=30)).costs[0]
    bound = run_unit(unit("rank-budget", ("PER",), examples=30)).costs[0]
    assert free.max() > 15 >= bound.max()
    first = int(np.argmax(free > 5))  # until a budget can bind, both are the same run
    assert np.array_equal(free[:first], bound[:first])


def test_all_lines_meet_the_same_budget():
    # Half of PER's weights sort every list as PER's do, so only another budget could tell them apart.
    costs = run_unit(unit("rank-budget", ("PER", "tests.lab.helpers:Slow"), examples=60)).costs
    assert np.array_equal(costs[0], costs[1])


def test_theorem_rows_where_the_theorem_speaks():
    rows = run_unit(unit("tsp-clean", examples=10, theorem=True)).theorem
    assert [row.learner for row in rows] == list(FIVE[:4])
    assert all(row.assumptions_met and row.held and row.examples == 10 for row in rows)
    assert all(0 < row.measured <= row.bound for row in rows)
    polished = run_unit(unit("path-clean", examples=10, theorem=True)).theorem
    assert all(row.assumptions_met for row in polished)
    assert run_unit(unit("tsp-noise", examples=2, theorem=True)).theorem == []


def test_watching_the_theorem_changes_no_number():
    assert np.array_equal(
        run_unit(unit("tsp-clean", examples=8, theorem=True)).costs,
        run_unit(unit("tsp-clean", examples=8)).costs,
    )


def test_saved_units_come_back_bit_for_bit(tmp_path):
    u = unit("mtsp-clean", examples=8, theorem=True)
    result = run_unit(u)
    assert cache.load(tmp_path, u) is None
    cache.save(tmp_path, u, result)
    back = cache.load(tmp_path, u)
    assert back is not None
    assert np.array_equal(back.costs, result.costs)
    assert np.array_equal(back.utilities, result.utilities)
    assert back.theorem == result.theorem


def test_a_saved_unit_is_found_only_by_its_own_parameters(tmp_path):
    u = unit(examples=3)
    cache.save(tmp_path, u, run_unit(u))
    others = [
        unit(examples=4),
        unit(examples=3, seed=1),
        unit(examples=3, run=1),
        unit("path-noise", examples=3),
    ]
    others += [unit(examples=3, policy="best"), unit(lines=("PER",), examples=3)]
    for other in others:
        assert cache.load(tmp_path, other) is None


def test_a_spoilt_file_is_run_again_not_believed(tmp_path):
    u = unit(examples=3)
    cache.save(tmp_path, u, run_unit(u))
    path = cache.place(tmp_path, u)
    whole = path.read_bytes()
    for spoilt in (b"", whole[: len(whole) // 2], b"something else"):
        path.write_bytes(spoilt)
        assert cache.load(tmp_path, u) is None
    for place in range(0, len(whole), 23):
        path.write_bytes(bytes([*whole[:place], whole[place] ^ 255, *whole[place + 1 :]]))
        assert cache.load(tmp_path, u) is None
    path.write_bytes(whole)
    assert cache.load(tmp_path, u) is not None


def test_keys_are_plain_hashes_of_plain_data():
    assert cache.key(unit()) == cache.key(unit())
    json.dumps(unit().panel.plain())
