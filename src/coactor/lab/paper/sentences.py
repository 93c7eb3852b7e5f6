"""Every sentence of the paper's experiments and conclusion that states a result, as questions.

Definitions of vague words ("good", "close behind", "most", "greatly") are part of the meaning. Explanations
("one possible reason is ...") are not asked, but for what they state as observed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

import numpy as np

from coactor.lab.engine.contenders import EXPERT, PAPER
from coactor.lab.engine.statistics import Interval
from coactor.lab.paper.claims import (
    ABSENT,
    EQUAL_WITHIN,
    FAILS,
    HOLDS,
    Answer,
    Ask,
    Claim,
    Costs,
    Evidence,
    Question,
    Sentence,
    judge,
)
from coactor.lab.paper.theorem import MARGIN, THEOREM_1, THEOREM_2, TheoremRow
from coactor.protocol import Vector

CLOSE_BEHIND = 0.10
FIRST_FEW = 10
NEXT_STEPS = ("capped-CSPER", "PA-I", "PA-II", "batch-PER")
"""Learners that the paper's conclusion suggests."""

_PATH = ("path-clean", "path-noise")
_NOISY = ("path-noise", "tsp-noise", "mtsp-noise")
_RANK = ("rank-unlimited", "rank-budget")
_HURT = ("mtsp-clean", "rank-unlimited")  # where the paper reports that cost sensitivity hurts


def judge_paper(costs: Costs, theorem: Sequence[TheoremRow]) -> list[Claim]:
    """All claims of the paper, with verdicts.

    Parameters
    ----------
    costs
        The effort of each run, by panel and contender.
    theorem
        Checks of the theorems, and of PA's margin.
    """
    claims = judge(SENTENCES, costs)
    for text, meaning, statement in _EXACT:
        claims.append(_exact_claim(len(claims) + 1, text, meaning, statement, theorem))
    return claims


def _less(
    panels: Iterable[str], *pairs: tuple[str, str], group: Callable[[str], str] = lambda panel: ""
) -> Ask:
    """Whether the first of each pair needs less effort; without panels, wherever all of them were run."""
    names = dict.fromkeys(name for pair in pairs for name in pair)
    return lambda evidence: (
        evidence.less(panel, *pair, group=group(panel))
        for panel in panels or evidence.panels(*names)
        for pair in pairs
    )


def _best(learner: str) -> list[tuple[str, str]]:
    return [(learner, rival) for rival in PAPER if rival != learner]


def _worst(learner: str) -> list[tuple[str, str]]:
    return [(rival, learner) for rival in PAPER if rival != learner]


_PA_PAIR_WORST = [(better, worse) for worse in ("PA", "CSPA") for better in ("PER", "CSPER")]


def _all(*asks: Ask) -> Ask:
    return lambda evidence: (question for ask in asks for question in ask(evidence))


def _expert_above_zero(*panels: str) -> Ask:
    return lambda evidence: (
        Question(f"{panel}: expert line", evidence.total(panel, EXPERT)) for panel in panels
    )


def _per_good(evidence: Evidence) -> Iterator[Question]:
    for panel in ("mtsp-clean", "mtsp-noise"):
        others = np.mean([evidence.total(panel, name) for name in PAPER if name != "PER"], axis=0)
        per = evidence.total(panel, "PER")
        yield Question(f"{panel}: mean of the other three minus PER", others - per, float(per.mean()))


def _close_behind(evidence: Evidence) -> Iterator[Question]:
    panel = "rank-budget"
    per, csper = evidence.total(panel, "PER"), evidence.total(panel, "CSPER")
    yield evidence.less(panel, "PER", "CSPER")
    yield Question(f"{panel}: {CLOSE_BEHIND:.0%} of PER minus that gap", CLOSE_BEHIND * per - (csper - per))


def _excess(evidence: Evidence, panel: str) -> Vector:
    """What CSPER costs more than PER, as a share of PER's effort."""
    per = np.maximum(evidence.total(panel, "PER"), 1.0)
    return (evidence.total(panel, "CSPER") - per) / per


def _budget_benefits(evidence: Evidence) -> Iterator[Question]:
    free, limited = (_excess(evidence, panel) for panel in _RANK)
    yield Question("rank-unlimited: CSPER's excess over PER, as a share of PER", free)
    yield Question("rank-budget: half of that share minus the same share here", free / 2 - limited)


def _csper_behind_elsewhere(evidence: Evidence) -> Iterator[Question]:
    excess = _excess(evidence, "rank-unlimited")
    for panel in evidence.panels("CSPER", "PER"):
        if panel != "rank-unlimited":
            text = f"{panel}: that share on rank-unlimited minus that here"
            yield Question(text, excess - _excess(evidence, panel), group=panel)


def _falls(evidence: Evidence) -> Iterator[Question]:
    for panel in _HURT:
        first, later = evidence.split(panel, "CSPER", FIRST_FEW)
        text = f"{panel}: mean of the first {FIRST_FEW} minus twice that of the others"
        yield Question(text, first - 2 * later)


def _no_gain_by_pa(evidence: Evidence) -> Iterator[Question]:
    for panel in evidence.panels(*PAPER):
        best = min((evidence.total(panel, name) for name in ("PER", "CSPER")), key=np.mean)
        for name in ("PA", "CSPA"):
            values = evidence.total(panel, name) - (1 - EQUAL_WITHIN) * best
            yield Question(f"{panel}: {name} minus {1 - EQUAL_WITHIN:.0%} of the better perceptron", values)


SENTENCES = (
    Sentence(
        "Path planning, both settings: CSPER performs best and PA worst.",
        "In both panels CSPER needs less effort than each of the other three, and PA more than each.",
        _all(_less(_PATH, *_best("CSPER")), _less(_PATH, *_worst("PA"))),
    ),
    Sentence(
        "Path planning: even a perfect weight vector leaves effort.",
        "The expert line is above 0 in both panels.",
        _expert_above_zero(*_PATH),
    ),
    Sentence(
        "TSP, both settings: CSPER outperforms the others.",
        "In both panels CSPER needs less effort than each of the other three.",
        _less(("tsp-clean", "tsp-noise"), *_best("CSPER")),
    ),
    Sentence(
        "Multi-TSP with noise: CSPER clearly outperforms the others.",
        "CSPER needs less effort than each of the other three.",
        _less(("mtsp-noise",), *_best("CSPER")),
    ),
    Sentence(
        "Multi-TSP without noise: CSPER performs worst.",
        "CSPER needs more effort than each of the other three.",
        _less(("mtsp-clean",), *_worst("CSPER")),
    ),
    Sentence(
        "Multi-TSP: results for PER are good in both settings.",
        "In both panels PER needs less effort than the mean of the other three.",
        _per_good,
    ),
    Sentence(
        "Ranking, unlimited: PER performs best, CSPER second.",
        "PER needs less effort than each of the others, and CSPER less than PA and CSPA.",
        _less(("rank-unlimited",), *_best("PER"), ("CSPER", "PA"), ("CSPER", "CSPA")),
    ),
    Sentence(
        "Ranking with a budget: CSPER is close behind PER.",
        f"CSPER needs more effort than PER, by at most {CLOSE_BEHIND:.0%}.",
        _close_behind,
    ),
    Sentence(
        "Ranking: the PA pair is worst.",
        "In both ranking panels PA and CSPA each need more effort than PER and than CSPER.",
        _less(_RANK, *_PA_PAIR_WORST),
    ),
    Sentence(
        "In most settings the cost-sensitive learner beats its cost-insensitive counterpart.",
        "CSPER below PER and CSPA below PA, counted over all panels that were run: more than half.",
        _all(
            _less((), ("CSPER", "PER"), group=lambda panel: f"CSPER on {panel}"),
            _less((), ("CSPA", "PA"), group=lambda panel: f"CSPA on {panel}"),
        ),
        counts=True,
    ),
    Sentence(
        "The PA algorithms perform the worst.",
        "In every panel that was run PA and CSPA each need more effort than PER and than CSPER.",
        _less((), *_PA_PAIR_WORST),
    ),
    Sentence(
        "CSPER performs best when there is noise.",
        "In the three panels with hidden features CSPER needs less effort than each of the other three.",
        _less(_NOISY, *_best("CSPER")),
    ),
    Sentence(
        "CSPER performs best in most datasets.",
        "CSPER needs less effort than each of the other three in more than half of the panels that were run.",
        _less((), *_best("CSPER"), group=str),
        counts=True,
    ),
    Sentence(
        "With noise, a weight vector without cost is impossible.",
        "The expert line is above 0 in the three panels with hidden features.",
        _expert_above_zero(*_NOISY),
    ),
    Sentence(
        "Ranking: a bound on the effort greatly benefits CSPER.",
        "Without a limit CSPER needs more effort than PER. With the budget its excess, as a share of PER's "
        "effort, is less than half of that.",
        _budget_benefits,
    ),
    Sentence(
        "In some cases cost sensitivity hurts: CSPER on multi-TSP without noise and on unlimited ranking.",
        "CSPER needs more effort than PER in both panels.",
        _less(_HURT, ("PER", "CSPER")),
    ),
    Sentence(
        "Bounding the change of the weight vector helps in these cases.",
        "capped-CSPER (a change of at most 5 in one update) needs less effort than CSPER in both panels.",
        _less(_HURT, ("capped-CSPER", "CSPER")),
    ),
    Sentence(
        "Future work: PA with limited aggressiveness.",
        "PA-I and PA-II each need less effort than PA in every panel that was run.",
        _all(_less((), ("PA-I", "PA")), _less((), ("PA-II", "PA"))),
    ),
    Sentence(
        "Future work: mini-batch learning.",
        "batch-PER needs less effort than PER in every panel that was run.",
        _less((), ("batch-PER", "PER")),
    ),
    Sentence(
        "Ranking, unlimited: CSPER does not perform as well as in most of the other experiments.",
        "CSPER's excess over PER, as a share of PER's effort, is above that in more than half of the other "
        "panels that were run.",
        _csper_behind_elsewhere,
        counts=True,
    ),
    Sentence(
        "In these cases the first few examples cost much, and subsequent costs are much smaller.",
        "CSPER on multi-TSP without noise and on unlimited ranking: the mean effort of the first "
        f"{FIRST_FEW} examples is more than twice that of the others.",
        _falls,
    ),
    Sentence(
        "Abstract: the PA algorithms do not yield significant performance gains.",
        f"In no panel that was run does PA or CSPA need {EQUAL_WITHIN:.0%} less effort than the better of "
        "PER and CSPER.",
        _no_gain_by_pa,
    ),
)

_EXACT = (
    (
        "Theorem 1 bounds the average effort.",
        "On every noise-free run that meets Assumptions 1 to 3, the effort up to the candidate stays below "
        "the bound.",
        THEOREM_1,
    ),
    (
        "Theorem 2 bounds the average effort under noise.",
        "On every run with hidden features that meets Assumptions 1 and 3, the effort of PER and CSPER up to "
        "the candidate stays below the bound, with the misjudgement measured at the candidate.",
        THEOREM_2,
    ),
    (
        "The value of M only scales the weights of PA.",
        "PA with another margin costs the same effort on every example.",
        MARGIN,
    ),
)


def _exact_claim(number: int, text: str, meaning: str, statement: str, rows: Sequence[TheoremRow]) -> Claim:
    """It does not hold if one run is against it."""
    rows = [row for row in rows if row.statement == statement]
    met = [row for row in rows if row.assumptions_met]
    if not met:
        return Claim(number, text, meaning, ABSENT, note="no run met the assumptions")
    broken = [row for row in met if not row.held]
    verdict = FAILS if broken else HOLDS
    note = f"{len(met)} runs met the assumptions ({len(rows) - len(met)} did not and were left out), "
    note += f"{len(broken)} above the bound"
    if statement == MARGIN:
        note = f"{len(met)} runs, {len(broken)} with a difference"
        return Claim(number, text, meaning, verdict, (), note)
    slack = min(1 - row.measured / row.bound for row in met)
    answer = Answer("least slack, 1 - measured / bound", Interval(slack, slack, slack), verdict)
    return Claim(number, text, meaning, verdict, (answer,), note)
