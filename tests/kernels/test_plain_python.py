"""The kernels compiled by numba and interpreted as plain Python give the same answers, bit for bit."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from coactor import SimulatedExpert, domains
from coactor.kernels import paths
from coactor.search import landscape
from tests.domains.plans import days
from tests.domains.roads.networks import grid


def cases() -> Iterator[tuple[Any, int]]:
    """Domains, each with a number of problems."""
    yield domains.Hypercube(dimension=5, features=3, hidden=1), 4
    yield domains.Tour(points=9, features=3, hidden=1), 4
    yield domains.Fleet(points=12, vehicles=2, features=3, hidden=1), 4
    yield domains.Ranking(features=3, documents=9), 4
    yield domains.Roads(grid(3, np.random.default_rng(4))), 2
    yield domains.Plans(features=3), 2
    yield domains.Plans(features=3, soft=True), 2


def digest() -> str:
    """A hash of whole corrections in several domains, and of solvers for large problems."""
    total = hashlib.sha256()
    for domain, problems in cases():
        rng = np.random.default_rng(5)
        hidden = getattr(domain, "hidden", 0)
        truth = rng.random(domain.dim + hidden)
        for policy in ("first", "best"):
            expert = SimulatedExpert(domain, truth, kappa=0.05, policy=policy)  # type: ignore[arg-type]
            for x in domain.sample(rng, n=problems):
                y = domain.solve(x, rng.random(domain.dim))
                correction = expert(x, y)
                total.update(repr(correction.moves).encode())
                total.update(np.asarray(domain.features_along(x, correction.path)).tobytes())
                total.update(np.asarray(domain.move_features(x, correction.final)).tobytes())
                total.update(landscape(domain, x, truth).gains(correction.final).tobytes())
                if hasattr(domain, "edits_between"):
                    total.update(repr(domain.edits_between(x, y, correction.final)).encode())
    rng = np.random.default_rng(6)
    cost = rng.random((12, 12))
    total.update(paths.solve_large(cost + cost.T).tobytes())
    for several in (False, True):
        plans = domains.Plans(features=2, soft=days.SOFT[2:])
        day = days.random_day(rng, 6, 3, several=several, optional=several)
        w = rng.random(plans.dim)
        y = plans.solve(day, w)
        total.update(repr([route.tolist() for route in y]).encode())
        total.update(plans.landscape(day, w).gains(days.random_plan(rng, 6, day.rows)).tobytes())
    return total.hexdigest()


def test_corrections_are_the_same_without_compilation() -> None:
    other = "0" if os.environ.get("NUMBA_DISABLE_JIT", "0") != "0" else "1"
    code = "from tests.kernels.test_plain_python import digest; print(digest())"
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, "NUMBA_DISABLE_JIT": other},
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        pytest.fail(done.stderr)
    assert done.stdout.strip() == digest()
