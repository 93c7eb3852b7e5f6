from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from coactor.cli import main

FILE = """NAME: small
TYPE: CVRP
DIMENSION: 5
CAPACITY: 5
EDGE_WEIGHT_TYPE: EUC_2D
NODE_COORD_SECTION
1 0 0
2 0 10
3 0 20
4 10 0
5 20 0
DEMAND_SECTION
1 0
2 2
3 3
4 2
5 3
DEPOT_SECTION
1
-1
EOF
"""


@pytest.mark.parametrize("engine", ["own", "pyvrp"])
def test_solve_prints_the_cost_and_its_ratio_to_the_solution_beside(tmp_path: Path, engine: str) -> None:
    if engine == "pyvrp":
        pytest.importorskip("pyvrp")
    file = tmp_path / "small-k2.vrp"
    file.write_text(FILE)
    (tmp_path / "small-k2.sol").write_text("Route #1: 1 2\nRoute #2: 3 4\nCost 80\n")
    command = ["solve", str(file), "--seconds", "0.2", "--engine", engine]
    done = CliRunner().invoke(main, [*command, "--json"])
    assert done.exit_code == 0, done.output
    result = json.loads(done.output)
    assert (result["cost"], result["vehicles"], result["broken"], result["ratio"]) == (80.0, 2, [], 1.0)
    assert sorted(map(sorted, result["routes"])) == [["1", "2"], ["3", "4"]]
    text = CliRunner().invoke(main, command).output
    assert "Cost 80, 2 vehicles for 4 stops" in text
    assert "It breaks no rule." in text


def test_solve_names_the_rules_that_no_plan_keeps(tmp_path: Path) -> None:
    file = tmp_path / "small-k1.vrp"
    file.write_text(FILE)
    done = CliRunner().invoke(main, ["solve", str(file), "--seconds", "0.1", "--engine", "own"])
    assert "- Vehicle 1 would carry 10 of 5, 5 too much." in done.output


def test_solve_reads_a_request_of_vroom_and_writes_the_plan(tmp_path: Path) -> None:
    file, plan, table = (tmp_path / name for name in ("request.json", "plan.json", "plan.csv"))
    depot = {"start": [13.4, 52.5], "end": [13.4, 52.5], "capacity": [1]}
    jobs = [{"id": 10 + k, "location": [13.4 + k / 100, 52.5], "delivery": [1]} for k in range(1, 4)]
    file.write_text(json.dumps({"vehicles": [{"id": 1, **depot}, {"id": 2, **depot}], "jobs": jobs}))
    command = ["solve", str(file), "--seconds", "0.1", "--engine", "own"]
    done = CliRunner().invoke(main, [*command, "--out", str(plan)])
    assert done.exit_code == 0, done.output
    assert "Note: Distances are as the crow flies, at 40 km/h." in done.output
    assert "1 stop left out: 13." in done.output  # the farthest
    assert json.loads(plan.read_text())["unassigned"] == [{"type": "job", "id": 13}]
    assert CliRunner().invoke(main, [*command, "--out", str(table)]).exit_code == 0
    assert len(table.read_text().splitlines()) == 3
    wrong = CliRunner().invoke(main, [*command, "--out", "plan.xml"])
    assert "expected a file that ends in .csv or .json" in wrong.output


@pytest.mark.parametrize("seconds", ["0", "nan", "inf"])
def test_solve_refuses_a_time_that_does_not_end(seconds: str) -> None:
    done = CliRunner().invoke(main, ["solve", "nothing.vrp", "--seconds", seconds])
    assert done.exit_code == 2
    assert "'--seconds'" in done.output
