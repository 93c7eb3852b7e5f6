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


def test_days_and_distances(tmp_path: Path) -> None:
    (day,) = read(tmp_path, [DAY])
    assert (day.day, day.weekday, day.capacity, day.vehicles) == (1, 2, 5.0, 2)
    assert day.stops == (1, 2)
    assert [route.tolist() for route in day.local_routes()] == [[2], [1]]
    (roomy,) = read(tmp_path, [DAY | {"vehicles": 3}])
    assert [len(route) for route in roomy.local_routes()] == [1, 1, 0]


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"capacity": 2}, "days.json, line 2: stop 2 wants 3, but a vehicle holds 2"),
        ({"capacity": -1}, "capacity is -1; expected a number above 0"),
        ({"routes": [[2], [1, 2]]}, "must serve each stop that has a demand exactly once"),
        ({"routes": [[2]]}, "must serve each stop that has a demand exactly once"),
        ({"routes": [[2], [7]]}, "a route serves stop 7, which has no demand"),
        ({"demand": {"1": 2, "9": 1}}, "there is no stop '9'; stops are 1 to 2"),
        ({"demand": {"1": "lots", "2": 1}}, "stop 1 wants 'lots'"),
        ({"vehicles": 1}, "there are 2 routes for 1 vehicles"),
        ({"routes": 5}, "routes must be a list of lists"),
    ],
)
def test_bad_days_are_refused_in_a_sentence(tmp_path: Path, change: dict[str, Any], says: str) -> None:
    with pytest.raises(ValueError, match=says):
        read(tmp_path, [DAY | change])


def test_the_line_of_a_later_day_is_named(tmp_path: Path) -> None:
    text = json.dumps([DAY, DAY | {"weekday": None}], indent=None).replace("}, {", "},\n\n{")
    with pytest.raises(ValueError, match=r"days\.json, line 3: weekday is None"):
        read(tmp_path, text)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (json.dumps([DAY])[:-30], "is the file cut"),
        (json.dumps([DAY])[:-1], "the list of days does not end"),
        ("{}", "expected a JSON list"),
        ("[]", "has no days"),
        ("[3]", "found int, expected a day"),
        ('[{"day": 1}]', "the day has no 'weekday'"),
    ],
)
def test_bad_json_is_refused_in_a_sentence(tmp_path: Path, text: str, says: str) -> None:
    with pytest.raises(ValueError, match=says):
        read(tmp_path, text)


@pytest.mark.parametrize(
    ("table", "says"),
    [
        ("0,1\n1\n", "line 2: found 1 distances, expected 2"),
        ("0,x\n1,0\n", "line 1: found 'x'"),
        ("0,-1\n1,0\n", "line 1: found '-1', expected a distance of 0 or more"),
        ("0,1\n", "1 rows of 2 distances; expected a square table"),
    ],
)
def test_bad_tables_are_refused_in_a_sentence(tmp_path: Path, table: str, says: str) -> None:
    with pytest.raises(ValueError, match=says):
        read(tmp_path, [DAY], table)
