"""Variations of the panels: perturbations, drift, errors, and their table."""

from __future__ import annotations

import csv
from dataclasses import replace

import numpy as np
import pytest

from coactor.lab.engine.contenders import parse_contenders
from coactor.lab.paper import robustness
from coactor.lab.paper.data import perturbations
from coactor.lab.paper.panels import PANELS
from coactor.lab.paper.reproduction import ROBUSTNESS, numbers, reproduce
from coactor.lab.paper.runs import Unit, make_problems, run_unit, true_weights
from coactor.lab.paper.verification import verify
from coactor.protocol import Matrix


def unit(**changes: object) -> Unit:
    contenders = parse_contenders(["PER", "default"], "panel")
    return Unit(replace(PANELS["mtsp-noise"], **changes), 0, 0, 6, contenders)  # type: ignore[arg-type]


def first(u: Unit) -> Matrix:
    problem = next(make_problems(u, u.panel.make_domain(), None))
    edges: Matrix = problem.graph.edges
    return edges


def test_perturbations_keep_the_random_streams() -> None:
    plain = unit()
    domain = plain.panel.make_domain()
    w, edges = true_weights(plain, domain), first(plain)
    mixed = unit(perturbation="mixed signs")
    np.testing.assert_allclose(true_weights(mixed, domain), 2 * w - 1)
    np.testing.assert_array_equal(first(mixed), edges)
    together = unit(perturbation="correlated")
    np.testing.assert_array_equal(true_weights(together, domain), w)
    correlation = np.corrcoef(first(together).T)
    assert correlation[1, 2] > 0.75  # of one group
    assert abs(correlation[1, 6]) < 0.2  # of two groups
    scaled = unit(perturbation="badly scaled")
    ratio = first(scaled) / edges
    np.testing.assert_allclose(ratio, np.broadcast_to(ratio[0], ratio.shape))
    assert ratio.max() / ratio.min() > 100
    # The same preferences in other units: every edge has the same utility.
    np.testing.assert_allclose(first(scaled) @ true_weights(scaled, domain)[:10], edges @ w[:10])
    assert true_weights(scaled, domain)[10] == w[10]


def test_every_perturbation_has_a_variation() -> None:
    assert {v.perturbation for v in robustness.VARIATIONS} - {""} == set(perturbations.PERTURBATIONS)


def test_drift_changes_the_weights_half_way() -> None:
    plain, changed = run_unit(unit()), run_unit(unit(drift=True))
    np.testing.assert_array_equal(plain.costs[:, :3], changed.costs[:, :3])
    assert not np.array_equal(plain.utilities[:, 3:], changed.utilities[:, 3:])


def test_slips_cost_more_moves() -> None:
    assert run_unit(unit(slips=0.3)).costs.sum() > run_unit(unit()).costs.sum()


def test_chances_come_from_learners_with_a_threshold() -> None:
    chances = run_unit(unit()).chances
    assert np.isnan(chances[0]).all()
    assert np.isnan(chances[1, 0])
    assert ((chances[1, 1:] > 0) & (chances[1, 1:] < 1)).all()


@pytest.mark.parametrize("variation", robustness.VARIATIONS, ids=lambda v: v.name)
def test_variations_are_panels_that_run(variation: robustness.Variation) -> None:
    for name in ("path-noise", "mtsp-clean"):
        panel = variation.panel(PANELS[name])
        assert panel != PANELS[name]
        domain = panel.make_domain()
        if variation.features:
            assert domain.dim == variation.features
        contenders = parse_contenders(["PER", "default"], "panel")
        costs = run_unit(Unit(panel, 0, 0, 2, contenders)).costs
        assert np.isfinite(costs).all()


def test_robustness_table_is_in_the_report_and_can_be_verified(
    tmp_path: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(robustness, "VARIATIONS", robustness.VARIATIONS[1:3])
    monkeypatch.setattr(robustness, "CONTENDERS", ("PER", "default"))
    result = reproduce(
        tmp_path, panels=["path-clean"], learners=["PER", "default"], runs=2, examples=4, robust=True, jobs=1
    )  # type: ignore[arg-type]
    assert {path.name for path in result.out.iterdir()} >= set(numbers(True))
    with (result.out / ROBUSTNESS).open() as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 2 * 6
    assert {row["variation"] for row in rows} == {"kappa 0.02", "kappa 0.5"}
    page = (result.out / "report.html").read_text()
    for key in ("margins", "calibration", "robustness"):
        assert f'<h2 id="{key}">' in page
    assert "--robustness" in page
    verification = verify(result.out / "manifest.json", jobs=1)
    assert verification.same, verification.findings
    assert ROBUSTNESS in verification.checked
