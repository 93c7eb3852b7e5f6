"""What pairing saves: python benchmarks/lab.py [--examples N]

Every learner of a run is shown the same problems, so each is generated once and looked at by the expert once.
Against it: the same learners one by one, each making the same problems anew. Processor times, best of three.
"""

from __future__ import annotations

import argparse
import time

from coactor.lab.engine.contenders import Line, parse_lines
from coactor.lab.paper.panels import PANELS, Panel
from coactor.lab.paper.runs import Unit, run_unit

LINES = ("PER", "CSPER", "PA", "CSPA", "expert")


def seconds(panel: Panel, lines: tuple[Line, ...], examples: int) -> float:
    """Processor seconds of one run."""
    times = []
    for _ in range(3):
        start = time.process_time()
        run_unit(Unit(panel, 0, 0, examples, lines))
        times.append(time.process_time() - start)
    return min(times)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--examples", type=int, default=1000)
    examples = parser.parse_args().examples
    lines = parse_lines(LINES)
    together = alone = 0.0
    print(f"{'panel':<12} {'together':>9} {'one by one':>11} {'saves':>6}")
    for panel in PANELS.values():
        if not panel.expert_line:
            continue
        run_unit(Unit(panel, 0, 0, 20, lines))  # compile first
        shared = seconds(panel, lines, examples)
        single = sum(seconds(panel, (line,), examples) for line in lines)
        together, alone = together + shared, alone + single
        print(f"{panel.name:<12} {shared:>7.2f} s {single:>9.2f} s {1 - shared / single:>6.0%}")
    print(f"{'all six':<12} {together:>7.2f} s {alone:>9.2f} s {1 - together / alone:>6.0%}")
    print(f"ten runs of 1000 examples: {together * 10_000 / examples:.0f} s of processor time")


if __name__ == "__main__":
    main()
