from __future__ import annotations

import json

import numpy as np
import pytest
from click.testing import CliRunner

import coactor
from coactor.cli import main


def run(*words: str):
    return CliRunner().invoke(main, list(words))


def test_compare_gives_plain_rows():
    rows = coactor.lab.compare(["PER", "CSPER", "expert"], panel="mtsp-clean", runs=3, examples=15, seed=2)
    assert [row["learner"] for row in rows] == ["PER", "CSPER", "expert"]
    for row in rows:
        assert row["low"] <= row["total"] <= row["high"]
        assert row["total"] == pytest.approx(rows.costs[row["learner"]].sum(axis=1).mean())
    assert len(rows.pairs) == 1  # the expert line is no rival
    assert rows.pairs[0]["difference"] == pytest.approx(rows.totals[0]["total"] - rows.totals[1]["total"])
    assert "A against B" in str(rows)


def test_own_learner_on_own_domain():
    rows = coactor.lab.compare(
        ["PER", "tests.lab.helpers:Slow"], panel="tests.lab.helpers:Bits", runs=2, examples=40, kappa=0.2
    )
    # On this domain the solver only looks at signs, so half steps from zero propose the same.
    assert np.array_equal(rows.costs["PER"], rows.costs["tests.lab.helpers:Slow"])
    assert rows.costs["PER"][:, :10].sum() > rows.costs["PER"][:, -10:].sum()


def test_jobs_do_not_change_numbers():
    one, two = (coactor.lab.compare(["PER"], panel="path-noise", runs=3, examples=10, jobs=j) for j in (1, 2))
    assert np.array_equal(one.costs["PER"], two.costs["PER"])


def test_compare_on_the_command_line():
    words = (
        "compare",
        "PER",
        "CSPER",
        "--panel",
        "path-clean",
        "--runs",
        "2",
        "--examples",
        "8",
        "--jobs",
        "1",
    )
    told = json.loads(run(*words, "--json").stdout)
    assert told["panel"] == "path-clean"
    assert set(told["totals"][0]) == {"learner", "total", "low", "high", "final_utility"}
    assert {pair["a"] + pair["b"] for pair in told["pairs"]} == {"PERCSPER"}
    text = run(*words).stdout
    assert f"{told['totals'][0]['total']:.1f}" in text


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["PERR"], "did you mean PER"),
        (["PER", "--panel", "tps-noise"], "did you mean tsp-noise"),
        (["PER", "--panel", "tests.lab.helpers:NoProblems"], "sample(rng, n)"),
        (["PER", "--panel", "tsp-clean", "--data", "x"], "for the ranking panels"),
        ([], "LEARNER"),
    ],
)
def test_bad_input_is_answered_by_a_sentence(words, said):
    found = run("compare", *words)
    assert found.exit_code in (1, 2)
    assert said in found.stderr
