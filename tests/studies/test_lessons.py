from __future__ import annotations

import numpy as np

from coactor import learners
from coactor.protocol import Feedback
from coactor.studies.lessons import lesson


def test_lesson_names_the_features_that_changed_most():
    names = ["distance (km)", "left turns", "hills"]
    before, after = learners.make("CSPER", 3), learners.make("CSPER", 3)
    assert lesson(names, before, after, True, 0.0) == "Accepted as proposed; the weights stay."
    assert lesson(names, before, after, True, 2.0) == "Recorded; the weights stay."
    assert "nothing was learned" in lesson(names, before, after, False, 2.0)
    after.update(Feedback(np.array([[0.0, 0.0, 0.0], [2.0, -4.0, 0.0]]), cost=1.0))
    assert lesson(names, before, after, True, 1.0) == "Learned: more weight on left turns and distance."
    assert lesson(names, after, before, True, 1.0) == "Learned: less weight on left turns and distance."
