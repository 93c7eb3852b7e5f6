from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from coactor.lab.engine.contenders import BASELINES, PAPER, Contender, parse_contenders

START = np.array([1.0, 0.0, 3.0])


def weights(text: str) -> Any:
    return Contender.parse(text).make(3, START).weights


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("PER", Contender("PER", "PER", 0.0, "paper")),
        ("default", Contender("default", "default", 0.0, "default")),
        ("default+paper", Contender("default+paper", "default", 0.0, "paper")),
        (" CSPER+polish ", Contender("CSPER+polish", "CSPER", 0.0, "polish")),
        ("PER@start", Contender("PER@start", "PER", 1.0, "paper")),
        ("PA@start*50+polish", Contender("PA@start*50+polish", "PA", 50.0, "polish")),
        (
            "tests.lab.helpers:Slow+polish",
            Contender("tests.lab.helpers:Slow+polish", "tests.lab.helpers:Slow", 0.0, "polish"),
        ),
    ],
)
def test_parse_reads_learner_start_and_proposals(text: str, expected: Contender) -> None:
    assert Contender.parse(text) == expected


def test_learners_without_proposals_use_the_default_of_the_command() -> None:
    assert Contender.parse("default", "paper").proposals == "paper"
    assert Contender.parse("PER", "polish").proposals == "polish"
    assert Contender.parse("PER+polish", "paper").proposals == "polish"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("CSPR", "Did you mean CSPER"),
        ("PER+polsh", "Did you mean polish"),
        ("PER+", "Unknown proposals ''"),
        ("no.such.module:Thing", "annot import"),
        ("tests.lab.helpers:Slwo", "has no"),
        ("PER@home", "expected '@start'"),
        ("PER@start*0", "expected '@start'"),
        ("PER@start*inf", "expected '@start'"),
        ("expert+polish", "expert is a baseline"),
        ("copy@start", "copy is a baseline"),
        ("default@start*1000", "only the direction of the start weights"),
    ],
)
def test_parse_refuses_what_is_not_a_contender(text: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Contender.parse(text)


@pytest.mark.parametrize("name", [*PAPER, "averaged-PER", "batch-PER"])
def test_learners_start_at_zero_or_at_the_start_weights(name: str) -> None:
    assert weights(name).tolist() == [0.0, 0.0, 0.0]
    assert weights(f"{name}@start").tolist() == START.tolist()
    assert weights(f"{name}@start*50").tolist() == (50 * START).tolist()


@pytest.mark.parametrize("dim", [3, 300])
def test_the_default_learner_starts_in_the_direction_of_the_start_weights(dim: int) -> None:
    start = np.zeros(dim)
    start[0], start[-1] = 1.0, 3.0
    first = Contender.parse("default@start").make(dim, start).weights
    assert np.allclose(first / np.linalg.norm(first), start / np.linalg.norm(start))
    plain = Contender.parse("default").make(dim, start).weights
    assert not np.allclose(plain / np.linalg.norm(plain), start / np.linalg.norm(start))


def test_a_class_of_the_user_is_made_with_the_number_of_features() -> None:
    assert Contender.parse("tests.lab.helpers:Slow").make(4, np.ones(4)).weights.shape == (4,)
    with pytest.raises(ValueError, match="has no reads"):
        Contender.parse("tests.lab.helpers:Nothing").make(3, START)
    with pytest.raises(ValueError, match="cannot be given start weights"):
        Contender.parse("tests.lab.helpers:Slow@start").make(3, START)


@pytest.mark.parametrize(
    ("texts", "message"), [([], "No learner"), ([" "], "No learner"), (["PER", "PER"], "twice")]
)
def test_contenders_are_named_once(texts: list[str], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        parse_contenders(texts, "panel")


def test_baselines_are_refused_where_they_do_not_apply() -> None:
    for setting, applicable in (
        ("panel", {"start", "alike", "expert"}),
        ("archive", {"start", "alike", "copy", "hindsight"}),
    ):
        for name in BASELINES:
            if name in applicable:
                assert parse_contenders([name], setting)[0].text == name  # type: ignore[arg-type]
            else:
                with pytest.raises(ValueError, match=f"'{name}' does not apply here"):
                    parse_contenders([name], setting)  # type: ignore[arg-type]
