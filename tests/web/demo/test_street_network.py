from __future__ import annotations

import numpy as np

from coactor.domains import Roads
from coactor.web.demo import street_network


def test_network_is_connected_and_without_needless_u_turns():
    network = street_network.network()
    assert network is street_network.network()
    assert 2000 < network.size < 5000
    assert network.labels == street_network.FEATURES
    assert len(set(network.streets)) > 100
    domain, rng = Roads(network), np.random.default_rng(0)
    for _ in range(50):
        x = street_network.trip(rng)
        route = domain.solve(x, rng.random(domain.dim))
        domain.check_solution(x, route)
        assert len(route.links) > 10
    back = network.ends[network.head][:, 1] == network.ends[network.tail][:, 0]
    exits = np.diff(network.start)[network.tail]
    assert (exits[back] == 1).all()  # U-turns at dead ends only
