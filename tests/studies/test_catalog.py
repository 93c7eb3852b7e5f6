"""A study of roads keeps its network: in every process, in an export, in a backup; stored once."""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
import sqlalchemy as sa

from coactor.domains import Cube, Day, Graph, Hypercube, Plans, Query, Ranking, Roads, Tour
from coactor.studies import Invalid, Store, Study, Tampered, catalog, open_study
from coactor.studies.log import schema, transfer
from coactor.studies.log.verification import verify
from tests.domains.roads.networks import assert_same, grid


@pytest.fixture
def roads() -> Roads:
    return Roads(grid(4, np.random.default_rng(4)))


def ask_some(study: Study, count: int = 3) -> None:
    for x in study.domain.sample(np.random.default_rng(1), count):
        study.ask(x)


def blobs(store: Store) -> int:
    with store.reading() as sql:
        return int(sql.connection.scalar(sa.select(sa.func.count()).select_from(schema.problems)) or 0)


def test_a_road_network_is_stored_once_and_found_by_every_process(url: str, roads: Roads) -> None:
    with open_study(url, "taxis", roads, "default", create=True) as study:
        ask_some(study)
        study.tell(
            1,
            moves=[next(iter(roads.moves(study.proposal(1).problem, study.proposal(1).solution)))],
            actor="ana",
        )
    with open_study(url, "taxis") as again:  # nothing but the name is known here
        assert isinstance(again.domain, Roads)
        assert_same(again.domain.network, roads.network)
        assert again.domain.habits is False
        assert (
            again.proposal(2).solution.links.tolist()
            == roads.solve(again.proposal(2).problem, again.weights(0)).links.tolist()
        )
        parameters = again.config["domain"]["parameters"]
        assert list(parameters["network"]) == ["stored"]  # by reference, wherever the configuration goes
    with Store(url) as store:
        assert blobs(store) == 4  # one network, three trips
        with open_study(store, "buses", roads, create=True):
            pass
        assert blobs(store) == 4  # the same network is stored once


def test_export_import_backup_and_copy_include_the_network(
    sqlite_url: str, tmp_path: Path, roads: Roads
) -> None:
    with open_study(sqlite_url, "taxis", roads, "CSPER", create=True) as study:
        ask_some(study)
        lines = [json.loads(json.dumps(line)) for line in study.export()]
        transfer.backup(study.store, tmp_path / "backup.db")
    assert [next(iter(line)) for line in lines[:3]] == ["format", "problem", "fact"]  # before its first use
    for place in ("import", "backup"):
        with Store(f"sqlite:///{tmp_path}/{place}.db") as store:
            if place == "import":
                transfer.load(store, lines)
            verify(store, "taxis")
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


def test_verify_raises_tampered_when_the_network_was_changed(sqlite_url: str, roads: Roads) -> None:
    with open_study(sqlite_url, "taxis", roads, create=True) as study:
        with study.store.writing() as sql:
            sql.connection.execute(schema.problems.update().values(data=b"{}"))
        with pytest.raises(Tampered, match="domain of study 'taxis' was changed"):
            verify(study.store, "taxis")


def test_open_study_raises_invalid_for_another_network(sqlite_url: str, roads: Roads) -> None:
    with open_study(sqlite_url, "taxis", roads, create=True) as study:
        ask_some(study, 1)
    other = Roads(grid(4, np.random.default_rng(5)))
    assert other.dim == roads.dim
    with pytest.raises(Invalid, match="created with another network"):
        open_study(sqlite_url, "taxis", other)
    open_study(sqlite_url, "taxis", roads).close()


@pytest.mark.parametrize(
    ("parameters", "says"),
    [
        ({}, "needs a network; give it as the parameter"),
        ({"network": {"stored": "0" * 64}}, "an unknown entry 'stored'"),
        ({"network": {"links": {"from": [0], "to": [1]}}}, "1 to 1000000 turns"),
    ],
)
def test_make_raises_invalid_for_a_bad_network(parameters: dict, says: str) -> None:
    with pytest.raises(Invalid, match=says) as caught:
        catalog.make("roads", parameters)
    assert "\n" not in str(caught.value)


class Keyed:
    """A domain of another package; it keeps its parameter under another name."""

    dim = 3

    def __init__(self, size: int = 3) -> None:
        self.length = size


def test_describe_records_parameters_beyond_the_limits_of_requests(sqlite_url: str) -> None:
    """A local study may be larger than what a request may ask for."""
    domain = Ranking(features=6000, documents=3)
    with open_study(sqlite_url, "wide", domain, "PER", create=True):
        pass
    with open_study(sqlite_url, "wide") as study:
        assert (study.domain.dim, study.domain.documents) == (6000, 3)  # type: ignore[attr-defined]
    with pytest.raises(Invalid, match="numbers go up to 5000"):
        catalog.make("ranking", {"features": 6000})


def test_describe_gives_no_name_to_a_domain_that_could_not_be_made_again(monkeypatch) -> None:
    monkeypatch.setattr(catalog, "announced", lambda group: {"keyed": SimpleNamespace(load=lambda: Keyed)})
    assert catalog.describe(Keyed(4))["name"] is None  # type: ignore[arg-type]
    with_attribute = Keyed(4)
    with_attribute.size = 4  # type: ignore[attr-defined]
    assert catalog.describe(with_attribute)["parameters"] == {"size": 4}  # type: ignore[arg-type]


@pytest.mark.parametrize("soft", [False, True])
def test_plans_are_made_again_from_their_description(soft):
    domain = Plans(2, soft=soft, names=["a", "b"])
    description = catalog.describe(domain)
    again = catalog.make(description["name"], description["parameters"])
    assert (description["name"], again.dim, again.feature_names) == ("plan", domain.dim, domain.feature_names)


def test_encoded_problems_keep_their_names():
    graph = Graph.of(3, np.ones((3, 2)), coordinates=np.eye(3, 2), names=["a", "<b>", "c"])
    tour, ranking, cube = Tour(3, 2), Ranking(2), Hypercube(2, 1)
    assert tour.decode_problem(tour.encode_problem(graph)).names == ("a", "<b>", "c")
    query = Query.of([[0.0, 1.0], [1.0, 0.0]], names=["x", "y"])
    assert ranking.decode_problem(ranking.encode_problem(query)).names == ("x", "y")
    corner = Cube(np.ones((4, 1)), np.empty((4, 0)), ("p", "q"))
    assert cube.decode_problem(cube.encode_problem(corner)).names == ("p", "q")
    day = Day.of(np.ones((3, 3)), [0, 1, 1], [2], coordinates=np.eye(3, 2))
    plans = Plans(1)
    np.testing.assert_array_equal(plans.decode_problem(plans.encode_problem(day)).coordinates, np.eye(3, 2))
    for wrong in (["a"], "abc", [1, 2, 3], ["a", "b", "c" * 300]):
        with pytest.raises(ValueError, match="names"):
            Graph.of(3, np.ones((3, 2)), names=wrong)


class Broken:
    def load(self):
        raise ImportError("a library is missing")


def test_a_broken_package_does_not_stop_studies_of_other_domains(sqlite_url, monkeypatch, caplog):
    points = {"aaa": Broken(), "keyed": SimpleNamespace(load=lambda: Keyed)}
    monkeypatch.setattr(catalog, "announced", lambda group: points)
    with open_study(sqlite_url, "tours", Tour(points=8, features=3), create=True) as study:
        assert study.config["domain"]["name"] == "tour"
    with open_study(sqlite_url, "tours") as study:
        assert isinstance(study.domain, Tour)
    assert catalog.name_of(Keyed(3)) == "keyed"  # type: ignore[arg-type]
    assert "a library is missing" in caplog.text
    names = [name for name, _ in catalog.installed()]
    assert "keyed" in names
    assert "aaa" not in names
    with pytest.raises(Invalid, match="'aaa' cannot be imported: ImportError: a library is missing"):
        catalog.make("aaa", {})


class Columns:
    """A domain of another package; `features` names the columns of a table, as its own method does not."""

    def __init__(self, features: int = 2) -> None:
        self.dim = features**2

    def features(self, x, y):
        return np.zeros(self.dim)


def test_describe_does_not_guess_what_a_parameter_called_features_means(monkeypatch) -> None:
    monkeypatch.setattr(
        catalog, "announced", lambda group: {"columns": SimpleNamespace(load=lambda: Columns)}
    )
    assert catalog.describe(Columns(3))["name"] is None  # type: ignore[arg-type]
