from __future__ import annotations

import numpy as np

from coactor.kernels import tolerances


def test_rounding_is_relative_to_the_largest_cost() -> None:
    assert tolerances.rounding(np.array([1.0, -4.0])) == 4e-12
    assert tolerances.rounding(np.zeros((2, 2))) == 0.0
