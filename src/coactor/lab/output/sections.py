"""The report's sections on our own learner: what it saves, whether its word holds, where it was tried."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from html import escape

from coactor.lab.engine.statistics import Interval
from coactor.lab.output.calibration import Bin, calibrations
from coactor.lab.output.markup import fixed, rounded, span, table
from coactor.lab.paper.results import PanelResult
from coactor.lab.paper.robustness import Cell
from coactor.lab.paper.versus_paper import Margin, margins

# anchor -> name in the navigation, heading
TITLES = {
    "ours": ("Beyond the paper", "Beyond the paper's four"),
    "calibration": ("Calibration", "How likely a proposal is to be accepted: predicted and observed"),
    "robustness": ("Robustness", "Where nobody tuned"),
}


def _heading(key: str) -> str:
    return f'<h2 id="{key}">{TITLES[key][1]}</h2>'


def ours(results: Sequence[PanelResult]) -> str:
    """Effort, effort above the expert line and final utility, against the best of the four in each run."""
    found = [margin for result in results for margin in margins(result)]
    if not found:
        return ""
    text = (
        "<p>Against the best of PER, CSPER, PA and CSPA, chosen anew in every run after the fact. The ratio "
        "is the mean of the runs' ratios; below 1 is less effort. Effort above the expert line compares with "
        "a solver that knows the true visible weights and proposes as in the paper: below 0, better "
        "proposals save more than perfect weights would. Final utility is compared with the paper's pipeline "
        "that ends highest on that panel; above 0 is better.</p>"
    )
    head = [
        ("panel", False),
        ("learner", False),
        ("total effort", True),
        ("best of four", True),
        ("ratio", True),
        ("runs won", True),
        ("above best on average", True),
        ("above expert", True),
        ("final utility above", True),
    ]
    return _heading("ours") + text + table(head, [_margin(margin) for margin in found])


def _margin(m: Margin) -> tuple[str, Sequence[str]]:
    cells = (
        escape(m.panel),
        escape(m.line),
        _two_lines(m.effort),
        _two_lines(m.best),
        _two_lines(m.ratio, _hundredths),
        f"{m.wins:.0%}",
        f"{escape(m.rival)}: {_two_lines(m.against_rival)}",
        _two_lines(m.above_expert),
        _two_lines(m.utility, fixed),
    )
    return ("best" if m.ratio.high < 1 else "", cells)


def _two_lines(found: Interval | None, write: Callable[[float], str] = rounded) -> str:
    """A number with its interval below it: these tables are wide."""
    if found is None:
        return "–"
    ends = f"[{write(found.low)}, {write(found.high)}]"
    return f'{write(found.value)}<br><span class="soft">{ends}</span>'


def _hundredths(value: float) -> str:
    return f"{value:.2f}" if value >= 0.1 else f"{value:.3f}"


def calibration(results: Sequence[PanelResult]) -> str:
    """Chances told beforehand against what happened."""
    found = calibrations(results)
    if not found:
        return ""
    text = (
        "<p>Before each proposal the learner says how likely the expert is to accept it untouched. Perfect "
        "words have equal means, a gap of 0, and a squared error below that of always naming the share "
        "accepted in the end, which nobody knows beforehand. The bins: <code>calibration.csv</code>.</p>"
    )
    head = [
        ("panel", False),
        ("learner", False),
        ("proposals", True),
        ("predicted", True),
        ("accepted", True),
        ("gap over bins", True),
        ("squared error", True),
        ("of the constant", True),
    ]
    rows = [
        (
            "",
            (
                escape(c.panel),
                escape(c.line),
                str(c.proposals),
                f"{c.predicted:.3f}",
                f"{c.observed:.3f}",
                f"{c.gap:.3f}",
                f"{c.brier:.3f}",
                f"{c.base:.3f}",
            ),
        )
        for c in found
    ]
    details = "".join(
        f"<details><summary>{escape(c.panel)}, {escape(c.line)}, bin by bin</summary>"
        f"{_bins(c.bins)}</details>"
        for c in found
    )
    return _heading("calibration") + text + table(head, rows) + details


def _bins(bins: Sequence[Bin]) -> str:
    return table(
        [("said to be", False), ("proposals", True), ("predicted", True), ("accepted", True)],
        [
            ("", (f"{b.low:.0%} to {b.high:.0%}", str(b.proposals), f"{b.predicted:.3f}", span(b.observed)))
            for b in bins
        ],
    )


def robustness(cells: Sequence[Cell]) -> str:
    """The ratio to the best of the four, one row a variation, one column a panel."""
    if not cells:
        return ""
    panels = list(dict.fromkeys(cell.margin.panel for cell in cells))
    lines = list(dict.fromkeys(cell.margin.line for cell in cells))
    worse = sum(cell.worse for cell in cells)
    text = (
        "<p>Effort over that of the best of the four in the same run, mean of the runs, with its interval. "
        "Nothing of the learner was chosen on these settings. "
        f"Cells where it needs more effort than the best of the four by more than the interval: {worse} of "
        f"{len(cells)}{' (marked)' if worse else ''}. Final utilities are in <code>robustness.csv</code>.</p>"
    )
    parts = [_heading("robustness"), text]
    for line in lines:
        rows = []
        for name in dict.fromkeys(cell.variation for cell in cells):
            mine = {c.margin.panel: c for c in cells if c.variation == name and c.margin.line == line}
            rows.append(("", [escape(name), *(_ratio(mine[panel]) for panel in panels)]))
        head = [("setting", False), *((escape(panel), True) for panel in panels)]
        parts.append(table(head, rows, f"{escape(line)}: effort over the best of the four"))
    return "".join(parts)


def _ratio(cell: Cell) -> str:
    text = _two_lines(cell.margin.ratio, _hundredths)
    return f"<strong>✗ {text}</strong>" if cell.worse else text
