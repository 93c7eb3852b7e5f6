"""The report of a study: whether there is less to correct, what learning saves, by week and by person.

Proposals that were accepted within seconds of being opened were hardly looked at: no comparison counts them.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

import numpy as np

from coactor.explanations.words import NAMED, SURE, join_words, unit_of, without_unit
from coactor.proposals.outcomes import CONTROL
from coactor.protocol import Matrix, Round, Vector
from coactor.studies.evidence import FIRST_LOOK, LEVEL, confidence_sequence, differences, trend

START = 2  # the newest version of the weights with which nearly nothing is learned
LAST = 30  # proposals that are "now", at most
WINDOW = 10  # proposals in the running mean
UNREAD = 3.0  # seconds: nobody checks a plan in less
FEWEST = 15  # of either kind before they are compared: with fewer the interval covers too seldom
MONTH = 30 * 86400.0
MOST_POINTS = 10_000  # of the curves

UNITS = {"effort": "edits", "seconds": "minutes"}
VALUES: dict[str, Callable[[Round], float | None]] = {
    "effort": lambda row: row.effort,
    "seconds": lambda row: row.work.seconds,
    "unchanged": lambda row: float(row.effort == 0),
}


@dataclass(frozen=True, slots=True)
class Measure:
    """Means before and now, as numbers and as `texts`: "effort", "seconds" or "unchanged"."""

    name: str
    first: float
    last: float
    texts: dict[str, str]


@dataclass(frozen=True, slots=True)
class Saving:
    """What learning saves per proposal ("effort" or "seconds"), its 95 % interval, and in a month."""

    name: str
    value: float
    low: float
    high: float
    month: float
    texts: dict[str, str]


@dataclass(frozen=True, slots=True)
class Group:
    """The proposals of a week or of a person: how many, and the minutes of all; means without controls."""

    name: str
    finished: int
    effort: float | None
    seconds: float | None
    unchanged: float | None
    minutes: float
    unread: int
    texts: dict[str, str]


@dataclass(frozen=True, slots=True)
class Course:
    """The running mean of the edits after each proposal, minus and plus two standard errors."""

    window: int
    mean: list[float]
    low: list[float]
    high: list[float]


@dataclass(frozen=True, slots=True)
class Report:
    """Whether there is less to correct.

    Attributes
    ----------
    verdict
        "less", "more" or "unclear".
    headline, notes
        The same in a sentence, and what it rests on.
    proposals, unread, controls
        How many are finished, how many of them were accepted unread, and how many were made without what was
        learned.
    control
        The share that is made so now.
    measures
        The start against now; where there is a comparison, proposals made without what was learned against
        now.
    saved
        What learning saves; empty without proposals to compare with.
    at_most
        How many edits a proposal without learning would have been away from what the expert made of it: an
        upper bound of what it would have needed. None if unknown.
    weeks, people
        Week by week (from Monday, UTC), and by who finished the proposals.
    course
        The running mean.

    Examples
    --------
    >>> report([]).headline
    'Too early to tell: 0 of at least 10 proposals are done.'
    """

    verdict: str
    headline: str
    notes: list[str]
    proposals: int
    unread: int
    controls: int
    control: float
    measures: list[Measure]
    saved: list[Saving]
    at_most: float | None
    weeks: list[Group]
    people: list[Group]
    course: Course = field(repr=False)

    def __str__(self) -> str:
        rows = [["week from", "proposals", "edits", "minutes", "unchanged"]]
        for group in (*self.weeks, *self.people):
            values = (group.texts[name] for name in VALUES)
            rows.append([group.name, str(group.finished), *values])
        table = ["  ".join(f"{cell:>10}" for cell in row) for row in rows]
        return "\n".join([self.headline, *self.notes, *table])


def report(
    rows: Sequence[Round],
    unlearned: Mapping[int, float] | None = None,
    *,
    control: float = 0.0,
    causes: str = "",
    people: bool = True,
) -> Report:
    """The report on finished proposals, in the order in which they were finished.

    Parameters
    ----------
    rows
        The rounds.
    unlearned
        By the number of the proposal, how far one without learning would have been from what the expert made
        of it.
    control
        The share of proposals that are now made without what was learned.
    causes
        What recent edits were made for, as a sentence.
    people
        Whether to name who finished how many.
    """
    read = [row for row in rows if not _unread(row)]
    learned = [row for row in read if row.basis.proposer != CONTROL]
    start = [row for row in learned if row.basis.version <= START][:LAST]
    now = [row for row in learned if row.basis.version > START][-LAST:]
    compared = [row for row in read if row.basis.control > 0.0]
    saved = [one for name in ("effort", "seconds") if (one := _saving(name, compared)) is not None]
    level = LEVEL / 2 if compared else LEVEL  # two tests
    verdict = _verdict(saved, trend(learned, level))
    controls = [row for row in compared if row.basis.proposer == CONTROL]
    measures = _measures(controls if saved else start, now)
    bound = [unlearned[row.proposal] for row in now if row.proposal in (unlearned or {})] if unlearned else []
    at_most = float(np.mean(bound)) if bound else None
    notes = [*_notes(rows, read, learned, start, now, saved), *_bound_note(at_most, now, len(bound))]
    return Report(
        verdict,
        _headline(verdict, learned, measures, saved),
        [*notes, causes] if causes else notes,
        len(rows),
        len(rows) - len(read),
        sum(row.basis.proposer == CONTROL for row in rows),
        control,
        measures,
        saved,
        at_most,
        _groups(rows, lambda row: _monday(row.time)),
        _groups(rows, lambda row: row.work.actor or "(no name)") if people else [],
        _course(rows),
    )


def _unread(row: Round) -> bool:
    seconds = row.work.seconds
    return row.accepted and seconds is not None and seconds < UNREAD


def _mean(name: str, rows: Sequence[Round]) -> float | None:
    values = [value for row in rows if (value := VALUES[name](row)) is not None]
    return sum(values) / len(values) if values else None


def _saving(name: str, rows: Sequence[Round]) -> Saving | None:
    """What learning saves per proposal; None if too few proposals of either kind are known."""
    known = [row for row in rows if VALUES[name](row) is not None]
    without = sum(row.basis.proposer == CONTROL for row in known)
    if min(without, len(known) - without) < FEWEST:
        return None
    value, low, high = confidence_sequence(differences(known, [VALUES[name](row) or 0.0 for row in known]))
    recent = sum(row.time > known[-1].time - MONTH and row.basis.proposer != CONTROL for row in known)
    month = value * recent
    texts = {
        "each": f"{written(name, value)} {UNITS[name]}",
        "range": f"{written(name, low)} to {written(name, high)}",
        "month": counted(month, "edit") if name == "effort" else counted(month / 3600, "hour"),
    }
    return Saving(name, value, low, high, month, texts)


# -- words --------------------------------------------------------------------------------------------------


def _verdict(saved: Sequence[Saving], sign: int) -> str:
    effort = next((one for one in saved if one.name == "effort"), None)
    if effort is not None and (effort.low > 0 or effort.high < 0):
        return "less" if effort.low > 0 else "more"
    return {-1: "less", 0: "unclear", 1: "more"}[sign]


def _measures(start: Sequence[Round], now: Sequence[Round]) -> list[Measure]:
    measures = []
    for name in VALUES:
        first, last = _mean(name, start), _mean(name, now)
        if first is not None and last is not None:
            texts = {"first": written(name, first), "last": written(name, last)}
            measures.append(Measure(name, first, last, texts))
    return measures


def _headline(
    verdict: str, learned: Sequence[Round], measures: Sequence[Measure], saved: Sequence[Saving]
) -> str:
    if verdict == "unclear" and len(learned) < FIRST_LOOK:
        return f"Too early to tell: {len(learned)} of at least {FIRST_LOOK} proposals are done."
    course = ""
    if measures:
        texts = measures[0].texts
        before = "without what was learned" if saved else "at the start"
        course = f"{texts['first']} edits a proposal {before}, {texts['last']} now"
    sure = [one.texts for one in saved if one.low > 0]
    if verdict == "less" and saved and saved[0].low > 0:
        each = " and ".join(texts["each"] for texts in sure)
        return f"There is less to correct: learning saves {each} a proposal, {sure[-1]['month']} a month."
    if verdict == "unclear":
        return f"No sure change yet: {course}; that may be chance." if course else "No sure change yet."
    return f"There is {verdict} to correct: {course}." if course else f"There is {verdict} to correct."


def _notes(
    rows: Sequence[Round],
    read: Sequence[Round],
    learned: Sequence[Round],
    start: Sequence[Round],
    now: Sequence[Round],
    saved: Sequence[Saving],
) -> list[str]:
    notes = []
    if len(read) < len(rows):
        notes.append(
            f"{len(rows) - len(read)} of {len(rows)} proposals were accepted within {UNREAD:.0f} seconds of "
            "opening. They are not counted."
        )
    if saved:
        kinds = " and ".join(f"{one.texts['each']} ({one.texts['range']})" for one in saved)
        notes.append(
            f"Compared with {sum(row.basis.proposer == CONTROL for row in read)} proposals made without what "
            f"was learned, learning saves {kinds} each. The 95 % intervals are valid whenever one looks."
        )
    elif start and now and len(learned) >= FIRST_LOOK:
        notes.append(
            f"The start is {counted(len(start), 'proposal')} made with nothing or nearly nothing learned, "
            f"now is the last {len(now)}. Whenever one looks, a trend is announced in at most 5 % of the "
            "studies without one."
        )
    return notes


def _bound_note(at_most: float | None, now: Sequence[Round], known: int) -> list[str]:
    if at_most is None or at_most <= (_mean("effort", now) or 0.0):
        return []
    which = "last one" if known == 1 else f"last {known}"
    far = f"by at most {edits(at_most)} edits each"
    return [f"Without learning, the {which} would have differed from the result {far}."]


def _groups(rows: Sequence[Round], key: Callable[[Round], str]) -> list[Group]:
    groups: dict[str, list[Round]] = {}
    for row in rows:
        groups.setdefault(key(row), []).append(row)
    return [_group(name, some) for name, some in groups.items()]


def _group(name: str, rows: Sequence[Round]) -> Group:
    learned = [row for row in rows if row.basis.proposer != CONTROL]
    means = {value: _mean(value, learned) for value in VALUES}
    texts = {value: "–" if mean is None else written(value, mean) for value, mean in means.items()}
    total = sum(row.work.seconds or 0.0 for row in rows) / 60
    texts["minutes"] = edits(total)
    return Group(name, len(rows), **means, minutes=total, unread=sum(map(_unread, rows)), texts=texts)


def _monday(time: float) -> str:
    day = datetime.fromtimestamp(time, UTC).date()
    return str(day - timedelta(days=day.weekday()))


def _course(rows: Sequence[Round]) -> Course:
    """The running mean; a proposal made without what was learned leaves it as it is."""
    mean, low, high, recent = list[float](), list[float](), list[float](), list[float]()
    for row in rows:
        if row.basis.proposer != CONTROL:
            recent = [*recent, row.effort][-WINDOW:]
        values = np.array(recent or [row.effort])
        centre, error = float(values.mean()), float(values.std() / math.sqrt(max(len(values) - 1, 1)))
        mean.append(centre)
        low.append(max(0.0, centre - 2 * error))
        high.append(centre + 2 * error)
    return Course(WINDOW, mean[-MOST_POINTS:], low[-MOST_POINTS:], high[-MOST_POINTS:])


def written(name: str, value: float) -> str:
    """A mean as people read it."""
    if name == "unchanged":
        return f"{100 * value:.0f} %"
    return minutes(value) if name == "seconds" else edits(value)


def edits(value: float) -> str:
    """A number with two significant digits, or all digits before the point.

    Examples
    --------
    >>> [edits(value) for value in (0.0, 0.072, 1.25, 4.0, 123.4, -0.04)]
    ['0', '0.072', '1.2', '4', '123', '−0.04']
    """
    size = abs(value)
    places = 0 if size >= 10.0 or size == 0.0 else max(0, 1 - math.floor(math.log10(size)))
    text = f"{size:.{min(places, 3)}f}"
    text = text.rstrip("0").rstrip(".") if "." in text else text
    return f"−{text}" if value < 0 and text != "0" else text


def minutes(seconds: float) -> str:
    """A duration as minutes and seconds.

    Examples
    --------
    >>> minutes(124.5), minutes(-61.0)
    ('2:04', '−1:01')
    """
    whole = round(abs(seconds))
    return f"{'−' if seconds < 0 and whole else ''}{whole // 60}:{whole % 60:02}"


def causes(names: Sequence[str], signs: Sequence[int], weights: Vector, deltas: Matrix) -> str:
    """What recent edits were made for, as a sentence: changes that the weights want, clear of chance.

    Examples
    --------
    >>> deltas = np.array([[2.0, 0.0], [3.0, 0.5], [2.0, -0.5]])
    >>> causes(["lights", "toll (€)"], [-1, -1], np.array([1.0, 1.0]), deltas)
    'When people edited lately, they got: fewer lights (about 2.3).'
    """
    if len(deltas) < 2:
        return ""
    mean, error = deltas.mean(axis=0), deltas.std(axis=0, ddof=1) / math.sqrt(len(deltas))
    gain = np.where(np.abs(mean) > SURE * error, weights * mean, 0.0)
    parts = []
    for k in np.argsort(-gain, kind="stable")[:NAMED]:
        if gain[k] > 0:
            label, (unit, factor) = without_unit(names[k]), unit_of(names[k])
            change = float(signs[k] * mean[k]) * factor
            more = "more" if change > 0 else "less" if unit else "fewer"
            parts.append(f"{more} {label} (about {edits(abs(change))}{f' {unit}' * bool(unit)})")
    return f"When people edited lately, they got: {join_words(parts)}." if parts else ""


def counted(number: float, noun: str) -> str:
    """A number of things."""
    text = edits(number)
    return f"{text} {noun}{'s' * (text != '1')}"
