from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays

from coactor.corrections import plain_move
from coactor.solutions import from_plain, in_form_of, to_plain
from coactor.studies.codec import Codec
from coactor.studies.errors import Invalid
from coactor.studies.log.chain import canonical
from coactor.validation import number, person_name, text
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
def test_plain_data_comes_back_as_it_was(value):
    try:
        written = canonical(Codec(Switches()).plain_problem(value))
    except Invalid:
        return  # an unpaired surrogate
    assert alike(value, Codec(Switches()).problem(orjson.loads(written)))
    assert alike(value, from_plain(to_plain(value)))


@dataclass
class Day:
    jobs: int = 1


@pytest.mark.parametrize(
    ("value", "reason"),
    [({0: (1, 2)}, "keys that are not text; after storing, 0 is '0'"), ([Day()], "of type Day")],
)
def test_codec_raises_invalid_for_what_would_come_back_changed(value, reason):
    codec = Codec(Switches())
    with pytest.raises(Invalid, match=f"The problem .*{reason}"):
        codec.plain_problem(value)
    with pytest.raises(Invalid, match=f"The solution .*{reason}"):
        codec.plain_solution(value)


@pytest.mark.parametrize("dtype", ["O", "S9", "V8", "U3", "M8[s]", "f8,f8", "nonsense"])
def test_problem_raises_invalid_for_arrays_of_anything_but_numbers(dtype):
    with pytest.raises(Invalid):
        Codec(Switches()).problem({"array": [1, 2], "dtype": dtype})


@pytest.mark.parametrize(
    "value", [object(), {1, 2}, {"x": object()}, 2**80, float("nan"), np.array([np.inf])]
)
def test_canonical_raises_invalid_for_what_json_cannot_hold(value):
    with pytest.raises(Invalid):
        canonical(Codec(Switches()).plain_problem(value))


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
def test_plain_move_raises_invalid_for_what_is_not_a_move(move):
    with pytest.raises(Invalid, match="not a valid move"):
        plain_move(move)


def test_plain_move_converts_numpy_integers():
    assert plain_move({"op": "x", "args": [np.int64(3), 4]}) == {"op": "x", "args": [3, 4]}


def test_text_and_number_validate():
    assert text("é", "note", 5) == "é"
    assert number(np.float64(2.5), "effort") == 2.5
    for value in (5, None, "x" * 6, "\x00", "\udc80"):
        with pytest.raises(Invalid):
            text(value, "note", 5)
    for value in ("1", None, True, -1, 1e13, float("nan")):
        with pytest.raises(Invalid):
            number(value, "effort")


@pytest.mark.parametrize("name", ["", "Zoë O'Neil", " ana ", "Ли", "می\u200cخواهم", "🙂", "x" * 100])
def test_person_name_accepts_names_in_every_script(name):
    assert person_name(name, "actor") == name


@pytest.mark.parametrize(
    "name", ["a\nb", "a\tb", "\x1b[31mana", "ana\u202e", "a\u200bna", "a\u2028b", "x" * 101]
)
def test_person_name_raises_invalid_for_control_characters(name):
    with pytest.raises(Invalid, match=r"^The actor .* (U\+[0-9A-F]{4}|100 characters)"):
        person_name(name, "actor")


def natural(value):
    """The JSON that a person would write: arrays and tuples are lists."""
    if isinstance(value, np.ndarray):
        return value.tolist()
    if isinstance(value, list | tuple):
        return [natural(item) for item in value]
    return {k: natural(v) for k, v in value.items()} if isinstance(value, dict) else value


@given(values)
def test_natural_json_is_read_in_the_form_of_an_example(value):
    assert alike(value, in_form_of(value, natural(value)))
    assert alike(value, in_form_of(value, value))


@pytest.mark.parametrize("data", [[[1.0, 2.0], [3.0]], [1.0, 2.0], [["a"]]])
def test_natural_json_that_cannot_be_the_array_is_invalid(data):
    with pytest.raises(Invalid, match="array"):
        Codec(Switches()).problem(data, np.zeros((2, 2)))
