from __future__ import annotations

import numpy as np
import pytest

from coactor.domains import Tour
from coactor.experts import SimulatedExpert
from coactor.studies import Round, open_study
from coactor.web.routes.progress import WithoutLearning, causes, measures, weeks
from coactor.web.routes.trends import end_size, trend
from tests.studies.stubs import a_round

DAY = 86400.0


def row(seq: int, effort: float, seconds: float | None = None, time: float = 0.0) -> Round:
    return a_round(seq, effort, seconds=seconds, time=time)


def test_measures_compare_a_bounded_start_with_the_end():
    rows = [row(k, 4.0, 120.0) for k in range(30)] + [row(k, 0.0, 30.0) for k in range(30, 2000)]
    size = end_size(len(rows))
    assert (size, end_size(11), end_size(12)) == (30, 0, 4)
    effort, seconds, unchanged = measures(rows[:size], rows[-size:])
    assert (effort.name, effort.first, effort.last, effort.high) == ("effort", 4.0, 0.0, -4.0)
    assert (seconds.first, seconds.last) == (120.0, 30.0)
    assert (unchanged.first, unchanged.last, unchanged.low) == (0.0, 1.0, 1.0)
    without_times = [row(k, 1.0) for k in range(12)]
    assert [m.name for m in measures(without_times[:4], without_times[-4:])] == ["effort", "unchanged"]


def test_measures_say_the_same_numbers_as_the_verdict():
    efforts = [1.0, 0.0, 2.0, 2.0, *[3.0] * 6, 2.0, 1.0, 0.0, 2.0]
    rows = [row(k, effort) for k, effort in enumerate(efforts)]
    size = end_size(len(rows))
    effort = measures(rows[:size], rows[-size:])[0]
    course = trend(efforts)
    assert (effort.first, effort.texts["first"]) == (1.25, "1.3")
    assert [effort.low, effort.high] == course.interval
    for name in ("first", "last"):
        assert f" {effort.texts[name]} " in course.sentence
    assert f"{effort.texts['low']} to {effort.texts['high']}." in course.sentence


def test_weeks_begin_on_monday():
    rows = [row(1, 2.0, time=0.0), row(2, 4.0, 60.0, time=3 * DAY), row(3, 0.0, time=4 * DAY)]
    first, second = weeks(rows)  # the first day of 1970 was a Thursday
    assert (first["monday"], first["finished"], first["effort"], first["seconds"]) == (
        "1969-12-29",
        2,
        3.0,
        60.0,
    )
    assert (second["monday"], second["finished"], second["unchanged"]) == ("1970-01-05", 1, 1.0)


@pytest.fixture
def learned(store):
    """A study in which a simulated expert has corrected twenty tours."""
    domain, rng = Tour(7, 2, names=["distance", "toll"]), np.random.default_rng(3)
    expert = SimulatedExpert(domain, np.array([0.1, 2.0]), 0.05)
    with open_study(store, "learned", domain, "default", create=True) as study:
        for problem in domain.sample(rng, 20):
            proposal = study.ask(problem)
            study.tell(proposal, expert(problem, proposal.solution))
        yield study


def test_past_problems_are_compared_with_proposals_of_version_0(learned):
    rows, background = learned.effort(), WithoutLearning()
    assert background.compare(learned, rows)["done"] < 20
    background.wait(learned)
    result = background.compare(learned, rows)
    assert (result["done"], result["compared"]) == (20, 20)
    assert result["saved"] == pytest.approx(result["without"] - result["with"])
    assert result["low"] <= result["saved"] <= result["high"]
    assert result["saved"] > 0
    shown, unlearned = learned.without_learning(1)
    assert shown == unlearned  # the first proposal was made by version 0
    assert not learned.proposals("open")  # nothing was asked or changed


def test_causes_name_what_the_edits_changed(learned):
    found = causes(learned, learned.effort())
    assert found[0]["feature"] == "toll"
    assert found[0]["change"] < 0  # less of it: the features are costs


def test_progress_of_a_young_study_says_so(server):
    answer = server.client("lead").get("/api/studies/tours/progress").json()
    assert (answer["proposals"], answer["first"], answer["measures"], answer["causes"]) == (0, None, [], [])
    assert answer["without_learning"] == {"proposals": 0, "done": 0, "compared": 0}
