"""Online learners of other libraries: python benchmarks/peers.py [--csv FILE] (needs coactor[bench])

Each peer gets the rows that our learner gets (every step of the expert and, where it can use them, every
declined move), in the same paired runs, with the paper's proposals: only the learning differs.

    river-adagrad   river: logistic regression, AdaGrad                       step size, rows
    river-pa2       river: PAClassifier, mode 2 (PA-II)                       C, rows
    vw              Vowpal Wabbit: logistic loss, its adaptive updates        learning rate, rows
    invopt          InvOpt: first-order method on the suboptimality loss      step size, decay, scale

Tuning: every setting of the grid below, on seed TUNE, for each panel separately. A peer has its best setting
for each panel; ours has one for all panels. Reporting: seed 0, other problems and other experts.
"steps" rows are preferences, so there is no intercept; "all" has one, as our learner has a threshold.
"""

from __future__ import annotations

import argparse
import os
import warnings
from collections.abc import Callable, Sequence
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np

from coactor.lab.engine.parallel import available_cores
from coactor.lab.engine.statistics import all_pairs, effort_interval, interval
from coactor.lab.paper.experiment import Settings
from coactor.lab.paper.experiment import measure as measure_panels
from coactor.lab.paper.panels import PANELS
from coactor.lab.paper.results import PanelResult
from coactor.protocol import Feedback, Reads, Vector

TUNE, REPORT = 101, 0
OURS = "default+paper"
MODULE = "benchmarks.peers"
ROWS = ("steps", "all")
GRID: dict[str, list[tuple[Any, ...]]] = {
    "river-adagrad": list(product((0.01, 0.03, 0.1, 0.3, 1.0, 3.0), ROWS)),
    "river-pa2": list(product((0.00001, 0.0001, 0.001, 0.01, 0.1, 1.0), ROWS)),
    "vw": list(product((0.05, 0.2, 0.5, 2.0, 8.0, 32.0), ROWS)),
    "invopt": list(product((0.001, 0.01, 0.1, 1.0), ("constant", "decaying"), ("plain", "normalised"))),
}


def rows_of(feedback: Feedback, rows: str) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    """What our learner learns from: steps, label True; declined moves, label False."""
    steps = np.diff(feedback.path, axis=0)
    if rows == "steps" or feedback.declined is None or feedback.cut:
        return steps, np.ones(len(steps), dtype=bool)
    labels = np.r_[np.ones(len(steps), dtype=bool), np.zeros(len(feedback.declined), dtype=bool)]
    return np.vstack([steps, feedback.declined]), labels


class Peer:
    """A learner of another library with the interface of ours."""

    reads: Reads = "declined"

    def __init__(self, dim: int, name: str) -> None:
        self.dim, self.name = dim, name
        self.weights: Vector = np.zeros(dim)

    def state(self) -> dict[str, Any]:
        raise NotImplementedError("Peers are compared, not stored.")

    def restore(self, state: dict[str, Any]) -> None:
        raise NotImplementedError("Peers are compared, not stored.")


class River(Peer):
    """A linear classifier of river, row by row."""

    def __init__(self, dim: int, name: str, size: float, rows: str) -> None:
        super().__init__(dim, name)
        from river import linear_model, optim

        self.rows, intercept = rows, rows == "all"
        if name == "river-adagrad":
            self.model: Any = linear_model.LogisticRegression(
                optimizer=optim.AdaGrad(size), intercept_lr=size if intercept else 0.0
            )
        else:
            self.model = linear_model.PAClassifier(C=size, mode=2, learn_intercept=intercept)

    def update(self, feedback: Feedback) -> None:
        for row, label in zip(*rows_of(feedback, self.rows), strict=True):
            self.model.learn_one(dict(enumerate(row.tolist())), bool(label))
        weights = self.model.weights
        self.weights = np.array([weights.get(k, 0.0) for k in range(self.dim)])


class VowpalWabbit(Peer):
    """Vowpal Wabbit with its default (adaptive, normalised, invariant) updates."""

    def __init__(self, dim: int, name: str, size: float, rows: str) -> None:
        super().__init__(dim, name)
        from vowpalwabbit import Workspace

        constant = "" if rows == "all" else "--noconstant"
        self.rows = rows
        self.model: Any = Workspace(f"--loss_function logistic --quiet -b 18 -l {size} {constant}")

    def update(self, feedback: Feedback) -> None:
        for row, label in zip(*rows_of(feedback, self.rows), strict=True):
            text = " ".join(f"{k}:{value:.9g}" for k, value in enumerate(row.tolist()))
            self.model.learn(f"{1 if label else -1} | {text}")
        self.weights = np.array([self.model.get_weight(k) for k in range(self.dim)])


class InvOpt(Peer):
    """One subgradient step of InvOpt's FOM per round: theta prefers the proposal, the expert the correction.

    InvOpt minimises costs, so its features are minus ours. It cannot use steps or declined moves.
    """

    def __init__(self, dim: int, name: str, size: float, decay: str, scale: str) -> None:
        super().__init__(dim, name)
        self.size, self.decay, self.normalised, self.rounds = size, decay, scale == "normalised", 0

    def update(self, feedback: Feedback) -> None:
        import invopt

        if not feedback.delta.any():
            return
        self.rounds += 1
        size = self.size / (np.sqrt(self.rounds) if self.decay == "decaying" else 1.0)
        first, last = feedback.path[0], feedback.path[-1]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            self.weights = np.asarray(
                invopt.FOM(
                    [(None, last)],
                    lambda s, x: -x,
                    self.weights,
                    lambda theta, s: first,
                    lambda t: size,
                    1,
                    normalize_grad=self.normalised,
                )
            )


def contender(name: str, setting: Sequence[Any]) -> str:
    """A peer with a setting, as a contender."""
    return f"{MODULE}:" + "/".join([name, *map(str, setting)])


def __getattr__(name: str) -> Callable[[int], Peer]:
    """The class of such a contender."""
    kind, *words = name.split("/")
    if kind not in GRID or not words:
        raise AttributeError(name)
    size, rest = float(words[0]), words[1:]
    make: Any = {"vw": VowpalWabbit, "invopt": InvOpt}.get(kind, River)
    return lambda dim: make(dim, kind, size, *rest)


def measure(panel: str, names: list[str], runs: int, examples: int, seed: int, jobs: int) -> PanelResult:
    return measure_panels(Settings([panel], names, runs, examples, seed), jobs=jobs)[0]


def tune(panel: str, runs: int, examples: int, jobs: int) -> dict[str, str]:
    """The best setting of each peer on this panel."""
    settings = {name: [contender(name, setting) for setting in grid] for name, grid in GRID.items()}
    everyone = [one for some in settings.values() for one in some]
    totals = measure(panel, everyone, runs, examples, TUNE, jobs).totals()
    return {name: min(some, key=lambda one: float(totals[one].mean())) for name, some in settings.items()}


def main() -> None:
    os.chdir(Path(__file__).parents[1])  # so that benchmarks.peers can be imported
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--panels", default=",".join(PANELS))
    parser.add_argument("--runs", type=int, default=10)
    parser.add_argument("--examples", type=int, default=300)
    parser.add_argument("--tuning-runs", type=int, default=2)
    parser.add_argument("--tuning-examples", type=int, default=150)
    parser.add_argument("--jobs", type=int, default=available_cores())
    args = parser.parse_args()
    print("| panel | learner | setting | total effort | ours minus it | ours over it | runs won by ours |")
    print("|---|---|---|---|---|---|---|")
    for panel in args.panels.split(","):
        best = tune(panel, args.tuning_runs, args.tuning_examples, args.jobs)
        result = measure(panel, [OURS, *best.values()], args.runs, args.examples, REPORT, args.jobs)
        totals = result.totals()
        mine = totals[OURS]
        print(f"| {panel} | **{OURS}** | the default | {interval(mine):.1f} | | | |", flush=True)
        for name, chosen in best.items():
            (pair,) = all_pairs({OURS: mine, chosen: totals[chosen]})
            ratio = effort_interval(mine / totals[chosen])
            setting = chosen.partition("/")[2].replace("/", ", ")
            theirs = effort_interval(totals[chosen])
            low, high = pair.difference.low, pair.difference.high
            verdict = " **we lose**" if low > 0 else " (too close)" if high >= 0 else ""
            cells = (
                panel,
                name,
                setting,
                f"{theirs:.1f}",
                f"{pair.difference:.1f}{verdict}",
                f"{ratio:.2f}",
                f"{pair.wins:.0%}",
            )
            print("| " + " | ".join(cells) + " |", flush=True)


if __name__ == "__main__":
    main()
