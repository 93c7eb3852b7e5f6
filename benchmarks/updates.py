"""What an update of the default learner costs: OMP_NUM_THREADS=1 python benchmarks/updates.py [--examples N]

The feedback is that of the paper's panels: their proposals and corrections, and all neighbours of the final
solution. Processor time per update and per ask with the default proposals, mean of a run; beside it CSPER's.
"""

from __future__ import annotations

import argparse
import time
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

from coactor import Session, SimulatedExpert, learners
from coactor.lab.engine.contenders import parse_contenders
from coactor.lab.paper.panels import PANELS
from coactor.lab.paper.runs import Unit, make_problems, true_weights
from coactor.protocol import Feedback

GOALS = {10: 1.0, 100: 2.0}  # features -> milliseconds


class Timed:
    """A learner whose updates are timed."""

    def __init__(self, learner: Any) -> None:
        self._learner, self.spent, self.rows = learner, list[float](), list[int]()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._learner, name)

    def update(self, feedback: Feedback) -> None:
        start = time.process_time_ns()
        self._learner.update(feedback)
        self.spent.append((time.process_time_ns() - start) / 1e6)
        self.rows.append(
            len(feedback.path) - 1 + (0 if feedback.declined is None else len(feedback.declined))
        )


def run(panel: str, name: str, examples: int) -> tuple[Timed, float]:
    """One run; also the milliseconds an ask took."""
    unit = Unit(PANELS[panel], 0, 0, examples + 20, parse_contenders([name], "panel"))
    domain = unit.panel.make_domain()
    expert = SimulatedExpert(
        domain,
        true_weights(unit, domain),
        kappa=unit.panel.kappa,
        budget=unit.panel.budget,
        rng=np.random.default_rng(0),
    )
    learner = Timed(learners.make(name, domain.dim))
    session, asked = Session(domain, learner), list[float]()
    for x in make_problems(unit, domain, None):
        start = time.process_time_ns()
        proposal = session.ask(x)
        asked.append((time.process_time_ns() - start) / 1e6)
        session.tell(proposal, expert(x, proposal.solution))
    return learner, float(np.mean(asked[20:]))  # the first ones compile


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--examples", type=int, default=300)
    examples = parser.parse_args().examples
    print(
        "| panel | features | rows a round | update, ms | slowest 1 % | goal | ask, ms | CSPER update | ask |"
    )
    print("|---" * 9 + "|")
    with threadpool_limits(1):
        for panel, found in PANELS.items():
            ours, ask = run(panel, "default", examples)
            theirs, plain = run(panel, "CSPER", examples)
            dim = found.make_domain().dim
            spent = np.array(ours.spent[20:])
            print(
                f"| {panel} | {dim} | {np.mean(ours.rows[20:]):.0f} | {spent.mean():.2f} "
                f"| {np.quantile(spent, 0.99):.2f} | {GOALS.get(dim, '–')} | {ask:.2f} "
                f"| {np.mean(theirs.spent[20:]):.3f} | {plain:.3f} |",
                flush=True,
            )


if __name__ == "__main__":
    main()
