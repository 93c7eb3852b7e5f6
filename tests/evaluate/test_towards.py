from __future__ import annotations

from itertools import permutations
from pathlib import Path

import numpy as np
import pytest

from coactor import check_expert, correct
from coactor.domains import Query, Ranking
from coactor.lab.archives import open_archive, towards_order, towards_path, towards_plan
from coactor.lab.archives.archives import Archive
from coactor.solutions import same_solution


def test_orders_need_as_many_exchanges_as_pairs_stand_wrong() -> None:
    domain = Ranking(features=2)
    x = Query.of(np.random.default_rng(0).random((4, 2)), labels=[0, 1, 2, 3])
    for start in permutations(range(4)):
        for goal in ([0, 1, 2, 3], [2, 0, 3, 1]):
            place = {d: k for k, d in enumerate(goal)}
            wrong = sum(place[start[i]] > place[start[j]] for i in range(4) for j in range(i + 1, 4))
            found = towards_order(domain, x, np.array(start), np.array(goal))
            assert found.effort == wrong
            assert found.final.tolist() == goal
            assert not found.estimated
            again = correct(domain, x, np.array(start), found.moves)
            assert again.final.tolist() == goal


@pytest.mark.parametrize("kind", ["trips", "plans", "queries"])
def test_every_case_has_an_expert_who_gets_there(kind: str, request: pytest.FixtureRequest) -> None:
    archive: Archive = open_archive(request.getfixturevalue(kind))
    for case in archive.replay(range(min(8, archive.size))):
        check_expert(case.expert, archive.domain, [case.problem])
        y = archive.domain.solve(case.problem, archive.start)
        found = case.expert(case.problem, y)
        here = y
        for move in found.moves:
            here = archive.domain.apply(case.problem, here, move)
        if kind != "trips":  # a route remembers its router; its links are what counts
            assert same_solution(here, found.final)
        else:
            assert np.array_equal(here.links, found.final.links)
        assert case.expert(case.problem, found.final).effort == 0


def test_paths_are_exact_and_plans_are_estimates(trips: Path, plans: Path) -> None:
    roads = open_archive(trips)
    efforts = []
    for number, case in enumerate(roads.replay(range(roads.size))):
        y = roads.domain.solve(case.problem, roads.start)
        found = towards_path(roads.domain, case.problem, y, roads.trips[number])  # type: ignore[attr-defined,arg-type]
        assert not found.estimated
        efforts.append(found.effort)
    assert 0 < sum(efforts) < 2 * len(efforts)
    planner = open_archive(plans)
    case = next(planner.replay([3]))
    y = planner.domain.solve(case.problem, planner.start)
    goal = planner.days[3].local_routes()  # type: ignore[attr-defined]
    assert towards_plan(planner.domain, case.problem, y, goal).estimated  # type: ignore[arg-type]
    assert not towards_plan(planner.domain, case.problem, goal, goal).estimated  # type: ignore[arg-type]
