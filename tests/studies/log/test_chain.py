from __future__ import annotations

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from coactor.protocol import Basis
from coactor.studies.errors import Invalid, Tampered
from coactor.studies.log.chain import GENESIS, canonical, link, seal, unseal
from coactor.studies.log.facts import Asked, Claimed

floats = st.floats(allow_nan=False, allow_infinity=False)


@given(
    st.recursive(
        floats | st.integers(-(2**53), 2**53) | st.text() | st.none(), lambda x: st.lists(x, max_size=4)
    )
)
def test_unseal_returns_the_fact_that_was_sealed(solution):
    try:
        fact = Asked(proposal=3, problem="ab", solution=solution, basis=Basis(2), key="k", label="é")
        entry = seal(fact, seq=4, time=12.5, actor="ana", via="", previous=GENESIS)
    except Invalid:
        return  # an unpaired surrogate cannot be written
    again = unseal(entry.body, b"", entry.hash)
    assert again.fact == fact
    assert canonical(again.fact.solution) == canonical(solution)
    assert (again.seq, again.time, again.actor, again.key, again.proposal) == (4, 12.5, "ana", "k", 3)


@given(st.integers(0, 10_000))
def test_link_covers_every_byte(place):
    entry = seal(Claimed(proposal=1, until=5.0), seq=2, time=1.0, actor="ana", via="", previous=GENESIS)
    changed = bytearray(entry.body)
    changed[place % len(changed)] ^= 1
    assert link(GENESIS, bytes(changed), b"") != entry.hash
    assert link(entry.hash, entry.body, b"") != entry.hash
    assert link(GENESIS, entry.body, b"x") != entry.hash


def test_unseal_raises_tampered_when_the_body_is_not_a_fact():
    for body in (b"", b"[]", b"{}", b'{"seq":1,"time":0,"actor":"","via":"","kind":"dreamt"}'):
        with pytest.raises(Tampered):
            unseal(body, b"", b"")


def test_canonical_writes_dates_beside_nothing():
    assert canonical({"when": date(2026, 5, 4), "note": None}) == b'{"note":null,"when":"2026-05-04"}'


def test_seal_raises_invalid_for_nan():
    with pytest.raises(Invalid):
        seal(Claimed(proposal=1, until=float("nan")), seq=1, time=0.0, actor="", via="", previous=GENESIS)
