"""Networks as JSON-able data: round trips are exact, malformed data raises ValueError."""

from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from coactor.domains import Roads, Trip
from coactor.domains.roads import network_json
from tests.domains.roads.networks import assert_same, grid, small


@settings(max_examples=25, deadline=None)
@given(seed=st.integers(0, 10_000))
def test_decode_restores_an_encoded_network_exactly(seed: int) -> None:
    rng = np.random.default_rng(seed)
    network = grid(int(rng.integers(2, 5)), rng, drop=0.3)
    assert_same(network, network_json.decode(json.loads(json.dumps(network_json.encode(network)))))


def test_decode_derives_features_from_lengths_kinds_and_coordinates() -> None:
    network = network_json.decode(small())
    assert network.labels == (
        "main road (×82.5 m)",
        "side road (×82.5 m)",
        "u-turns",
        "left turns",
        "right turns",
    )
    assert network.streets == ("High St", "Mill Lane", "", "High St")
    assert len(network.head) == 5
    domain = Roads(network)
    assert domain.distance.tolist() == [1, 1, 0, 0, 0]
    by_name = domain.decode_problem({"origin": "a", "destination": "c"})
    assert (by_name.origin, by_name.destination) == (0, 2)
    assert domain.solve(by_name, domain.distance).links.tolist() == [0, 1, 2]


def test_decode_takes_given_features_of_links_and_turns() -> None:
    data = small()
    data["links"]["features"] = [
        {"name": "time (min)", "values": [1.0, 2.0, 3.0, 1.0]},
        {"name": "cobbles (km)", "values": [0.0, 0.1, 0.0, 0.0]},
    ]
    data["turns"] = {
        "from": [1, 0, 2, 3],
        "to": [2, 1, 0, 0],
        "features": [{"name": "waiting", "values": [10, 20, 30, 40]}],
    }
    network = network_json.decode(data)
    assert network.labels == ("time (min)", "cobbles (km)", "waiting")
    order = list(zip(network.tail.tolist(), network.head.tolist(), strict=True))
    waits = dict(zip(order, network.turn_features[:, 0].tolist(), strict=True))
    assert waits == {(1, 2): 10, (0, 1): 20, (2, 0): 30, (3, 0): 40}
    domain = Roads(network)
    assert domain.distance.tolist() == [1, 0, 0]
    phi = domain.features(Trip(0, 2), domain.solve(Trip(0, 2), domain.distance))
    np.testing.assert_allclose(phi, [-5.0, -0.1, -30.0])
    assert_same(network, network_json.decode(network_json.encode(network)))


def broken(change) -> dict:
    data = small()
    change(data)
    return data


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda d: d.pop("links"), "the network has no 'links'"),
        (lambda d: d.update(links=[1]), "links is a list; expected an object"),
        (lambda d: d.update(lynx={}), "an unknown entry 'lynx'"),
        (lambda d: d["links"].pop("to"), "links has no 'to'"),
        (lambda d: d["links"].update(to=[1, 2, 0]), "4 links have a 'from' and 3 a 'to'"),
        (lambda d: d["links"].update({"from": [], "to": []}), "has 0 links"),
        (lambda d: d["links"].update(to=[1, 2, 0, 10**12]), "junction 1000000000000; junctions are 0 to 2"),
        (lambda d: d["links"].update(to=[1, 2, 0, 0.5]), "expected a list of whole numbers"),
        (lambda d: d["links"].update(length=[1, 1, 1, float("nan")]), "every number must be finite"),
        (lambda d: d["links"].update(length=[1, 1, 1, 0]), "every length must be above 0"),
        (lambda d: d["links"].update(length=["long"] * 4), "cannot be read as numbers"),
        (lambda d: d["links"].pop("length"), "needs the length of its links"),
        (lambda d: d["links"].update(id=["a", "a", "b", "c"]), "the same id"),
        (lambda d: d["links"].update(street=["x"]), "1 names were given for 4 links"),
        (lambda d: d["links"].update(kind=[1, 2, 3, 4]), "expected a list of texts"),
        (lambda d: d.update(nodes={"x": [0], "y": [0, 1]}), "1 x and 2 y"),
        (lambda d: d.update(turns={"from": [0], "to": [1, 2]}), "1 turns have a 'from' and 2 a 'to'"),
        (lambda d: d.update(turns={"from": [0], "to": [2]}), "links that do not meet"),
        (lambda d: d.update(turns={"from": [0], "to": [9]}), "there are links 0 to 3"),
        (lambda d: d.update(turns={"from": [], "to": []}), "has 0 turns"),
        (lambda d: d["links"].update(features=[{"name": "n", "values": [1]}]), "has 1 values; there are 4"),
        (lambda d: d["links"].update(features=[{"name": "n", "values": [1, 1, 1, -1]}]), "not be negative"),
        (lambda d: d["links"].update(features=[{"name": 3, "values": [1] * 4}]), "expected a list of texts"),
        (lambda d: d["links"].update(features=[{"name": "n", "values": [1] * 4}] * 2), "have the same name"),
        (lambda d: d["links"].update(features=[]), "a list of 1 to 100 objects"),
    ],
)
def test_decode_raises_value_error_for_malformed_data(change, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        network_json.decode(broken(change))


def test_decode_refuses_sizes_that_do_not_fit_in_memory() -> None:
    """Every link of a star meets every other, and every kind of road is a column."""
    n = 5000
    star = {"links": {"from": [0] * n, "to": [0] * n, "length": [1.0] * n}}
    with pytest.raises(ValueError, match="25000000 turns"):
        network_json.decode(star)
    ring = {
        "links": {
            "from": list(range(n)),
            "to": [*range(1, n), 0],
            "length": [1.0] * n,
            "kind": [f"k{i}" for i in range(n)],
        }
    }
    with pytest.raises(ValueError, match="5003 features"):
        network_json.decode(ring)
    many = {"links": {key: [0] * (network_json.LINKS + 1) for key in ("from", "to")}}
    with pytest.raises(ValueError, match="expected 1 to 100000"):
        network_json.decode(many)
