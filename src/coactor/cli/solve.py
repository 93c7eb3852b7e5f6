"""``coactor solve``: a routing file by its own costs."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import click

from coactor.cli.options import Finite, NewFile, counted, json_option, noted, report_errors


@click.command()
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--seconds", type=Finite(0.0, min_open=True), default=10.0, help="Time to search.")
@click.option(
    "--engine",
    type=click.Choice(["own", "pyvrp"]),
    help="The solver.  [default: pyvrp if it is installed, else own]",
)
@click.option(
    "--out",
    type=NewFile(),
    help="Write the plan: .csv with a line for each stop, or, of a request of VROOM, its .json.",
)
@json_option
@report_errors(ValueError, OSError, ImportError)
def solve(file: Path, seconds: float, engine: str | None, out: Path | None, as_json: bool) -> None:
    """Solve a routing FILE by its own costs: VRPLIB, also with PyVRP's sections, or VROOM's JSON.

    Prints the cost, the vehicles used and the broken rules and, if a .sol file lies beside FILE, the ratio of
    the cost to the one there; the two may differ by a power of ten.
    """
    from importlib.util import find_spec

    import numpy as np

    from coactor import loaders
    from coactor.domains import Plans
    from coactor.solvers.pyvrp_engine import solve_day

    if out is not None and out.suffix not in (".csv", ".json"):
        raise ValueError(f"--out is {out}; expected a file that ends in .csv or .json.")
    if out is not None and out.suffix == ".json" != file.suffix:
        raise ValueError(f"{file} is not a request of VROOM; write the plan to a .csv file.")
    x, names, weights = noted(lambda: loaders.read_routing(file))
    domain = Plans(x.arcs.shape[-1], soft=names)
    engine = engine or ("pyvrp" if find_spec("pyvrp") else "own")
    y = solve_day(domain, x, np.array(weights), seconds, engine)
    cost = -float(np.array(weights) @ domain.features(x, y))
    result: dict[str, Any] = {
        "cost": round(cost, 6),
        "vehicles": sum(len(route) > 0 for route in y[: len(x.capacity)]),
        "stops": x.size,
        "unserved": [x.stops[stop] for route in y[len(x.capacity) :] for stop in route.tolist()],
        "broken": domain.broken(x, y),
        "engine": engine,
        "routes": [[x.stops[stop] for stop in route.tolist()] for route in y[: len(x.capacity)]],
    }
    if out is not None:
        (loaders.write_routes if out.suffix == ".csv" else loaders.write_vroom_solution)(out, x, y)
    beside = file.with_suffix(".sol")
    best = loaders.read_solution(beside)[1] if beside.is_file() and beside != file else None
    if best and cost > 0:
        result["ratio"] = round(cost / best / 10 ** round(math.log10(cost / best)), 6)
    if as_json:
        click.echo(json.dumps(result))
        return
    size = f"{counted(result['vehicles'], 'vehicle')} for {counted(x.size, 'stop')}"
    click.echo(f"Cost {cost:g}, {size} ({engine}).")
    if left := result["unserved"]:
        click.echo(f"{counted(len(left), 'stop')} left out: {', '.join(left[:20])}.")
    if "ratio" in result:
        click.echo(f"{result['ratio']:.4f} times the cost in {beside.name}.")
    broken = domain.broken(x, y)
    click.echo(f"It breaks {counted(len(broken), 'rule')}:" if broken else "It breaks no rule.")
    for text in broken[:20]:
        click.echo(f"- {text}")
