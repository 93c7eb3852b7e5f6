from __future__ import annotations

import csv
import io
import json

import pytest

from coactor.lab.output.tables import runs_csv, to_json
from tests.lab.helpers import made_up


def test_runs_csv_has_one_row_per_cost_and_quotes_names() -> None:
    text = runs_csv([made_up("tsp-noise", {'a,"b"': [2.5, 5.0]}, examples=2)])
    rows = list(csv.reader(io.StringIO(text)))
    assert rows[0] == ["panel", "learner", "run", "example", "cost"]
    assert rows[2] == ["tsp-noise", 'a,"b"', "0", "1", "0.5"]
    assert len(rows) == 5


def test_to_json_refuses_nan() -> None:
    assert json.loads(to_json({"ä": 1})) == {"ä": 1}
    with pytest.raises(ValueError, match="not JSON compliant"):
        to_json(float("nan"))
