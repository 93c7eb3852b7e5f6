"""Several people: one learner that shares what they agree on."""

from __future__ import annotations

import json
from copy import deepcopy
from dataclasses import replace

import numpy as np
import pytest

import coactor
from coactor.learners import FEW, ChoiceLearner, make
from coactor.learners.people import GRID, Population
from coactor.protocol import Feedback

TASTES = np.array([[1.0, 0.6, 0.1, 0.3, 0.8, 0.1], [0.1, 0.2, 1.0, 0.7, 0.1, 0.9]])  # of two kinds of people
NAMES = [f"person {k}" for k in range(6)]


def corrections(weights, n, seed, moves_each=12):
    """Corrections of a person who makes every move that gains more than 0.3."""
    rng = np.random.default_rng(seed)
    for _ in range(n):
        moves = rng.standard_normal((moves_each, len(weights)))
        gains = moves @ weights
        made = moves[gains > 0.3][:1]
        path = np.vstack([np.zeros(len(weights)), made]).cumsum(axis=0)
        yield Feedback(path, float(len(made)), moves[gains <= 0.3])


def learned(tastes, rounds=30, dim=4):
    learner = Population(dim)
    streams = {name: corrections(w, rounds, k) for k, (name, w) in enumerate(tastes.items())}
    for _ in range(rounds):
        for name, stream in streams.items():
            learner.update(replace(next(stream), learned_for=name))
    return learner


def direction(weights):
    return weights / np.linalg.norm(weights)


def test_one_person_is_the_single_learner_bit_for_bit():
    single, population = ChoiceLearner(4), Population(4)
    for feedback in corrections(np.linspace(-1.0, 1.0, 4), 5, 0):
        single.update(feedback)
        population.update(replace(feedback, learned_for="ana"))
    assert population.people == ("ana",)
    assert np.array_equal(population.weights, single.weights)
    assert np.array_equal(population.person("ana").weights, single.weights)
    assert population.threshold == single.threshold


def test_people_who_disagree_keep_their_own_weights():
    tastes = {"ana": np.array([1.0, 0.5, 0.0, 0.0]), "ben": np.array([-1.0, 0.5, 0.0, 0.0])}
    learner = learned(tastes)
    for name, truth in tastes.items():
        assert direction(learner.person(name).weights) @ direction(truth) > 0.95
    assert learner.difference > 0.9


def test_people_with_nothing_in_common_are_learned_as_well_as_alone():
    rng = np.random.default_rng(5)
    learner, near, alone = Population(8), [], []
    tastes = {f"person {k}": rng.random(8) for k in range(5)}
    streams = {name: list(corrections(w, 12, k, 60)) for k, (name, w) in enumerate(tastes.items())}
    for t in range(12):
        for name, stream in streams.items():
            learner.update(replace(stream[t], learned_for=name))
    for name, truth in tastes.items():
        single = ChoiceLearner(8)
        for feedback in streams[name]:
            single.update(feedback)
        near.append(direction(learner.person(name).weights) @ direction(truth))
        alone.append(direction(single.weights) @ direction(truth))
    assert np.mean(near) > np.mean(alone) - 0.005


def test_weights_of_a_person_alone_have_the_prior_of_the_single_learner():
    """Whatever t: the variance of mu and that around mu add up."""
    learner = Population(4)
    prior = learner._prior_message()
    for k, t in enumerate(GRID):
        total = np.diagonal(np.linalg.inv(prior.precision[k])) + t * learner.single.prior_sd**2
        assert np.allclose(np.sqrt(total[:-1]), learner.prior_deviations())


def test_people_who_agree_about_many_features_need_little_more_effort_than_one():
    domain = coactor.domains.Tour(points=12, features=FEW + 10)

    def effort(people):
        rng = np.random.default_rng(0)
        expert = coactor.SimulatedExpert(domain, weights=rng.random(domain.dim), kappa=0.1)
        session, total = coactor.Session(domain, "default"), 0.0
        for t, x in enumerate(domain.sample(rng, n=40)):
            proposal = session.ask(x, asked_for=f"person {t % people}")
            correction = expert(x, proposal.solution)
            session.tell(proposal, correction)
            total += correction.effort
        return total

    assert effort(people=5) < 1.25 * effort(people=1)


def test_newcomer_starts_from_people_who_agree():
    truth = np.array([1.0, 0.5, -0.5, 0.0])
    learner = learned(dict.fromkeys(("ana", "ben", "cleo", "dan"), truth))
    newcomer = learner.person("eve")
    assert direction(newcomer.weights) @ direction(truth) > 0.95
    assert (newcomer.deviations() < 0.7 * newcomer.prior_deviations()).all()


@pytest.mark.parametrize("people", [("ana",), ("ana", "ben", "cleo"), NAMES])
def test_restored_learner_learns_bit_for_bit(people):
    """Also with a start, groups, and a feature that first varies in the first case of the second person."""
    learner = Population(6, start=np.arange(1.0, 7.0), trust=2.0)
    streams = [corrections(TASTES[k % 2], 20, k, 40) for k, _ in enumerate(people)]
    for feedback in corrections(TASTES[0], 3, 9):
        still = [1.0] * 5 + [0.0]
        path, declined = feedback.path * still, feedback.declined * still
        learner.update(replace(feedback, path=path, declined=declined, learned_for=people[0]))
    for rounds in (0, 12):
        for _ in range(rounds):
            for name, stream in zip(people, streams, strict=True):
                learner.update(replace(next(stream), learned_for=name))
        other = deepcopy(learner)
        before = json.dumps(other.state())
        restored = Population(6)
        restored.restore(json.loads(before))
        for name, stream in zip(people, streams, strict=True):
            feedback = next(stream)
            for each in (learner, restored):
                each.update(replace(feedback, learned_for=name))
        assert learner.state() == restored.state()
        assert json.dumps(other.state()) == before  # a copy does not learn with it


def test_people_who_differ_by_chance_alone_share_more_than_people_who_differ():
    """What the features do not show looks like a difference between people, but predicts nothing."""

    def noisy(spread, seed=2):
        rng = np.random.default_rng(seed)
        learner, tastes = Population(6), 1.0 + spread * rng.standard_normal((8, 6))
        for t in range(120):
            moves = rng.standard_normal((30, 6))
            gains = moves @ tastes[t % 8] + 2.0 * rng.standard_normal(30)
            made = moves[gains > 1.0][:1]
            path = np.vstack([np.zeros(6), made]).cumsum(axis=0)
            learner.update(Feedback(path, 1.0, moves[gains <= 1.0], learned_for=f"person {t % 8}"))
        return learner.difference

    assert noisy(0.0) < 0.04 < 0.09 < noisy(1.5)


def test_person_is_set_back_and_the_others_stay():
    tastes = {"ana": np.array([1.0, 0.5, 0.0, 0.0]), "ben": np.array([-1.0, 0.5, 0.0, 0.0])}
    earlier = learned(tastes, rounds=10)
    learner = deepcopy(earlier)
    for name in tastes:
        for feedback in corrections(np.array([0.0, 0.0, 0.0, 2.0]), 10, 7):
            learner.update(replace(feedback, learned_for=name))
    changed = learner.person("ben").weights
    learner.set_back("ana", earlier)
    assert direction(learner.person("ana").weights) @ direction(tastes["ana"]) > 0.9
    assert direction(learner.person("ben").weights) @ direction(changed) > 0.95
    learner.set_back("ana", Population(4))  # before they had corrected anything
    assert learner.people == ("ben",)


def test_learner_of_several_people_conforms():
    coactor.check_learner(lambda dim: make("population", dim))
    learner = make("population", 5)
    for k, feedback in enumerate(corrections(np.arange(5.0), 6, 0)):
        learner.update(replace(feedback, learned_for=f"person {k % 3}"))
    assert learner.people == ("person 0", "person 1", "person 2")
    assert not np.array_equal(learner.person("person 0").weights, learner.person("person 1").weights)
    assert np.array_equal(learner.person("").weights, learner.weights)
    assert np.array_equal(learner.person("newcomer").weights, learner.weights)


def test_set_back_undoes_what_a_person_said_about_how_much_people_differ():
    learner = learned(dict.fromkeys(("ana", "ben", "cleo"), np.array([1.0, 0.5, -0.5, 0.0])))
    earlier = deepcopy(learner)
    for feedback in corrections(np.array([-1.0, 0.5, 0.5, 1.0]), 20, 9):
        learner.update(replace(feedback, learned_for="ana"))
    assert learner.difference > earlier.difference
    learner.set_back("ana", earlier)
    assert learner.difference == earlier.difference


@pytest.mark.parametrize("order", [("ana", "ben"), ("ben", "ana")])
def test_nothing_is_left_when_everyone_is_set_back_to_the_beginning(order):
    learner = Population(4)
    for name in ("ana", "ben"):
        for feedback in corrections(np.linspace(-1.0, 1.0, 4), 3, 5):
            learner.update(replace(feedback, learned_for=name))
    for name in order:
        learner.set_back(name, Population(4))
    assert learner.people == ()
    assert np.array_equal(learner.weights, Population(4).weights)
    restored = Population(4)
    restored.restore(json.loads(json.dumps(learner.state())))
    assert restored.state() == learner.state()


def test_state_has_no_names_but_those_of_persons():
    """So that a name can be erased from a log."""
    tastes = np.random.default_rng(3).standard_normal((2, 4))

    def state(names):
        learner = Population(4)
        for k in range(40):
            feedback = next(corrections(3.0 * tastes[k % 2], 1, k))
            learner.update(replace(feedback, learned_for=names[k % 4]))
        return json.dumps(learner.state())

    first, second = state(["d", "b", "c", "a"]), state(["w", "x", "y", "z"])
    for old, new in zip("dbca", "wxyz", strict=True):
        first = first.replace(f'"person": "{old}"', f'"person": "{new}"')
    assert first == second


def test_set_back_converts_the_units_of_features():
    """Units are those of the first cases; another history has other units."""
    taste, streams = np.array([1.0, -1.0, 0.5]), {}
    earlier, other = Population(3), Population(3)
    for learner, sizes in ((earlier, [1.0, 1.0, 1.0]), (other, [1.0, 1.0, 50.0])):
        for k, name in enumerate(("ana", "ben")):
            streams[name] = list(corrections(taste, 12, k))
            for feedback in streams[name]:
                first = not learner.single.units.length
                path = feedback.path * sizes if first else feedback.path
                declined = feedback.declined * sizes if first else feedback.declined
                learner.update(replace(feedback, path=path, declined=declined, learned_for=name))
    assert not np.allclose(earlier.single.units.scale, other.single.units.scale, rtol=0.5)
    other.set_back("ben", earlier)
    weights, before = other.person("ben").weights, earlier.person("ben").weights
    assert direction(weights) @ direction(before) > 0.95


@pytest.mark.parametrize("people", [[{}], [{"person": 5}], "ana", None])
def test_restore_refuses_people_without_a_name(people):
    learner = learned(dict.fromkeys(("ana", "ben"), np.ones(4)), rounds=2)
    with pytest.raises(ValueError, match="has no people"):
        learner.restore({**learner.state(), "people": people})


def divided(kinds, rounds=12, names=NAMES):
    """A population of people of one or two kinds who take turns."""
    learner = Population(6)
    streams = [corrections(TASTES[k % kinds], rounds, k, 40) for k, _ in enumerate(names)]
    for _ in range(rounds):
        for name, stream in zip(names, streams, strict=True):
            learner.update(replace(next(stream), learned_for=name))
    return learner


def assert_sums_in_step(learner):
    for people, said in ((learner.people, learner._said), (learner._second, learner._second_said)):
        messages = [learner._sites[name].message() for name in people]
        for key in ("precision", "shift"):
            expected = np.sum([getattr(message, key) for message in messages], axis=0)
            np.testing.assert_allclose(getattr(said, key), expected, rtol=1e-6, atol=1e-6)


def test_two_kinds_of_people_are_divided_by_what_they_have_shown():
    learner = divided(kinds=2)
    assert learner._grouped
    assert learner._second in (frozenset(NAMES[0::2]), frozenset(NAMES[1::2]))
    assert_sums_in_step(learner)


def test_groups_predict_people_better_than_one_mean():
    learner = divided(kinds=2, rounds=8)
    apart = deepcopy(learner)
    apart._grouped = False

    def error(one):
        return sum(
            1 - direction(one.person(n).weights) @ direction(TASTES[k % 2]) for k, n in enumerate(NAMES)
        )

    assert error(learner) < error(apart)


@pytest.mark.parametrize(("kinds", "names"), [(1, NAMES), (2, NAMES[:2])])
def test_people_of_one_kind_and_two_people_are_not_grouped(kinds, names):
    assert not divided(kinds, names=names)._grouped


def test_person_who_is_set_back_or_removed_leaves_the_sums_in_step():
    learner, earlier = divided(kinds=2), divided(kinds=2, rounds=4)
    for name in NAMES[:2]:
        learner.set_back(name, earlier)
        assert_sums_in_step(learner)
    for name in NAMES[:2]:
        learner.set_back(name, Population(6))
        assert name not in learner._second
        assert_sums_in_step(learner)
    for name in NAMES[2::2]:  # all people of one kind
        learner.set_back(name, Population(6))
    assert not learner._second
    assert not learner._grouped


def test_person_who_changes_moves_to_the_other_group():
    learner = divided(kinds=2)
    for feedback in corrections(TASTES[1], 40, 8, 40):
        learner.update(replace(feedback, learned_for=NAMES[0]))
    assert (NAMES[0] in learner._second) == (NAMES[1] in learner._second)
    assert_sums_in_step(learner)
