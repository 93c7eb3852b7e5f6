"""A study of roads keeps its network: in every process, in an export, in a backup; stored once."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
import sqlalchemy as sa
from click.testing import CliRunner

from coactor.cli import main
from coactor.domains import Habits, Network, Roads
from coactor.domains.roads import network_json
from coactor.studies import Invalid, Store, Study, Tampered, catalog, open_study
from coactor.studies.log import schema, transfer
from tests.domains.roads.networks import assert_same, grid

LINKS = (
    "id,from,to,length,kind,street\na,1,2,100,main,High St\nb,2,3,50,side,Mill Lane\nc,3,1,80,main,High St\n"
    "d,2,1,100,main,High St\ne,1,3,90,side,Back Lane\nf,3,2,50,side,Mill Lane\n"
)
NODES = "id,x,y\n1,500,500\n2,500,600\n3,550,600\n"
TRIPS = "path\na_b_c\nc_a\na_b_c\ne_c\n"


@pytest.fixture
def roads() -> Roads:
    return Roads(grid(4, np.random.default_rng(4)), habit=False)


def ask_some(study: Study, count: int = 3) -> None:
    for x in study.domain.sample(np.random.default_rng(1), count):
        study.ask(x)


def blobs(store: Store) -> int:
    with store.reading() as sql:
        return int(sql.sql.scalar(sa.select(sa.func.count()).select_from(schema.problems)) or 0)


def test_any_process_finds_the_network(url: str, roads: Roads) -> None:
    with open_study(url, "taxis", roads, "default", create=True) as study:
        ask_some(study)
        study.tell(1, moves=[next(iter(roads.moves(*study.material(1))))], actor="ana")
    with open_study(url, "taxis") as again:  # nothing but the name is known here
        assert isinstance(again.domain, Roads)
        assert_same(again.domain.network, roads.network)
        assert again.domain.habit is False
        assert (
            again.material(2)[1].links.tolist()
            == roads.solve(again.material(2)[0], again.weights(0)).links.tolist()
        )
        parameters = again.config["domain"]["parameters"]
        assert list(parameters["network"]) == ["stored"]  # by reference, wherever the configuration goes
    with Store(url) as store:
        assert blobs(store) == 4  # one network, three trips
        with open_study(store, "buses", roads, create=True):
            pass
        assert blobs(store) == 4  # the same network is stored once


def test_export_import_backup_and_copy_keep_it(sqlite_url: str, tmp_path: Path, roads: Roads) -> None:
    with open_study(sqlite_url, "taxis", roads, "CSPER", create=True) as study:
        ask_some(study)
        lines = [json.loads(json.dumps(line)) for line in study.export()]
        transfer.backup(study.store, tmp_path / "backup.db")
    assert [next(iter(line)) for line in lines[:3]] == ["format", "problem", "fact"]  # before its first use
    for place in ("import", "backup"):
        with Store(f"sqlite:///{tmp_path}/{place}.db") as store:
            if place == "import":
                transfer.load(store, lines)
            transfer.verify(store, "taxis")
            with open_study(store, "taxis") as again:
                assert_same(again.domain.network, roads.network)  # type: ignore[attr-defined]
                ask_some(again, 5)
    with Store(f"sqlite:///{tmp_path}/short.db") as store:
        with pytest.raises(LookupError, match="not in the store"):
            transfer.load(store, [line for line in lines if "problem" not in line])
        lines[1]["data"]["links"]["to"][0] += 1
        with pytest.raises(Tampered, match="not what was exported"):
            transfer.load(store, lines)
        with store.reading() as sql:
            assert sql.studies() == []


def test_a_changed_network_is_noticed(sqlite_url: str, roads: Roads) -> None:
    with open_study(sqlite_url, "taxis", roads, create=True) as study:
        with study.store.writing() as sql:
            sql.sql.execute(schema.problems.update().values(data=b"{}"))
        with pytest.raises(Tampered, match="domain of study 'taxis' was changed"):
            transfer.verify(study.store, "taxis")


def test_another_network_is_refused(sqlite_url: str, roads: Roads) -> None:
    with open_study(sqlite_url, "taxis", roads, create=True) as study:
        ask_some(study, 1)
    other = Roads(grid(4, np.random.default_rng(5)), habit=False)
    assert other.dim == roads.dim
    with pytest.raises(Invalid, match="created with another network"):
        open_study(sqlite_url, "taxis", other)
    open_study(sqlite_url, "taxis", roads).close()


@pytest.mark.parametrize(
    ("parameters", "says"),
    [
        ({}, "needs a network; give it as the parameter"),
        ({"network": 7}, "the network is a int; expected an object"),
        ({"network": {"stored": "0" * 64}}, "an unknown entry 'stored'"),
        (
            {
                "network": {
                    "links": {"from": [0, 2], "to": [1, 3], "length": [1, 1]},
                    "turns": {"from": [0], "to": [0]},
                }
            },
            "links that do not meet",
        ),
        ({"network": {"links": {"from": [0], "to": [1]}}}, "1 to 1000000 turns"),
    ],
)
def test_a_bad_network_is_one_sentence(parameters: dict, says: str) -> None:
    with pytest.raises(Invalid, match=says) as caught:
        catalog.make("roads", parameters)
    assert "\n" not in str(caught.value)


# -- the command line ----------------------------------------------------------------------------------


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


def test_created_from_a_folder(run, folder: Path, sqlite_url: str) -> None:
    made = run(
        "study", "create", "city", "--domain", "roads", "--network", str(folder), "--store", sqlite_url
    )
    assert made == "Created city.\n"
    with open_study(sqlite_url, "city") as study:
        network: Network = study.domain.network  # type: ignore[attr-defined]
        assert network.streets == ("High St", "Mill Lane", "High St", "High St", "Back Lane", "Mill Lane")
        assert study.config["features"][-1] == "unusual turns"
        habits = Habits(network)
        for trip in ([0, 1, 2], [2, 0], [0, 1, 2], [4, 2]):
            habits.record(trip)
        np.testing.assert_array_equal(network.turn_features[:, -1], habits.costs())
        p = study.ask(study.codec.problem({"origin": "a", "destination": "c"}))
        assert p.solution.links.tolist() == [0, 1, 2]
    run(
        "study",
        "create",
        "plain",
        "--domain",
        "roads",
        "--network",
        str(folder),
        "--no-habit",
        "--store",
        sqlite_url,
    )
    with open_study(sqlite_url, "plain") as study:
        assert "unusual turns" not in study.config["features"]


@pytest.mark.parametrize("habit", ["--habit", "--no-habit"])
def test_it_begins_with_what_was_learned(run, folder: Path, tmp_path: Path, sqlite_url: str, habit) -> None:
    learned = tmp_path / "drivers.json"
    run("learn", str(folder), habit, "--out", str(learned))
    run(
        "study",
        "create",
        "city",
        "--domain",
        "roads",
        "--network",
        str(folder),
        habit,
        "--learned",
        str(learned),
        "--store",
        sqlite_url,
    )
    with open_study(sqlite_url, "city") as study:
        state = json.loads(learned.read_text())
        assert study.weights().tolist() == state["weights"]
        ask_some(study, 1)
        study.tell(1, moves=[])
    with Store(sqlite_url) as store:
        transfer.verify(store, "city")


def test_mistakes_are_sentences(run, folder: Path, tmp_path: Path, sqlite_url: str) -> None:
    (tmp_path / "x.json").write_text("{}")
    (tmp_path / "wide.json").write_text(json.dumps({"learner": "CSPER", "weights": [0.0], "updates": 0}))
    (tmp_path / "empty").mkdir()
    broken = tmp_path / "broken"
    broken.mkdir()
    (broken / "links.csv").write_text(LINKS + "g,1,2,far,main,\n")
    create = ("study", "create", "n", "--store", sqlite_url, "--domain")
    for args, said in (
        (("tour", "--network", str(folder)), "--network is for the domain roads"),
        (("roads", "--network", str(tmp_path / "nowhere")), "There is no folder"),
        (("roads", "--network", str(tmp_path / "empty")), "has no links.csv"),
        (("roads", "--network", str(broken)), "line 8: length is 'far'; expected a number"),
        (("roads",), "needs a network"),
        (("roads", "--network", str(folder), "--learned", str(tmp_path / "x.json")), "is no learner"),
        (("roads", "--network", str(folder), "--learned", str(tmp_path / "no.json")), "No such file"),
        (("roads", "--network", str(folder), "--learned", str(tmp_path / "wide.json")), "weights"),
    ):
        assert said in run(*create, *args, ok=False), args
    with Store(sqlite_url) as store, store.reading() as sql:
        assert sql.studies() == []
        assert blobs(store) == 0


def test_what_is_written_is_what_was_read(folder: Path) -> None:
    from coactor.loaders import read_roads

    network, trips = read_roads(folder)
    assert trips is not None
    assert [trip.tolist() for trip in trips] == [[0, 1, 2], [2, 0], [0, 1, 2], [4, 2]]
    assert_same(network, network_json.decode(network_json.encode(network)))
