"""Requests and solutions of VROOM."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from coactor import loaders, open_study
from coactor.domains import Plans
from coactor.loaders.vroom import SOFT

MATRIX = [[0, 600, 900, 1200], [600, 0, 300, 900], [900, 300, 0, 600], [1200, 900, 600, 0]]
REQUEST: dict[str, Any] = {
    "vehicles": [
        {
            "id": 7,
            "start_index": 0,
            "end_index": 0,
            "capacity": [4],
            "skills": [1],
            "time_window": [0, 36000],
        },
        {"id": 8, "start_index": 3, "capacity": [9], "costs": {"fixed": 100, "per_hour": 7200}},
    ],
    "jobs": [
        {"id": 1, "location_index": 1, "delivery": [2], "service": 300, "skills": [1]},
        {"id": 2, "location_index": 2, "time_windows": [[1200, 2400], [7200, 9000]], "priority": 50},
    ],
    "shipments": [
        {"amount": [1], "pickup": {"id": 1, "location_index": 3}, "delivery": {"id": 5, "location_index": 2}}
    ],
    "matrices": {"car": {"durations": MATRIX}},
}


def read(tmp_path: Path, request: Any) -> Any:
    file = tmp_path / "request.json"
    file.write_text(json.dumps(request))
    return loaders.read_routing(file)


def test_read_vroom_reads_jobs_shipments_and_vehicles(tmp_path: Path) -> None:
    x, soft, weights = read(tmp_path, REQUEST)
    assert x.stops == ("start", "1", "2", "pickup 1", "delivery 5", "depot 1", "anywhere")
    assert soft == SOFT
    assert x.vehicles == ("7", "8")
    assert x.visits.pairs == [(3, 4)]
    assert x.visits.windows[2] == [(20.0, 40.0), (120.0, 150.0)]
    assert x.visits.service[1] == 5.0
    assert x.visits.prices == [0.0, 1.0, 51.0, 1.0, 1.0]
    assert x.minutes[0, 0, 1] == 10.0
    assert x.arcs[:, 0, 1, 0].tolist() == [600.0, 1200.0]  # the second vehicle costs twice as much an hour
    assert x.shifts.starts == [0, 5]
    assert x.shifts.ends == [0, 6]
    domain = Plans(1, soft=soft)
    y = domain.solve(x, np.array(weights))
    assert domain.broken(x, y) == []
    assert not len(y[-1])


def test_solutions_of_vroom_are_proposals_and_come_back(tmp_path: Path) -> None:
    x, soft, weights = read(tmp_path, REQUEST)
    domain, file = Plans(1, soft=soft), tmp_path / "solution.json"
    steps = [{"type": "start"}, {"type": "job", "id": 1}, {"type": "job", "id": 2}, {"type": "end"}]
    file.write_text(json.dumps({"code": 0, "routes": [{"vehicle": 7, "steps": steps}]}))
    y = loaders.read_vroom_solution(file, x)
    assert [route.tolist() for route in y] == [[1, 2], [], [3, 4]]  # the shipment is left out
    z = domain.solve(x, np.array(weights))
    with open_study(f"sqlite:///{tmp_path}/desk.db", "vroom", domain, create=True) as study:
        before = study.weights()
        assert study.tell(study.ask(x, solution=y), solution=z).effort > 0
        assert not np.array_equal(study.weights(), before)  # as from any other correction
    loaders.write_vroom_solution(file, x, z)
    again = loaders.read_vroom_solution(file, x)
    assert [route.tolist() for route in again] == [route.tolist() for route in z]
    plan = json.loads(file.read_text())
    arrivals = [step["arrival"] for step in plan["routes"][0]["steps"]]
    assert arrivals == sorted(arrivals)
    file.write_text(json.dumps({"routes": [{"vehicle": 9, "steps": steps}]}))
    with pytest.raises(ValueError, match="not a solution of this request"):
        loaders.read_vroom_solution(file, x)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"jobs": [], "shipments": []}, "no tasks or no vehicles"),
        ({"vehicles": [{"id": 1, "end_index": 0}]}, "Each vehicle needs a start"),
        ({"vehicles": [{"id": 1, "start_index": 0, "breaks": [{"id": 1}]}]}, "has breaks, which a day"),
        ({"matrices": {}}, "no matrices for car, and a place without a location"),
        ({"matrices": {"car": {}}}, "not a request of VROOM: KeyError"),
        ({"vehicles": 5}, "not a request of VROOM: TypeError"),
        ({"jobs": 5}, "not a request of VROOM: TypeError"),
        ({"jobs": [{"id": 1, "location_index": 1, "delivery": ["a"]}]}, "json cannot .* The amounts cannot"),
        (
            {"jobs": [{"id": 1, "location_index": 1, "time_windows": [[300, 60]]}]},
            "1: the window 5 to 1 min ends before it begins",
        ),
        (
            {
                "matrices": {},
                "shipments": [],
                "vehicles": [{"id": 1, "start": [1, 2]}],
                "jobs": [{"id": 1, "location": [1, 200]}],
            },
            "a latitude beyond 90",
        ),
    ],
)
def test_read_vroom_says_what_it_cannot_read(tmp_path: Path, change: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        read(tmp_path, {**REQUEST, **change})


def test_coordinates_without_matrices_are_as_the_crow_flies(tmp_path: Path) -> None:
    request = {
        "vehicles": [{"id": 1, "start": [13.4, 52.5], "end": [13.4, 52.5], "max_travel_time": 3600}],
        "jobs": [{"id": 1, "location": [13.41, 52.51]}],
    }
    with pytest.warns(UserWarning, match="crow flies, at 40"), pytest.warns(match="max_travel_time is taken"):
        x, _, _ = read(tmp_path, request)
    assert x.minutes[0, 1] == pytest.approx(60 * 1.302 / 40, abs=1e-2)
    assert x.shifts.longest == [60.0]
