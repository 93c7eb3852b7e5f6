"""Our own learner in the report: margins, calibration, robustness."""

from __future__ import annotations

import csv
from dataclasses import replace

import numpy as np
import pytest

from coactor.lab.engine.contenders import parse_lines
from coactor.lab.output import sections
from coactor.lab.output.calibration import calibrations
from coactor.lab.paper import perturbations, robustness
from coactor.lab.paper.panels import PANELS
from coactor.lab.paper.reproduction import ROBUSTNESS, numbers, reproduce
from coactor.lab.paper.results import PanelResult
from coactor.lab.paper.runs import Unit, make_problems, run_unit, true_weights
from coactor.lab.paper.verification import verify
from coactor.lab.paper.versus_paper import margins
from coactor.protocol import Matrix


def result(costs: dict[str, list[list[float]]], utilities: dict[str, float] | None = None) -> PanelResult:
    """A panel with these costs, shape (runs, examples), and one utility a line."""
    found: dict[str, Matrix] = {name: np.array(rows, dtype=float) for name, rows in costs.items()}
    worth = utilities or {}
    return PanelResult(
        PANELS["tsp-noise"], 0, found, {n: np.full_like(c, worth.get(n, 0.0)) for n, c in found.items()}
    )


# -- margins -------------------------------------------------------------------------------------------------


def test_the_best_of_the_four_is_chosen_in_every_run() -> None:
    found = result(
        {
            "PER": [[4.0], [10.0]],
            "CSPER": [[8.0], [5.0]],
            "expert": [[1.0], [1.0]],
            "default": [[2.0], [5.0]],
        },
        {"PER": -3.0, "CSPER": -2.0, "default": -1.5},
    )
    (margin,) = margins(found)
    assert margin.line == "default"
    assert margin.best.value == pytest.approx((4.0 + 5.0) / 2)
    assert margin.ratio.value == pytest.approx((2 / 4 + 5 / 5) / 2)
    assert margin.ratio_of_totals.value == pytest.approx(7 / 9)
    assert margin.wins == pytest.approx(0.75)  # one run won, one tied
    assert margin.rival == "CSPER"  # 6.5 on average against 7
    assert margin.against_rival.value == pytest.approx(3.5 - 6.5)
    assert margin.above_expert is not None
    assert margin.above_expert.value == pytest.approx(2.5)
    assert margin.utility.value == pytest.approx(0.5)  # above CSPER, the finest of the paper's
    assert margin.ratio.low <= margin.ratio.value <= margin.ratio.high


def test_without_effort_or_rivals_there_is_no_division() -> None:
    (margin,) = margins(result({"PER": [[0.0], [0.0]], "default": [[0.0], [0.0]]}))
    assert margin.ratio.value == margin.ratio_of_totals.value == 1.0
    assert margin.above_expert is None
    assert margins(result({"default": [[1.0]]})) == []
    assert sections.ours([result({"default": [[1.0]]})]) == ""


# -- calibration ---------------------------------------------------------------------------------------------


def told(chances: Matrix, accepted: Matrix) -> PanelResult:
    base = result({"default": (1.0 - accepted).tolist()})
    return replace(base, chances={"default": chances})


def test_chances_that_come_true_are_calibrated_and_others_are_not() -> None:
    rng = np.random.default_rng(0)
    chances = rng.random((10, 2000))
    accepted = (rng.random(chances.shape) < chances).astype(float)
    (good,) = calibrations([told(chances, accepted)])
    assert good.gap < 0.02
    assert good.predicted == pytest.approx(good.observed, abs=0.01)
    assert good.brier == pytest.approx(1 / 6, abs=0.01)
    assert good.brier < good.base
    assert len(good.bins) == 10
    assert sum(b.proposals for b in good.bins) == good.proposals == chances.size
    for found in good.bins:
        assert found.low <= found.predicted <= found.high
        assert found.observed.low - 0.05 <= found.predicted <= found.observed.high + 0.05
    (bad,) = calibrations([told(1.0 - chances, accepted)])
    assert bad.gap > 0.3
    assert bad.brier > bad.base


def test_silence_is_not_counted_and_the_ends_belong_to_a_bin() -> None:
    chances = np.array([[np.nan, 0.0, 1.0, 1.0]])
    (found,) = calibrations([told(chances, np.array([[1.0, 0.0, 1.0, 0.0]]))])
    assert found.proposals == 3
    assert [(b.low, b.proposals, b.observed.value) for b in found.bins] == [(0.0, 1, 0.0), (0.9, 2, 0.5)]
    assert calibrations([told(np.full((1, 2), np.nan), np.ones((1, 2)))]) == []


# -- variations ----------------------------------------------------------------------------------------------


def unit(**changes: object) -> Unit:
    lines = parse_lines(["PER", "default"])
    return Unit(replace(PANELS["mtsp-noise"], **changes), 0, 0, 6, lines)  # type: ignore[arg-type]


def first(u: Unit) -> Matrix:
    problem = next(make_problems(u, u.panel.make_domain(), None))
    found: Matrix = problem.graph.edges
    return found


def test_twists_change_what_they_say_and_keep_the_streams() -> None:
    plain = unit()
    domain = plain.panel.make_domain()
    w, edges = true_weights(plain, domain), first(plain)
    mixed = unit(twist="mixed signs")
    np.testing.assert_allclose(true_weights(mixed, domain), 2 * w - 1)
    np.testing.assert_array_equal(first(mixed), edges)
    together = unit(twist="correlated")
    np.testing.assert_array_equal(true_weights(together, domain), w)
    found = np.corrcoef(first(together).T)
    assert found[1, 2] > 0.75  # of one group
    assert abs(found[1, 6]) < 0.2  # of two
    scaled = unit(twist="badly scaled")
    ratio = first(scaled) / edges
    np.testing.assert_allclose(ratio, np.broadcast_to(ratio[0], ratio.shape))
    assert ratio.max() / ratio.min() > 100
    # The same taste in other units: every edge is worth what it was.
    np.testing.assert_allclose(first(scaled) @ true_weights(scaled, domain)[:10], edges @ w[:10])
    assert true_weights(scaled, domain)[10] == w[10]


def test_every_twist_has_a_variation() -> None:
    assert {v.twist for v in robustness.VARIATIONS} - {""} == set(perturbations.TWISTS)


def test_a_taste_that_turns_is_the_old_one_until_half_way() -> None:
    plain, turned = run_unit(unit()), run_unit(unit(turns=True))
    np.testing.assert_array_equal(plain.costs[:, :3], turned.costs[:, :3])
    assert not np.array_equal(plain.utilities[:, 3:], turned.utilities[:, 3:])


def test_an_expert_who_errs_needs_more_moves() -> None:
    assert run_unit(unit(slips=0.3)).costs.sum() > run_unit(unit()).costs.sum()


def test_only_learners_with_a_threshold_tell_chances() -> None:
    chances = run_unit(unit()).chances
    assert np.isnan(chances[0]).all()
    assert np.isnan(chances[1, 0])
    assert ((chances[1, 1:] > 0) & (chances[1, 1:] < 1)).all()


@pytest.mark.parametrize("variation", robustness.VARIATIONS, ids=lambda v: v.name)
def test_variations_make_panels_that_run(variation: robustness.Variation) -> None:
    for name in ("path-noise", "mtsp-clean"):
        panel = variation.panel(PANELS[name])
        assert panel != PANELS[name] or variation.policy == "best"
        domain = panel.make_domain()
        if variation.features:
            assert domain.dim == variation.features
        found = run_unit(Unit(panel, 0, 0, 2, parse_lines(["PER", "default"]), variation.policy))
        assert np.isfinite(found.costs).all()


def test_the_robustness_table_is_reported_and_can_be_verified(
    tmp_path: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(robustness, "VARIATIONS", robustness.VARIATIONS[1:3])
    monkeypatch.setattr(robustness, "LINES", ("PER", "default"))
    done = reproduce(
        tmp_path, panels=["path-clean"], learners=["PER", "default"], runs=2, examples=4, robust=True, jobs=1
    )  # type: ignore[arg-type]
    assert {path.name for path in done.out.iterdir()} >= set(numbers(True))
    with (done.out / ROBUSTNESS).open() as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 2 * 6
    assert {row["variation"] for row in rows} == {"kappa 0.02", "kappa 0.5"}
    page = (done.out / "report.html").read_text()
    for key, (_, heading) in sections.TITLES.items():
        assert f'<h2 id="{key}">{heading}</h2>' in page
    assert "--robustness" in page
    found = verify(done.out / "manifest.json", jobs=1)
    assert found.same, found.findings
    assert ROBUSTNESS in found.checked
