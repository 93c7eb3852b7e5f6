from __future__ import annotations

import numpy as np

from coactor.web.demo import city


def test_drives_are_symmetric_and_no_shorter_than_a_straight_line():
    rng = np.random.default_rng(5)
    places, names = city.stops(rng, 20)
    table = city.drives(rng, places)
    np.testing.assert_array_equal(table, table.transpose(1, 0, 2))
    assert (table >= 0).all()
    assert table.shape == (20, 20, len(city.FEATURES))
    assert (np.diagonal(table) == 0).all()
    assert len(set(names)) == 20
    straight = np.hypot(*(places[:, None] - places[None]).transpose(2, 0, 1))
    assert (table[:, :, 0] >= straight - 0.01).all()
