from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from coactor.web.routes.wording import EDITS, MINUTES, PERCENT, edits


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (EDITS.change(-0.25), "−0.3"),
        (EDITS.change(0.0), "0.0"),
        (MINUTES.value(59.5), "1:00"),
        (MINUTES.change(-75.0), "−1:15"),
        (PERCENT.value(0.125), "13 %"),
        (PERCENT.change(0.5), "+50 %"),
    ],
)
def test_halves_are_rounded_up_and_changes_have_a_sign(text, expected):
    assert text == expected


@given(st.floats(0, 1e300))
def test_edits_are_within_half_a_unit_of_the_last_digit(value):
    text = edits(value)
    assert abs(float(text) - value) <= max(0.05 * value, 0.00005)
    assert "e" not in text.lower()
