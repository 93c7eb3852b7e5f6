"""Compiled kernels and the plain Python they are written in give identical results."""

from __future__ import annotations

import hashlib
import inspect
import os
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from coactor import SimulatedExpert, domains
from coactor.kernels import arrays, cubes, edges, fleets, large_tours, rankings, tolerances, tours


def symmetric(rng: np.random.Generator, n: int) -> Any:
    return edges.cost_matrix(rng.standard_normal(n * (n - 1) // 2), n)


def calls(rng: np.random.Generator, n: int) -> Iterator[tuple[Any, tuple[Any, ...]]]:
    """Every kernel, with arguments of its own (fresh each time: some work in place)."""
    cost, tour = symmetric(rng, n), rng.permutation(n)
    rows = rng.random((n * (n - 1) // 2, 2))
    best, limit, kappa = bool(rng.integers(2)), int(rng.integers(-1, 4)), float(rng.choice([0.0, 0.2]))
    yield tolerances.rounding, (cost,)
    yield arrays.is_permutation, (tour, n)
    yield arrays.is_permutation, (tour // 2, n)
    yield edges.cost_matrix, (rng.random(n * (n - 1) // 2), n)
    yield arrays.reverse, (tour.copy(), 1, n - 1)
    yield arrays.copy, (tour, np.zeros(n, np.int64))
    yield edges.edge_number, (n - 1, 0, n)
    yield edges.subtract_edges, (np.zeros(2), rows, tour, 0, n - 1, n)
    yield edges.exchange_edges, (np.zeros(2), rows, 0, 1, 2, 3, n)
    yield tours.insertion, (cost,)
    yield tours.gain, (cost, tour, 1, 2)
    yield tours.find_move, (cost, tour, kappa, 0.0, best)
    yield tours.climb, (cost, tour, kappa, best, limit)
    yield tours.two_opt, (cost, tour.copy())
    yield tours.solve, (cost,)
    yield tours.gains, (cost, tour)
    yield tours.length, (cost, tour)
    yield tours.features_along, (rows, np.array([tour, tour[::-1]]))
    yield tours.move_features, (rows, tour)
    near = large_tours.nearest(cost, 2)
    position = np.argsort(tour)
    yield large_tours.nearest, (cost, 2)
    yield large_tours.turn, (tour.copy(), position.copy(), n - 2, 1)
    yield large_tours.improve_point, (cost, near, tour.copy(), position.copy(), 0, np.zeros(n, np.int64), 0.0)
    yield large_tours.two_opt, (cost, tour.copy(), near)
    yield large_tours.solve, (cost, 3)
    terminals = tour[:4].reshape(2, 2)
    order, starts = fleets.insertion(cost, terminals)
    yield fleets.insertion, (cost, terminals)
    follows = np.full(n, -1)
    follows[terminals[:, 0]] = terminals[:, 1]
    yield (
        fleets.search_all_positions,
        (cost, terminals, follows, int(tour[-1]), np.zeros(n, np.int64), np.zeros(n)),
    )
    yield fleets.wrong_ends, (order, starts, terminals)
    yield fleets.count_moves, (starts,)
    yield fleets.find_move, (cost, order, starts, kappa, 0.0, best)
    yield fleets.climb, (cost, order, starts, kappa, best, limit)
    yield fleets.solve, (cost, terminals)
    yield fleets.gain, (cost, order, 1, 1)
    yield fleets.gains, (cost, order, starts)
    yield fleets.length, (cost, order, starts)
    yield fleets.features_along, (rows, np.array([order]), starts)
    yield fleets.move_features, (rows, order, starts)
    edge_of, bits = cubes.number_edges(4), rng.permutation(4)
    costs, cube_rows = rng.standard_normal(32), rng.random((32, 2))
    yield cubes.number_edges, (4,)
    yield cubes.solve, (costs, edge_of)
    yield cubes.stretch, (costs, edge_of, 0, 0, 1, 2)
    yield cubes.gains, (costs, edge_of, bits)
    yield cubes.find_move, (costs, edge_of, bits, kappa, 0.0, best)
    yield cubes.climb, (costs, edge_of, bits, kappa, best, limit)
    yield cubes.features_along, (cube_rows, edge_of, np.array([bits]))
    yield cubes.move_features, (cube_rows, edge_of, bits)
    sparse = domains.SparseRows.from_dense(rng.random((n, 3)) * (rng.random((n, 3)) < 0.5))
    csr = (sparse.indptr, sparse.indices, sparse.values)
    scores, labels = rng.standard_normal(n), rng.integers(0, 5, n).astype(np.float64)
    yield rankings.sparse_scores, (*csr, rng.random(3))
    yield rankings.sparse_sum, (*csr, rng.random(n) * (rng.random(n) < 0.5), 3)
    yield rankings.sparse_dense, (*csr, 3)
    yield rankings.descending, (labels,)
    yield rankings.climb, (scores, labels, 1.0 / np.log2(np.arange(2, n + 2)), tour, kappa, best, limit)


def outcome(kernel: Any, args: tuple[Any, ...]) -> tuple[Any, tuple[Any, ...]]:
    """What a kernel returns, and what it leaves in its arguments."""
    mine = tuple(a.copy() if isinstance(a, np.ndarray) else a for a in args)
    return kernel(*mine), mine


@settings(max_examples=20)
@given(st.integers(5, 9), st.integers(0, 2**32 - 1))
def test_compiled_and_plain_agree_to_the_bit(n: int, seed: int) -> None:
    for kernel, args in calls(np.random.default_rng(seed), n):
        compiled = outcome(kernel, args)
        plain = outcome(getattr(kernel, "py_func", kernel), args)
        for one, two in zip(flatten(compiled), flatten(plain), strict=True):
            np.testing.assert_array_equal(one, two, err_msg=kernel.__name__)


def flatten(value: Any) -> Iterator[Any]:
    if isinstance(value, tuple):
        for part in value:
            yield from flatten(part)
    else:
        yield value


def test_every_kernel_is_among_those_compared() -> None:
    compared = {kernel.__name__ + kernel.__module__ for kernel, _ in calls(np.random.default_rng(0), 6)}
    for module in (arrays, cubes, edges, fleets, large_tours, rankings, tolerances, tours):
        for name, thing in vars(module).items():
            kernel = getattr(thing, "py_func", thing)
            if name == "enlarged":  # half of what it returns is room, not numbers
                continue
            if inspect.isfunction(kernel) and kernel.__module__ == module.__name__:
                assert name + module.__name__ in compared, f"{module.__name__}.{name} is compared nowhere"


def digest() -> str:
    """Whole corrections in every domain, as one number."""
    total = hashlib.sha256()
    for domain in (
        domains.Hypercube(dimension=5, features=3, hidden=1),
        domains.Tour(points=9, features=3, hidden=1),
        domains.Fleet(points=12, vehicles=2, features=3, hidden=1),
        domains.Ranking(features=3, documents=9),
    ):
        rng = np.random.default_rng(5)
        truth = rng.random(4)
        for policy in ("first", "best"):
            expert = SimulatedExpert(domain, truth, kappa=0.05, policy=policy)  # type: ignore[arg-type]
            for x in domain.sample(rng, n=4):  # type: ignore[attr-defined]
                y = domain.solve(x, rng.random(3))  # type: ignore[attr-defined]
                correction = expert(x, y)
                total.update(repr(correction.moves).encode())
                total.update(np.asarray(domain.features_along(x, correction.path)).tobytes())  # type: ignore[attr-defined]
                total.update(np.asarray(domain.move_features(x, correction.final)).tobytes())  # type: ignore[attr-defined]
    return total.hexdigest()


def test_whole_runs_agree_with_the_compiler_off() -> None:
    other = "0" if os.environ.get("NUMBA_DISABLE_JIT", "0") != "0" else "1"
    code = "from tests.kernels.test_plain_python import digest; print(digest())"
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, "NUMBA_DISABLE_JIT": other},
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        pytest.fail(done.stderr)
    assert done.stdout.strip() == digest()
