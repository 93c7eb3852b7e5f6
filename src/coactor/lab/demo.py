"""A demo in the terminal: effort per example as a text chart."""

from __future__ import annotations

import shutil
import sys
import time
from collections.abc import Iterator
from typing import Any, TextIO

import numpy as np

from coactor import domains, learners
from coactor.experts import SimulatedExpert
from coactor.protocol import Vector
from coactor.session import Session

EXAMPLES = 240
WINDOW = 20
POINTS = 20
WIDTH, HEIGHT = 60, 10
SECONDS = 4.0  # how long the chart grows on a terminal
NEXT = (
    ("coactor compare PER CSPER PA CSPA --panel tsp-noise", "compare the paper's four learners"),
    ("coactor reproduce --quick", "all eight panels of the paper in seconds, with a report"),
    ("coactor reproduce", "the paper's experiments at full size"),
    ("coactor serve", "a web page on which people edit"),
)


def efforts(seed: int, learner: str, examples: int) -> Iterator[float]:
    """The effort of each example: tours of 20 points with 100 features per edge."""
    rng = np.random.default_rng(seed)
    domain = domains.Tour(points=POINTS, features=100)
    expert = SimulatedExpert(domain, rng.random(domain.dim), kappa=0.1)
    session = Session(domain, learners.make(learner, domain.dim))
    for x in domain.sample(rng, examples):
        proposal = session.ask(x)
        yield session.tell(proposal, expert(x, proposal.solution)).effort


def show(seed: int, learner: str, stream: TextIO | None = None, examples: int = EXAMPLES) -> dict[str, Any]:
    """Run the demo; the chart is redrawn on a terminal and printed once elsewhere."""
    out = sys.stdout if stream is None else stream
    live = out.isatty()
    print(
        f"A solver plans tours through {POINTS} points. A simulated expert edits each tour to their liking,\n"
        f"and {learner} learns from the edits. How many edits does a tour need?\n",
        file=out,
        flush=True,
    )
    costs: list[float] = []
    drawn, start = 0, time.monotonic()
    for cost in efforts(seed, learner, examples):
        costs.append(cost)
        if live and (len(costs) % 4 == 0 or len(costs) == examples):
            due = start + SECONDS * len(costs) / examples
            time.sleep(max(0.0, due - time.monotonic()))
            drawn = _redraw(out, chart(np.array(costs), examples), drawn)
    if not live:
        print("\n".join(chart(np.array(costs), examples)), file=out)
    result = summary(np.array(costs), learner, seed)
    print(f"\n{result['sentence']}\n\nTry next:", file=out)
    width = max(len(command) for command, _ in NEXT)
    for command, what in NEXT:
        print(f"  {command:<{width}}   {what}", file=out)
    return result


def summary(costs: Vector, learner: str, seed: int) -> dict[str, Any]:
    """The result of the demo as data."""
    first, last = float(costs[:WINDOW].mean()), float(costs[-WINDOW:].mean())
    sentence = (
        f"The first {WINDOW} tours needed {first:.1f} edits each, the last {WINDOW} needed {last:.1f}; "
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


def chart(costs: Vector, examples: int) -> list[str]:
    """Mean effort of the last examples, as columns of block characters."""
    per = max(1, -(-examples // WIDTH))
    columns = [float(costs[max(0, i + per - WINDOW) : i + per].mean()) for i in range(0, len(costs), per)]
    top = max(1.0, float(costs[:WINDOW].mean()) * 1.1, *columns)
    lines = []
    for row in range(HEIGHT, 0, -1):
        label = f"{top:5.1f} " if row == HEIGHT else "  0.0 " if row == 1 else "      "
        cells = "".join(_block(value / top * HEIGHT - (row - 1)) for value in columns)
        lines.append(f"{label}│{cells}")
    lines.append("      └" + "─" * (-(-examples // per)))
    lines.append(
        f"       edits per tour, mean of {WINDOW}; {len(costs)} of {examples} tours, now {columns[-1]:.1f}"
    )
    return lines


def _block(level: float) -> str:
    eighths = round(max(0.0, min(1.0, level)) * 8)
    return " ▁▂▃▄▅▆▇█"[eighths]


def _redraw(out: TextIO, lines: list[str], before: int) -> int:
    columns = shutil.get_terminal_size().columns  # wrapped lines would change the number of lines
    if before:
        out.write(f"\x1b[{before}A")
    out.write("".join(f"\r\x1b[K{line[: columns - 1]}\n" for line in lines))
    out.flush()
    return len(lines)
