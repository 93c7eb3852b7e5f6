"""What the default learner saves: python benchmarks/default_learner.py [--data FILE ...] [--csv FILE]

Ten paired runs of 300 examples a panel, by the lab's own runner. Every number is against the best of PER,
CSPER, PA and CSPA in the same run, with a 95 % bootstrap interval over runs. The seeds used while the learner
was designed address other random streams than the lab's, so nothing here was used for choosing anything.
Ranking runs on the generated twin and, with --data, on files of judgements as well.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path

from coactor.lab.engine.contenders import EXPERT, PAPER, parse_lines
from coactor.lab.engine.statistics import Interval
from coactor.lab.output.tables import to_csv
from coactor.lab.paper.experiment import Experiment, use_data
from coactor.lab.paper.panels import PANELS
from coactor.lab.paper.reproduction import cores
from coactor.lab.paper.results import PanelResult
from coactor.lab.paper.versus_paper import Margin, margins

GOALS = {
    "default+paper": {
        "path-clean": 0.80,
        "path-noise": 0.90,
        "tsp-clean": 0.42,
        "tsp-noise": 0.75,
        "mtsp-clean": 0.62,
        "mtsp-noise": 0.92,
    },
    "default": {
        "path-clean": 0.12,
        "path-noise": 0.45,
        "tsp-clean": 0.27,
        "tsp-noise": 0.50,
        "mtsp-clean": 0.60,
        "mtsp-noise": 0.68,
    },
}
HEAD = (
    "panel",
    "line",
    "effort",
    "best of four",
    "ratio",
    "ratio of totals",
    "runs won",
    "above the best on average",
    "above expert",
    "final utility, difference",
    "goal",
)
LINES = (*PAPER, EXPERT, *GOALS)


def measure(args: argparse.Namespace) -> Iterator[tuple[str, PanelResult]]:
    """Every panel, and the ranking panels once more on the data."""
    lines = parse_lines(LINES)
    for panel in PANELS.values():
        variants = [(panel.name + (" (twin)" if panel.problems == "twin" else ""), panel)]
        if args.data and panel.problems == "twin":
            variants += [(f"{panel.name} (data)", use_data([panel], args.data)[0])]
        for name, variant in variants:
            experiment = Experiment((variant,), lines, args.runs, args.examples, args.seed)
            yield name, experiment.measure(jobs=args.jobs)[0]


def verdicts(margin: Margin) -> list[str]:
    """What the line was to show here, and does not."""
    if margin.panel not in GOALS[margin.line]:  # ranking: below whoever of the four is best on this panel
        least, most = margin.against_rival.low, margin.against_rival.high
        if margin.against_rival.value >= 0:
            return [f"above {margin.rival} by {margin.against_rival:.1f}"]
        return (
            [] if most < 0 else [f"below {margin.rival}, but the interval [{least:.1f}, {most:.1f}] holds 0"]
        )
    missed = []
    if margin.ratio.value > GOALS[margin.line][margin.panel]:
        missed.append(f"ratio {margin.ratio.value:.3f} above the goal {GOALS[margin.line][margin.panel]}")
    if margin.ratio.high >= 1:
        missed.append(f"upper end of the ratio {margin.ratio.high:.3f} is not below 1")
    if margin.line == "default":
        expert = margin.above_expert
        if margin.panel.endswith("noise") and expert is not None and expert.value >= 0:
            missed.append(f"{expert.value:.1f} above the expert line")
        if margin.utility.high < 0:
            missed.append(f"final utility lower by {-margin.utility.value:.4g}")
    return missed


def span(found: Interval | None, digits: int) -> str:
    return "–" if found is None else f"{found:.{digits}f}"


def row(name: str, margin: Margin) -> dict[str, object]:
    """One line of the table, as plain data."""
    cells: dict[str, object] = {"panel": name, "line": margin.line}
    for key in ("effort", "best", "ratio", "ratio_of_totals", "against_rival", "above_expert", "utility"):
        found: Interval | None = getattr(margin, key)
        for part in ("value", "low", "high"):
            cells[key if part == "value" else f"{key}_{part}"] = getattr(found, part, None)
    return {**cells, "wins": margin.wins, "goal": GOALS[margin.line].get(margin.panel)}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", nargs="*", default=[], help="LETOR/SVMlight files for ranking")
    parser.add_argument("--csv", type=Path, help="also write the table there")
    parser.add_argument("--runs", type=int, default=10)
    parser.add_argument("--examples", type=int, default=300)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=cores())
    args = parser.parse_args()
    print("| " + " | ".join(HEAD) + " |")
    print("|---" * len(HEAD) + "|")
    rows, missed = [], []
    for name, result in measure(args):
        for margin in margins(result):
            goal = GOALS[margin.line].get(margin.panel)
            print(
                f"| {name} | {margin.line} | {margin.effort:.1f} | {margin.best:.1f} | {margin.ratio:.3f} "
                f"| {margin.ratio_of_totals:.3f} | {margin.wins:.0%} "
                f"| {margin.rival}: {margin.against_rival:.1f} | {span(margin.above_expert, 1)} "
                f"| {span(margin.utility, 4)} | {goal or '–'} |",
                flush=True,
            )
            rows.append(row(name, margin))
            missed += [f"{name}, {margin.line}: {what}" for what in verdicts(margin)]
    print("\nEverything as promised." if not missed else "\nNot as promised:\n" + "\n".join(missed))
    if args.csv:
        args.csv.write_text(to_csv(rows))


if __name__ == "__main__":
    main()
