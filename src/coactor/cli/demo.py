"""A demo in the terminal: how the effort falls, as bars."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import click

from coactor.cli.options import json_option, report_errors, seed_option

EXAMPLES = 240
WINDOW = 20  # tours of a bar
POINTS = 20
WIDTH = 50  # of the longest bar
NEXT = (
    ("coactor compare PER CSPER PA CSPA --panel tsp-noise", "compare the paper's four learners"),
    ("coactor reproduce --quick", "all eight panels of the paper in seconds, with a report"),
    ("coactor reproduce", "the paper's experiments at full size"),
    ("coactor serve", "a web page on which people edit"),
)


def efforts(seed: int, learner: str, examples: int) -> Iterator[float]:
    """The effort of each example: tours of 20 points with 100 features per edge."""
    import numpy as np

    from coactor import domains, learners
    from coactor.experts import SimulatedExpert
    from coactor.session import Session

    rng = np.random.default_rng(seed)
    domain = domains.Tour(points=POINTS, features=100)
    expert = SimulatedExpert(domain, rng.random(domain.dim), kappa=0.1)
    session = Session(domain, learners.make(learner, domain.dim))
    for x in domain.sample(rng, examples):
        proposal = session.ask(x)
        yield session.tell(proposal, expert(x, proposal.solution)).effort


def summary(costs: list[float], learner: str, seed: int) -> dict[str, Any]:
    """The result of the demo as data."""
    first, last = sum(costs[:WINDOW]) / WINDOW, sum(costs[-WINDOW:]) / WINDOW
    sentence = (
        f"The first {WINDOW} tours needed {first:.1f} edits each, the last {WINDOW} needed {last:.1f}; "
        f"{sum(costs):.0f} in all for {len(costs)} tours."
    )
    data = {"learner": learner, "seed": seed, "examples": len(costs), "total": sum(costs), "costs": costs}
    return {**data, "first": first, "last": last, "sentence": sentence}


@click.command()
@click.option("--learner", default="CSPER", show_default=True, help="The learner.")
@seed_option
@json_option
@report_errors(ValueError)
def demo(learner: str, seed: int, as_json: bool) -> None:
    """Watch effort fall in the terminal: a simulated expert and one learner, in seconds."""
    if as_json:
        import json

        click.echo(json.dumps(summary(list(efforts(seed, learner, EXAMPLES)), learner, seed)))
        return
    costs: list[float] = []
    for cost in efforts(seed, learner, EXAMPLES):
        if not costs:
            click.echo(
                f"A solver plans tours through {POINTS} points. A simulated expert edits each tour to their "
                f"liking,\nand {learner} learns from the edits. How many edits does a tour need?\n"
            )
        costs.append(cost)
        if len(costs) % WINDOW == 0:
            mean, top = sum(costs[-WINDOW:]) / WINDOW, max(1.0, sum(costs[:WINDOW]) / WINDOW)
            bar = "█" * min(WIDTH, round(WIDTH * mean / top))
            click.echo(f"tours {len(costs) - WINDOW + 1:>3} to {len(costs):>3}  {mean:5.1f} edits  {bar}")
    click.echo(f"\n{summary(costs, learner, seed)['sentence']}\n\nTry next:")
    width = max(len(command) for command, _ in NEXT)
    for command, what in NEXT:
        click.echo(f"  {command:<{width}}   {what}")
