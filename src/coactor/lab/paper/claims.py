"""The claims of the paper's experiments section, tested on the numbers.

A claim consists of questions ("does A need less effort than B here?"). A question is answered by a paired
bootstrap interval: it holds if all of the interval lies on the claimed side, does not hold if all of it lies
on the other side, and is undecided otherwise. A claim holds if every answer does, does not hold if one answer
does not, and is too close to call otherwise. Definitions of vague words ("good", "close behind") are part of
the claim.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from coactor.lab.engine.contenders import EXPERT, PAPER
from coactor.lab.engine.statistics import Interval, interval, percentiles, resamples
from coactor.lab.paper.theorem import TheoremRow
from coactor.protocol import Vector

HOLDS = "holds"
FAILS = "does not hold"
CLOSE = "too close to call"
ABSENT = "not run"

CLOSE_BEHIND = 0.10

Totals = Mapping[str, Mapping[str, Vector]]
"""panel -> contender -> total effort of each run."""


@dataclass(frozen=True, slots=True)
class Answer:
    """The answer to one question: the claim says that `value` is above 0."""

    question: str
    value: Interval
    verdict: str


@dataclass(frozen=True, slots=True)
class Claim:
    """One sentence of the paper, our interpretation, and the verdict."""

    number: int
    sentence: str
    meaning: str
    verdict: str
    answers: Sequence[Answer] = field(default_factory=tuple)
    note: str = ""


class _MissingError(Exception):
    """A panel or learner that the claim is about was not run."""


class _Evidence:
    """Answers questions about the total effort of the runs."""

    def __init__(self, totals: Totals, seed: int) -> None:
        self._totals = totals
        self._seed = seed

    def total(self, panel: str, name: str) -> Vector:
        """Total effort of each run; raises _MissingError if there is none."""
        try:
            return self._totals[panel][name]
        except KeyError:
            raise _MissingError(f"needs {name} on {panel}, which was not run") from None

    def above_zero(self, question: str, panel: str, values: Vector) -> Answer:
        """Whether the mean of the values is above 0."""
        mean = interval(values, resamples(self._seed, len(values), panel))
        return Answer(question, mean, _verdict(mean, len(values)))

    def less(self, panel: str, a: str, b: str) -> Answer:
        """Whether `a` needs less effort than `b`."""
        gap = self.total(panel, b) - self.total(panel, a)
        return self.above_zero(f"{panel}: {b} minus {a}", panel, gap)


def _verdict(value: Interval, runs: int) -> str:
    if runs < 2:
        return CLOSE  # one run has no interval
    if value.low > 0:
        return HOLDS
    return FAILS if value.high < 0 or value.low == value.high == 0 else CLOSE


def judge(totals: Totals, theorem: Sequence[TheoremRow], seed: int) -> list[Claim]:
    """All eleven claims of the paper, with verdicts.

    Parameters
    ----------
    totals
        Total effort of each run, by panel and contender.
    theorem
        The noise-free runs that check Theorem 1.
    seed
        The seed of the bootstrap.
    """
    evidence = _Evidence(totals, seed)
    claims = []
    for number, (sentence, meaning, ask) in enumerate(_CLAIMS, start=1):
        try:
            answers = list(ask(evidence))
        except _MissingError as missing:
            claims.append(Claim(number, sentence, meaning, ABSENT, note=str(missing)))
            continue
        claims.append(Claim(number, sentence, meaning, _all(answers), answers, _note(answers)))
    claims.append(_most_settings(totals, seed, len(claims) + 1))
    claims.append(_theorem_claim(theorem, len(claims) + 1))
    return claims


def _all(answers: Sequence[Answer]) -> str:
    verdicts = {answer.verdict for answer in answers}
    if verdicts == {HOLDS}:
        return HOLDS
    return FAILS if FAILS in verdicts else CLOSE


def _note(answers: Sequence[Answer]) -> str:
    """The answers against the claim and the undecided ones, panel by panel."""
    parts = []
    for verdict, words in ((FAILS, "against it"), (CLOSE, "undecided")):
        panels: dict[str, list[str]] = {}
        for answer in answers:
            if answer.verdict == verdict:
                panel, _, comparison = answer.question.partition(": ")
                panels.setdefault(panel, []).append(comparison)
        parts += [f"{words} on {panel}: {', '.join(names)}" for panel, names in panels.items()]
    return "; ".join(parts)


# -- the questions, in the order of the paper ----------------------------------------------------------------

Ask = Callable[[_Evidence], Iterator[Answer]]


def _best(learner: str, *panels: str) -> Ask:
    def ask(evidence: _Evidence) -> Iterator[Answer]:
        for panel in panels:
            for rival in PAPER:
                if rival != learner:
                    yield evidence.less(panel, learner, rival)

    return ask


def _worst(learner: str, *panels: str) -> Ask:
    def ask(evidence: _Evidence) -> Iterator[Answer]:
        for panel in panels:
            for rival in PAPER:
                if rival != learner:
                    yield evidence.less(panel, rival, learner)

    return ask


def _both(*asks: Ask) -> Ask:
    def ask(evidence: _Evidence) -> Iterator[Answer]:
        questions = set()
        for one in asks:
            for answer in one(evidence):
                if answer.question not in questions:
                    questions.add(answer.question)
                    yield answer

    return ask


def _expert_above_zero(evidence: _Evidence) -> Iterator[Answer]:
    for panel in ("path-clean", "path-noise"):
        yield evidence.above_zero(f"{panel}: expert line", panel, evidence.total(panel, EXPERT))


def _per_good(evidence: _Evidence) -> Iterator[Answer]:
    for panel in ("mtsp-clean", "mtsp-noise"):
        others = np.mean([evidence.total(panel, name) for name in PAPER if name != "PER"], axis=0)
        gap = others - evidence.total(panel, "PER")
        yield evidence.above_zero(f"{panel}: mean of the other three minus PER", panel, gap)


def _per_then_csper(evidence: _Evidence) -> Iterator[Answer]:
    yield from _best("PER", "rank-unlimited")(evidence)
    for rival in ("PA", "CSPA"):
        yield evidence.less("rank-unlimited", "CSPER", rival)


def _close_behind(evidence: _Evidence) -> Iterator[Answer]:
    panel = "rank-budget"
    per, csper = evidence.total(panel, "PER"), evidence.total(panel, "CSPER")
    gap, room = csper - per, CLOSE_BEHIND * per
    yield evidence.above_zero(f"{panel}: CSPER minus PER", panel, gap)
    yield evidence.above_zero(f"{panel}: {CLOSE_BEHIND:.0%} of PER minus that gap", panel, room - gap)


def _pa_pair_worst(evidence: _Evidence) -> Iterator[Answer]:
    for panel in ("rank-unlimited", "rank-budget"):
        for worse in ("PA", "CSPA"):
            for better in ("PER", "CSPER"):
                yield evidence.less(panel, better, worse)


_PATH = ("path-clean", "path-noise")
_CLAIMS: tuple[tuple[str, str, Ask], ...] = (
    (
        "Path planning, both settings: CSPER performs best and PA worst.",
        "In both panels CSPER needs less effort than each of the other three, and PA more than each.",
        _both(_best("CSPER", *_PATH), _worst("PA", *_PATH)),
    ),
    (
        "Path planning: even a perfect weight vector leaves effort.",
        "The expert line is above 0 in both panels.",
        _expert_above_zero,
    ),
    (
        "TSP, both settings: CSPER outperforms the others.",
        "In both panels CSPER needs less effort than each of the other three.",
        _best("CSPER", "tsp-clean", "tsp-noise"),
    ),
    (
        "Multi-TSP with noise: CSPER clearly outperforms the others.",
        "CSPER needs less effort than each of the other three.",
        _best("CSPER", "mtsp-noise"),
    ),
    (
        "Multi-TSP without noise: CSPER performs worst.",
        "CSPER needs more effort than each of the other three.",
        _worst("CSPER", "mtsp-clean"),
    ),
    (
        "Multi-TSP: results for PER are good in both settings.",
        "In both panels PER needs less effort than the mean of the other three.",
        _per_good,
    ),
    (
        "Ranking, unlimited: PER performs best, CSPER second.",
        "PER needs less effort than each of the others, and CSPER less than PA and CSPA.",
        _per_then_csper,
    ),
    (
        "Ranking with a budget: CSPER is close behind PER.",
        f"CSPER needs more effort than PER, by at most {CLOSE_BEHIND:.0%}.",
        _close_behind,
    ),
    (
        "Ranking: the PA pair is worst.",
        "In both ranking panels PA and CSPA each need more effort than PER and than CSPER.",
        _pa_pair_worst,
    ),
)


def _most_settings(totals: Totals, seed: int, number: int) -> Claim:
    """Claim 10 counts settings, so the count is bootstrapped."""
    sentence = "In most settings the cost-sensitive learner beats its cost-insensitive counterpart."
    meaning = "CSPER below PER and CSPA below PA, counted over all panels that were run: more than half."
    duels = [
        (panel, sensitive, plain)
        for panel in totals
        for sensitive, plain in (("CSPER", "PER"), ("CSPA", "PA"))
        if sensitive in totals[panel] and plain in totals[panel]
    ]
    if not duels:
        return Claim(number, sentence, meaning, ABSENT, note="needs CSPER and PER, or CSPA and PA")
    won, samples, runs = 0.0, np.zeros(1), 0
    lost = []
    for panel, sensitive, plain in duels:
        gap = totals[panel][plain] - totals[panel][sensitive]
        runs = max(runs, len(gap))
        drawn = resamples(seed, len(gap), panel)
        means = gap[drawn].mean(axis=1)
        won += (gap.mean() > 0) + 0.5 * (gap.mean() == 0)
        samples = samples + (means > 0) + 0.5 * (means == 0)
        if gap.mean() <= 0:
            lost.append(f"{sensitive} on {panel}")
    low, high = percentiles(samples / len(duels))
    margin = Interval(won / len(duels) - 0.5, low - 0.5, high - 0.5)
    answer = Answer(f"share of {len(duels)} comparisons won, minus one half", margin, _verdict(margin, runs))
    note = f"won {won:g} of {len(duels)} comparisons" + (f"; lost by {', '.join(lost)}" if lost else "")
    return Claim(number, sentence, meaning, answer.verdict, (answer,), note)


def _theorem_claim(rows: Sequence[TheoremRow], number: int) -> Claim:
    """Claim 11 is exact: it does not hold if one run breaks the bound."""
    sentence = "Theorem 1 bounds the average effort."
    meaning = "On every noise-free run that meets Assumptions 1 to 3, measured effort stays below the bound."
    met = [row for row in rows if row.assumptions_met]
    if not met:
        return Claim(number, sentence, meaning, ABSENT, note="no noise-free run met Assumptions 1 to 3")
    broken = [row for row in met if not row.held]
    slack = min(1 - row.measured / row.bound for row in met)
    verdict = FAILS if broken else HOLDS
    answer = Answer("least slack, 1 - measured / bound", Interval(slack, slack, slack), verdict)
    note = f"{len(met)} runs met the assumptions ({len(rows) - len(met)} did not and were left out), "
    note += f"{len(broken)} above the bound"
    return Claim(number, sentence, meaning, verdict, (answer,), note)
