"""Local search: by kernel or by the four methods, the same."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from coactor import corrections, domains, search
from coactor.experts import SimulatedExpert
from coactor.protocol import Correction
from tests.cases import Bare, Case, Coins, cases, make_case, same


class Vectors(Bare):
    """A domain with vectors and without kernels; they come in Fortran order and in any type."""

    def __init__(self, domain: Any, dtype: Any = np.float64) -> None:
        super().__init__(domain)
        self.domain, self.dtype = domain, dtype

    def features_along(self, x: Any, path: Any) -> Any:
        return np.asfortranarray(self.domain.features_along(x, path), self.dtype)

    def move_features(self, x: Any, y: Any) -> Any:
        return np.asfortranarray(self.domain.move_features(x, y), self.dtype)


kappas = st.sampled_from([0.0, 0.05, 0.3])
limits = st.sampled_from([-1, 0, 1, 3])


@given(cases(), kappas, st.booleans(), limits, st.booleans())
def test_kernel_and_plain_landscape_climb_the_same_path(
    case: Case, kappa: float, best: bool, limit: int, hidden: bool
) -> None:
    w = case.weights(hidden)
    y = case.solution()
    fast, plain = case.domain.landscape(case.x, w), search.PlainLandscape(case.domain, case.x, w)
    assert isinstance(search.landscape(Bare(case.domain), case.x, w), search.PlainLandscape)
    assert fast.utility(y) == pytest.approx(plain.utility(y), abs=1e-9)
    np.testing.assert_allclose(fast.gains(y), plain.gains(y), atol=1e-9)
    path, moves = fast.climb(y, kappa=kappa, best=best, limit=limit)
    plain_path, plain_moves = plain.climb(y, kappa=kappa, best=best, limit=limit)
    if isinstance(case.domain, domains.Hypercube):  # two of its moves can lead to one path
        assert len(moves) == len(plain_moves)
    else:
        assert moves == plain_moves
    assert len(path) == len(plain_path) == len(moves) + 1
    assert all(map(same, path, plain_path))


@given(cases(), kappas, st.booleans(), limits)
def test_vector_and_plain_landscape_climb_the_same_path(
    case: Case, kappa: float, best: bool, limit: int
) -> None:
    w, y = case.weights(), case.solution()
    vectors = search.landscape(Vectors(case.domain), case.x, w)
    plain = search.PlainLandscape(case.domain, case.x, w)
    assert isinstance(vectors, search.VectorLandscape)
    assert vectors.utility(y) == plain.utility(y)
    np.testing.assert_allclose(vectors.gains(y), plain.gains(y), atol=1e-9)
    path, _ = vectors.climb(y, kappa=kappa, best=best, limit=limit)
    plain_path, _ = plain.climb(y, kappa=kappa, best=best, limit=limit)
    # Two moves with the same gain may come in another order by rounding.
    assert list(map(plain.utility, path)) == pytest.approx(list(map(plain.utility, plain_path)), abs=1e-9)


@given(cases())
def test_vectors_have_the_order_and_the_type_that_learners_add_up(case: Case) -> None:
    domain, y = Vectors(case.domain, np.float32), case.solution()
    for rows in (search.features_along(domain, case.x, [y, y]), search.move_features(domain, case.x, y)):
        assert rows.dtype == np.float64
        assert rows.flags.c_contiguous


@given(cases())
def test_polish_makes_any_solver_locally_optimal(case: Case) -> None:
    w, bad = case.weights(), case.solution()
    y = search.polish(case.domain, lambda x, w: bad)(case.x, w)
    assert search.landscape(case.domain, case.x, w).gains(y).max(initial=0.0) <= 1e-9
    y = search.polish(case.domain)(case.x, w)
    assert search.landscape(case.domain, case.x, w).gains(y).max(initial=0.0) <= 1e-9


@pytest.mark.parametrize("kind", ["cube", "tour", "fleet", "dense ranking", "sparse ranking"])
def test_feedback_holds_as_much_as_the_learner_reads(kind: str) -> None:
    case = make_case(kind, size=8, seed=5)
    truth = np.abs(case.weights(hidden=True))
    correction = SimulatedExpert(case.domain, truth, kappa=0.0)(case.x, case.solution())
    steps = len(correction.moves)
    assert steps >= 2
    ends = corrections.feedback(case.domain, case.x, correction, "ends")
    path = corrections.feedback(case.domain, case.x, correction, "path")
    declined = corrections.feedback(case.domain, case.x, correction, "declined")
    assert ends.path.shape == (2, case.domain.dim)
    assert ends.declined is path.declined is None
    assert path.path.shape == declined.path.shape == (steps + 1, case.domain.dim)
    np.testing.assert_allclose(ends.delta, path.delta, atol=1e-12)
    assert declined.declined is not None
    np.testing.assert_array_equal(
        declined.declined, search.declined_features(case.domain, case.x, correction.final)
    )
    assert ends.cost == path.cost == steps
    cut = corrections.feedback(case.domain, case.x, replace(correction, cut=True), "ends")
    assert (ends.cut, cut.cut) == (False, True)


@given(cases(least=4), st.sampled_from(["ends", "path"]))
def test_disagreement_is_the_last_solution_the_learner_likes_no_better(
    case: Case, reads: search.Reads
) -> None:
    w, truth = case.weights(), case.weights(hidden=True)
    y = search.polish(case.domain)(case.x, w)
    correction = SimulatedExpert(case.domain, truth, kappa=0.1, costs=lambda move: 2.0)(case.x, y)
    feedback = corrections.feedback(case.domain, case.x, correction, reads, "disagreement", w)
    utilities = [case.domain.features(case.x, z) @ w for z in correction.path]
    last = max(i for i, u in enumerate(utilities) if u <= utilities[0] + 1e-12)
    assert feedback.cost == 2.0 * last
    np.testing.assert_allclose(
        feedback.path[-1], case.domain.features(case.x, correction.path[last]), atol=1e-12
    )
    assert feedback.path.shape[0] == (2 if reads == "ends" else last + 1)
    if correction.moves:  # Assumption 1 puts at least the first step below the proposal
        assert last >= 1


def test_disagreement_needs_weights() -> None:
    x = [[1.0, 0.0]]
    with pytest.raises(ValueError, match="needs the weights"):
        corrections.feedback(Coins(), x, Correction([(0,)], [], []), "ends", "disagreement")


def test_check_solution_accepts_everything_without_the_ability() -> None:
    search.check_solution(Coins(), [[1.0, 0.0]], "anything")


def test_climb_ignores_gains_that_are_rounding() -> None:
    """Gains of nothing but rounding could go round for ever."""
    x = np.array([[1e9, 0.0], [1e-9, 0.0]])
    landscape = search.PlainLandscape(Coins(), x, np.array([1.0, 0.0]))
    assert landscape.climb((1, 0)) == ([(1, 0)], [])
    assert landscape.climb((0, 0))[0][-1] == (1, 0)


class FourMethods:
    """Alternatives without their vectors."""

    dim = 1

    def __init__(self) -> None:
        whole = domains.Alternatives(features=1)
        self.features, self.solve, self.moves, self.apply = (
            whole.features,
            whole.solve,
            whole.moves,
            whole.apply,
        )


@pytest.mark.parametrize("domain", [domains.Alternatives(features=1), FourMethods()], ids=["vectors", "four"])
def test_a_climb_takes_gains_of_at_least_kappa_and_above_0(domain: Any) -> None:
    def path(rows: list[float], **options: Any) -> list[int]:
        x = domains.Situation(np.array(rows)[:, None])
        return list(search.landscape(domain, x, np.ones(1)).climb(0, **options)[0])

    assert path([0.0, 2.0, 4.0], kappa=2.0) == [0, 1, 2]
    assert path([0.0, 2.0, 4.0], kappa=2.5) == [0, 2]
    assert path([0.0, 2.0, 4.0], kappa=4.5) == [0]
    assert path([0.0, 0.5, 1.0]) == [0, 1, 2]  # by default every gain counts
    assert path([0.0, 0.0], kappa=0.0) == [0]
