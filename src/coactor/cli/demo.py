"""A demo in the terminal: how the effort falls, as bars."""

from __future__ import annotations

import json
from collections.abc import Iterator

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


@click.command()
@click.option("--learner", default="CSPER", show_default=True, help="The learner.")
@seed_option
@json_option
@report_errors(ValueError)
def demo(learner: str, seed: int, as_json: bool) -> None:
    """Watch effort fall in the terminal: a simulated expert and one learner, in seconds."""
    costs: list[float] = []
    for cost in efforts(seed, learner, EXAMPLES):
        if not (costs or as_json):
            click.echo(
                f"A solver plans tours through {POINTS} points. A simulated expert edits each tour to their "
                f"liking,\nand {learner} learns from the edits. How many edits does a tour need?\n"
            )
        costs.append(cost)
        if len(costs) % WINDOW == 0 and not as_json:
            mean, top = sum(costs[-WINDOW:]) / WINDOW, max(1.0, sum(costs[:WINDOW]) / WINDOW)
            bar = "█" * min(WIDTH, round(WIDTH * mean / top))
            click.echo(f"tours {len(costs) - WINDOW + 1:>3} to {len(costs):>3}  {mean:5.1f} edits  {bar}")
    total, first, last = sum(costs), sum(costs[:WINDOW]) / WINDOW, sum(costs[-WINDOW:]) / WINDOW
    sentence = (
        f"The first {WINDOW} tours needed {first:.1f} edits each, the last {WINDOW} needed {last:.1f}; "
        f"{total:.0f} in all for {len(costs)} tours."
    )
    if as_json:
        data = {"learner": learner, "seed": seed, "total": total, "costs": costs, "sentence": sentence}
        click.echo(json.dumps(data))
        return
    click.echo(f"\n{sentence}\n\nTry next:")
    for command, what in NEXT:
        click.echo(f"  {command:<52}   {what}")
