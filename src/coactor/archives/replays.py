"""Replay an archive case by case through a session: propose, correct, learn, remember."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np
from scipy.optimize import minimize

from coactor.archives.archives import most_similar
from coactor.archives.cases import Archive, Case
from coactor.habits import start_weights
from coactor.lab.engine.contenders import ALIKE, COPY, HINDSIGHT, Contender
from coactor.proposals.strategies import Strategy
from coactor.protocol import Feedback, Indices, Learner, Matrix, Problem, Reads, Solution, State, Vector
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
        The weights after the last case; those of no particular person if people have weights of their own.
    quality
        Mean NDCG of the proposed rankings; NaN for other archives.
    """

    efforts: Vector
    weights: Vector
    quality: float = float("nan")


class FixedWeights:
    """A learner that never learns; it keeps the feedback it was given."""

    name = "fixed"

    def __init__(self, weights: Vector, reads: Reads = "ends") -> None:
        self.weights, self.reads = weights, reads
        self.feedback: list[Feedback] = []

    def update(self, feedback: Feedback) -> None:
        if self.reads != "ends":
            self.feedback.append(feedback)

    def state(self) -> State:
        return {"weights": self.weights.tolist()}

    def restore(self, state: State) -> None:
        self.weights = np.array(state["weights"], np.float64)


def replay(archive: Archive, contender: Contender, order: Sequence[int] | Indices, seed: int = 0) -> Replay:
    """Replay the cases in this order with one contender."""
    proposals: str | Strategy = contender.proposals if contender.learner else "paper"

    @cache
    def session_of(_: str) -> Session:
        learner = _learner(archive, contender, order, seed)
        return Session(archive.domain, learner, proposals=proposals, seed=seed)

    qualities, efforts, past = [], [], list[Case]()
    for case in archive.replay(order, seed):
        copied = most_similar(archive.domain, case, past) if contender.text == COPY else None
        past.append(case)
        if copied is not None:
            efforts.append(case.expert(case.problem, copied).effort)
            qualities.append(_quality(archive, case.problem, copied))
            continue
        session, person = session_of(contender.learner_of(case.person)), contender.named(case.person)
        proposal = session.ask(case.problem, actor=person)
        correction = case.expert(proposal.problem, proposal.solution)
        efforts.append(session.tell(proposal, correction, actor=person).effort)
        qualities.append(_quality(archive, case.problem, proposal.solution))
    weights = session_of(contender.learner_of("")).learner.weights
    return Replay(np.array(efforts), weights, float(np.mean(qualities)))


def _learner(archive: Archive, contender: Contender, order: Sequence[int] | Indices, seed: int) -> Learner:
    if contender.learner:
        return contender.make(archive.domain.dim, archive.start, start_weights(archive.domain))
    if contender.text == HINDSIGHT:
        return FixedWeights(hindsight(archive, order, seed))
    return FixedWeights(np.ones(archive.domain.dim) if contender.text == ALIKE else archive.start)


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
        if not len(rows):  # every recorded solution was the only one
            return weights
        if total < least:
            best, least = weights, total
        weights = fit_choices(rows, owner, len(order))
    return weights if _alternatives(archive, order, weights, seed)[2] < least else best


def _alternatives(
    archive: Archive, order: Sequence[int] | Indices, weights: Vector, seed: int
) -> tuple[Matrix, Indices, float]:
    """Feature differences of the alternatives, the case of each, and the effort of these weights."""
    learner = FixedWeights(weights, "declined")
    session = Session(archive.domain, learner, proposals="paper", seed=seed)
    for case in archive.replay(order, seed):
        proposal = session.ask(case.problem)
        session.tell(proposal, case.expert(proposal.problem, proposal.solution))
    rows, owner = [np.empty((0, archive.domain.dim))], []
    for number, (told, effort) in enumerate(zip(learner.feedback, session.efforts, strict=True)):
        alternatives = [] if told.declined is None else [told.declined]
        if effort:
            alternatives.append(-told.delta[None, :])
        rows += alternatives
        owner += [number] * sum(map(len, alternatives))
    return np.concatenate(rows), np.array(owner, np.int64), float(sum(session.efforts))


def fit_choices(
    rows: Matrix, owner: Indices, cases: int, ridge: float = RIDGE, known: Vector | None = None
) -> Vector:
    """The weights of a conditional logit with a ridge.

    `rows` are feature differences of alternatives to what was chosen, and `owner` the case of each. The
    utility of each row is rows . w, plus what is already `known` about it.
    """
    scale = np.sqrt((rows**2).mean(axis=0))
    scale[scale == 0] = 1.0
    scaled = rows / scale

    def loss(w: Vector) -> tuple[float, Vector]:
        utility = scaled @ w if known is None else scaled @ w + known
        top = np.zeros(cases)
        np.maximum.at(top, owner, utility)  # so that no exponential overflows
        odds = np.exp(utility - top[owner])
        total = np.exp(-top) + np.bincount(owner, odds, minlength=cases)
        value = float((np.log(total) + top).sum() + 0.5 * ridge * w @ w)
        return value, scaled.T @ (odds / total[owner]) + ridge * w

    found = minimize(loss, np.zeros(rows.shape[1]), jac=True, method="L-BFGS-B", options={"gtol": 1e-7})
    fitted: Vector = found.x / scale
    return fitted


def _quality(archive: Archive, problem: Problem, y: Solution) -> float:
    """NDCG of a proposed ranking; NaN for other archives."""
    if archive.kind != "queries":
        return float("nan")
    labels = problem.labels
    gains = 2.0**labels - 1.0
    discounts = 1.0 / np.log2(np.arange(len(labels)) + 2.0)
    ideal = float(np.sort(gains)[::-1] @ discounts)
    return float(gains[y] @ discounts) / ideal if ideal else 1.0
