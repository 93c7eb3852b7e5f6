"""The report of a study: what it says, and that it says nothing where nothing changed."""

from __future__ import annotations

import uuid
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from coactor.domains import Tour
from coactor.experts import SimulatedExpert
from coactor.proposals.outcomes import CONTROL
from coactor.studies import evidence, open_study
from coactor.studies.evidence import change, confidence_sequence, differences, p_values
from coactor.studies.log.facts import Finished
from coactor.studies.report import causes, report
from tests.studies.stubs import a_row, flip, make

DAY = 86400.0
FELL = [9.0, 7.0, 8.0, *[4.0] * 5, *[1.0] * 12, *[0.0] * 20]


def rounds(*efforts: float, seconds: float | None = 60.0, actor: str = "ana") -> list[Finished]:
    return [a_row(k, effort, seconds, actor, time=k * DAY) for k, effort in enumerate(efforts)]


def mixed(
    rng: np.random.Generator, n: int, with_: float, without: float, share: float = 0.2
) -> list[Finished]:
    """Proposals of which some were made without what was learned."""
    rows = []
    for row in rounds(*np.zeros(n)):
        control = rng.random() < share
        effort = float(rng.poisson(without if control else with_))
        proposer = CONTROL if control else "learner"
        about = {"effort": effort, "accepted": effort == 0, "proposed_with": 3}
        rows.append(row._replace(proposer=proposer, control=share, **about))
    return rows


def test_report_compares_the_start_with_now():
    made = report(rounds(*FELL, seconds=30.0))
    assert made.verdict == "less"
    assert made.headline == "There is less to correct: 8 edits a proposal at the start, 0.33 now."
    effort, seconds, unchanged = made.measures
    assert (effort.first, effort.last, effort.saved) == (8.0, 1 / 3, None)
    assert (seconds.texts["first"], unchanged.texts["last"]) == ("0:30", "67 %")
    rose = report(rounds(*FELL[::-1]))
    assert (rose.verdict, rose.headline[:24]) == ("more", "There is more to correct")
    assert report(rounds(*[2.0] * 40)).verdict == "unclear"
    assert report(rounds(9.0, 0.0)).headline.startswith("Too early to tell: 2 of at least 20")


def test_report_says_which_proposals_it_compares_before_it_is_sure():
    rows = rounds(1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 2.0, 0.0, 1.0, 0.0)
    made = report([row._replace(unlearned=4.0) for row in rows])
    assert made.headline.startswith("Too early to tell")
    assert made.notes == [
        "The numbers compare the first 3 proposals, made when little was learned, with the last 7.",
        "Without learning, the last ones would have differed from the result by at most 4 edits each.",
    ]
    without = rows[4]._replace(unlearned=None)  # its bound is unknown: neither side counts it
    assert report([*rows[:4], without]).at_most is None


def test_causes_name_the_most_valued_change_before_its_price():
    """The narrow lanes are avoided in most of the edits, not in all: that alone is not clear of chance."""
    deltas = np.array([[12.0, -3.0], [0.0, -2.5], [2.4, -2.9]])
    names, weights = ["narrow lanes (km)", "cobbles (km)"], np.array([1.0, 0.3])
    assert causes(names, [-1, -1], weights, deltas) == (
        "When people edited lately, they got: less narrow lanes (about 4.8 km), "
        "for more cobbles (about 2.8 km)."
    )
    assert causes(names, [-1, -1], np.zeros(2), deltas) == ""


def test_report_denies_no_fall_that_may_be_chance():
    made = report(rounds(10.0, *[0.0] * 25))
    assert made.verdict == "unclear"
    assert made.headline.startswith("No sure change yet: 3.3 edits a proposal at the start, 0 now")
    one = report([*rounds(1.0), *(row._replace(proposed_with=9) for row in rounds(*[0.0] * 30))])
    assert "1 edit a proposal at the start" in one.headline
    assert "compare the first proposal, made when" in one.notes[0]


def test_people_who_accept_unread_are_said_and_no_success():
    rows = [*rounds(*[3.0] * 5), *rounds(*[0.0] * 40, seconds=1.6, actor="ben")]
    rows = [row._replace(proposal=k, proposed_with=k) for k, row in enumerate(rows)]
    made = report(rows)
    assert (made.verdict, made.unread) == ("unclear", 40)
    assert made.notes[0].startswith("40 of 45 proposals were accepted within 3 seconds of opening.")


def test_another_person_is_no_change():
    rows = [*rounds(*[9.0] * 12), *rounds(*[0.0] * 40, actor="ben")]
    assert change([row._replace(proposed_with=k) for k, row in enumerate(rows)]) == 0


@settings(max_examples=25, deadline=None)
@given(st.lists(st.sampled_from([0.0, 0.0, 1.0, 2.0, 8.0]), min_size=10, max_size=30), st.randoms())
def test_p_values_do_not_depend_on_the_size_of_an_edit_and_mirror_each_other(efforts, random):
    rows = rounds(*efforts)
    fallen, risen = p_values(rows)
    assert 0 < fallen <= 1
    assert fallen + risen >= 1  # ties count on both sides
    random.shuffle(efforts)
    assert p_values(rounds(*[3.0] * len(efforts))) == (1.0, 1.0)


def test_change_is_announced_in_few_studies_without_one():
    rng = np.random.default_rng(5)
    told = sum(change(rounds(*rng.poisson(1.0, 40))) == -1 for _ in range(200))
    assert told <= 16  # 5 % and two standard errors


def test_change_makes_no_test_that_cannot_be_significant(monkeypatch):
    """The smallest p-value is 1 / 5000, the eighth level half of that."""
    sizes, made = [], evidence.p_values
    monkeypatch.setattr(evidence, "p_values", lambda rows: sizes.append(len(rows)) or made(rows))
    assert change(rounds(*[5.0] * 20, *[0.0] * 2600)) == -1
    assert sizes == [20, 40, 80, 160, 320, 640, 1280]


def test_control_proposals_find_what_is_learned_at_once():
    rng = np.random.default_rng(8)
    assert change(rounds(5.0, *[0.0] * 9, 5.0, *[0.0] * 29)) == 0  # may be chance
    made = report(mixed(rng, 40, 0.1, 4.0, share=0.25))
    assert (made.verdict, made.measures[0].saved) == ("less", None)  # sure, and not yet how much
    assert made.headline.startswith("There is less to correct: ")
    assert "edits a proposal without what was learned, 0." in made.headline


def test_easier_problems_are_no_effect_of_learning():
    rng, told = np.random.default_rng(6), 0
    for _ in range(100):
        told += change(mixed(rng, 20, 6.0, 6.0) + mixed(rng, 20, 0.5, 0.5)) != 0
    assert told <= 14  # 5 % for either sign, and two standard errors


def test_control_proposals_tell_what_learning_saves():
    rng = np.random.default_rng(1)
    rows = mixed(rng, 200, 1.0, 4.0)
    made = report(rows, control=0.2)
    edits, minutes, _ = made.measures
    assert 0 < edits.low < 3.0 < edits.high
    assert made.verdict == "less"
    assert made.headline.startswith("There is less to correct: learning saves ")
    assert made.controls == sum(row.proposer == CONTROL for row in rows)
    assert minutes.saved == pytest.approx(0.0, abs=1e-9)
    recent = sum(row.time > rows[-1].time - 30 * DAY and row.proposer != CONTROL for row in rows)
    assert edits.month == pytest.approx(edits.saved * recent)
    assert report(mixed(rng, 20, 1.0, 4.0, share=0.05)).measures[0].saved is None  # too few


def test_comparison_is_within_persons_and_valid_at_all_times():
    """One of them edits far more than the other, and takes over: neither is an effect."""
    rng, wrong = np.random.default_rng(2), 0
    for _ in range(100):
        rows = mixed(rng, 80, 6.0, 6.0) + mixed(rng, 80, 0.2, 0.2)
        rows = [row._replace(actor="ab"[k // 80]) for k, row in enumerate(rows)]
        saved = differences(rows, [row.effort for row in rows])
        looks = [confidence_sequence(saved[:n])[1:] for n in range(60, 160, 10)]
        wrong += any(not low <= 0 <= high for low, high in looks)
    assert wrong <= 9
    low, high = confidence_sequence(np.zeros(10))[1:]
    assert (low, high) == (0.0, 0.0)


def test_course_is_a_running_mean_without_controls():
    rows = rounds(3.0, 0.0, 5.0, 1.0)
    rows[2] = rows[2]._replace(proposer=CONTROL, control=0.5)
    course = report(rows).course
    assert course.mean == pytest.approx([3.0, 1.5, 1.5, 4 / 3])
    for low, mean, high in zip(course.low, course.mean, course.high, strict=True):
        assert low <= mean <= high


def test_report_of_a_long_study_is_about_its_start_and_its_newest_proposals():
    rng = np.random.default_rng(4)
    rows = mixed(rng, 500, 3.0, 3.0) + mixed(rng, 2500, 1.0, 4.0)
    rows = [row._replace(seq=k, time=k * DAY / 100) for k, row in enumerate(rows)]
    start, newest = rows[:1500], rows[-1200:]
    made, alone = report(newest, start=start), report(newest)
    assert made.verdict == report(rows).verdict  # no test looks further
    assert (made.measures[0].first, made.proposals) == (alone.measures[0].first, 1200)
    assert (made.weeks, made.course) == (alone.weeks, alone.course)
    assert made.notes[-1] == "Weeks, people and savings are those of the last 1200 proposals."
    month = report(rows).measures[0].month  # of 3000 proposals within 30 days
    assert made.measures[0].month / made.measures[0].saved == pytest.approx(
        month / report(rows).measures[0].saved, rel=0.05
    )
    plain = [row._replace(control=0.0, proposer="learner", proposed_with=row.seq) for row in rows]
    made = report(plain[-1200:], start=plain[:1500])
    first = np.mean([row.effort for row in plain[:3] if not row.accepted or row.seconds >= 3.0])
    assert (made.measures[0].first, made.measures[0].texts["when"]) == (first, "at the start")


def test_weeks_begin_on_monday_and_people_are_named_on_request():
    rows = [*rounds(2.0, 4.0, seconds=60.0), *rounds(0.0, seconds=1.0, actor="ben")]
    rows = [row._replace(time=day * DAY) for row, day in zip(rows, (0, 3, 4), strict=True)]
    made = report(rows)
    first, second = made.weeks  # the first day of 1970 was a Thursday
    assert (first.name, first.finished, first.effort, first.minutes) == ("1969-12-29", 2, 3.0, 2.0)
    assert (second.name, second.unchanged, second.unread) == ("1970-01-05", 1.0, 1)
    control = report([rows[0], rows[1]._replace(proposer=CONTROL, control=0.5)]).weeks[0]
    assert (control.finished, control.controls, control.effort) == (2, 1, 2.0)
    assert [group.name for group in made.people] == ["ana", "ben"]
    ana, ben = made.people
    assert [(week.name, week.effort, week.seconds) for week in ana.weeks] == [("1969-12-29", 3.0, 60.0)]
    assert [(week.name, week.effort) for week in ben.weeks] == [("1970-01-05", 0.0)]
    assert report(rows, people=False).people == []
    lines = str(made).splitlines()[-4:]
    assert [line.split()[0] for line in lines] == ["ana", "1969-12-29", "ben", "1970-01-05"]


@pytest.fixture
def learned(sqlite_url, monkeypatch):
    """A study in which a simulated expert has corrected forty tours, some made without what was learned."""
    monkeypatch.setattr(uuid, "uuid4", lambda: uuid.UUID(int=1 << 100, version=4))  # it decides which ones
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
    assert [row.basis.control for row in rows] == [0.0] * 3 + [0.25] * 37  # none while little is learned
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


def test_just_today_is_compared_with_what_it_would_have_been_without_learning(learned):
    problem = learned.proposal(1).problem
    learned.configure({"control": 0.0})  # of a proposal made without learning there is nothing to compare
    learned.tell(learned.ask(problem), moves=[], actor="ana", learn=False)
    row = learned.finished()[-1]
    assert not row.learned
    assert row.unlearned is not None


def test_control_proposals_stay_when_they_are_opened_later(url):
    with make(url, settings={"control": 0.5}) as study:
        for _ in range(3):
            study.tell(study.ask([1.0, 2.0, 3.0]), moves=[])
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
