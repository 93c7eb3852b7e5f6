from __future__ import annotations

import numpy as np
import pytest

import coactor


def test_compare_returns_rows_and_pairs():
    rows = coactor.lab.compare(
        ["PER", "CSPER", "expert"], panel="mtsp-clean", runs=3, examples=15, seed=2, jobs=1
    )
    assert [row["learner"] for row in rows] == ["PER", "CSPER", "expert"]
    for row in rows:
        assert row["total_low"] <= row["total"] <= row["total_high"]
        assert row["total"] == pytest.approx(rows.costs[row["learner"]].sum(axis=1).mean())
    (pair,) = rows.pairs()  # without the expert, which is a reference
    one, other, _ = rows
    assert pair["difference"].value == pytest.approx(one["total"] - other["total"])
    assert "A against B" in str(rows)


def test_compare_runs_learner_and_domain_of_the_user():
    rows = coactor.lab.compare(
        ["PER", "tests.lab.helpers:Slow"],
        panel="tests.lab.helpers:Bits",
        runs=2,
        examples=40,
        choices=coactor.lab.Choices(kappa=0.2),
        jobs=1,
    )
    # The solver of this domain depends on signs alone, so half of the step proposes the same.
    assert np.array_equal(rows.costs["PER"], rows.costs["tests.lab.helpers:Slow"])
    assert rows.costs["PER"][:, :10].sum() > rows.costs["PER"][:, -10:].sum()


def test_compare_starts_learners_and_baselines_at_weights_of_one():
    rows = coactor.lab.compare(
        ["PER", "PER@start", "alike", "start"], panel="mtsp-clean", runs=2, examples=10, jobs=1
    )
    assert np.array_equal(rows.costs["alike"], rows.costs["start"])
    assert not np.array_equal(rows.costs["PER"], rows.costs["PER@start"])
    assert np.array_equal(rows.costs["PER@start"][:, 0], rows.costs["start"][:, 0])
