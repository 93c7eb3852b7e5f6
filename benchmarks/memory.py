"""What a memory costs: an ask with habits, as a multiple of an ask without them.

    python benchmarks/memory.py [--cases 10000] [--stops 100] [--asks 20]

Arcs have five features: the distance, and four more. The same problems are solved by the default strategy
with and without a feature of habits, in turn; times are of the processor. The memory has seen many cases of
as many stops each; how many of them it still holds is printed, too. More features mean more local optima to
compare, so a part of the ratio is search, not memory: the time for recalling alone is printed, too.
"""

from __future__ import annotations

import argparse
import time
from typing import Any

import numpy as np

from coactor import Session, SimulatedExpert
from coactor.domains import Graph, Plans, Tour
from coactor.domains.plans import Day
from coactor.habits import past_case

FEATURES = 5


def plan_days(stops: int, rng: np.random.Generator) -> Any:
    """Days of one depot: each serves some of its customers."""
    everybody = rng.random((3 * stops, 2))
    while True:
        some = np.append(0, 1 + rng.choice(3 * stops - 1, stops, replace=False))
        far = np.linalg.norm(everybody[some, None] - everybody[None, some], axis=2)
        more = rng.random((*far.shape, FEATURES - 1))
        arcs = np.concatenate([far[:, :, None], more], axis=2)
        yield Day.of(arcs, [0.0] + [1.0] * stops, [stops / 4 + 2.0] * 5, [f"customer {k}" for k in some])


def tours(stops: int, rng: np.random.Generator) -> Any:
    """Tours through some of the same customers."""
    for day in plan_days(stops, rng):
        upper = np.triu_indices(stops + 1, 1)
        yield Graph.of(stops + 1, day.arcs[upper], names=list(day.stops))


def measure(domain: Any, problems: Any, cases: int, asks: int) -> tuple[float, float, int, float]:
    """Milliseconds of an ask without and with habits, cases held, and milliseconds of a recall."""
    plain, habitual = Session(domain, "default"), Session(domain, "default", habits=True)
    truth = np.linspace(1.0, 0.2, FEATURES)
    expert = SimulatedExpert(domain, truth, kappa=0.1)
    shown = [next(problems) for _ in range(30)]
    memory: Any = habitual.knowledge.memory
    for x in shown:  # both have learned a little, so that their search is the usual one
        for session in (plain, habitual):
            proposal = session.ask(x)
            correction = expert(x, proposal.solution)
            session.tell(proposal, moves=list(correction.moves))
    past = [past_case(domain, x, domain.solve(x, truth)) for x in shown]
    for k in range(cases):
        memory.add(past[k % len(past)])
    times = np.zeros((asks, 3))
    for k in range(asks):
        x = next(problems)
        for j, session in enumerate((plain, habitual)):
            began = time.process_time()
            session.ask(x)
            times[k, j] = time.process_time() - began
        began = time.process_time()
        memory.recall(tuple(domain.choices(x)))
        times[k, 2] = time.process_time() - began
    without, with_memory, recall = (1000 * np.median(times, axis=0)).tolist()
    return without, with_memory, len(memory), recall


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--cases", type=int, default=10_000)
    parser.add_argument("--stops", type=int, default=100)
    parser.add_argument("--asks", type=int, default=20)
    options = parser.parse_args()
    print("| domain | ask without memory | with | ratio | of it recalling | cases held |")
    print("|---|---|---|---|---|---|")
    for name, domain, make in (
        ("plans", Plans(FEATURES), plan_days),
        ("tours", Tour(features=FEATURES), tours),
    ):
        problems = make(options.stops, np.random.default_rng(0))
        without, with_memory, held, recall = measure(domain, problems, options.cases, options.asks)
        numbers = f"{without:.0f} ms | {with_memory:.0f} ms | {with_memory / without:.2f}"
        print(f"| {name} | {numbers} | {recall:.1f} ms | {held} |")


if __name__ == "__main__":
    main()
