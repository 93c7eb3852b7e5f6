"""Verdicts on the paper's sentences (sentences.py), from the runs that were measured.

A claim consists of questions ("does A need less effort than B here?"), each answered by the interval of a
paired difference:

    holds           all of the interval lies on the claimed side
    does not hold   it lies on the other side, by Holm's procedure over all questions of the claim
    level           it lies within 5 % of the effort on both sides of zero: an equivalence, not a lack of data
    too close to call

A claim holds if every answer does: an intersection-union test, which needs no correction. It does not hold if
one answer does not; there Holm's procedure keeps the chance of a wrong "does not hold" at 2.5 %, however many
questions the claim has. Fewer than five runs decide nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import ceil, inf
from statistics import NormalDist

from coactor.lab.engine.statistics import LEVEL, Interval, holm, interval, p_below_zero
from coactor.protocol import Matrix, Vector

HOLDS = "holds"
FAILS = "does not hold"
EQUAL = "level"
CLOSE = "too close to call"
ABSENT = "not run"

EQUAL_WITHIN = 0.05
DECIDING_RUNS = 5
MOST_RUNS = 1000  # more than these are not worth naming
_POWER = NormalDist().inv_cdf(0.8)  # so that the runs that are named decide it four times in five
_TAIL = (1 - LEVEL) / 2

Costs = Mapping[str, Mapping[str, Matrix]]
"""panel -> contender -> effort, shape (runs, examples)."""


@dataclass(frozen=True, slots=True)
class Answer:
    """The answer to one question: the claim says that `value` is above 0."""

    question: str
    value: Interval
    verdict: str


@dataclass(frozen=True, slots=True)
class Claim:
    """One sentence of the paper, our interpretation, and the verdict.

    Attributes
    ----------
    number, sentence, meaning, verdict
        The sentence, what we take it to mean, and whether it holds.
    answers, note
        The numbers behind the verdict, and what it is based on, in words.
    panels, learners
        What the claim is about.
    deciding_runs
        If it is too close to call: how many runs would decide it four times in five, if they had the mean and
        the deviation of the present ones. None if that is more than `MOST_RUNS`.
    command
        The command that makes these runs.
    """

    number: int
    sentence: str
    meaning: str
    verdict: str
    answers: Sequence[Answer] = field(default_factory=tuple)
    note: str = ""
    panels: Sequence[str] = ()
    learners: Sequence[str] = ()
    deciding_runs: int | None = None
    command: str = ""


@dataclass(frozen=True, slots=True, eq=False)
class Question:
    """One question of a claim.

    Attributes
    ----------
    text
        The panel, a colon, and what is measured.
    values
        One per run; the claim says that their mean is above 0.
    scale
        The effort of which 5 % count as level; 0 if nothing does.
    group
        For claims that count: what is won if all questions of the group hold.
    """

    text: str
    values: Vector
    scale: float = 0.0
    group: str = ""


class MissingError(Exception):
    """A panel or learner that the claim is about was not run."""


class Evidence:
    """The effort of all runs, from which questions are made."""

    def __init__(self, costs: Costs) -> None:
        self.costs = costs
        self.used: dict[tuple[str, str], None] = {}  # panels and contenders, in the order of their use

    def _costs(self, panel: str, name: str) -> Matrix:
        self.used[panel, name] = None
        try:
            return self.costs[panel][name]
        except KeyError:
            raise MissingError(f"needs {name} on {panel}, which was not run") from None

    def total(self, panel: str, name: str) -> Vector:
        """Total effort of each run; raises MissingError if there is none."""
        total: Vector = self._costs(panel, name).sum(axis=1)
        return total

    def split(self, panel: str, name: str, first: int) -> tuple[Vector, Vector]:
        """Mean effort of the first examples and of the others; raises MissingError if there are no others."""
        costs = self._costs(panel, name)
        if costs.shape[1] <= first:
            raise MissingError(f"needs more than {first} examples")
        return costs[:, :first].mean(axis=1), costs[:, first:].mean(axis=1)

    def panels(self, *names: str) -> list[str]:
        """The panels on which all of these contenders were run; raises MissingError if there is none."""
        panels = [panel for panel, lines in self.costs.items() if set(names) <= set(lines)]
        if not panels:
            raise MissingError(f"needs {', '.join(names)}, which were not run together")
        return panels

    def less(self, panel: str, a: str, b: str, group: str = "") -> Question:
        """Whether `a` needs less effort than `b`."""
        less, more = self.total(panel, a), self.total(panel, b)
        scale = float(min(less.mean(), more.mean()))
        return Question(f"{panel}: {b} minus {a}", more - less, scale, group)


Ask = Callable[[Evidence], Iterable[Question]]


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence of the paper, and how it is asked.

    Attributes
    ----------
    text, meaning
        The sentence, and what we take it to mean.
    ask
        Its questions.
    counts
        True if the sentence says that more than half of the groups are won.
    """

    text: str
    meaning: str
    ask: Ask
    counts: bool = False


def undecided(runs: int) -> str:
    """What to say about so few runs, without a full stop."""
    count = "1 run decides" if runs == 1 else f"{runs} runs decide"
    return f"{count} nothing; it takes at least {DECIDING_RUNS}"


def judge(sentences: Sequence[Sentence], costs: Costs) -> list[Claim]:
    """The verdict on each sentence, numbered from 1.

    Parameters
    ----------
    sentences
        What is claimed.
    costs
        The effort of each run, by panel and contender.
    """
    return [_claim(number, sentence, Evidence(costs)) for number, sentence in enumerate(sentences, start=1)]


def _claim(number: int, sentence: Sentence, evidence: Evidence) -> Claim:
    try:
        questions = list(_unique(sentence.ask(evidence)))
    except MissingError as missing:
        return Claim(number, sentence.text, sentence.meaning, ABSENT, note=str(missing))
    claim = (_counted if sentence.counts else _all)(number, sentence, questions)
    panels, learners = (tuple(dict.fromkeys(pair[k] for pair in evidence.used)) for k in range(2))
    claim = replace(claim, panels=panels, learners=learners)
    runs = min(len(question.values) for question in questions)
    if runs < DECIDING_RUNS:
        open_answers = [replace(answer, verdict=CLOSE) for answer in claim.answers]
        return replace(claim, verdict=CLOSE, answers=open_answers, note=undecided(runs))
    if claim.verdict == CLOSE:
        return replace(claim, deciding_runs=_deciding_runs(questions, sentence.counts))
    return claim


def _deciding_runs(questions: Sequence[Question], counts: bool) -> int | None:
    """How many runs would decide the claim if they were like the present ones.

    The width of an interval falls with the root of the number of runs. A question is answered once its
    interval is as narrow as the mean is far from zero or, if the effort is level, from the 5 % on both sides.
    """
    held: dict[str, float] = {}  # the runs until a group is won
    against: dict[str, float] = {}  # the runs until it is not
    strict = NormalDist().inv_cdf(1 - _TAIL / len(questions))  # Holm's procedure, at its strictest
    for question in questions:
        mean, error = float(question.values.mean()), float(question.values.std(ddof=1))
        group = question.group if counts else ""
        z = _POWER + (strict if counts or mean < 0 else NormalDist().inv_cdf(1 - _TAIL))
        sign = (z * error / abs(mean)) ** 2 if mean else inf
        room = EQUAL_WITHIN * question.scale - abs(mean)
        level = (z * error / room) ** 2 if room > 0 and not counts else inf
        if mean > 0 and sign <= level:
            held[group] = max(held.get(group, 0.0), sign)
        else:
            held[group] = inf
            against[group] = min(against.get(group, inf), sign, level)
    majority = len(held) // 2 + 1
    until_won = sorted(held.values())[majority - 1]
    lost = [*sorted(against.values()), *[inf] * len(held)]
    runs = max(min(until_won, lost[len(held) - majority]), len(questions[0].values) + 1)
    return ceil(runs) if runs <= MOST_RUNS else None


def _unique(questions: Iterable[Question]) -> Iterator[Question]:
    texts = set()
    for question in questions:
        if question.text not in texts:
            texts.add(question.text)
            yield question


def _all(number: int, sentence: Sentence, questions: Sequence[Question]) -> Claim:
    """Every question must be answered yes."""
    answers = _answers(questions)
    verdicts = {answer.verdict for answer in answers}
    verdict = next((v for v in (FAILS, EQUAL, CLOSE) if v in verdicts), HOLDS)
    return Claim(number, sentence.text, sentence.meaning, verdict, answers, _note(answers))


def _answers(questions: Sequence[Question]) -> list[Answer]:
    against = holm([_p_against(question.values) for question in questions], _TAIL)
    answers = []
    for question, fails in zip(questions, against, strict=True):
        value = interval(question.values)
        room = EQUAL_WITHIN * question.scale
        if fails:
            verdict = FAILS
        elif value.low > 0:
            verdict = HOLDS
        else:
            verdict = EQUAL if -room < value.low and value.high < room else CLOSE
        answers.append(Answer(question.text, value, verdict))
    return answers


def _p_against(values: Vector) -> float:
    return 0.0 if not values.any() else p_below_zero(values)  # nothing but zeros is not above zero


def _note(answers: Sequence[Answer]) -> str:
    """The answers against the claim and the undecided ones, panel by panel."""
    parts = []
    words = ((FAILS, "against it"), (EQUAL, f"level within {EQUAL_WITHIN:.0%}"), (CLOSE, "undecided"))
    for verdict, description in words:
        panels: dict[str, list[str]] = {}
        for answer in answers:
            if answer.verdict == verdict:
                panel, _, comparison = answer.question.partition(": ")
                panels.setdefault(panel, []).append(comparison)
        parts += [f"{description} on {panel}: {', '.join(names)}" for panel, names in panels.items()]
    return "; ".join(parts)


def _counted(number: int, sentence: Sentence, questions: Sequence[Question]) -> Claim:
    """More than half of the groups must be won, for sure: by Holm's procedure over all questions."""
    groups = list(dict.fromkeys(question.group for question in questions))
    surely = holm([p_below_zero(-question.values) for question in questions], _TAIL)
    against = holm([_p_against(question.values) for question in questions], _TAIL)
    not_won = {q.group for q, yes in zip(questions, surely, strict=True) if not yes}
    lost = {q.group for q, no in zip(questions, against, strict=True) if no}
    behind = {q.group for q in questions if not q.values.mean() > 0}
    n = len(groups)
    value = Interval(*((n - len(some)) / n - 0.5 for some in (behind, not_won, lost)))
    verdict = HOLDS if value.low > 0 else FAILS if value.high <= 0 else CLOSE
    answer = Answer(f"share of {n} won, minus one half", value, verdict)
    note = f"on average won {n - len(behind)} of {n}; for sure {n - len(not_won)} won and {len(lost)} lost"
    if behind:
        note += f"; behind: {', '.join(group for group in groups if group in behind)}"
    return Claim(number, sentence.text, sentence.meaning, verdict, (answer,), note)
