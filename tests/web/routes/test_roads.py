from __future__ import annotations

import json

import numpy as np
import pytest

from coactor import connect
from coactor.domains import Roads
from coactor.domains.roads import network_json
from coactor.studies import open_study
from tests.domains.roads.networks import assert_same, grid

STUDY = "/api/studies/city"


@pytest.fixture
def roads() -> Roads:
    return Roads(grid(6, np.random.default_rng(3)))


@pytest.fixture
def admin(server, roads):
    client = server.client("admin")
    parameters = {"network": network_json.encode(roads.network)}
    created = client.post(
        "/api/studies", json={"name": "city", "domain": {"name": "roads", "parameters": parameters}}
    )
    assert created.status_code == 201, created.text
    assert len(created.content) < 2000  # without the network
    client.post(f"{STUDY}/proposals", json={"problem": {"origin": 0, "destination": "57"}})
    return client


def test_study_of_roads_over_http(admin, server, roads):
    with open_study(server.store, "city") as study:
        assert_same(study.domain.network, roads.network)
    whole = admin.get(f"{STUDY}/proposals/1")
    assert len(whole.content) < 5000
    parameters = whole.json()["domain"]["parameters"]
    assert list(parameters["network"]) == ["stored"]
    assert len(admin.get("/api/studies").content) < 5000
    assert len(admin.get(f"{STUDY}/events").content) < 5000
    links = whole.json()["solution"]["links"]
    assert (links[0], links[-1]) == (0, 57)
    with connect(server.address, "city", token=server.tokens["admin-*"], domain=roads) as remote:
        x = next(roads.sample(np.random.default_rng(1), 1))
        p = remote.ask(x)
        roads.check_solution(x, p.solution)
        assert remote.tell(p.id, moves=[next(iter(roads.moves(x, p.solution)))]).effort == 1
    lines = [json.loads(line) for line in admin.get(f"{STUDY}/export").iter_lines()]
    assert lines[1]["problem"] == parameters["network"]["stored"]


def test_network_lists_each_name_once(admin, roads):
    network_map = admin.get(f"{STUDY}/network").json()
    network = roads.network
    assert (network_map["from"], network_map["to"]) == (
        network.ends[:, 0].tolist(),
        network.ends[:, 1].tolist(),
    )
    np.testing.assert_allclose(network_map["nodes"], network.places, atol=1e-4)
    assert [network_map["kinds"][k] for k in network_map["kind"]] == list(network.kinds)
    np.testing.assert_allclose(network_map["length"], network.link_features.sum(axis=1), atol=1e-4)
    assert admin.get("/api/studies/tours/network").status_code == 404


def test_ways_for_a_stretch(admin, roads):
    draft = admin.get(f"{STUDY}/proposals/1").json()
    links = draft["solution"]["links"]
    place = f"{STUDY}/proposals/1/ways"
    whole = admin.get(place).json()
    assert 1 <= len(whole) <= 5
    assert [way["gain"] for way in whole] == sorted((way["gain"] for way in whole), reverse=True)
    stretch = admin.get(f"{place}?first=2&last=4").json()
    for way in stretch:
        assert set(links[2:5]) - set(way["links"])
    way = whole[0]
    edited = admin.post(
        f"{STUDY}/proposals/1/edits", json={"moves": [way["move"]]}, headers={"If-Match": '"0"'}
    )
    assert edited.json()["solution"]["links"] == way["links"]
    assert edited.json()["solution"]["vias"] == way["vias"]
    np.testing.assert_allclose(edited.json()["change"], way["change"])


def test_ways_through_a_link(admin, roads):
    place = f"{STUDY}/proposals/1/ways"
    links = admin.get(f"{STUDY}/proposals/1").json()["solution"]["links"]
    other = next(k for k in range(roads.network.size) if k not in links)
    (way,) = admin.get(f"{place}?links={other},{links[3]}").json()
    assert other in way["links"]
    assert admin.get(f"{place}?links={links[3]}").json() == []  # the route passes there
    for query, part in (
        ("links=999999", "links 0 to"),
        ("first=9&last=2", "no stretch from 9 to 2"),
        ("first=0&last=9999", "the route has links"),
    ):
        answer = admin.get(f"{place}?{query}")
        assert (answer.status_code, part in answer.json()["detail"]) == (422, True), query
    for query in ("links=a", "links=1,,2", "links=", "first=-1"):
        assert admin.get(f"{place}?{query}").status_code == 422, query
    assert admin.get("/api/studies/tours/proposals/1/ways").status_code == 404


def test_network_is_limited_to_the_scope_of_the_account(admin, server):
    assert server.client("expert", study="tours").get(f"{STUDY}/network").status_code == 404
    assert server.client("expert", study="city").get(f"{STUDY}/network").status_code == 200
    assert server.client().get(f"{STUDY}/network").status_code == 401
