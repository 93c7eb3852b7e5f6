from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from coactor.corrections import MANY, SMALL, rounded
from coactor.protocol import Feedback
from coactor.studies.log.vectors import digest, pack, pack_weights, unpack, unpack_weights

floats = st.floats(allow_nan=False, allow_infinity=False)


@given(st.data(), st.integers(1, 4), st.integers(1, 5), st.integers(0, 6), *[st.booleans()] * 2, floats)
def test_unpack_returns_what_pack_was_given_bit_for_bit(data, rows, dim, declined, cut, unsure, cost):
    path = data.draw(arrays(float, (rows, dim), elements=floats))
    left = None if declined == 0 else data.draw(arrays(float, (declined, dim), elements=floats))
    feedback = Feedback(path, cost, left, cut, unsure=unsure)
    change = data.draw(arrays(float, dim, elements=floats))
    again, changed = unpack(pack(feedback) + pack_weights(change), cost)
    assert changed.tobytes() == change.tobytes()
    assert again.path.tobytes() == path.tobytes()
    assert again.cost == cost
    assert (again.cut, again.unsure) == (cut, unsure)
    assert (again.declined is None) if left is None else (again.declined.tobytes() == left.tobytes())


@given(st.integers(0, 10**6), st.integers(300, 5000), st.integers(1, 12), st.integers(-300, 300))
@settings(max_examples=30, deadline=None)
def test_many_declined_moves_are_rounded_once(seed, rows, dim, exponent):
    rng = np.random.default_rng(seed)
    declined = np.asfortranarray(rng.standard_normal((rows, dim)) * 10.0 ** rng.integers(0, 5, dim))
    declined = np.ldexp(declined, exponent)
    declined[:, 0] = 0.0
    path = rng.standard_normal((3, dim))
    packed, change = pack(Feedback(path, 1.0, rounded(declined))), bytes(8 * dim)
    again, _ = unpack(packed + change, 1.0)
    assert again.declined.tobytes() == rounded(declined).tobytes() == rounded(again.declined).tobytes()
    assert again.path.tobytes() == path.tobytes()
    step = np.abs(declined).max(axis=0) / (1 << 10 if rows * dim <= MANY else 1 << 8)
    if declined.nbytes > SMALL:
        assert len(packed) < declined.nbytes / 4 + path.nbytes + 100
        assert (np.abs(again.declined - declined) <= step).all()
    assert again.declined.flags.c_contiguous
    assert pack(again) == packed  # learning from the log and from the tell is the same
    assert unpack(pack(again) + change, 1.0)[0].declined.tobytes() == again.declined.tobytes()


def test_many_declined_moves_of_whole_numbers_are_not_rounded():
    rng = np.random.default_rng(0)
    declined = rng.integers(-2047, 2048, (400, 7)).astype(float)
    assert (rounded(declined) == declined).all()


def test_rounding_leaves_what_a_learner_must_reject():
    rows = np.ones((400, 3))
    rows[7, 1] = np.inf
    assert np.isinf(rounded(rows)[7, 1])


def test_pack_compresses_mostly_zero_vectors():
    rows = np.zeros((40, 700))
    rows[3, 5] = np.pi
    packed = pack(Feedback(rows, 1.0))
    assert len(packed) < rows.nbytes / 100
    assert (unpack(packed + bytes(8 * rows.shape[1]), 1.0)[0].path == rows).all()


@given(arrays(float, 5, elements=floats))
def test_unpack_weights_returns_what_pack_weights_was_given(weights):
    again = unpack_weights(pack_weights(weights))
    assert again.tobytes() == weights.tobytes()
    assert digest(again) == digest(weights)
    again[0] = 1.0  # a new array, not a view of the bytes


def test_digest_changes_with_the_last_bit():
    weights = np.array([1.0, 2.0])
    assert digest(weights) != digest(np.nextafter(weights, 9.0))
