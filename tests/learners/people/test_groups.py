"""Two groups of people: found, used, kept in step, and not found where there are none."""

from __future__ import annotations

import json
from copy import deepcopy
from dataclasses import replace

import numpy as np
import pytest

from coactor.learners.people.differences import GRID
from coactor.learners.people.groups import Groups
from coactor.learners.people.population import Population
from coactor.learners.people.sites import Everybody, Independent, Joint, Sums
from tests.learners.people.test_population import corrections, direction

TASTES = np.array([[1.0, 0.6, 0.1, 0.3, 0.8, 0.1], [0.1, 0.2, 1.0, 0.7, 0.1, 0.9]])
NAMES = [f"person {k}" for k in range(6)]


def taste(name, kinds):
    return TASTES[int(name.split()[1]) % kinds]


def learned(kinds, rounds=12, names=NAMES):
    """A population of people of one or two kinds who take turns."""
    learner = Population(6)
    streams = [corrections(taste(name, kinds), rounds, k, 40) for k, name in enumerate(names)]
    for _ in range(rounds):
        for name, stream in zip(names, streams, strict=True):
            learner.update(replace(next(stream), person=name))
    return learner


def expected_sums(learner):
    sites, groups = learner._everybody.sites, learner._groups
    members = [site for name, site in sites.items() if name in groups.second]
    return learner._everybody.prior.plus(Sums.of(learner.algebra, members))


def assert_sums_in_step(learner):
    for own, expected in zip(learner._groups.sums, expected_sums(learner), strict=True):
        np.testing.assert_allclose(own, expected, rtol=1e-6, atol=1e-6 * np.abs(expected).max())


def test_two_kinds_of_people_are_divided_by_what_they_have_shown():
    learner = learned(kinds=2)
    groups = learner._groups
    assert groups.used
    assert groups.second in (frozenset(NAMES[0::2]), frozenset(NAMES[1::2]))
    assert_sums_in_step(learner)


def test_groups_predict_a_person_who_has_shown_little_better_than_one_mean():
    learner = learned(kinds=2)
    feedback = next(corrections(TASTES[1], 1, 77, 40))
    for _ in range(2):  # in the first case nobody knows the group
        learner.update(replace(feedback, person="newcomer"))
    grouped = direction(learner.person("newcomer").weights) @ direction(TASTES[1])
    learner._groups.used, learner._beliefs = False, {}
    alone = direction(learner.person("newcomer").weights) @ direction(TASTES[1])
    assert grouped > max(0.97, alone)


def test_people_of_one_kind_are_not_divided():
    assert not learned(kinds=1)._groups.used


def test_two_people_are_not_divided():
    assert not learned(kinds=2, names=NAMES[:2])._groups.second


def test_groups_are_restored_bit_for_bit():
    learner, other = learned(kinds=2), Population(6)
    other.restore(json.loads(json.dumps(learner.state())))
    for k, feedback in enumerate(corrections(TASTES[0], 12, 5, 40)):
        for each in (learner, other):
            each.update(replace(feedback, person=NAMES[2 * k % 6]))
    assert json.dumps(learner.state()) == json.dumps(other.state())
    assert other._groups.used


def test_copy_does_not_change_the_original():
    learner = learned(kinds=2)
    before = json.dumps(learner.state())
    deepcopy(learner).update(replace(next(corrections(TASTES[0], 1, 3)), person=NAMES[0]))
    assert json.dumps(learner.state()) == before


def test_person_who_is_set_back_or_removed_leaves_the_sums_in_step():
    learner, earlier = learned(kinds=2), learned(kinds=2, rounds=4)
    for name in NAMES[:2]:
        learner.set_back(name, earlier)
        assert_sums_in_step(learner)
    for name in NAMES[:2]:
        learner.set_back(name, Population(6))
        assert name not in learner._groups.second
        assert_sums_in_step(learner)
    for name in NAMES[2::2]:  # all people of one kind
        learner.set_back(name, Population(6))
    assert not learner._groups.second
    assert not learner._groups.used


def test_person_who_changes_moves_to_the_other_group():
    learner = learned(kinds=2)
    for feedback in corrections(TASTES[1], 40, 8, 40):
        learner.update(replace(feedback, person=NAMES[0]))
    assert (NAMES[0] in learner._groups.second) == (NAMES[1] in learner._groups.second)
    assert_sums_in_step(learner)


def test_division_that_nobody_needs_is_dissolved():
    learner = learned(kinds=1)
    groups, name = learner._groups, NAMES[0]
    groups.second = frozenset({name})
    groups.sums = expected_sums(learner)
    groups.reassign(learner._everybody, name)
    assert not groups.second
    assert groups.sums is learner._everybody.prior


@pytest.mark.parametrize("algebra", [Joint(), Independent()])
def test_sites_are_divided_by_their_means(algebra):
    one = algebra.diagonal(np.ones(3))
    prior = Sums.prior(algebra, [0.01 * one] * len(GRID), np.zeros(3))
    everybody = Everybody({}, prior, prior)
    for k, name in enumerate(NAMES):
        mean = np.array([1.0, -1.0, 0.5]) * (-1) ** k
        everybody = everybody.put(algebra, name, algebra.site(4.0 * one, 4.0 * mean, one, one))
    groups = Groups(algebra, prior)
    groups.divide(everybody, everybody.sums.mean(algebra, 0)[0], one)
    assert groups.second in (frozenset(NAMES[0::2]), frozenset(NAMES[1::2]))
    odds = [groups.odds(everybody, name) for name in NAMES]
    assert [value > 0.0 for value in odds] == [name in groups.second for name in NAMES]
    groups.ahead, before = 3.0, groups.second
    groups.divide(everybody, -everybody.sums.mean(algebra, 0)[0], -one)  # the other side is second
    assert (groups.ahead, groups.second) == (3.0, before)


def test_groups_dissolve_when_the_last_person_of_one_is_removed():
    learner = learned(kinds=2)
    groups = learner._groups
    assert groups.second
    for side in (groups.second, frozenset(learner.people) - groups.second):
        other = deepcopy(learner)
        for name in side:
            other.set_back(name, Population(learner.dim))
        assert not other._groups.second
        assert set(other.people) == set(learner.people) - side
