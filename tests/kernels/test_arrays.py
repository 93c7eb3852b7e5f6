from __future__ import annotations

import os
from pathlib import Path

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from coactor.kernels import arrays, cache_folder
from coactor.validation import is_permutation


@given(st.lists(st.integers(-2, 6), max_size=6), st.integers(0, 6))
def test_is_permutation_needs_every_number_once(order: list[int], n: int) -> None:
    assert is_permutation(np.array(order, dtype=np.int64), n) == (sorted(order) == list(range(n)))


def test_enlarged_copies_the_rows() -> None:
    rows = np.arange(6).reshape(2, 3)
    assert arrays.enlarged(rows)[:2].tolist() == rows.tolist()
    assert arrays.enlarged(rows).shape == (4, 3)


def test_cache_folder_is_numbas_own_unless_it_cannot_be_written(tmp_path: Path) -> None:
    missing = tmp_path / "home" / ".cache"
    assert cache_folder(tmp_path, missing, "7") is None
    assert cache_folder(Path("/proc/1"), missing, "7") is None
    found = cache_folder(tmp_path / "no package", Path("/proc/1/no home"), "7")
    assert found is None if os.access("/proc/1", os.W_OK) else str(found).endswith("coactor-7")
