"""The paper's theorems as functions, and a check of a finished run against them.

With n examples, |phi| <= R, W = |w*|, the expert's threshold kappa and misjudgements xi, Theorem 1 bounds

    PER     mean C    <= 2 R W / (kappa sqrt n)
    CSPER   mean C^2  <= 4 R^2 W^2 / (kappa^2 n)
    PA      mean C    <= 4 R^2 W^2 / (kappa^2 sqrt n)
    CSPA    mean C^2  <= 4 R^2 W^2 / (kappa^2 sqrt n)

and Theorem 2 adds the misjudgements for PER and CSPER. They need Assumptions 1 to 3: a locally optimal
solver, steps that gain kappa, and `Session(candidate="disagreement")`; C counts operators.

Errata, found while reading the proofs:

1. Appendix A writes U(y') - U(y) <= kappa C; the proof needs, and Assumption 2 gives, >=.
2. Appendix B loses a kappa when it solves the quadratic kappa th^2 - 2 R W th - sum(xi C) <= 0. The root is
   th <= (R W + sqrt(R^2 W^2 + kappa sum xi C)) / kappa, which `noisy_csper` computes. The printed form,
   (2 R W + sqrt(sum xi C))^2 / kappa^2, is valid (and looser) for kappa <= 1 only.
3. The sums run over T + 1 examples and are divided by T. Here n is the number of examples.
4. The proofs hold with the number of updates k in place of T, and k <= sum C. So the totals are bounded
   whatever n is, for PER and the PA pair too: `refined`. The gap between PER and CSPER is an artefact of the
   analysis.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from coactor.protocol import Vector

LEARNERS = ("PER", "CSPER", "PA", "CSPA")


def theorem1(learner: str, n: int, radius: float, norm: float, kappa: float) -> float:
    """Theorem 1: the bound on mean C (PER, PA) or mean C^2 (CSPER, CSPA) after n examples."""
    _check(learner, n, radius, norm, kappa)
    s = 2.0 * radius * norm / kappa  # 2 R W / kappa
    return {
        "PER": s / math.sqrt(n),
        "CSPER": s**2 / n,
        "PA": s**2 / math.sqrt(n),
        "CSPA": s**2 / math.sqrt(n),
    }[learner]


def refined(learner: str, radius: float, norm: float, kappa: float) -> float:
    """The bound without n on the total C (PER, PA) or the total C^2 (CSPER, CSPA): erratum 4."""
    _check(learner, 1, radius, norm, kappa)
    s = 2.0 * radius * norm / kappa
    return s**2 if learner in ("PER", "CSPER") else s**4


def misjudgement(weights: Vector, kappa: float, cost: float, delta: Vector) -> float:
    """xi of one example: by how much the gain in utility falls short of kappa C (Theorem 2).

    Parameters
    ----------
    weights
        w*, for the features that the learner sees.
    kappa
        The expert's threshold.
    cost, delta
        C and phi(y') - phi(y) of the candidate that the learner was given (`round.cost`, `round.delta`).

    Examples
    --------
    >>> misjudgement(np.array([1.0, 2.0]), 0.5, 3.0, np.array([1.0, 0.0]))
    0.5
    """
    return max(0.0, kappa * cost - float(weights @ delta))


def noisy_per(n: int, radius: float, norm: float, kappa: float, total_xi: float) -> float:
    """Theorem 2 for PER: the bound on mean C, given the sum of xi."""
    return theorem1("PER", n, radius, norm, kappa) + total_xi / (kappa * n)


def noisy_csper(n: int, radius: float, norm: float, kappa: float, total_xi_cost: float) -> float:
    """Theorem 2 for CSPER, exact: the bound on mean C^2, given the sum of xi C (erratum 2)."""
    _check("CSPER", n, radius, norm, kappa)
    rw = radius * norm
    theta = (rw + math.sqrt(rw**2 + kappa * total_xi_cost)) / kappa
    return theta**2 / n


@dataclass(frozen=True, slots=True)
class BoundCheck:
    """One bound against one run.

    Attributes
    ----------
    bound
        Which one, in words.
    quantity
        What is bounded: "mean C", "mean C^2", "sum C" or "sum C^2".
    limit, measured
        The numbers.
    """

    bound: str
    quantity: str
    limit: float
    measured: float

    @property
    def held(self) -> bool:
        return self.measured <= self.limit * (1 + 1e-9)

    def __str__(self) -> str:
        verdict = "held" if self.held else "BROKEN"
        return f"{self.bound}: {self.quantity} = {self.measured:.4g} <= {self.limit:.4g}: {verdict}"


def check_run(
    learner: str,
    costs: Sequence[float],
    radius: float,
    norm: float,
    kappa: float,
    misjudged: Sequence[float] | None = None,
) -> list[BoundCheck]:
    """Check a finished run against each bound.

    Parameters
    ----------
    learner
        PER, CSPER, PA or CSPA.
    costs
        The C the learner was given, one per example (`session.costs`).
    radius
        R: the largest |phi| in the run.
    norm
        W = |w*|.
    kappa
        The expert's threshold.
    misjudged
        xi, one per example, at the candidate that the learner was given (`misjudgement`); without it the
        expert made no mistakes.

    Examples
    --------
    >>> for check in check_run("CSPER", [3, 1, 0, 0], radius=2.0, norm=1.0, kappa=0.1):
    ...     print(check)
    Theorem 1: mean C^2 = 2.5 <= 400: held
    without n: sum C^2 = 10 <= 1600: held
    """
    c = np.asarray(costs, dtype=np.float64)
    n = c.size
    _check(learner, n, radius, norm, kappa)
    squared = learner in ("CSPER", "CSPA")
    total = float((c**2).sum() if squared else c.sum())
    unit = "C^2" if squared else "C"
    xi = np.zeros(n) if misjudged is None else np.asarray(misjudged, dtype=np.float64)
    if xi.shape != c.shape:
        raise ValueError(f"misjudged has {xi.size} entries for {n} examples; give one each.")
    if not xi.any():
        return [
            BoundCheck("Theorem 1", f"mean {unit}", theorem1(learner, n, radius, norm, kappa), total / n),
            BoundCheck("without n", f"sum {unit}", refined(learner, radius, norm, kappa), total),
        ]
    if learner == "PER":
        limit = noisy_per(n, radius, norm, kappa, float(xi.sum()))
        return [BoundCheck("Theorem 2", "mean C", limit, total / n)]
    if learner == "CSPER":
        limit = noisy_csper(n, radius, norm, kappa, float((xi * c).sum()))
        return [BoundCheck("Theorem 2", "mean C^2", limit, total / n)]
    return []  # the paper has no bound for the PA pair with misjudgements


def _check(learner: str, n: int, radius: float, norm: float, kappa: float) -> None:
    if learner not in LEARNERS:
        raise ValueError(f"No theorem speaks of {learner!r}; expected one of {', '.join(LEARNERS)}.")
    if n < 1 or not kappa > 0 or radius < 0 or norm < 0:
        raise ValueError(
            f"n={n}, R={radius}, W={norm}, kappa={kappa}: n and kappa must be above 0, R and W not below."
        )
