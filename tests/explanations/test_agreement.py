"""What people share, how they differ and who goes together."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import coactor
from coactor.explanations import PeopleView, compare_people
from coactor.learners import Population, make
from coactor.protocol import Feedback

NAMES = ["distance (km)", "left turns", "narrow lanes"]


def groups_of(view: PeopleView) -> list[list[str]]:
    """Who goes together, the largest group first."""
    groups: dict[int, list[str]] = {}
    for one in view.people:
        groups.setdefault(one.group, []).append(one.name)
    return sorted(groups.values(), key=len, reverse=True)


def known(tastes: dict[str, list[float]], deviation: float = 0.2) -> Any:
    """A learner that knows the weights of each person, in prior standard deviations, up to a deviation."""

    def person(name: str) -> SimpleNamespace:
        weights = np.array(tastes[name])

        def variances(rows: Any, around_others: bool = False) -> Any:
            return deviation**2 * (rows**2).sum(axis=1)

        ones = np.ones(len(weights))
        methods = {name: lambda: ones for name in ("deviations", "prior_deviations", "known")}
        return SimpleNamespace(weights=weights, variances=variances, **methods)

    methods = {name: lambda *_: None for name in ("set_back", "variances")}
    methods |= {name: lambda: None for name in ("deviations", "prior_deviations", "known")}
    return SimpleNamespace(people=list(tastes), person=person, difference=1.0, **methods)


def view(tastes: dict[str, list[float]], deviation: float = 0.2, **options: Any) -> Any:
    signs = [-1] * len(next(iter(tastes.values())))
    return compare_people(NAMES[: len(signs)], signs, known(tastes, deviation), **options)


def session(tastes: dict[str, list[float]], rounds: int, seed: int) -> coactor.Session:
    """People who corrected tours in turn."""
    domain = coactor.domains.Tour(points=12, features=3, names=NAMES)
    made = coactor.Session(domain, make("default", 3))
    experts = {name: coactor.SimulatedExpert(domain, weights=w, kappa=0.1) for name, w in tastes.items()}
    names = list(tastes)
    for k, x in enumerate(domain.sample(np.random.default_rng(seed), n=rounds * len(names))):
        person = names[k % len(names)]
        proposal = made.ask(x, asked_for=person)
        made.tell(proposal, experts[person](x, proposal.solution))
    return made


def test_differences_are_said_with_direction_and_ratio():
    one = view({"ana": [10.0, 10.0, 10.0], "ben": [10.0, 10.0, 5.0], "cleo": [10.0, 10.0, 5.0]})
    assert one.shared == [
        "Everybody avoids distance.",
        "Everybody avoids left turns.",
        "Everybody avoids narrow lanes.",
    ]
    assert one.people[0].words == ["ana avoids narrow lanes 1.7 times as much as the others."]
    assert groups_of(one) == [["ben", "cleo"], ["ana"]]
    assert one.together == ["ben and cleo do not clearly differ so far."]


@pytest.mark.parametrize(
    ("others", "words"),
    [
        ({"ben": [10.0, -10.0]}, "ana avoids left turns, which ben prefers."),
        ({"ben": [10.0, -0.2]}, "ben does not avoid left turns, which ana avoids."),  # nor prefer
        ({"ben": [10.0, -5.0], "cleo": [10.0, -5.0]}, "ana avoids left turns, which the others prefer."),
        (
            {"ben": [10.0, -5.0], "cleo": [10.0, -5.0]},
            "ben prefers left turns; the others do not agree about that.",
        ),
    ],
)
def test_words_name_who_differs_and_how(others, words):
    assert words in [said for each in view({"ana": [10.0, 15.0], **others}).people for said in each.words]


def test_little_evidence_is_not_agreement():
    alike = {name: [10.0, 10.0, 10.0] for name in ("ana", "ben", "cleo")}
    for deviation in (8.0, 0.2):
        assert view(alike, deviation=deviation).together == ["No two of them clearly differ so far."]


def test_nobody_who_clearly_differs_is_in_the_same_group():
    rng = np.random.default_rng(0)
    tastes = {f"p{k}": rng.uniform(0.0, 10.0, 3).tolist() for k in range(30)}
    one = view(tastes, deviation=1.0)
    total = {name: sum(w) for name, w in tastes.items()}
    shares = {each.name: np.array(each.shares) for each in one.people}
    for group in groups_of(one):
        for a in group:
            for b in group:
                away = np.abs(shares[a] - shares[b]).max()
                assert away < 5.0 * np.hypot(1.0 / total[a], 1.0 / total[b])
    assert 1 < len(groups_of(one)) < 30


def test_people_who_differ_in_one_feature_are_told_apart():
    made = session({"ana": [1.0, 1.0, 1.5], "ben": [1.0, 1.0, 0.1], "cleo": [1.0, 1.0, 0.1]}, 60, seed=1)
    one = made.people()
    assert sorted(map(sorted, groups_of(one))) == [["ana"], ["ben", "cleo"]]
    assert one.people[0].words[0] == "ana avoids narrow lanes much more than the others."
    assert one.shared[:2] == ["Everybody avoids distance.", "Everybody avoids left turns."]


def test_people_of_unknown_deviation_are_not_joined():
    one = view({"ana": [10.0, 1.0], "ben": [1.0, 10.0]}, deviation=float("nan"))
    assert sorted(groups_of(one)) == [["ana"], ["ben"]]


def test_hidden_people_are_numbered_by_how_much_they_differ_and_readers_find_themselves():
    tastes = {"ana": [10.0, 10.0], "ben": [10.0, 10.0], "cleo": [10.0, 1.0]}
    one = view(tastes, hide=True, reader="cleo")
    assert [each.name for each in one.people] == ["Person 1", "Person 2", "Person 3"]
    assert one.reader == "Person 1"
    assert "cleo" not in str(one)
    assert view(tastes, hide=True, reader="dora").reader is None
    assert view(tastes, reader="ana").reader == "ana"


def test_corrections_without_a_name_are_no_person():
    learner, path = Population(2), np.array([[0.0, 0.0], [1.0, 0.0]])
    for name in ("", "ana"):
        learner.update(replace(Feedback(path, 1.0, -path[1:]), learned_for=name))
    assert [each.name for each in compare_people(["a", "b"], [1, 1], learner).people] == ["ana"]
    assert compare_people(["a", "b"], [1, 1], coactor.learners.PER(2)).people == []
