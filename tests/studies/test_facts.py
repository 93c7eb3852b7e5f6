from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from coactor.protocol import Feedback
from coactor.studies.errors import Invalid, Tampered
from coactor.studies.log.facts import GENESIS, Asked, Claimed, canonical, link, pack, seal, unpack, unseal

floats = st.floats(allow_nan=False, allow_infinity=False)


@given(st.data(), st.integers(1, 4), st.integers(1, 5), st.integers(0, 6), st.booleans(), floats)
def test_vectors_survive_bit_for_bit(data, rows, dim, declined, cut, cost):
    path = data.draw(arrays(float, (rows, dim), elements=floats))
    left = None if declined == 0 else data.draw(arrays(float, (declined, dim), elements=floats))
    feedback = Feedback(path, cost, left, cut)
    again = unpack(pack(feedback), cost)
    assert again.path.tobytes() == path.tobytes()
    assert again.cost == cost
    assert again.cut is cut
    assert (again.declined is None) if left is None else (again.declined.tobytes() == left.tobytes())


def test_sparse_vectors_are_squeezed():
    rows = np.zeros((40, 700))
    rows[3, 5] = np.pi
    packed = pack(Feedback(rows, 1.0))
    assert len(packed) < rows.nbytes / 100
    assert (unpack(packed, 1.0).path == rows).all()


@given(
    st.recursive(
        floats | st.integers(-(2**53), 2**53) | st.text() | st.none(), lambda x: st.lists(x, max_size=4)
    )
)
def test_an_entry_reads_back_as_it_was_written(solution):
    try:
        fact = Asked(proposal=3, problem="ab", solution=solution, version=2, key="k", label="é")
        entry = seal(fact, seq=4, time=12.5, actor="ana", via="", previous=GENESIS)
    except Invalid:
        return  # half a surrogate pair cannot be written, and is refused in a sentence
    again = unseal(entry.body, b"", entry.hash)
    assert again.fact == fact
    assert canonical(again.fact.solution) == canonical(solution)
    assert (again.seq, again.time, again.actor, again.key, again.proposal) == (4, 12.5, "ana", "k", 3)


@given(st.integers(0, 10_000))
def test_every_byte_of_a_body_is_covered_by_its_hash(place):
    entry = seal(Claimed(proposal=1, until=5.0), seq=2, time=1.0, actor="ana", via="", previous=GENESIS)
    changed = bytearray(entry.body)
    changed[place % len(changed)] ^= 1
    assert link(GENESIS, bytes(changed), b"") != entry.hash
    assert link(entry.hash, entry.body, b"") != entry.hash
    assert link(GENESIS, entry.body, b"x") != entry.hash


def test_nonsense_is_not_taken_for_a_fact():
    for body in (b"", b"[]", b"{}", b'{"seq":1,"time":0,"actor":"","via":"","kind":"dreamt"}'):
        with pytest.raises(Tampered):
            unseal(body, b"", b"")


def test_nan_is_not_written_as_null_into_a_body():
    with pytest.raises(Invalid):
        seal(Claimed(proposal=1, until=float("nan")), seq=1, time=0.0, actor="", via="", previous=GENESIS)
