"""A minute in the life of an expert, in the terminal: effort falls while one watches."""

from __future__ import annotations

import shutil
import sys
import time
from collections.abc import Iterator
from typing import Any, TextIO

import numpy as np

from coactor import Session, SimulatedExpert, domains, learners
from coactor.protocol import Vector

EXAMPLES = 240
WINDOW = 20
POINTS = 20
WIDTH, HEIGHT = 60, 10
SECONDS = 4.0  # on a terminal the curve takes this long, so that one can see it fall
NEXT = (
    ("coactor compare PER CSPER PA CSPA --panel tsp-noise", "the paper's four learners, compared fairly"),
    ("coactor reproduce --quick", "all eight panels of the paper in seconds, with a report"),
    ("coactor reproduce", "the paper at full size"),
    ("coactor serve", "a page on which a person edits"),
)


def efforts(seed: int, learner: str, examples: int) -> Iterator[float]:
    """What each example cost the simulated expert: tours of 20 points with 100 features an edge."""
    rng = np.random.default_rng(seed)
    domain = domains.Tour(points=POINTS, features=100)
    expert = SimulatedExpert(domain, rng.random(domain.dim), kappa=0.1)
    session = Session(domain, learners.make(learner, domain.dim))
    for x in domain.sample(rng, examples):
        proposal = session.ask(x)
        yield session.tell(proposal, expert(x, proposal.solution)).effort


def show(seed: int, learner: str, stream: TextIO | None = None, examples: int = EXAMPLES) -> dict[str, Any]:
    """Run the demo; drawn live on a terminal, a few plain lines elsewhere."""
    out = sys.stdout if stream is None else stream
    live = out.isatty()
    print(
        f"A solver plans tours through {POINTS} points. An expert, who alone knows what a good tour is,\n"
        f"repairs each one; {learner} learns from the repairs. How many repairs does a tour need?\n",
        file=out,
        flush=True,
    )
    costs: list[float] = []
    drawn, begun = 0, time.monotonic()
    for cost in efforts(seed, learner, examples):
        costs.append(cost)
        if live and (len(costs) % 4 == 0 or len(costs) == examples):
            due = begun + SECONDS * len(costs) / examples
            time.sleep(max(0.0, due - time.monotonic()))
            drawn = _redraw(out, picture(np.array(costs), examples), drawn)
    if not live:
        print("\n".join(picture(np.array(costs), examples)), file=out)
    result = summary(np.array(costs), learner, seed)
    print(f"\n{result['sentence']}\n\nTry next:", file=out)
    width = max(len(command) for command, _ in NEXT)
    for command, what in NEXT:
        print(f"  {command:<{width}}   {what}", file=out)
    return result


def summary(costs: Vector, learner: str, seed: int) -> dict[str, Any]:
    """The demo as data."""
    first, last = float(costs[:WINDOW].mean()), float(costs[-WINDOW:].mean())
    sentence = (
        f"The first {WINDOW} tours needed {first:.1f} repairs each, the last {WINDOW} needed {last:.1f}; "
        f"{costs.sum():.0f} in all for {len(costs)} tours."
    )
    return {
        "learner": learner,
        "seed": seed,
        "examples": len(costs),
        "first": first,
        "last": last,
        "total": float(costs.sum()),
        "costs": costs.tolist(),
        "sentence": sentence,
    }


def picture(costs: Vector, examples: int, width: int = WIDTH, height: int = HEIGHT) -> list[str]:
    """Mean effort of the last examples, as columns of blocks; one column for a few examples."""
    per = max(1, -(-examples // width))
    columns = [float(costs[max(0, i + per - WINDOW) : i + per].mean()) for i in range(0, len(costs), per)]
    top = max(1.0, float(costs[:WINDOW].mean()) * 1.1, *columns)
    lines = []
    for row in range(height, 0, -1):
        label = f"{top:5.1f} " if row == height else "  0.0 " if row == 1 else "      "
        cells = "".join(_block(value / top * height - (row - 1)) for value in columns)
        lines.append(f"{label}│{cells}")
    lines.append("      └" + "─" * (-(-examples // per)))
    lines.append(
        f"       repairs per tour, mean of {WINDOW}; {len(costs)} of {examples} tours, now {columns[-1]:.1f}"
    )
    return lines


def _block(level: float) -> str:
    eighths = round(max(0.0, min(1.0, level)) * 8)
    return " ▁▂▃▄▅▆▇█"[eighths]


def _redraw(out: TextIO, lines: list[str], before: int) -> int:
    columns = shutil.get_terminal_size().columns  # a line that wraps would spoil the count of lines
    if before:
        out.write(f"\x1b[{before}A")
    out.write("".join(f"\r\x1b[K{line[: columns - 1]}\n" for line in lines))
    out.flush()
    return len(lines)
