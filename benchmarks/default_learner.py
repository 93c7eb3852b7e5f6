"""What the default learner saves: python benchmarks/default_learner.py [--data FILE ...]

Ten paired runs of 300 examples per panel. Every number is against the best of PER, CSPER, PA and CSPA in the
same run, chosen after the fact, with a 95 % interval over runs. Ranking runs on synthetic data and, with
--data, on files of judgements as well.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator

import numpy as np

from coactor.lab.engine.contenders import EXPERT, PAPER
from coactor.lab.engine.statistics import effort_interval, interval
from coactor.lab.paper.experiment import Settings, measure
from coactor.lab.paper.panels import PANELS
from coactor.lab.paper.results import PanelResult

OURS = ("default+paper", "default")
HEAD = (
    "panel",
    "learner",
    "effort",
    "best of four",
    "ratio",
    "runs won",
    "above the best on average",
    "above expert",
    "final utility, difference",
)


def results(args: argparse.Namespace) -> Iterator[tuple[str, PanelResult]]:
    """Every panel, and the ranking panels once more on the data."""
    size = {"runs": args.runs, "examples": args.examples, "seed": args.seed}
    for name, panel in PANELS.items():
        ranking = panel.problems == "synthetic"
        for data in [(), tuple(args.data)] if ranking and args.data else [()]:
            settings = Settings([name], (*PAPER, EXPERT, *OURS), **size, data=data)
            kind = f" ({'data' if data else 'synthetic'})" if ranking else ""
            yield name + kind, measure(settings, jobs=args.jobs)[0]


def row(name: str, result: PanelResult, learner: str) -> list[str]:
    """One learner on one panel, against the best of the paper's four."""
    totals = result.totals()
    effort, least = totals[learner], np.min([totals[four] for four in PAPER], axis=0)
    rival = min(PAPER, key=lambda four: float(totals[four].mean()))
    utilities = {key: values.mean(axis=1) for key, values in result.utilities.items()}
    highest = max(PAPER, key=lambda four: float(utilities[four].mean()))
    ratios = np.divide(effort, least, out=np.ones_like(effort), where=effort != least)
    wins = ((effort < least) + 0.5 * (effort == least)).mean()
    expert = f"{interval(effort - totals[EXPERT]):.1f}" if EXPERT in totals else "–"
    return [
        name,
        learner,
        f"{effort_interval(effort):.1f}",
        f"{effort_interval(least):.1f}",
        f"{effort_interval(ratios):.3f}",
        f"{wins:.0%}",
        f"{rival}: {interval(effort - totals[rival]):.1f}",
        expert,
        f"{interval(utilities[learner] - utilities[highest]):.4f}",
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", nargs="*", default=[], help="LETOR/SVMlight files for ranking")
    parser.add_argument("--runs", type=int, default=10)
    parser.add_argument("--examples", type=int, default=300)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--jobs", type=int)
    args = parser.parse_args()
    print("| " + " | ".join(HEAD) + " |")
    print("|---" * len(HEAD) + "|")
    for name, result in results(args):
        for learner in OURS:
            print(f"| {' | '.join(row(name, result, learner))} |", flush=True)


if __name__ == "__main__":
    main()
