from __future__ import annotations

import numpy as np
import pytest

from coactor.domains import Cube, Day, Graph, Hypercube, Plans, Query, Ranking, Tour
from coactor.studies import catalog


@pytest.mark.parametrize("soft", [False, True])
def test_plans_are_made_again_from_their_description(soft):
    domain = Plans(2, soft=soft, names=["a", "b"])
    said = catalog.describe(domain)
    again = catalog.make(said["name"], said["parameters"])
    assert (said["name"], again.dim, again.feature_names) == ("plan", domain.dim, domain.feature_names)


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
