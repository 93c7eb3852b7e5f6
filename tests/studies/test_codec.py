from __future__ import annotations

import numpy as np
import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays

from coactor.studies.codec import Codec, from_plain, number, plain_move, text, to_plain
from coactor.studies.errors import Invalid
from tests.studies.stubs import Switches

numbers = st.floats(allow_nan=False, allow_infinity=False)
leaves = numbers | st.integers(-(2**53), 2**53) | st.text() | st.booleans() | st.none()
leaves |= arrays(float, array_shapes(max_dims=2, max_side=3), elements=numbers)
leaves |= arrays(np.int64, array_shapes(max_dims=1, max_side=3))
values = st.recursive(
    leaves,
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.lists(inner, max_size=3).map(tuple)
        | st.dictionaries(st.text(max_size=5), inner, max_size=3)
    ),
    max_leaves=10,
)


def alike(a, b):
    if isinstance(a, np.ndarray):
        return isinstance(b, np.ndarray) and a.dtype == b.dtype and a.shape == b.shape and (a == b).all()
    if isinstance(a, list | tuple):
        return type(a) is type(b) and len(a) == len(b) and all(map(alike, a, b))
    if isinstance(a, dict):
        return isinstance(b, dict) and a.keys() == b.keys() and all(alike(a[k], b[k]) for k in a)
    return type(a) is type(b) and a == b


@given(values)
def test_objects_without_their_own_codes_come_back_as_they_were(value):
    try:
        written = Codec(Switches()).problem_bytes(value)
    except Invalid:
        return  # half a character; said in a sentence
    assert alike(value, Codec(Switches()).problem(written))
    assert alike(value, from_plain(to_plain(value)))
    assert orjson.loads(written) is not Ellipsis


@pytest.mark.parametrize("dtype", ["O", "S9", "V8", "U3", "M8[s]", "f8,f8", "nonsense"])
def test_arrays_of_anything_but_numbers_are_refused(dtype):
    with pytest.raises(Invalid):
        Codec(Switches()).problem({"array": [1, 2], "dtype": dtype})


@pytest.mark.parametrize(
    "value", [object(), {1, 2}, {"x": object()}, 2**80, float("nan"), np.array([np.inf])]
)
def test_what_cannot_be_written_is_refused(value):
    with pytest.raises(Invalid):
        Codec(Switches()).problem_bytes(value)


@pytest.mark.parametrize(
    "move",
    [
        None,
        5,
        "flip",
        {},
        {"op": 1, "args": []},
        {"op": "x", "args": 3},
        {"op": "x", "args": [True]},
        {"op": "x", "args": [2**60]},
        {"op": "x" * 41, "args": []},
        {"op": "x", "args": [], "more": 1},
    ],
)
def test_what_is_no_move(move):
    with pytest.raises(Invalid, match="no move"):
        plain_move(move)


def test_moves_of_arrays_are_plain():
    assert plain_move({"op": "x", "args": [np.int64(3), 4]}) == {"op": "x", "args": [3, 4]}


def test_texts_and_numbers_from_outside():
    assert text("é", "note", 5) == "é"
    assert number(np.float64(2.5), "effort") == 2.5
    for value in (5, None, "x" * 6, "\x00", "\udc80"):
        with pytest.raises(Invalid):
            text(value, "note", 5)
    for value in ("1", None, True, -1, 1e13, float("nan")):
        with pytest.raises(Invalid):
            number(value, "effort")
