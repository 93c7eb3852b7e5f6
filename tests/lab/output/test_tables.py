from __future__ import annotations

import csv
import io
import json

import pytest

from coactor.lab.output.tables import number, runs_csv, to_csv, to_json
from tests.lab.helpers import panel_result


@pytest.mark.parametrize(("value", "text"), [(3.0, "3"), (0.1, "0.1"), (1 / 3, repr(1 / 3)), (-2.0, "-2")])
def test_number_reads_back_as_the_same_number(value: float, text: str) -> None:
    assert number(value) == text
    assert float(text) == value


def test_runs_csv_has_one_row_per_cost_and_quotes_names() -> None:
    text = "".join(runs_csv([panel_result({'a,"b"': [[1.0, 0.5], [2.0, 0.0]]})]))
    rows = list(csv.reader(io.StringIO(text)))
    assert rows[0] == ["panel", "learner", "run", "example", "cost"]
    assert rows[2] == ["tsp-noise", 'a,"b"', "0", "1", "0.5"]
    assert len(rows) == 5


def test_to_csv_leaves_none_empty() -> None:
    assert to_csv([{"a": 1.0, "b": None}, {"a": 0.25, "b": "x, y"}]) == 'a,b\n1,\n0.25,"x, y"\n'
    assert to_csv([]) == ""


def test_to_json_refuses_nan() -> None:
    assert json.loads(to_json({"ä": 1})) == {"ä": 1}
    with pytest.raises(ValueError, match="not JSON compliant"):
        to_json(float("nan"))
