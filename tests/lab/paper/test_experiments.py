"""The settings of the experiments, as the paper states them: another value of any of them fails a test."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from coactor.domains import Cube, FleetProblem, Graph
from coactor.lab.engine.contenders import parse_contenders
from coactor.lab.paper.data.files import read_queries
from coactor.lab.paper.experiment import WHOLE_PAPER, Settings, make_units
from coactor.lab.paper.panels import PANELS, use_data
from coactor.lab.paper.runs import Unit, make_problems, true_weights
from coactor.lab.paper.sentences import NEXT_STEPS
from coactor.protocol import declares
from tests.lab.helpers import run_unit

SYNTHETIC = [name for name in PANELS if not name.startswith("rank")]
NOISY = ["path-noise", "tsp-noise", "mtsp-noise"]


def unit(name: str, run: int = 0, examples: int = 3, contenders: tuple[str, ...] = ("PER",)) -> Unit:
    return Unit(PANELS[name], run, 0, examples, parse_contenders(contenders, "panel"))


@pytest.mark.parametrize("name", PANELS)
def test_panels_have_the_settings_of_the_paper(name: str) -> None:
    panel, ranking = PANELS[name], name.startswith("rank")
    assert (panel.kappa, panel.log, panel.expert_line) == (2.0 if ranking else 0.1, not ranking, not ranking)
    assert panel.budget == ((5, 15) if name == "rank-budget" else None)
    assert (panel.problems, panel.stream) == (("synthetic", "rank") if ranking else ("sample", ""))
    assert declares(panel.make_domain(), "locally_optimal") == (not name.startswith("path"))
    assert (panel.policy, panel.candidate, panel.ties, panel.data) == ("first", "final", "lowest", None)
    assert dict(panel.parameters).get("features") == (700 if ranking else None)


@pytest.mark.parametrize(
    ("name", "points", "features", "hidden"),
    [
        ("path-clean", 448, 10, 0),  # edges of a 7-cube
        ("path-noise", 448, 10, 1),
        ("tsp-clean", 20, 100, 0),
        ("tsp-noise", 20, 100, 10),
        ("mtsp-clean", 40, 10, 0),
        ("mtsp-noise", 40, 10, 1),
    ],
)
def test_problems_have_the_size_of_the_paper(name: str, points: int, features: int, hidden: int) -> None:
    domain = PANELS[name].make_domain()
    problems = list(make_problems(unit(name), domain, None))
    assert len(problems) == 3
    for x in problems:
        if isinstance(x, FleetProblem):
            assert x.terminals.shape == (4, 2)
            assert sorted(x.terminals.ravel().tolist()) == list(range(8))
        graph = x.graph if isinstance(x, FleetProblem) else x
        assert isinstance(graph, Cube | Graph)
        assert (len(graph.edges) if isinstance(graph, Cube) else graph.size) == points
        assert graph.edges.shape[1] == features
        assert graph.hidden.shape[1] == hidden
        for values in (graph.edges, graph.hidden):
            uniform(values.ravel())
    assert true_weights(unit(name), domain).size == features + hidden


def uniform(values: np.ndarray) -> None:
    """Whether values could be uniform on [0, 1]."""
    if values.size:
        error = 5 / np.sqrt(values.size)
        assert 0 <= values.min() < values.max() <= 1
        assert values.mean() == pytest.approx(0.5, abs=0.29 * error)
        assert values.var() == pytest.approx(1 / 12, abs=0.08 * error)


@pytest.mark.parametrize("name", SYNTHETIC)
def test_weights_of_the_expert_are_uniform_and_drawn_for_each_run(name: str) -> None:
    domain = PANELS[name].make_domain()
    weights = np.array([true_weights(unit(name, run), domain) for run in range(60)])
    uniform(weights.ravel())
    uniform(weights[:, domain.dim :].ravel())  # of the hidden features, too
    assert len(np.unique(weights)) == weights.size


@pytest.mark.parametrize("name", [*NOISY, "path-clean"])
def test_true_weights_leave_effort_with_noise_and_on_paths(name: str) -> None:
    costs = run_unit(unit(name, examples=20, contenders=("expert", "alike"))).costs
    assert 0 < costs[0].sum() < costs[1].sum()


@pytest.mark.parametrize("name", ["tsp-clean", "mtsp-clean"])
def test_true_weights_leave_no_effort_without_noise(name: str) -> None:
    assert run_unit(unit(name, examples=20, contenders=("expert",))).costs.sum() == 0


def test_budgets_are_the_integers_from_5_to_15(tmp_path: Path) -> None:
    path = tmp_path / "train.txt"
    path.write_text("0 qid:1 1:1\n" * 20 + "4 qid:1 1:1\n" * 20)  # the worst order: every budget is spent
    (panel,) = use_data([PANELS["rank-budget"]], [path])
    assert panel.data is not None
    queries = {panel.data.digest: read_queries(panel.data)}
    learner = parse_contenders(["PER"], "panel")
    units = [Unit(panel, run, 0, 1, learner) for run in range(120)]
    assert {run_unit(one, queries).costs.item() for one in units} == set(range(5, 16))


@pytest.mark.parametrize("name", ["rank-unlimited", "rank-budget"])
def test_ranking_experts_see_the_label_alone(name: str) -> None:
    domain = PANELS[name].make_domain()
    weights = true_weights(unit(name), domain)
    assert weights[-1] == 1.0
    assert not weights[:-1].any()


def test_data_are_shown_in_another_order_in_each_run(tmp_path: Path) -> None:
    path = tmp_path / "train.txt"
    path.write_text("".join(f"{q % 5} qid:{q} 1:{q}\n0 qid:{q} 1:0\n" for q in range(1, 31)))
    settings = Settings(["rank-unlimited"], ["PER"], runs=2, data=[str(path)])
    panels = settings.make_panels()
    assert panels[0].data is not None
    queries = read_queries(panels[0].data)
    orders = [
        [
            x.rows()[0, 0]
            for x in make_problems(one, panels[0].make_domain(), {panels[0].data.digest: queries})
        ]
        for one in make_units(settings)
    ]
    assert orders[0] != orders[1] != sorted(orders[1])
    assert sorted(orders[0]) == sorted(orders[1]) == list(range(1, 31))


def test_reproduce_has_10_runs_of_1000_examples_by_default(tmp_path: Path) -> None:
    units = make_units(WHOLE_PAPER)
    assert {u.examples for u in units} == {1000}
    assert sorted({u.run for u in units}) == list(range(10))
    assert len(units) == 80
    assert {u.seed for u in units} == {0}
    lines = [contender.text for contender in units[0].contenders]
    assert lines[:6] == ["PER", "CSPER", "PA", "CSPA", "expert", "default"]
    assert set(lines[6:]) == set(NEXT_STEPS)  # what claims 17 to 19 need
    path = tmp_path / "train.txt"
    path.write_text("".join(f"2 qid:{q} 1:1\n0 qid:{q} 1:0\n" for q in range(1, 1103)))
    whole = make_units(Settings(["rank-budget"], data=[str(path)]))
    assert {u.examples for u in whole} == {1102}  # whole permutations
