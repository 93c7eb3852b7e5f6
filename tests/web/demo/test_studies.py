from __future__ import annotations

from uuid import UUID

import numpy as np
import pytest

from coactor.domains import Tour
from coactor.studies import Invalid, open_study, opening
from coactor.web.demo import studies


@pytest.mark.parametrize("name", list(studies.DEMOS))
def test_effort_falls_when_the_colleague_corrects(store, name, monkeypatch):
    monkeypatch.setattr(opening.uuid, "uuid4", lambda: UUID(int=2015 << 100))  # fixed problems
    studies.create_demo_studies(store)
    studies.create_demo_studies(store)  # a second time adds nothing
    with open_study(store, name) as study:
        assert study.summary()["asked"] == 1
        done = studies.play(study, 20, "admin")
        assert [o.actor for o in done] == [studies.ACTOR] * 20
        assert sum(o.effort for o in done[10:]) <= sum(o.effort for o in done[:10])
        assert studies.fill(study, "admin") == studies.fill(study, "admin") == 1  # one waits, not two
        assert studies.advice(study, 1).effort == 0  # what she has finished suits her
    with open_study(store, name) as again:
        np.testing.assert_array_equal(studies.taste(again), studies.taste(study))


def test_study_of_another_domain_is_not_a_demo(store):
    with open_study(store, "try-tour", Tour(5, 2), "CSPER", create=True) as study:
        assert studies.demo_of(study) is None
        with pytest.raises(Invalid, match="at least one"):
            study.desk().edit(
                study.ask(next(Tour(5, 2).sample(np.random.default_rng(0), 1))).id,
                [],
                revision=0,
                actor="ana",
            )


def test_example_is_corrected_once(store, monkeypatch):
    monkeypatch.setattr(studies, "EXAMPLE_ROUNDS", 2)
    for _ in range(2):
        study = studies.create_example(store, "ana")
        assert [row.actor for row in study.effort()] == [studies.ACTOR] * 2
        assert studies.title(study) == "An example"
