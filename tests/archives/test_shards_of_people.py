"""Shards of an archive of several people."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from coactor import learners
from coactor.archives import learn_archive, sharding
from coactor.archives.recorded_cases import CaseArchive, RecordedCase
from coactor.domains import Alternatives, Situation
from coactor.protocol import Vector


def archive_of(tastes: Mapping[str, Vector], each: int) -> CaseArchive:
    """Choices of people who take turns."""
    rng, dim = np.random.default_rng(0), len(next(iter(tastes.values())))
    cases = []
    for name in [name for _ in range(each) for name in tastes]:
        rows = rng.normal(size=(4, dim))
        choice = int((rows @ tastes[name] + rng.gumbel(size=4)).argmax())
        cases.append(RecordedCase(Situation(rows), choice, None, None, name))
    return CaseArchive(tuple(cases), Alternatives(dim), "", "choices", "corrections")


def tastes_of(people: int, dim: int, spread: float) -> dict[str, Vector]:
    rng = np.random.default_rng(1)
    common = 3.0 * rng.normal(size=dim)
    return {f"person {k}": common + spread * rng.normal(size=dim) for k in range(people)}


def learned(archive: CaseArchive, shards: int) -> Any:
    return learners.from_state(learn_archive(archive, "default", shards, jobs=1)[0]["learner"])


def cosine(one: Vector, other: Vector) -> float:
    return float(one @ other / np.linalg.norm(one) / np.linalg.norm(other))


def nearness(learner: Any, tastes: Mapping[str, Vector]) -> float:
    """The mean cosine between the learned and the true weights of each person."""
    return float(np.mean([cosine(learner.person(name).weights, taste) for name, taste in tastes.items()]))


def test_shards_know_all_people_and_nearly_their_weights() -> None:
    tastes = tastes_of(people=7, dim=4, spread=1.0)
    archive = archive_of(tastes, each=30)
    whole, shards = learned(archive, 1), learned(archive, 3)
    assert set(shards.people) == set(whole.people) == set(tastes)
    assert shards.rounds + shards.single.rounds == whole.rounds + whole.single.rounds
    assert cosine(shards.weights, whole.weights) > 0.98
    for name in tastes:
        one, other = shards.person(name), whole.person(name)
        assert cosine(one.weights, other.weights) > 0.9
        assert np.allclose(one.deviations() / other.deviations(), 1.0, atol=0.4)
    assert nearness(shards, tastes) > nearness(whole, tastes) - 0.02
    again = learners.from_state(shards.state())
    assert again.state() == shards.state()


def test_shards_know_all_people_with_many_features() -> None:
    tastes = tastes_of(people=3, dim=260, spread=0.5)
    archive = archive_of(tastes, each=25)
    whole, shards = learned(archive, 1), learned(archive, 2)
    assert set(shards.people) == set(tastes)
    for name in tastes:
        assert cosine(shards.person(name).weights, whole.person(name).weights) > 0.9
    assert shards.slow.people == shards.quick.people


def test_shards_with_other_units_of_a_feature_agree() -> None:
    """A feature that does not vary for the people of the pilot gets a unit in each shard by itself."""
    tastes = {f"person {k}": np.array([2.0, -2.0, 1.0]) for k in range(4)}
    cases = list(archive_of(tastes, each=60).cases)
    for k, case in enumerate(cases):
        rows = case.problem.rows * [1.0, 1.0, 0.0 if k < 40 else 10.0 if case.person < "person 2" else 0.3]
        choice = int((rows @ tastes[case.person] + np.random.default_rng(k).gumbel(size=4)).argmax())
        cases[k] = replace(case, problem=Situation(rows), solution=choice)
    shards = learned(CaseArchive(tuple(cases), Alternatives(3), ""), 4)
    weights = np.array([shards.person(name).weights for name in tastes])
    assert np.allclose(weights[:, 2] / weights[:, 0], 0.5, atol=0.2)


def test_shards_with_two_groups_of_people_keep_them_apart() -> None:
    kinds = np.array([[3.0, 0.0, 1.0], [-3.0, 1.0, 0.0]])
    tastes = {f"person {k}": kinds[k % 2] for k in range(8)}
    shards = learned(archive_of(tastes, each=30), 2)
    assert nearness(shards, tastes) > 0.9
    for name, taste in tastes.items():
        assert cosine(shards.person(name).weights, taste) > 0.7


def test_more_shards_than_people_are_as_many_as_people() -> None:
    tastes = {"ana": np.array([2.0, 0.0]), "ben": np.array([0.0, 2.0])}
    assert set(learned(archive_of(tastes, each=1), 2).people) == {"ana", "ben"}
    shards = learned(archive_of(tastes, each=20), 9)
    assert [int(shards.person(name).weights.argmax()) for name in ("ana", "ben")] == [0, 1]


@pytest.mark.parametrize("learner", ["separate-CSPER", "balanced-CSPER"])
def test_learn_archive_raises_if_shards_of_people_cannot_be_combined(
    learner: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    archive = archive_of(tastes_of(people=3, dim=2, spread=1.0), each=4)
    monkeypatch.setattr(sharding, "run_all", None)
    with pytest.raises(ValueError, match=f"shards of several people teach '{learner}' cannot be combined"):
        learn_archive(archive, learner, 2, jobs=1)


@pytest.mark.parametrize("learner", ["pooled-default", "separate-default"])
def test_learn_archive_raises_for_contenders_that_are_for_comparisons(learner: str) -> None:
    archive = archive_of(tastes_of(people=3, dim=2, spread=1.0), each=4)
    with pytest.raises(ValueError, match=f"'{learner}' is for comparisons; learn with 'default'"):
        learn_archive(archive, learner)
