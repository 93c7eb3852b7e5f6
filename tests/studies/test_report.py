"""The report of a study: what it says, and that it says nothing where nothing changed."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from coactor.domains import Tour
from coactor.experts import SimulatedExpert
from coactor.proposals.outcomes import CONTROL
from coactor.protocol import Basis, Round, Work
from coactor.studies import open_study
from coactor.studies.evidence import confidence_sequence, permutation_p_values, trend
from coactor.studies.report import report
from tests.studies.stubs import a_round, flip, make

DAY = 86400.0
FELL = [9.0, 7.0, 8.0, *[4.0] * 5, *[1.0] * 12, *[0.0] * 20]


def rounds(*efforts: float, seconds: float | None = 60.0, actor: str = "ana") -> list[Round]:
    return [
        replace(row, work=Work(actor, row.work.seconds, 1), proposal=k)
        for k, effort in enumerate(efforts)
        for row in [a_round(k, effort, seconds=seconds, time=k * DAY)]
    ]


def mixed(rng: np.random.Generator, n: int, with_: float, without: float, share: float = 0.2) -> list[Round]:
    """Rounds of which some were made without what was learned."""
    rows = []
    for row in rounds(*np.zeros(n)):
        control = rng.random() < share
        effort = float(rng.poisson(without if control else with_))
        basis = Basis(3, CONTROL if control else "learner", control=share)
        rows.append(replace(row, effort=effort, accepted=effort == 0, basis=basis))
    return rows


def test_report_compares_the_start_with_now():
    made = report(rounds(*FELL, seconds=30.0))
    assert made.verdict == "less"
    assert made.headline == "There is less to correct: 8 edits a proposal at the start, 0.33 now."
    effort, seconds, unchanged = made.measures
    assert (effort.first, effort.last, effort.texts) == (8.0, 1 / 3, {"first": "8", "last": "0.33"})
    assert (seconds.texts["first"], unchanged.texts["last"]) == ("0:30", "67 %")
    rose = report(rounds(*FELL[::-1]))
    assert (rose.verdict, rose.headline[:24]) == ("more", "There is more to correct")
    assert report(rounds(*[2.0] * 40)).verdict == "unclear"
    assert report(rounds(9.0, 0.0)).headline.startswith("Too early to tell: 2 of at least 10")


def test_report_denies_no_fall_that_may_be_chance():
    made = report(rounds(10.0, *[0.0] * 15))
    assert made.verdict == "unclear"
    assert made.headline.startswith("No sure change yet: 3.3 edits a proposal at the start, 0 now")


def test_people_who_accept_unread_are_said_and_no_success():
    rows = [*rounds(*[3.0] * 5), *rounds(*[0.0] * 40, seconds=1.6, actor="ben")]
    rows = [replace(row, proposal=k, basis=Basis(k)) for k, row in enumerate(rows)]
    made = report(rows)
    assert (made.verdict, made.unread) == ("unclear", 40)
    assert made.notes[0].startswith("40 of 45 proposals were accepted within 3 seconds of opening.")


def test_another_person_is_no_trend():
    rows = [*rounds(*[9.0] * 12), *rounds(*[0.0] * 40, actor="ben")]
    assert trend([replace(row, basis=Basis(k)) for k, row in enumerate(rows)]) == 0


@settings(max_examples=25, deadline=None)
@given(st.lists(st.sampled_from([0.0, 0.0, 1.0, 2.0, 8.0]), min_size=10, max_size=30), st.randoms())
def test_p_values_do_not_depend_on_the_size_of_an_edit_and_mirror_each_other(efforts, random):
    rows = rounds(*efforts)
    fallen, risen = permutation_p_values(rows)
    assert 0 < fallen <= 1
    assert fallen + risen >= 1  # ties count on both sides
    random.shuffle(efforts)
    assert permutation_p_values(rounds(*[3.0] * len(efforts))) == (1.0, 1.0)


def test_trend_is_announced_in_few_studies_without_one():
    rng = np.random.default_rng(5)
    told = sum(trend(rounds(*rng.poisson(1.0, 80))) == -1 for _ in range(200))
    assert told <= 16  # 5 % and two standard errors


def test_control_proposals_tell_what_learning_saves():
    rng = np.random.default_rng(1)
    rows = mixed(rng, 200, 1.0, 4.0)
    made = report(rows, control=0.2)
    (edits, minutes) = made.saved
    assert edits.low < 3.0 < edits.high
    assert edits.low > 0
    assert made.verdict == "less"
    assert made.headline.startswith("There is less to correct: learning saves ")
    assert made.controls == sum(row.basis.proposer == CONTROL for row in rows)
    assert minutes.value == pytest.approx(0.0, abs=1e-9)
    recent = sum(row.time > rows[-1].time - 30 * DAY and row.basis.proposer != CONTROL for row in rows)
    assert edits.month == pytest.approx(edits.value * recent)
    assert report(mixed(rng, 20, 1.0, 4.0, share=0.05)).saved == []  # too few


def test_comparison_is_within_persons_and_valid_at_all_times():
    """One of them edits far more than the other, and takes over: neither is an effect."""
    rng, wrong = np.random.default_rng(2), 0
    for _ in range(100):
        rows = mixed(rng, 80, 6.0, 6.0) + mixed(rng, 80, 0.2, 0.2)
        rows = [replace(row, work=Work("ab"[k // 80], 60.0, 1)) for k, row in enumerate(rows)]
        looks = [report(rows[:n]).saved for n in range(20, 160, 10)]
        wrong += any(saved and not saved[0].low <= 0 <= saved[0].high for saved in looks)
    assert wrong <= 9
    low, high = confidence_sequence(np.zeros(10))[1:]
    assert (low, high) == (0.0, 0.0)


def test_course_is_a_running_mean_without_controls():
    rows = rounds(3.0, 0.0, 5.0, 1.0)
    rows[2] = replace(rows[2], basis=Basis(2, CONTROL, control=0.5))
    course = report(rows).course
    assert course.mean == pytest.approx([3.0, 1.5, 1.5, 4 / 3])
    for low, mean, high in zip(course.low, course.mean, course.high, strict=True):
        assert low <= mean <= high


def test_weeks_begin_on_monday_and_people_are_named_on_request():
    rows = [*rounds(2.0, 4.0, seconds=60.0), *rounds(0.0, seconds=1.0, actor="ben")]
    rows = [replace(row, time=day * DAY) for row, day in zip(rows, (0, 3, 4), strict=True)]
    made = report(rows)
    first, second = made.weeks  # the first day of 1970 was a Thursday
    assert (first.name, first.finished, first.effort, first.minutes) == ("1969-12-29", 2, 3.0, 2.0)
    assert (second.name, second.unchanged, second.unread) == ("1970-01-05", 1.0, 1)
    assert [group.name for group in made.people] == ["ana", "ben"]
    assert report(rows, people=False).people == []
    assert "1969-12-29" in str(made)


@pytest.fixture
def learned(sqlite_url):
    """A study in which a simulated expert has corrected forty tours, some made without what was learned."""
    domain, rng = Tour(9, 3, names=["distance", "toll", "lights"]), np.random.default_rng(3)
    expert = SimulatedExpert(domain, np.array([0.1, 2.0, 0.0]), 0.05)
    with open_study(
        sqlite_url, "learned", domain, "default", create=True, settings={"control": 0.25}
    ) as study:
        for problem in domain.sample(rng, 40):
            proposal = study.ask(problem)
            study.tell(proposal, expert(problem, proposal.solution), actor="ana")
        yield study


def test_control_proposals_are_made_by_version_0_and_learned_from(learned):
    rows = learned.effort()
    controls = [row for row in rows if row.basis.proposer == CONTROL]
    assert 3 <= len(controls) <= 20
    assert {row.basis.control for row in rows} == {0.25}
    assert controls[-1].basis.version > 2
    assert controls[-1].version == controls[-1].basis.version + 1  # learned from
    assert controls[-1].basis.chance is not None
    made = learned.report()
    assert (made.control, made.controls) == (0.25, len(controls))
    assert made.at_most > 0.5
    with open_study(learned.store, "plain", learned.domain, "default", create=True) as plain:
        last = controls[-1].proposal
        first = plain.ask(learned.proposal(last).problem)
    assert (first.version, list(first.solution)) == (0, list(learned.proposal(last).solution))
    # no other fact says so, and turning it off ends it
    learned.configure({"control": 0.0})
    problems = learned.domain.sample(np.random.default_rng(9), 12)
    assert all(
        learned.ask(x).basis == replace(learned.ask(x).basis, proposer="learner", control=0.0)
        for x in problems
    )


def test_control_proposals_stay_when_they_are_opened_later(url):
    with make(url, settings={"control": 0.5}) as study:
        ids = [study.ask([1.0, 2.0, 3.0]).id for _ in range(20)]
        drawn = {id for id in ids if study.proposal(id).basis.proposer == CONTROL}
        assert 3 <= len(drawn) <= 17
        study.tell(next(id for id in ids if id not in drawn), moves=flip(0), actor="ana")
        renewed = [study.renew(id, actor="ana") for id in ids]
        assert {one.id for one in renewed if one.basis.proposer == CONTROL} == drawn
        assert {one.basis.control for one in renewed[1:]} == {0.5}  # solved again, and compared still
        outside = [study.ask([1.0, 2.0, 3.0], solution=[False, True, False]).basis for _ in range(9)]
        assert {(one.proposer, one.control) for one in outside} == {("outside", 0.0)}
    with pytest.raises(ValueError, match="control share must be a number from 0 to"):
        make(url, "other", settings={"control": 0.7})
