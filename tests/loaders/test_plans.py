from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from coactor.loaders import read_distances, read_plans

TABLE = "0,1,2\n1,0,1.5\n2,1.5,0\n"
DAY: dict[str, Any] = {
    "day": 1,
    "weekday": 2,
    "capacity": 5,
    "routes": [[2], [1]],
    "demand": {"1": 2, "2": 3},
}


def read(folder: Path, days: Any, table: str = TABLE) -> Any:
    (folder / "distances.csv").write_text(table)
    text = days if isinstance(days, str) else json.dumps(days, indent=0)
    (folder / "days.json").write_text(text)
    return read_plans(folder / "days.json", read_distances(folder / "distances.csv"))


def test_read_plans_reads_days_in_the_numbers_of_the_distance_table(tmp_path: Path) -> None:
    (day,) = read(tmp_path, [DAY])
    assert (day.day, day.weekday, day.capacity, day.vehicles) == (1, 2, 5.0, 2)
    assert day.stops == (1, 2)
    assert [route.tolist() for route in day.local_routes()] == [[2], [1]]
    (named,) = read(tmp_path, [DAY | {"vehicles": ["Van 7, Ana", "Van 9, Bo"]}])
    assert (named.vehicles, named.vehicle_names) == (2, ("Van 7, Ana", "Van 9, Bo"))
    (roomy,) = read(tmp_path, [DAY | {"vehicles": 3}])
    assert [len(route) for route in roomy.local_routes()] == [1, 1, 0]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"capacity": 2}, "days.json, entry 1: stop 2 has demand 3; a vehicle holds 2"),
        ({"weekday": None}, "entry 1: weekday is None"),
        ({"capacity": -1}, "capacity is -1; expected a number above 0"),
        ({"routes": [[2], [1, 2]]}, "must serve each stop that has a demand exactly once"),
        ({"routes": [[2], [7]]}, "a route serves stop 7, which has no demand"),
        ({"demand": {"1": 2, "9": 1}}, "there is no stop '9'; stops are 1 to 2"),
        ({"demand": {"1": "lots", "2": 1}}, "stop 1 has demand 'lots'"),
        ({"vehicles": 1}, "there are 2 routes for 1 vehicles"),
        ({"vehicles": ["Van 7", 9]}, "expected a number, or a list of names"),
        ({"routes": 5}, "routes must be a list of lists"),
        ({"demand": [1, 2]}, "demand is a list; expected an amount for each stop"),
        ({"capacity": 10**400}, "expected a number above 0"),
    ],
)
def test_read_plans_raises_value_error_for_malformed_days(
    tmp_path: Path, change: dict[str, Any], message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        read(tmp_path, [DAY, DAY | change])


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (json.dumps([DAY])[:-30], "Is the file cut"),
        (json.dumps([DAY])[:-1], r"not JSON \(.*line 1 column"),
        ("{}", "expected a JSON list"),
        ("[]", "has no days"),
        ("[3]", "got int, expected a day"),
        ('[{"day": 1}]', "the day has no 'weekday'"),
    ],
)
def test_read_plans_raises_value_error_for_malformed_json(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        read(tmp_path, text)


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ("0,1\n1\n", "line 2: got 1 distances, expected 2"),
        ("0,x\n1,0\n", "line 1: got 'x'"),
        ("0,-1\n1,0\n", "line 1: got '-1', expected a distance of 0 or more"),
        ("0,1\n", "1 rows of 2 distances; expected a square table"),
    ],
)
def test_read_distances_raises_value_error_for_malformed_tables(
    tmp_path: Path, table: str, message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        read(tmp_path, [DAY], table)
