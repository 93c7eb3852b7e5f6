"""From the record of an edit to a correction, and the edit distance where no steps were recorded."""

from __future__ import annotations

from collections import deque
from collections.abc import Collection, Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from coactor.corrections import correction, edit_distance, feedback
from coactor.domains import Hypercube
from coactor.protocol import Invalid, Move
from tests.cases import Case, Coins, cases, make_case, same


@given(cases(), st.integers(0, 4))
def test_correction_from_moves_equals_correction_from_path(case: Case, steps: int) -> None:
    y = case.solution()
    path, moves = [y], list[Move]()
    for _ in range(steps):
        options = list(case.domain.moves(case.x, path[-1]))
        if options:
            moves.append(options[case.rng.integers(len(options))])
            path.append(case.domain.apply(case.x, path[-1], moves[-1]))
    by_moves = correction(case.domain, case.x, y, moves=moves)
    by_path = correction(case.domain, case.x, y, path=path)
    assert list(by_moves.moves) == moves
    assert all(map(same, by_moves.path, by_path.path))
    assert list(by_moves.costs) == list(by_path.costs) == [1.0] * len(moves)
    assert not by_moves.estimated


class Full(Coins):
    """A domain without an encoding that says why a move is refused."""

    def apply(self, x: Any, y: Any, move: Move) -> Any:
        if move not in list(self.moves(x, y)):
            raise ValueError("The box is full.")
        return super().apply(x, y, move)


class Coded(Coins):
    """A domain with its own encoding, whose `apply` accepts anything."""

    def encode_problem(self, x: Any) -> Any:
        return x

    decode_problem = encode_solution = encode_problem

    def decode_solution(self, x: Any, data: Any) -> Any:
        return tuple(data)


def test_a_move_that_is_not_listed_is_refused_with_the_reason_that_apply_gives() -> None:
    x, y = [[1.0, 0.0], [0.0, 1.0]], (0, 1)
    sentence = "not one of the domain's moves for this solution"
    with pytest.raises(Invalid, match=rf"{sentence}: The box is full\."):
        correction(Full(), x, y, moves=[{"op": "heads", "args": [1]}])
    for domain in (Coins(), Coded()):
        for op, k in (("heads", 1), ("heads", 9), ("throw", 1)):
            with pytest.raises(Invalid, match=rf"{sentence}\.$"):
                correction(domain, x, y, moves=[{"op": op, "args": [k]}])


def test_correction_from_a_solution_is_estimated_unless_the_effort_is_given() -> None:
    case = make_case("tour")
    y = np.arange(6)
    z = case.domain.apply(case.x, y, {"op": "reverse", "args": [1, 3]})
    estimated = correction(case.domain, case.x, y, solution=z)
    assert (estimated.effort, estimated.estimated, len(estimated.path)) == (1.0, True, 2)
    known = correction(case.domain, case.x, y, solution=z, effort=2.5)
    assert (known.effort, known.estimated) == (2.5, False)
    assert len(correction(case.domain, case.x, y, solution=y.copy()).path) == 1


def test_feedback_of_an_estimated_correction_has_no_steps_that_the_expert_did_not_make() -> None:
    x, y = [[1.0, 0.0], [0.0, 1.0]], (0, 0)
    moves: list[Move] = [{"op": "heads", "args": [0]}, {"op": "heads", "args": [1]}]
    made = correction(Coins(), x, y, moves=moves)
    known, estimated = (
        feedback(Coins(), x, each, "declined") for each in (made, replace(made, estimated=True))
    )
    assert (len(known.path), len(estimated.path)) == (3, 2)
    assert (known.cost, known.delta.tolist()) == (estimated.cost, estimated.delta.tolist())


def test_correction_spreads_a_given_effort_and_uses_costs() -> None:
    x, y = [[1.0, 0.0], [1.0, 0.0]], (0, 0)
    moves: list[Move] = [{"op": "heads", "args": [0]}, {"op": "heads", "args": [1]}]
    assert correction(Coins(), x, y, moves=moves, effort=3).costs == [1.5, 1.5]
    assert correction(Coins(), x, y, moves=moves, costs={"heads": 2.0}).costs == [2.0, 2.0]
    assert correction(Coins(), x, y, path=[(0, 0), (1, 1)], effort=3, cut=True).cut


@pytest.mark.parametrize("record", [{"moves": []}, {"path": [(0, 0)]}, {"solution": (0, 0)}])
def test_correction_of_an_accepted_proposal_may_give_effort_zero(record: dict[str, Any]) -> None:
    x, y = [[1.0, 0.0], [1.0, 0.0]], (0, 0)
    assert correction(Coins(), x, y, effort=0.0, **record).costs == []


@pytest.mark.parametrize(
    ("record", "message"),
    [
        ({}, "exactly one of moves"),
        ({"moves": [], "solution": (0, 0)}, "exactly one of moves"),
        ({"moves": [], "effort": 1.0}, "effort above 0 needs at least one step"),
        ({"moves": [], "effort": float("nan")}, "effort must be a number from 0 .* found nan"),
        ({"moves": [], "effort": True}, "effort must be a number from 0 .* found True"),
        ({"moves": [{"op": "heads"}]}, "is not a valid move"),
        ({"moves": [{"op": "heads", "args": [0.5]}]}, "args must be whole numbers"),
        ({"moves": [{"op": "tails", "args": [0]}]}, "not one of the domain's moves"),
        ({"moves": [{"op": "heads", "args": [9]}]}, "cannot be applied here"),
        ({"path": []}, "1 to 10000 solutions"),
        ({"path": [(1, 0)]}, "does not start with the proposal"),
    ],
)
def test_correction_raises_invalid(record: dict[str, Any], message: str) -> None:
    with pytest.raises(Invalid, match=message):
        correction(Coins(), [[1.0, 0.0], [1.0, 0.0]], (0, 0), **record)


# -- edit distance -----------------------------------------------------------------------------------


def fewest_edits(domain: Any, x: Any, y: Any, goals: Collection[Any]) -> int:
    """The exact distance to a goal by breadth-first search over all solutions of a small problem."""
    visited, waiting = {tuple(y)}, deque([(tuple(y), 0)])
    while waiting:
        solution, depth = waiting.popleft()
        if solution in goals:
            return depth
        for move in domain.moves(x, np.array(solution)):
            neighbour = tuple(domain.apply(x, np.array(solution), move).tolist())
            if neighbour not in visited:
                visited.add(neighbour)
                waiting.append((neighbour, depth + 1))
    raise AssertionError("the goal cannot be reached")


@given(st.permutations(range(5)))
def test_edit_distance_is_exact_where_the_search_reaches_the_goal(z: list[int]) -> None:
    domain = Hypercube(dimension=5, features=1)
    x = next(domain.sample(np.random.default_rng(0), 1))
    goal = np.array(z, dtype=np.int32)  # another integer type is another array, but not another solution
    assert edit_distance(domain, x, np.arange(5), goal) == fewest_edits(domain, x, range(5), [tuple(z)])


class Counters(Coins):
    """Counts up by one or by ten; nothing counts down."""

    def moves(self, x: Any, y: Any) -> Iterator[Move]:  # type: ignore[override]
        return ({"op": "add", "args": [i, step]} for i in range(3) for step in (1, 10))

    def apply(self, x: Any, y: Any, move: Move) -> Any:
        i, step = move["args"]
        return [v + step if k == i else v for k, v in enumerate(y)]


def test_edit_distance_counts_differing_parts_where_no_moves_reach_the_goal() -> None:
    assert edit_distance(Counters(), None, [5, 5, 5], [4, 5, 5]) == 1.0
    assert edit_distance(Counters(), None, [5, 5, 5], [4, 5, 4]) == 2.0
    assert edit_distance(Counters(), None, [0, 0, 0], [10, 1, 0]) == 2.0


class CountingCoins(Coins):
    def edits_between(self, x: Any, y: Any, z: Any) -> int:
        return 42


def test_edit_distance_asks_a_domain_that_counts_edits() -> None:
    assert edit_distance(CountingCoins(), None, (0, 0), (1, 0)) == 42.0


@pytest.mark.parametrize("y", [(0, 0), (1, 1)])
def test_edit_distance_of_an_unchanged_solution_is_zero(y: Any) -> None:
    assert edit_distance(Coins(), None, y, tuple(y)) == 0.0
