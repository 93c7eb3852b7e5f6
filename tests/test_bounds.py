"""The theorems as functions: the paper's numbers, the corrected ones, and how they relate."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from coactor import Session, SimulatedExpert, bounds, learners
from coactor.protocol import Move, Vector

positive = st.floats(0.01, 100)
counts = st.integers(1, 1000)
shares = st.floats(0, 50)


def printed_noisy_csper(n: int, radius: float, norm: float, kappa: float, total_xi_cost: float) -> float:
    """Theorem 2 for CSPER as the paper prints it (erratum 2)."""
    return (2.0 * radius * norm + math.sqrt(total_xi_cost)) ** 2 / (kappa**2 * n)


@given(counts, positive, positive, positive)
def test_theorem_1_as_printed(n: int, r: float, w: float, kappa: float) -> None:
    root = math.sqrt(n)
    expected = {
        "PER": 2 * r * w / (kappa * root),
        "CSPER": 4 * r**2 * w**2 / (kappa**2 * n),
        "PA": 4 * r**2 * w**2 / (kappa**2 * root),
        "CSPA": 4 * r**2 * w**2 / (kappa**2 * root),
    }
    for name, value in expected.items():
        assert bounds.theorem1(name, n, r, w, kappa) == pytest.approx(value)


@given(counts, positive, positive, positive)
def test_without_n_the_totals_are_bounded(n: int, r: float, w: float, kappa: float) -> None:
    assert bounds.refined("PER", r, w, kappa) == pytest.approx(4 * r**2 * w**2 / kappa**2)
    assert bounds.refined("CSPER", r, w, kappa) == pytest.approx(n * bounds.theorem1("CSPER", n, r, w, kappa))
    for name in ("PA", "CSPA"):
        assert bounds.refined(name, r, w, kappa) == pytest.approx(16 * r**4 * w**4 / kappa**4)


@given(counts, positive, positive, positive, shares)
def test_theorem_2_for_csper_is_the_root_of_its_quadratic(
    n: int, r: float, w: float, kappa: float, xi: float
) -> None:
    theta = math.sqrt(n * bounds.noisy_csper(n, r, w, kappa, xi))
    assert kappa * theta**2 - 2 * r * w * theta - xi == pytest.approx(0, abs=1e-6 * (1 + kappa * theta**2))
    printed = printed_noisy_csper(n, r, w, kappa, xi)
    three_terms = 4 * r**2 * w**2 + 4 * r * w * math.sqrt(xi) + xi
    assert printed == pytest.approx(three_terms / (kappa**2 * n))
    if kappa <= 1:
        assert printed >= bounds.noisy_csper(n, r, w, kappa, xi) * (1 - 1e-12)


def test_the_printed_form_is_too_small_for_a_large_kappa() -> None:
    """Erratum 2, by example."""
    assert printed_noisy_csper(1, 0.01, 0.01, 4.0, 100.0) < bounds.noisy_csper(1, 0.01, 0.01, 4.0, 100.0)


@given(counts, positive, positive, positive, shares)
def test_without_misjudgement_theorem_2_is_theorem_1(
    n: int, r: float, w: float, kappa: float, xi: float
) -> None:
    assert bounds.noisy_per(n, r, w, kappa, 0.0) == pytest.approx(bounds.theorem1("PER", n, r, w, kappa))
    assert bounds.noisy_csper(n, r, w, kappa, 0.0) == pytest.approx(bounds.theorem1("CSPER", n, r, w, kappa))
    assert bounds.noisy_per(n, r, w, kappa, xi) == pytest.approx(
        bounds.theorem1("PER", n, r, w, kappa) + xi / (kappa * n)
    )


def test_check_run_compares_measured_and_bound() -> None:
    held = bounds.check_run("PER", [1, 0, 1], radius=1.0, norm=1.0, kappa=1.0)
    assert [c.held for c in held] == [True, True]
    assert (held[0].measured, held[0].limit) == (pytest.approx(2 / 3), pytest.approx(2 / math.sqrt(3)))
    assert (held[1].measured, held[1].limit) == (2.0, 4.0)
    broken = bounds.check_run("CSPER", [3, 0], radius=1.0, norm=1.0, kappa=1.0)
    assert [c.held for c in broken] == [False, False]
    assert str(broken[1]) == "without n: sum C^2 = 9 <= 4: BROKEN"
    assert [c.quantity for c in bounds.check_run("CSPA", [1], 1.0, 1.0, 1.0)] == ["mean C^2", "sum C^2"]
    assert [c.quantity for c in bounds.check_run("PA", [1], 1.0, 1.0, 1.0)] == ["mean C", "sum C"]


def test_check_run_uses_theorem_2_with_misjudgement() -> None:
    (per,) = bounds.check_run("PER", [2, 1], 1.0, 1.0, 1.0, misjudged=[1.0, 0.0])
    assert (per.bound, per.limit) == ("Theorem 2", pytest.approx(2 / math.sqrt(2) + 0.5))
    assert per.measured == 1.5
    (csper,) = bounds.check_run("CSPER", [2, 1], 1.0, 1.0, 1.0, misjudged=[1.0, 0.0])
    assert (csper.limit, csper.measured) == (pytest.approx((1 + math.sqrt(3)) ** 2 / 2), 2.5)
    assert bounds.check_run("PA", [2, 1], 1.0, 1.0, 1.0, misjudged=[1.0, 0.0]) == []


@pytest.mark.parametrize(
    ("learner", "n", "r", "w", "kappa"),
    [
        ("MIRA", 1, 1.0, 1.0, 1.0),
        ("PER", 0, 1.0, 1.0, 1.0),
        ("PER", 1, -1.0, 1.0, 1.0),
        ("PER", 1, 1.0, -1.0, 1.0),
        ("PER", 1, 1.0, 1.0, 0.0),
        ("PER", 1, 1.0, 1.0, -0.1),
        ("PER", 1, 1.0, 1.0, math.nan),
    ],
)
def test_bounds_raise_value_error_for_invalid_numbers(
    learner: str, n: int, r: float, w: float, kappa: float
) -> None:
    with pytest.raises(ValueError, match=r"No theorem speaks of 'MIRA'|must be above 0"):
        bounds.theorem1(learner, n, r, w, kappa)


def test_bounds_without_features_or_weights_are_zero() -> None:
    assert bounds.theorem1("PER", 1, 0.0, 1.0, 1.0) == bounds.theorem1("PER", 1, 1.0, 0.0, 1.0) == 0.0
    assert all(check.held for check in bounds.check_run("PER", [0, 0], 0.0, 1.0, 1.0))


def test_check_run_needs_a_misjudgement_for_each_example() -> None:
    with pytest.raises(ValueError, match="misjudged has 1 entries for 2 examples"):
        bounds.check_run("PER", [1, 1], 1.0, 1.0, 1.0, misjudged=[0.5])


class Orthogonal:
    """Problem t is about feature t alone: solution 0 has -R there, solution 1 has +R."""

    def __init__(self, dim: int, radius: float) -> None:
        self.dim, self.radius = dim, radius

    def features(self, x: int, y: int) -> Vector:
        phi = np.zeros(self.dim)
        phi[x] = self.radius if y else -self.radius
        return phi

    def solve(self, x: int, w: Vector) -> int:
        return int(w[x] > 0)

    def moves(self, x: int, y: int) -> Iterator[Move]:
        yield {"op": "flip", "args": []}

    def apply(self, x: int, y: int, move: Move) -> int:
        return 1 - y


@pytest.mark.parametrize("n", [1, 7, 50])
def test_the_worst_case_meets_the_bound_of_theorem_1(n: int) -> None:
    """Every example is about a new direction, so nothing that was learned helps: the bounds are attained."""
    radius, norm = 1.5, 2.0
    kappa = 2 * radius * norm / math.sqrt(n)  # what each correction gains
    weights = np.full(n, norm / math.sqrt(n))
    measured: dict[str, Any] = {}
    for name in bounds.LEARNERS:
        domain = Orthogonal(n, radius)
        expert = SimulatedExpert(domain, weights, kappa=kappa * (1 - 1e-12))
        session = Session(domain, learners.make(name, n), candidate="disagreement")
        for x in range(n):
            proposal = session.ask(x)
            session.tell(proposal, expert(x, proposal.solution))
        measured[name] = bounds.check_run(name, session.costs, radius, norm, kappa)
    for name in ("PER", "CSPER"):
        for check in measured[name]:
            assert check.measured == pytest.approx(check.limit), check
    for name in ("PA", "CSPA"):  # their bounds are looser by a factor of sqrt n
        assert measured[name][0].measured * math.sqrt(n) == pytest.approx(measured[name][0].limit)


def test_misjudgement_is_what_the_gain_lacks() -> None:
    w, delta = np.array([2.0, 1.0]), np.array([0.5, -0.25])  # a gain of 0.75
    assert bounds.misjudgement(w, 0.5, 3.0, delta) == pytest.approx(0.75)
    assert bounds.misjudgement(w, 0.25, 3.0, delta) == 0.0
    assert bounds.misjudgement(w, 0.1, 3.0, delta) == 0.0


def test_a_bound_is_broken_by_more_than_rounding() -> None:
    def held(measured: float) -> bool:
        return bounds.BoundCheck("Theorem 1", "mean C", 2.0, measured).held

    assert [held(measured) for measured in (2.0, 2.0 + 1e-10, 2.0 + 1e-6)] == [True, True, False]
