"""Networks and learned states that ``coactor study create`` reads from files."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from coactor.cli import main
from coactor.domains import Network
from coactor.plugins import load_domain
from coactor.studies import Store, open_study
from coactor.studies.log.ledger import Ledger
from coactor.studies.log.verification import verify

LINKS = (
    "id,from,to,length,kind,street\na,1,2,100,main,High St\nb,2,3,50,side,Mill Lane\nc,3,1,80,main,High St\n"
    "d,2,1,100,main,High St\ne,1,3,90,side,Back Lane\nf,3,2,50,side,Mill Lane\n"
)
NODES = "id,x,y\n1,500,500\n2,500,600\n3,550,600\n"
TRIPS = "path\na_b_c\nc_a\na_b_c\ne_c\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    place = tmp_path / "city"
    place.mkdir()
    for name, text in (("links.csv", LINKS), ("nodes.csv", NODES), ("trips.csv", TRIPS)):
        (place / name).write_text(text)
    return place


@pytest.fixture
def run(sqlite_url: str):
    def call(command: str, ok: bool = True) -> str:
        store = ["--store", sqlite_url] if command.startswith("study") else []
        result = CliRunner().invoke(main, [*command.split(), *store])
        assert (result.exit_code == 0) == ok, result.output
        assert "Traceback" not in result.output
        return result.output

    return call


def test_study_create_reads_a_network_from_a_folder(run, folder: Path, sqlite_url: str) -> None:
    assert run(f"study create city --domain roads --network {folder}") == "Created city.\n"
    with open_study(sqlite_url, "city") as study:
        network: Network = study.domain.network  # type: ignore[attr-defined]
        assert network.streets == ("High St", "Mill Lane", "High St", "High St", "Back Lane", "Mill Lane")
        assert study.config["habits"] is False
        p = study.ask(study.codec.problem({"origin": "a", "destination": "c"}))
        assert p.solution.links.tolist() == [0, 1, 2]
    run(f"study create habits --domain roads --network {folder} --habits")
    with open_study(sqlite_url, "habits") as study:
        assert study.config["habits"] is True
        assert study.config["features"][-1] == "unusual in similar cases"


@pytest.mark.parametrize("habits", ["--habits", "--no-habits"])
def test_study_create_starts_with_a_learned_state(
    run, folder: Path, tmp_path: Path, sqlite_url: str, habits
) -> None:
    learned = tmp_path / "drivers.json"
    run(f"learn {folder} {habits} --out {learned}")
    run(f"study create city --domain roads --network {folder} --start {learned}")
    with open_study(sqlite_url, "city") as study:
        state = json.loads(learned.read_text())
        assert study.weights().tolist() == state["learner"]["weights"]
        assert ("memory" in state) == study.config["habits"] == (habits == "--habits")
        study.ask(next(study.domain.sample(np.random.default_rng(1), 1)))
        study.tell(1, moves=[])
    with Store(sqlite_url) as store:
        verify(store, "city")


MODEL = """
from coactor.grids import GridModel

model = GridModel(over={"job": None}, choose={"machine": ["A", "B"]}, data={"hours": "job machine"})
load = model.chosen.times("hours").per("machine")
model.rule("At most 8 hours", load.above(8))
model.wish("Uneven load", load.spread("machine"), unit="hours")
model.wish("On A", model.has("A"), unit="jobs")
"""


@pytest.fixture
def model(tmp_path: Path) -> str:
    (tmp_path / "jobs.py").write_text(MODEL)
    return f"{tmp_path}/jobs.py:model"


def test_a_study_of_a_model_starts_from_an_archive_of_past_plans(
    run, model: str, tmp_path: Path, sqlite_url: str
) -> None:
    """In the archive everything is on B, as far as the rule allows it, however uneven the load is."""
    rng, lines, archive = np.random.default_rng(0), [], tmp_path / "plans.jsonl"
    for _ in range(12):
        hours = rng.integers(1, 4, size=(3, 2)).tolist()
        plan = ["A" if sum(h for _, h in hours) > 8 else "B", "B", "B"]
        lines.append({"problem": {"job": ["cut", "weld", "paint"], "hours": hours}, "solution": plan})
    archive.write_text("\n".join(map(json.dumps, lines)))
    learned = tmp_path / "learner.json"
    options = f"--domain {model} --no-habits --out {learned}"
    assert "learned from 12 cases" in run(f"learn {archive} {options}")
    run(f"study create shop --domain {model} --start {learned}")
    with open_study(sqlite_url, "shop", load_domain(model, {})) as study:
        assert study.weights()[1] > 2 * study.weights()[0]
        problem = study.codec.problem(lines[0]["problem"])
        assert study.ask(problem).solution.tolist() == [1, 1, 1]
    (tmp_path / "bad.jsonl").write_text(json.dumps({**lines[0], "solution": ["A", "A", "C"]}))
    message = "name 'C' is not known; expected A or B"
    assert message in run(f"learn {tmp_path}/bad.jsonl {options}", ok=False)


def test_a_study_of_a_model_starts_from_the_weights_in_use(
    run, model: str, tmp_path: Path, sqlite_url: str
) -> None:
    file = tmp_path / "weights.json"
    file.write_text(json.dumps({"On A (jobs)": 3, "Uneven load (hours)": 1}))
    create = f"study create shop --domain {model} --start"
    for text, message in (
        ("[1, 2", "is not JSON"),
        ('{"On A": 3}', "name every feature; 'On A'"),
        ('["a", 2]', "a list of them"),
        ("[1, 2, 3, 4]", "shape (4,); expected 3"),
    ):
        (tmp_path / "bad.json").write_text(text)
        assert message in run(f"{create} {tmp_path}/bad.json", ok=False)
    run(f"{create} {file} --trust 5")
    with open_study(sqlite_url, "shop", load_domain(model, {})) as study:
        np.testing.assert_allclose(study.weights() / study.weights()[0], [1.0, 3.0, 0.0])
        inner = Ledger(study.store, "shop").first.state["learner"]["single"]
        assert inner["trust"] == 5.0


def test_study_create_reports_mistakes_without_a_traceback(
    run, folder: Path, tmp_path: Path, sqlite_url: str
) -> None:
    (tmp_path / "x.json").write_text("{}")
    (tmp_path / "wide.json").write_text(
        json.dumps({"learner": {"learner": "CSPER", "weights": [0.0], "updates": 0}})
    )
    (tmp_path / "empty").mkdir()
    broken = tmp_path / "broken"
    broken.mkdir()
    (broken / "links.csv").write_text(LINKS + "g,1,2,far,main,\n")
    for options, message in (
        (f"tour --network {folder}", "--network is for the domain roads"),
        (f"roads --network {tmp_path}/nowhere", "There is no folder"),
        (f"roads --network {tmp_path}/empty", "has no links.csv"),
        (f"roads --network {broken}", "line 8: length is 'far'; expected a number"),
        ("roads", "needs a network"),
        (f"roads --network {folder} --start {tmp_path}/x.json", "must name every feature"),
        (f"roads --network {folder} --start {tmp_path}/no.json", "There is no file"),
        (f"roads --network {folder} --start {tmp_path}/wide.json", "weights"),
    ):
        assert message in run(f"study create n --domain {options}", ok=False), options
    with Store(sqlite_url) as store, store.reading() as sql:
        assert sql.studies() == []
