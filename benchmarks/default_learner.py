"""What the default learner saves: python benchmarks/default_learner.py [--data FILE ...] [--csv FILE]

Ten paired runs of 300 examples per panel. Every number is against the best of PER, CSPER, PA and CSPA in the
same run, with a 95 % bootstrap interval over runs. The learner was designed with other random streams than
these, so nothing here was used to tune it. Ranking runs on synthetic data and, with --data, on files of
judgements as well.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path

from coactor.lab.paper.versus_paper import Margin, margins

from coactor.lab.engine.contenders import EXPERT, PAPER, parse_contenders
from coactor.lab.engine.parallel import available_cores
from coactor.lab.engine.statistics import Interval, interval_fields
from coactor.lab.output.tables import to_csv
from coactor.lab.paper.experiment import Experiment
from coactor.lab.paper.panels import PANELS, use_data
from coactor.lab.paper.results import PanelResult

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
    "learner",
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
CONTENDERS = (*PAPER, EXPERT, *GOALS)


def measure(args: argparse.Namespace) -> Iterator[tuple[str, PanelResult]]:
    """Every panel, and the ranking panels once more on the data."""
    contenders = parse_contenders(CONTENDERS, "panel")
    for panel in PANELS.values():
        variants = [(panel.name + (" (synthetic)" if panel.problems == "synthetic" else ""), panel)]
        if args.data and panel.problems == "synthetic":
            variants += [(f"{panel.name} (data)", use_data([panel], args.data)[0])]
        for name, variant in variants:
            experiment = Experiment((variant,), contenders, args.runs, args.examples, args.seed)
            yield name, experiment.measure(jobs=args.jobs)[0]


def verdicts(margin: Margin) -> list[str]:
    """The goals that are missed here."""
    if margin.panel not in GOALS[margin.learner]:  # ranking: below the best of the four on this panel
        least, most = margin.against_rival.low, margin.against_rival.high
        if margin.against_rival.value >= 0:
            return [f"above {margin.rival} by {margin.against_rival:.1f}"]
        return (
            [] if most < 0 else [f"below {margin.rival}, but the interval [{least:.1f}, {most:.1f}] holds 0"]
        )
    missed = []
    if margin.ratio.value > GOALS[margin.learner][margin.panel]:
        missed.append(f"ratio {margin.ratio.value:.3f} above the goal {GOALS[margin.learner][margin.panel]}")
    if margin.ratio.high >= 1:
        missed.append(f"upper end of the ratio {margin.ratio.high:.3f} is not below 1")
    if margin.learner == "default":
        expert = margin.above_expert
        if margin.panel.endswith("noise") and expert is not None and expert.value >= 0:
            missed.append(f"{expert.value:.1f} above the expert line")
        if margin.utility.high < 0:
            missed.append(f"final utility lower by {-margin.utility.value:.4g}")
    return missed


def span(interval: Interval | None, digits: int) -> str:
    return "–" if interval is None else f"{interval:.{digits}f}"


def row(name: str, margin: Margin) -> dict[str, object]:
    """One row of the table, as plain data."""
    cells: dict[str, object] = {"panel": name, "learner": margin.learner}
    for key in ("effort", "best", "ratio", "ratio_of_totals", "against_rival", "above_expert", "utility"):
        cells |= interval_fields(key, getattr(margin, key))
    return {**cells, "wins": margin.wins, "goal": GOALS[margin.learner].get(margin.panel)}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", nargs="*", default=[], help="LETOR/SVMlight files for ranking")
    parser.add_argument("--csv", type=Path, help="also write the table there")
    parser.add_argument("--runs", type=int, default=10)
    parser.add_argument("--examples", type=int, default=300)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=available_cores())
    args = parser.parse_args()
    print("| " + " | ".join(HEAD) + " |")
    print("|---" * len(HEAD) + "|")
    rows, missed = [], []
    for name, result in measure(args):
        for margin in margins(result):
            goal = GOALS[margin.learner].get(margin.panel)
            print(
                f"| {name} | {margin.learner} | {margin.effort:.1f} | {margin.best:.1f} | {margin.ratio:.3f} "
                f"| {margin.ratio_of_totals:.3f} | {margin.wins:.0%} "
                f"| {margin.rival}: {margin.against_rival:.1f} | {span(margin.above_expert, 1)} "
                f"| {span(margin.utility, 4)} | {goal or '–'} |",
                flush=True,
            )
            rows.append(row(name, margin))
            missed += [f"{name}, {margin.learner}: {what}" for what in verdicts(margin)]
    print("\nAll goals are met." if not missed else "\nGoals that are missed:\n" + "\n".join(missed))
    if args.csv:
        args.csv.write_text(to_csv(rows))


if __name__ == "__main__":
    main()
