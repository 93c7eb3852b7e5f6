"""The report of a study: whether there is less to correct, what learning saves, by week and by person.

Proposals that were accepted within seconds of being opened were hardly looked at: no comparison counts them.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import date, timedelta
from typing import TypeAlias, TypeVar

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import NDArray

from coactor import display
from coactor.explanations.words import NAMED, SURE, join_words, unit_of, without_unit
from coactor.proposals.outcomes import CONTROL
from coactor.protocol import Matrix, Vector
from coactor.studies.evidence import FIRST_LOOK, START, change, confidence_sequence, differences
from coactor.studies.log.facts import Finished

T = TypeVar("T")
Places: TypeAlias = NDArray[np.int64]
LAST = 30  # proposals that are "now", at most
WINDOW = 10  # proposals in the running mean
UNREAD = 3.0  # seconds: nobody checks a plan in less
FEWEST = 20  # of either kind before there is an interval: with fewer it covers too seldom
DAY = 86400.0  # seconds
MONTH = 30 * DAY
MOST_POINTS = 1000  # of the curves
EARLIEST = 1500  # proposals that decide the verdict: 1280 in the last test, and some that were not read
RECENT = 1000  # proposals after which a new window begins

VERDICTS = {-1: "less", 0: "unclear", 1: "more"}
ERRORS = (
    "If learning changed nothing, this report would say “less to correct” in at most 5 % of studies, however "
    "often it is read."
)
UNITS = {"effort": "edits", "seconds": "minutes"}
VALUES = ("effort", "seconds", "unchanged")


@dataclass(frozen=True, slots=True)
class Measure:
    """ "effort", "seconds" or "unchanged" of a proposal: the means before and now, also as `texts`.

    With enough proposals made without what was learned: what learning saves per proposal, the 95 % interval
    of that, and what it saves in a month; else None.
    """

    name: str
    first: float
    last: float
    texts: dict[str, str]
    saved: float | None = None
    low: float | None = None
    high: float | None = None
    month: float | None = None


@dataclass(frozen=True, slots=True)
class Group:
    """The proposals of a week or of a person: how many, and the minutes of all; means without controls.

    `weeks` are those of a person.
    """

    name: str
    finished: int
    controls: int
    effort: float | None
    seconds: float | None
    unchanged: float | None
    minutes: float
    unread: int
    texts: dict[str, str]
    weeks: list[Group] = field(default_factory=list)


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

    The verdict and the start are those of the first proposals of the study. In a study of more than 2,000 all
    the rest is about the newest 1,000 to 2,000: a window, which begins after each 1,000.

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
        The start against now; if some proposals were made without what was learned, those against now.
    at_most
        How many edits a proposal without learning would have been away from what the expert made of it: an
        upper bound of what it would have needed. None if unknown.
    weeks, people
        Week by week (from Monday, UTC); and by who finished the proposals, each week by week.
    course
        The running mean.

    Examples
    --------
    >>> report([]).headline
    'Too early to tell: 0 of at least 20 proposals are done.'
    """

    verdict: str
    headline: str
    notes: list[str]
    proposals: int
    unread: int
    controls: int
    control: float
    measures: list[Measure]
    at_most: float | None
    weeks: list[Group]
    people: list[Group]
    course: Course = field(repr=False)

    __repr__ = display.brief("verdict", "headline")

    def __str__(self) -> str:
        rows = [["week from", "proposals", "edits", "minutes", "unchanged"], *map(_cells, self.weeks)]
        for person in self.people:
            rows += [_cells(person), *map(_cells, person.weeks)]
        table = ["  ".join(f"{cell:>10}" for cell in row) for row in rows]
        return "\n".join([self.headline, *self.notes, *table])


def report(
    rows: Sequence[Finished],
    *,
    start: Sequence[Finished] | None = None,
    control: float = 0.0,
    causes: str = "",
    people: bool = True,
) -> Report:
    """The report on finished proposals, in the order in which they were finished.

    Parameters
    ----------
    rows
        The proposals.
    start
        The first ones of the study, if `rows` are only the newest.
    control
        The share of proposals that are now made without what was learned.
    causes
        What recent edits were made for, as a sentence.
    people
        Whether to name who finished how many.
    """
    table = _Table(rows)
    first = table if start is None else _Table(start)
    read = [row for row, unread in zip(first.rows, first.unread, strict=True) if not unread]
    controls = np.flatnonzero(~table.unread & table.control)
    begun, before = (table, controls) if controls.size else (first, first.learned(early=True)[:LAST])
    now = table.learned(early=False)[-LAST:]
    measures = []
    for name in VALUES:
        old, new = begun.mean(name, before), table.mean(name, now)
        if old is not None and new is not None:
            measures.append(_measure(table, name, old, new, start is not None))
    verdict = VERDICTS[change(read)]
    bounded = now[~np.isnan(table.values["unlearned"][now])]
    at_most = table.mean("unlearned", bounded)
    notes = [
        _unread_note(int(table.unread.sum()), len(rows)),
        _comparison_note(len(before), len(now), controls.size > 0),
        ERRORS if len(read) >= FIRST_LOOK else "",
        _saving_note(measures),
        _bound_note(at_most, table.mean("effort", bounded)),
        causes,
        "" if start is None else f"Weeks, people and savings are those of the last {len(rows)} proposals.",
    ]
    return Report(
        verdict,
        _headline(verdict, len(read), measures),
        [note for note in notes if note],
        len(rows),
        int(table.unread.sum()),
        int(table.control.sum()),
        control,
        measures,
        at_most,
        table.weeks(np.arange(len(rows))),
        [
            table.group(name or "(no name)", which, table.weeks(which))
            for name, which in _places([row.actor for row in rows]).items()
        ]
        if people
        else [],
        table.course(),
    )


class _Table:
    """The proposals in columns; an unknown value is NaN."""

    def __init__(self, rows: Sequence[Finished]) -> None:
        self.rows = rows
        effort = np.array([row.effort for row in rows], np.float64)
        seconds = np.array([row.seconds for row in rows], np.float64)
        unchanged = (effort == 0).astype(np.float64)
        unlearned = np.array([row.unlearned for row in rows], np.float64)
        names = (*VALUES, "unlearned")
        self.values = dict(zip(names, (effort, seconds, unchanged, unlearned), strict=True))
        self.control = np.array([row.proposer == CONTROL for row in rows], dtype=bool)
        self.unread = np.array([row.accepted for row in rows], dtype=bool) & (seconds < UNREAD)

    def learned(self, early: bool) -> Places:
        """Proposals made with what was learned: those made when that was little, or the others."""
        version = np.array([row.proposed_with for row in self.rows])
        return np.flatnonzero(~self.unread & ~self.control & ((version <= START) == early))

    def mean(self, name: str, which: Places) -> float | None:
        """The mean of the known values; None if there are none."""
        values = self.values[name][which]
        known = values[~np.isnan(values)]
        return float(known.mean()) if known.size else None

    def group(self, name: str, which: Places, weeks: list[Group] | None = None) -> Group:
        """The proposals of a week or of a person; means without controls."""
        learned = which[~self.control[which]]
        effort, seconds, unchanged = means = [self.mean(value, learned) for value in VALUES]
        texts = {
            value: "–" if mean is None else written(value, mean)
            for value, mean in zip(VALUES, means, strict=True)
        }
        total = float(np.nansum(self.values["seconds"][which])) / 60
        texts["minutes"] = edits(total)
        controls, unread = len(which) - len(learned), int(self.unread[which].sum())
        return Group(
            name, len(which), controls, effort, seconds, unchanged, total, unread, texts, weeks or []
        )

    def weeks(self, which: Places) -> list[Group]:
        """Some of the proposals week by week."""
        days = [self.rows[k].time // DAY for k in which.tolist()]
        weeks = _places([(day + 3) // 7 for day in days])  # the first day of 1970 was a Thursday
        return [self.group(_monday(week), which[places]) for week, places in weeks.items()]

    def course(self) -> Course:
        """The running mean; a proposal made without what was learned leaves it as it is."""
        learned, effort = (one[-MOST_POINTS - WINDOW :] for one in (~self.control, self.values["effort"]))
        before = np.full(WINDOW - 1, np.nan)  # of the first ones, whose windows are shorter
        windows = (
            sliding_window_view(np.append(before, effort[learned]), WINDOW) if learned.any() else [[0.0]]
        )
        counts = np.minimum(np.arange(1, len(windows) + 1), WINDOW)
        error = np.nanstd(windows, axis=1) / np.sqrt(np.maximum(counts - 1, 1))
        last = np.cumsum(learned) - 1  # the newest of them at each row; -1 before the first one
        centre = np.where(last < 0, effort, np.nanmean(windows, axis=1)[last])[-MOST_POINTS:]
        width = 2 * np.where(last < 0, 0.0, error[last])[-MOST_POINTS:]
        low = np.maximum(centre - width, 0.0)
        return Course(WINDOW, centre.tolist(), low.tolist(), (centre + width).tolist())


def _places(keys: Sequence[T]) -> dict[T, Places]:
    """Where each key is, in the order in which they occur first."""
    places: dict[T, list[int]] = {}
    for k, key in enumerate(keys):
        places.setdefault(key, []).append(k)
    return {key: np.array(which) for key, which in places.items()}


def _cells(group: Group) -> list[str]:
    return [group.name, str(group.finished), *(group.texts[name] for name in VALUES)]


def _monday(week: float) -> str:
    return str(date(1970, 1, 1) + timedelta(days=7 * week - 3))


def _measure(table: _Table, name: str, first: float, last: float, newest: bool) -> Measure:
    """The means before and now, and what learning saves in all rows, which may be only the newest."""
    when = "without what was learned" if (table.control & ~table.unread).any() else "at the start"
    texts = {"first": written(name, first), "last": written(name, last), "when": when}
    drawn = np.array([row.control > 0.0 for row in table.rows], dtype=bool)
    known = np.flatnonzero(drawn & ~table.unread & ~np.isnan(table.values[name]))
    without = int(table.control[known].sum())
    if name not in UNITS or min(without, len(known) - without) < FEWEST:
        return Measure(name, first, last, texts)
    rows = [table.rows[k] for k in known.tolist()]
    saved, low, high = confidence_sequence(differences(rows, table.values[name][known].tolist()))
    recent = sum(row.time > rows[-1].time - MONTH and row.proposer != CONTROL for row in rows)
    span = rows[-1].time - rows[0].time
    month = saved * recent * (MONTH / span if newest and 0.0 < span < MONTH else 1.0)
    texts |= {
        "each": f"{written(name, saved)} {UNITS[name]}",
        "range": f"{written(name, low)} to {written(name, high)}",
        "month": counted(month, "edit") if name == "effort" else counted(month / 3600, "hour"),
    }
    return Measure(name, first, last, texts, saved, low, high, month)


# -- words --------------------------------------------------------------------------------------------------


def _headline(verdict: str, done: int, measures: Sequence[Measure]) -> str:
    if verdict == "unclear" and done < FIRST_LOOK:
        return f"Too early to tell: {done} of at least {FIRST_LOOK} proposals are done."
    course = ""
    if measures:
        texts = measures[0].texts
        course = f"{counted(measures[0].first, 'edit')} a proposal {texts['when']}, {texts['last']} now"
    sure = [one.texts for one in measures if one.low is not None and one.low > 0]
    if verdict == "less" and sure and sure[0] is measures[0].texts:
        each = " and ".join(texts["each"] for texts in sure)
        return f"There is less to correct: learning saves {each} a proposal, {sure[-1]['month']} a month."
    if verdict == "unclear":
        return f"No sure change yet: {course}; that may be chance." if course else "No sure change yet."
    return f"There is {verdict} to correct: {course}." if course else f"There is {verdict} to correct."


def _unread_note(unread: int, done: int) -> str:
    if not unread:
        return ""
    when = f"within {UNREAD:.0f} seconds of opening"
    return f"{unread} of {done} proposals were accepted {when}. They are not counted."


def _comparison_note(before: int, now: int, control: bool) -> str:
    if not before or not now:
        return ""
    first = counted(before, "proposal")
    if control:
        return f"The numbers compare {first} made without what was learned with the last {now} others."
    first = first.removeprefix("1 ")
    return f"The numbers compare the first {first}, made when little was learned, with the last {now}."


def _saving_note(measures: Sequence[Measure]) -> str:
    known = [one.texts for one in measures if one.saved is not None]
    if not known:
        return ""
    saved = " and ".join(f"{texts['each']} ({texts['range']})" for texts in known)
    return f"Learning saves {saved} a proposal. The 95 % intervals hold however often the report is read."


def _bound_note(at_most: float | None, effort: float | None) -> str:
    if at_most is None or at_most <= (effort or 0.0):
        return ""
    far = f"by at most {counted(at_most, 'edit')} each"
    return f"Without learning, the last ones would have differed from the result {far}."


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
    """What recent edits were made for, as a sentence: the changes that the weights value most, and the price.

    The most valued one is always named: without it the others would be side effects. The rest must be clear
    of chance.

    Examples
    --------
    >>> deltas = np.array([[2.0, -1.0], [3.0, -1.5], [2.0, -0.5]])
    >>> causes(["lights", "toll (€)"], [-1, -1], np.array([1.0, 1.0]), deltas)
    'When people edited lately, they got: fewer lights (about 2.3), for more toll (about 1 €).'
    >>> causes(["waiting"], [-1], np.array([1.0]), deltas[:, :1])
    'When people edited lately, they got: less waiting (about 2.3).'
    """
    if len(deltas) < 2:
        return ""
    mean, error = deltas.mean(axis=0), deltas.std(axis=0, ddof=1) / math.sqrt(len(deltas))
    gain = weights * mean
    order = np.argsort(-gain, kind="stable")
    clear = np.abs(mean) > SURE * error
    clear[order[0]] = True

    def named(k: int) -> str:
        label, (unit, factor) = without_unit(names[k]), unit_of(names[k])
        change = float(signs[k] * mean[k]) * factor
        many = not unit and re.search("[^s]s$", label)
        more = "more" if change > 0 else "fewer" if many else "less"
        return f"{more} {label} (about {edits(abs(change))}{f' {unit}' * bool(unit)})"

    wanted = [named(k) for k in order[:NAMED] if clear[k] and gain[k] > 0]
    price = [named(k) for k in order[::-1][:NAMED] if clear[k] and gain[k] < 0]
    if not wanted:
        return ""
    cost = f", for {join_words(price)}" if price else ""
    return f"When people edited lately, they got: {join_words(wanted)}{cost}."


def counted(number: float, noun: str) -> str:
    """A number of things."""
    text = edits(number)
    return f"{text} {noun}{'s' * (text != '1')}"
