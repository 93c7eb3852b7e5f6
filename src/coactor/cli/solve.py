"""``coactor solve``: a routing file by its own costs."""

from __future__ import annotations

import json
import math
from pathlib import Path

import click

from coactor.cli.options import json_option, report_errors


@click.command()
@click.argument("file", type=click.Path(path_type=Path))
@click.option(
    "--seconds",
    type=click.FloatRange(0.0, min_open=True),
    default=10.0,
    show_default=True,
    help="Time to search.",
)
@click.option(
    "--engine",
    type=click.Choice(["own", "pyvrp"]),
    help="The solver.  [default: pyvrp if it is installed, else own]",
)
@json_option
@report_errors(ValueError, OSError, ImportError)
def solve(file: Path, seconds: float, engine: str | None, as_json: bool) -> None:
    """Solve a routing FILE by its own costs: VRPLIB, also with PyVRP's sections.

    Prints the cost, the vehicles used and the broken rules and, if a .sol file lies beside FILE, the ratio of
    the cost to the one there; the two may differ by a power of ten.
    """
    from importlib.util import find_spec

    import numpy as np

    from coactor import loaders
    from coactor.domains import Plans
    from coactor.solvers.pyvrp_plans import solve_day

    x, names, weights = loaders.read_routing(file)
    domain = Plans(x.arcs.shape[-1], soft=names)
    engine = engine or ("pyvrp" if find_spec("pyvrp") else "own")
    y = solve_day(domain, x, np.array(weights), seconds, engine)
    cost = -float(np.array(weights) @ domain.features(x, y))
    result = {
        "cost": round(cost, 6),
        "vehicles": sum(len(route) > 0 for route in y[: len(x.capacity)]),
        "stops": x.size,
        "unserved": [x.stops[stop] for route in y[len(x.capacity) :] for stop in route.tolist()],
        "broken": domain.broken(x, y),
        "engine": engine,
        "routes": [[x.stops[stop] for stop in route.tolist()] for route in y[: len(x.capacity)]],
    }
    beside = file.with_suffix(".sol")
    best = loaders.read_solution(beside)[1] if beside.is_file() and beside != file else None
    if best and cost > 0:
        result["ratio"] = round(cost / best / 10 ** round(math.log10(cost / best)), 6)
    if as_json:
        click.echo(json.dumps(result))
        return
    click.echo(f"Cost {cost:g}, {result['vehicles']} vehicles for {x.size} stops ({engine}).")
    if "ratio" in result:
        click.echo(f"{result['ratio']:.4f} times the cost in {beside.name}.")
    broken = domain.broken(x, y)
    click.echo(f"It breaks {len(broken)} rules:" if broken else "It breaks no rule.")
    for text in broken[:20]:
        click.echo(f"- {text}")
