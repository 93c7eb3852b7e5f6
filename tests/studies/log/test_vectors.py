from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from coactor.protocol import Feedback
from coactor.studies.log.vectors import digest, pack, pack_weights, unpack, unpack_weights

floats = st.floats(allow_nan=False, allow_infinity=False)


@given(st.data(), st.integers(1, 4), st.integers(1, 5), st.integers(0, 6), st.booleans(), floats)
def test_unpack_returns_what_pack_was_given_bit_for_bit(data, rows, dim, declined, cut, cost):
    path = data.draw(arrays(float, (rows, dim), elements=floats))
    left = None if declined == 0 else data.draw(arrays(float, (declined, dim), elements=floats))
    feedback = Feedback(path, cost, left, cut)
    again = unpack(pack(feedback), cost)
    assert again.path.tobytes() == path.tobytes()
    assert again.cost == cost
    assert again.cut is cut
    assert (again.declined is None) if left is None else (again.declined.tobytes() == left.tobytes())


def test_pack_compresses_mostly_zero_vectors():
    rows = np.zeros((40, 700))
    rows[3, 5] = np.pi
    packed = pack(Feedback(rows, 1.0))
    assert len(packed) < rows.nbytes / 100
    assert (unpack(packed, 1.0).path == rows).all()


@given(arrays(float, 5, elements=floats))
def test_unpack_weights_returns_what_pack_weights_was_given(weights):
    again = unpack_weights(pack_weights(weights))
    assert again.tobytes() == weights.tobytes()
    assert digest(again) == digest(weights)
    again[0] = 1.0  # a new array, not a view of the bytes


def test_digest_changes_with_the_last_bit():
    weights = np.array([1.0, 2.0])
    assert digest(weights) != digest(np.nextafter(weights, 9.0))
