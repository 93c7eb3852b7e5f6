"""Networks and learned states that ``coactor study create`` reads from files."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from coactor.cli import main
from coactor.domains import Network
from coactor.domains.roads import network_json
from coactor.loaders import read_roads
from coactor.plugins import load_domain
from coactor.studies import Store, open_study
from coactor.studies.log.ledger import Ledger
from coactor.studies.log.verification import verify
from tests.domains.roads.networks import assert_same

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
    def call(*args: str, ok: bool = True) -> str:
        result = CliRunner().invoke(main, [*args])
        assert (result.exit_code == 0) == ok, result.output
        assert "Traceback" not in result.output
        return result.output

    return call


def test_study_create_reads_a_network_from_a_folder(run, folder: Path, sqlite_url: str) -> None:
    made = run(
        "study", "create", "city", "--domain", "roads", "--network", str(folder), "--store", sqlite_url
    )
    assert made == "Created city.\n"
    with open_study(sqlite_url, "city") as study:
        network: Network = study.domain.network  # type: ignore[attr-defined]
        assert network.streets == ("High St", "Mill Lane", "High St", "High St", "Back Lane", "Mill Lane")
        assert study.config["habits"] is False
        p = study.ask(study.codec.problem({"origin": "a", "destination": "c"}))
        assert p.solution.links.tolist() == [0, 1, 2]
    run(
        "study",
        "create",
        "habits",
        "--domain",
        "roads",
        "--network",
        str(folder),
        "--habits",
        "--store",
        sqlite_url,
    )
    with open_study(sqlite_url, "habits") as study:
        assert study.config["habits"] is True
        assert study.config["features"][-1] == "unusual in similar cases"


@pytest.mark.parametrize("habits", ["--habits", "--no-habits"])
def test_study_create_starts_with_a_learned_state(
    run, folder: Path, tmp_path: Path, sqlite_url: str, habits
) -> None:
    learned = tmp_path / "drivers.json"
    run("learn", str(folder), habits, "--out", str(learned))
    run(
        "study",
        "create",
        "city",
        "--domain",
        "roads",
        "--network",
        str(folder),
        "--learned",
        str(learned),
        "--store",
        sqlite_url,
    )
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
    arguments = "--domain", model, "--no-habits", "--out", str(learned)
    assert "learned from 12 cases" in run("learn", str(archive), *arguments)
    create = "study", "create", "shop", "--domain", model, "--store", sqlite_url
    run(*create, "--learned", str(learned))
    with open_study(sqlite_url, "shop", load_domain(model, {})) as study:
        assert study.weights()[1] > 2 * study.weights()[0]
        problem = study.codec.problem(lines[0]["problem"])
        assert study.ask(problem).solution.tolist() == [1, 1, 1]
    (tmp_path / "bad.jsonl").write_text(json.dumps({**lines[0], "solution": ["A", "A", "C"]}))
    bad = str(tmp_path / "bad.jsonl")
    assert "name 'C' is not known; expected A or B" in run("learn", bad, *arguments, ok=False)


def test_a_study_of_a_model_starts_from_the_weights_in_use(
    run, model: str, tmp_path: Path, sqlite_url: str
) -> None:
    file = tmp_path / "weights.json"
    file.write_text(json.dumps({"On A (jobs)": 3, "Uneven load (hours)": 1}))
    create = "study", "create", "shop", "--domain", model, "--store", sqlite_url, "--start", str(file)
    for text, message in (
        ("[1, 2", "not valid JSON"),
        ('{"On A": 3}', "name every feature; 'On A'"),
        ('["1", 2]', "a list of numbers"),
        ("[1, 2, 3]", "shape (3,); expected 2"),
    ):
        (tmp_path / "bad.json").write_text(text)
        assert message in run(*create[:-1], str(tmp_path / "bad.json"), ok=False)
    run(*create, "--trust", "5")
    with open_study(sqlite_url, "shop", load_domain(model, {})) as study:
        np.testing.assert_allclose(study.weights() / study.weights()[0], [1.0, 3.0])
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
    create = ("study", "create", "n", "--store", sqlite_url, "--domain")
    for args, message in (
        (("tour", "--network", str(folder)), "--network is for the domain roads"),
        (("roads", "--network", str(tmp_path / "nowhere")), "There is no folder"),
        (("roads", "--network", str(tmp_path / "empty")), "has no links.csv"),
        (("roads", "--network", str(broken)), "line 8: length is 'far'; expected a number"),
        (("roads",), "needs a network"),
        (("roads", "--network", str(folder), "--learned", str(tmp_path / "x.json")), "was not written by"),
        (("roads", "--network", str(folder), "--learned", str(tmp_path / "no.json")), "No such file"),
        (("roads", "--network", str(folder), "--learned", str(tmp_path / "wide.json")), "weights"),
    ):
        assert message in run(*create, *args, ok=False), args
    with Store(sqlite_url) as store, store.reading() as sql:
        assert sql.studies() == []


def test_network_json_decodes_what_it_encoded(folder: Path) -> None:
    network, trips = read_roads(folder)
    assert trips is not None
    assert [trip.tolist() for trip in trips] == [[0, 1, 2], [2, 0], [0, 1, 2], [4, 2]]
    assert_same(network, network_json.decode(network_json.encode(network)))
