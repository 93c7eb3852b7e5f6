from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from coactor.web.auth.limits import COUNT, DEPTH, NUMBER, TEXT, check

good = st.recursive(
    st.floats(-NUMBER, NUMBER)
    | st.integers(-(10**15), 10**15)
    | st.text(max_size=20)
    | st.booleans()
    | st.none(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner, max_size=4),
    max_leaves=12,
)
bad = st.sampled_from([1e16, -1e16, 10**16, "x" * (TEXT + 1)])


def nested(value, levels):
    for _ in range(levels):
        value = [value]
    return value


@given(good)
def test_ordinary_data_passes(value):
    check(value)


@given(good, bad, st.integers(0, 8))
def test_one_bad_value_anywhere_is_found(value, wrong, levels):
    for holder in ([value, wrong], [1.0, wrong], {"a": value, "b": wrong}, {"a": [0, wrong, value]}):
        with pytest.raises(ValueError, match="may"):
            check(nested(holder, levels))


def test_depth_and_count():
    check(nested(1.0, DEPTH - 1))
    with pytest.raises(ValueError, match="nested"):
        check(nested(1.0, DEPTH + 1))
    with pytest.raises(ValueError, match="at most"):
        check([0.0] * (COUNT + 1))
    with pytest.raises(ValueError, match="at most"):
        check([[0.0] * 1000] * (COUNT // 1000 + 1))
    with pytest.raises(ValueError, match="characters"):
        check({"x" * (TEXT + 1): 1})
