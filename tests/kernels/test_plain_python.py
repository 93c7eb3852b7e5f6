"""Compiled kernels and their plain Python give identical results."""

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
from coactor.kernels import (
    arrays,
    cubes,
    edges,
    fleets,
    plan_climb,
    plan_distance,
    plan_search,
    plans,
    rankings,
    tolerances,
    tours,
)

MODULES = (
    arrays,
    cubes,
    edges,
    fleets,
    plan_climb,
    plan_distance,
    plan_search,
    plans,
    rankings,
    tolerances,
    tours,
)


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
    yield tours.solve_large, (cost,)
    yield tours.greedy, (np.column_stack(np.triu_indices(n, 1)), n)
    yield tours.two_opt_in_passes, (cost, tour.copy())
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
    yield from plan_calls(rng, n, kappa, best, limit)


def plan_calls(
    rng: np.random.Generator, n: int, kappa: float, best: bool, limit: int
) -> Iterator[tuple[Any, tuple[Any, ...]]]:
    """The kernels of plans: n stops, three vehicles, hard or soft capacities."""
    soft = bool(rng.integers(2))
    demand = np.append(0.0, rng.integers(1, 4, n))
    costs = rng.standard_normal((n + 1, n + 1))
    rules = plans.Rules(costs, 0.5 * soft, demand, np.array([6.0, 6.0, 9.0]), soft)
    routes, sizes = np.zeros((3, n + 2), np.int64), np.array([n - 3, 3, 0])
    order = rng.permutation(n) + 1
    routes[0, 1 : n - 2], routes[1, 1:4] = order[:-3], order[-3:]
    loads, capacity = plans.loads_before(routes, sizes, demand), rules.capacity
    moves = plans.list_moves(rules, routes, sizes)
    gone = np.zeros((n + 4, 2), np.int64)
    yield plans.loads_before, (routes, sizes, demand)
    yield plans.update_loads, (np.zeros(n + 2), routes[0], int(sizes[0]), demand)
    yield plans.overload, (routes, sizes, demand, capacity)
    yield plans.added_overload, (5.0, 2.0, 4.0, 4.0, 3.0)
    yield plans.distinct, (sizes, capacity)
    yield plans.list_moves, (rules, routes, sizes)
    yield plans.move_features, (rng.random((n + 1, n + 1, 2)), rules, routes, sizes, moves)
    for move in moves[:: max(1, len(moves) // 12)]:
        op, r, i, s, j = (int(value) for value in move)
        yield plans.apply, (routes.copy(), sizes.copy(), move)
        yield plans.changed, (routes, move, gone.copy(), gone.copy())
        yield plans.extra_load, (rules, routes, sizes, loads, op, r, i, s, j)
        yield plans.is_block, (op, r, s)
        yield plans.is_distinct, (op, r, i, s, j, sizes)
        scan = plan_climb.Scan(rules, routes, sizes, loads, kappa, 0.0, best, np.empty(0))
        by_operator = (
            plan_climb.search_reverse,
            plan_climb.search_move,
            plan_climb.search_swap,
            plan_climb.search_tails,
        )
        yield by_operator[op], (scan, r, s, 0)
        yield plan_climb.search, (scan, op, r, s, 0)
    yield plan_climb.prefix_sums, (costs, routes[0], int(sizes[0]))
    yield plan_climb.gains, (rules, routes, sizes)
    yield plan_climb.climb, (rules, routes.copy(), sizes.copy(), kappa, best, limit)
    yield plan_climb.explore, (rules, routes.copy(), sizes.copy(), kappa, best, limit, np.empty(0))
    goal = np.zeros_like(routes)
    goal[0, 1 : n + 1] = rng.permutation(n) + 1
    goal_sizes, wanted = np.array([n, 0, 0]), np.zeros((n + 1, n + 1))
    yield plan_distance.towards, (routes.copy(), sizes.copy(), goal, goal_sizes)
    yield plan_distance.join_first, (wanted, routes, sizes, goal, goal_sizes)
    yield plan_distance.position, (routes, sizes, 1)
    yield plan_search.insertion, (rules,)
    plan, stream = plan_search.new_plan(n, 3), plan_search.Stream(rng.random(99), np.zeros(1, np.int64))
    near = np.array([[0, 0], *([1 + k % n, 1 + (k + 1) % n] for k in range(1, n + 1))])
    relaxed = rules._replace(soft=True)
    yield plan_search.draw, (stream,)
    yield plan_search.insert, (rules, plan, 1, 0, 0)
    yield plan_search.recreate, (relaxed, plan, near, order, n, stream)
    plan_search.recreate(relaxed, plan, near, order, n, stream)
    yield plan_search.forget, (plan, True)
    plan_search.forget(plan, False)
    yield plan_search.keep, (plan, 0)
    yield plan_search.remove, (rules, plan, 1)
    yield plan_search.route_cost, (rules, plan.routes[0], int(plan.sizes[0]), 3.0, 1.0)
    yield plan_search.insertion_cost, (relaxed, plan, 1, 2, 0)
    yield plan_search.cheapest_position, (relaxed, plan, near, 1, stream)
    yield plan_search.ruin, (rules, plan, near, np.zeros(n, np.int64), stream)
    yield plan_search.shuffle, (rules, order.copy(), n, stream)
    yield plan_search.anneal, (relaxed, plan, near, stream, 20, 1.0, 0.01, best)


def outcome(kernel: Any, args: tuple[Any, ...]) -> tuple[Any, tuple[Any, ...]]:
    """What a kernel returns, and what it leaves in its arguments."""
    own = tuple(map(fresh, args))
    return kernel(*own), own


def fresh(value: Any) -> Any:
    """A copy of an array, or of a named tuple of arrays."""
    if isinstance(value, tuple):
        return type(value)(*map(fresh, value))  # type: ignore[call-arg]
    return value.copy() if isinstance(value, np.ndarray) else value


@settings(max_examples=20)
@given(st.integers(5, 9), st.integers(0, 2**32 - 1))
def test_compiled_kernels_agree_with_plain_python_exactly(n: int, seed: int) -> None:
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


def test_every_kernel_is_compared() -> None:
    compared = {kernel.__name__ + kernel.__module__ for kernel, _ in calls(np.random.default_rng(0), 6)}
    for module in MODULES:
        for name, thing in vars(module).items():
            kernel = getattr(thing, "py_func", thing)
            if name in ("enlarged", "new_plan") or name.startswith("_"):  # not initialised; not compiled
                continue
            if inspect.isfunction(kernel) and kernel.__module__ == module.__name__:
                assert name + module.__name__ in compared, f"{module.__name__}.{name} is not compared"


def digest() -> str:
    """A hash of whole corrections in several domains."""
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


def test_corrections_are_the_same_without_compilation() -> None:
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
