from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from coactor.kernels import arrays


@given(st.lists(st.integers(-2, 6), max_size=6), st.integers(0, 6))
def test_is_permutation_needs_every_number_once(order: list[int], n: int) -> None:
    assert arrays.is_permutation(np.array(order, dtype=np.int64), n) == (sorted(order) == list(range(n)))


def test_enlarged_copies_the_rows() -> None:
    rows = np.arange(6).reshape(2, 3)
    assert arrays.enlarged(rows)[:2].tolist() == rows.tolist()
    assert arrays.enlarged(rows).shape == (4, 3)
