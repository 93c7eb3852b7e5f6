from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from coactor.lab.output.calibration import calibrations
from coactor.lab.paper.results import PanelResult
from coactor.protocol import Matrix
from tests.lab.helpers import panel_result


def predicted(chances: Matrix, accepted: Matrix) -> PanelResult:
    return replace(panel_result({"default": (1.0 - accepted).tolist()}), chances={"default": chances})


def test_calibrations_tell_good_predictions_from_bad_ones() -> None:
    rng = np.random.default_rng(0)
    chances = rng.random((10, 2000))
    accepted = (rng.random(chances.shape) < chances).astype(float)
    (good,) = calibrations([predicted(chances, accepted)])
    assert good.gap < 0.02
    assert good.predicted == pytest.approx(good.observed, abs=0.01)
    assert good.brier == pytest.approx(1 / 6, abs=0.01)
    assert good.brier < good.base
    assert len(good.bins) == 10
    assert sum(b.proposals for b in good.bins) == good.proposals == chances.size
    for bin_ in good.bins:
        assert bin_.low <= bin_.predicted <= bin_.high
        assert bin_.least - 0.05 <= bin_.predicted <= bin_.most + 0.05
    (bad,) = calibrations([predicted(1.0 - chances, accepted)])
    assert bad.gap > 0.3
    assert bad.brier > bad.base


def test_calibrations_ignore_missing_predictions_and_include_0_and_1() -> None:
    chances = np.array([[np.nan, 0.0, 1.0, 1.0]])
    (calibration,) = calibrations([predicted(chances, np.array([[1.0, 0.0, 1.0, 0.0]]))])
    assert calibration.proposals == 3
    assert [(b.low, b.proposals, b.observed) for b in calibration.bins] == [(0.0, 1, 0.0), (0.9, 2, 0.5)]
    assert calibrations([predicted(np.full((1, 2), np.nan), np.ones((1, 2)))]) == []
