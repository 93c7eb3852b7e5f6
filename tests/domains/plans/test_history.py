from __future__ import annotations

import numpy as np
import pytest

from coactor.domains import History, PlannedDay


def test_problem_counts_earlier_days_and_not_the_day_itself() -> None:
    distances = np.abs(np.subtract.outer(np.arange(5.0), np.arange(5.0)))
    first = PlannedDay(1, 0, {1: 1.0, 2: 1.0, 3: 1.0}, 5.0, ((1, 2), (3,)), 2)
    other = PlannedDay(2, 1, {1: 1.0, 2: 1.0, 4: 1.0}, 5.0, ((2, 1, 4),), 1)
    history = History(distances, ("similar", "always", "weekday"))
    before = history.problem(first).arcs
    assert (before[:, :, 1:][~np.eye(4, dtype=bool)] == 1).all()  # nothing is usual yet
    history.record(other)
    history.record(first)
    again = history.problem(first)
    names = history.names
    assert names == ("distance", "unusual on similar days", "unusual on all days", "unusual on this weekday")
    # 1 -> 2 was driven on the day alike (weight 1) and not on the other (two stops differ: weight 1/4)
    assert again.arcs[1, 2, 1] == pytest.approx(1 - np.sqrt(1 / (1.25 + 0.1)))
    assert again.arcs[1, 2, 2] == pytest.approx(1 - np.sqrt(1 / 2.1))
    assert again.arcs[1, 2, 3] == pytest.approx(1 - np.sqrt(1 / 1.1))
    assert history.most_similar(first) == 1
    with pytest.raises(ValueError, match="There is no feature 'weather'"):
        History(distances, ("weather",))  # type: ignore[arg-type]
