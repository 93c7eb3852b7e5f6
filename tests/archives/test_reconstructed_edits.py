from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from coactor import check_expert
from coactor.archives import Archive, open_archive
from coactor.archives.reconstructed_edits import towards_path, towards_plan
from coactor.solutions import same_solution


@pytest.mark.parametrize("kind", ["trips", "plans", "queries"])
def test_experts_of_an_archive_end_at_the_recorded_solution(
    kind: str, request: pytest.FixtureRequest
) -> None:
    archive: Archive = open_archive(request.getfixturevalue(kind))
    for case in archive.replay(range(min(8, archive.size))):
        check_expert(case.expert, archive.domain, [case.problem])
        y = archive.domain.solve(case.problem, archive.start)
        correction = case.expert(case.problem, y)
        here = y
        for move in correction.moves:
            here = archive.domain.apply(case.problem, here, move)
        if kind != "trips":  # a route also has the weights it was drawn with
            assert same_solution(here, correction.final)
        else:
            assert np.array_equal(here.links, correction.final.links)
        assert case.expert(case.problem, correction.final).effort == 0


def test_towards_path_is_exact_and_towards_plan_is_an_estimate(trips: Path, plans: Path) -> None:
    roads = open_archive(trips)
    efforts = []
    for number, case in enumerate(roads.replay(range(roads.size))):
        y = roads.domain.solve(case.problem, roads.start)
        correction = towards_path(roads.domain, case.problem, y, roads.cases[number].solution.links)
        assert not correction.estimated
        efforts.append(correction.effort)
    assert 0 < sum(efforts) < 2 * len(efforts)
    planner = open_archive(plans)
    case = next(planner.replay([3]))
    y = planner.domain.solve(case.problem, planner.start)
    goal = planner.cases[3].solution
    assert towards_plan(planner.domain, case.problem, y, goal).estimated
    assert not towards_plan(planner.domain, case.problem, goal, goal).estimated
