"""Replay an archive case by case: propose, correct, learn."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from coactor.corrections import feedback
from coactor.lab.archives.archives import Archive, QueryArchive
from coactor.lab.engine.contenders import ALIKE, COPY, HINDSIGHT, Contender
from coactor.protocol import Indices, Matrix, Problem, Solution, Vector
from coactor.session import Session

FITS = 6  # how often the hindsight weights are fitted, each time to the alternatives that they propose
RIDGE = 1e-3


@dataclass(frozen=True, slots=True, eq=False)
class Replay:
    """One contender on one order of the cases.

    Attributes
    ----------
    efforts
        The effort of each case.
    weights
        The weights after the last case.
    quality
        Mean NDCG of the proposed rankings; NaN for other archives.
    """

    efforts: Vector
    weights: Vector
    quality: float = float("nan")


def replay(archive: Archive, contender: Contender, order: Sequence[int] | Indices, seed: int = 0) -> Replay:
    """Replay the cases in this order with one contender."""
    if contender.learner:
        return _learn(archive, contender, order, seed)
    weights = archive.start
    if contender.text == HINDSIGHT:
        weights = hindsight(archive, order, seed)
    elif contender.text == ALIKE:
        weights = np.ones(archive.domain.dim)
    efforts, qualities = [], []
    for case in archive.replay(order, seed):
        if contender.text == COPY and case.copied is not None:
            y = case.copied
        else:
            y = archive.domain.solve(case.problem, weights)
        efforts.append(case.expert(case.problem, y).effort)
        qualities.append(_quality(archive, case.problem, y))
    return Replay(np.array(efforts), weights, float(np.mean(qualities)))


def _learn(archive: Archive, contender: Contender, order: Sequence[int] | Indices, seed: int) -> Replay:
    learner = contender.make(archive.domain.dim, archive.start)
    session = Session(archive.domain, learner, proposals=contender.proposals, seed=seed)
    qualities = []
    for case in archive.replay(order, seed):
        proposal = session.ask(case.problem)
        session.tell(proposal, case.expert(case.problem, proposal.solution))
        qualities.append(_quality(archive, case.problem, proposal.solution))
    return Replay(np.array(session.efforts), session.learner.weights, float(np.mean(qualities)))


def hindsight(archive: Archive, order: Sequence[int] | Indices, seed: int = 0) -> Vector:
    """The fixed weights under which the recorded solutions are most likely.

    A conditional logit, P(recorded) = 1 / (1 + sum over alternatives of exp(w . (phi(alternative) -
    phi(recorded)))), whose alternatives are the proposal and every neighbour of the recorded solution. It is
    fitted several times, each time to the proposals of the last fit. The fit with the least effort is
    returned.
    """
    weights = archive.start
    best, least = weights, np.inf
    for _ in range(FITS):
        rows, owner, total = _alternatives(archive, order, weights, seed)
        if total < least:
            best, least = weights, total
        weights = _fit(rows, owner, len(order))
    return weights if _alternatives(archive, order, weights, seed)[2] < least else best


def _alternatives(
    archive: Archive, order: Sequence[int] | Indices, weights: Vector, seed: int
) -> tuple[Matrix, Indices, float]:
    """Feature differences of the alternatives, the case of each, and the effort of these weights."""
    rows, owner, total = [], [], 0.0
    for number, case in enumerate(archive.replay(order, seed)):
        correction = case.expert(case.problem, archive.domain.solve(case.problem, weights))
        vectors = feedback(archive.domain, case.problem, correction, "declined")
        total += correction.effort
        alternatives = [] if vectors.declined is None else [vectors.declined]
        if correction.effort:
            alternatives.append(-vectors.delta[None, :])
        rows += alternatives
        owner += [number] * sum(map(len, alternatives))
    return np.concatenate(rows), np.array(owner), total


def _fit(rows: Matrix, owner: Indices, cases: int) -> Vector:
    """Newton's method on the conditional logit; steps that do not improve are halved."""
    scale = np.sqrt((rows**2).mean(axis=0))
    scale[scale == 0] = 1.0
    rows = rows / scale
    w = np.zeros(rows.shape[1])

    def loss(w: Vector) -> tuple[float, Vector]:
        u = rows @ w
        top = np.zeros(cases)
        np.maximum.at(top, owner, u)
        e = np.exp(u - top[owner])
        total = np.exp(-top) + np.bincount(owner, e, minlength=cases)
        value = float((np.log(total) + top).sum() + 0.5 * RIDGE * w @ w)
        return value, e / total[owner]

    value, p = loss(w)
    for _ in range(50):
        gradient = rows.T @ p + RIDGE * w
        means = np.zeros((cases, rows.shape[1]))
        np.add.at(means, owner, p[:, None] * rows)
        hessian = rows.T @ (p[:, None] * rows) - means.T @ means + RIDGE * np.eye(len(w))
        step = np.linalg.solve(hessian, gradient)
        length = 1.0
        while length > 1e-6:
            trial = loss(w - length * step)
            if trial[0] < value:
                break
            length /= 2
        else:
            break
        w, done = w - length * step, value - trial[0] < 1e-9 * abs(value)
        value, p = trial
        if done:
            break
    fitted: Vector = w / scale
    return fitted


def _quality(archive: Archive, problem: Problem, y: Solution) -> float:
    """NDCG of a proposed ranking; NaN for other archives."""
    if not isinstance(archive, QueryArchive):
        return float("nan")
    labels = problem.labels
    gains = 2.0**labels - 1.0
    discounts = 1.0 / np.log2(np.arange(len(labels)) + 2.0)
    ideal = float(np.sort(gains)[::-1] @ discounts)
    return float(gains[y] @ discounts) / ideal if ideal else 1.0
