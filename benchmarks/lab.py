"""What paired runs save: python benchmarks/lab.py [--examples N]

All learners of a run get the same problems, so each problem is generated once. It is compared with the same
learners one by one, each of which generates the same problems again. Processor times, best of three.
"""

from __future__ import annotations

import argparse
import time

from coactor.lab.engine.contenders import Contender, parse_contenders
from coactor.lab.paper.panels import PANELS, Panel
from coactor.lab.paper.runs import Unit, run_unit

CONTENDERS = ("PER", "CSPER", "PA", "CSPA", "expert")


def seconds(panel: Panel, contenders: tuple[Contender, ...], examples: int) -> float:
    """Processor seconds of one run."""
    times = []
    for _ in range(3):
        start = time.process_time()
        run_unit(Unit(panel, 0, 0, examples, contenders))
        times.append(time.process_time() - start)
    return min(times)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--examples", type=int, default=1000)
    examples = parser.parse_args().examples
    contenders = parse_contenders(CONTENDERS, "panel")
    together = alone = 0.0
    print(f"{'panel':<12} {'together':>9} {'one by one':>11} {'saves':>6}")
    for panel in PANELS.values():
        if not panel.expert_line:
            continue
        run_unit(Unit(panel, 0, 0, 20, contenders))  # compile first
        shared = seconds(panel, contenders, examples)
        single = sum(seconds(panel, (contender,), examples) for contender in contenders)
        together, alone = together + shared, alone + single
        print(f"{panel.name:<12} {shared:>7.2f} s {single:>9.2f} s {1 - shared / single:>6.0%}")
    print(f"{'all six':<12} {together:>7.2f} s {alone:>9.2f} s {1 - together / alone:>6.0%}")
    print(f"ten runs of 1000 examples: {together * 10_000 / examples:.0f} s of processor time")


if __name__ == "__main__":
    main()
