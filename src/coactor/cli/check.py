"""The command check."""

from __future__ import annotations

import json
import sys
import time
from types import ModuleType
from typing import Any

import click

from coactor.cli.options import json_option, seed_option

DOMAIN = ("features", "solve", "moves", "apply")
LEARNER = ("update", "state", "restore")


@click.command()
@click.argument("target", metavar="MODULE:CLASS")
@click.option("--problems", "count", type=click.IntRange(1), default=5, help="Problems to try.")
@seed_option
@json_option
def check(target: str, count: int, seed: int, as_json: bool) -> None:
    """Check a domain or a learner of your own, and say what is wrong with it.

    MODULE is the name of a module, or the path of a file that ends in .py. Problems come from the domain's
    sample(rng, n), or from a list named `problems` in the module.
    """
    try:
        kind, notes = _check(target, count, seed)
    except ValueError as error:
        if as_json:
            click.echo(json.dumps({"target": target, "ok": False, "message": str(error)}, ensure_ascii=False))
            sys.exit(1)
        raise click.ClickException(str(error)) from error
    message = f"{target} is a valid {kind}."
    result = {"target": target, "ok": True, "kind": kind, "message": message, "notes": notes}
    text = "\n  ".join([message, *notes])
    click.echo(json.dumps(result, ensure_ascii=False) if as_json else text)


def _check(target: str, count: int, seed: int) -> tuple[str, list[str]]:
    """Check the target; returns "domain" or "learner", and notes. Raises ValueError if it is not valid."""
    import numpy as np

    from coactor import checks
    from coactor.plugins import load, make_domain

    module, thing = load(target)
    rng = np.random.default_rng(seed)
    if all(hasattr(thing, name) for name in LEARNER):
        if not isinstance(thing, type):
            raise ValueError(f"{target} is an object; give the class of the learner, so that it can be made.")
        checks.check_learner(thing, rng=rng, steady=False)
        try:
            checks.check_learner(thing, rng=rng)
        except checks.CheckError as error:  # right for an average, an oversight elsewhere
            return "learner", [str(error)]
        return "learner", []
    if not any(hasattr(thing, name) for name in DOMAIN):
        raise ValueError(
            f"{target} is neither a domain ({', '.join(DOMAIN)}) nor a learner ({', '.join(LEARNER)}). "
            "Experts are checked from Python: coactor.check_expert."
        )
    domain = make_domain(target, thing, {})
    problems = _problems(target, module, domain, count, rng)
    checks.check_domain(domain, problems, rng=rng)
    return "domain", _notes(domain, problems)


def _notes(domain: Any, problems: list[Any]) -> list[str]:
    """What was tried, and what would make a valid domain faster or easier to use; a sentence each."""
    import numpy as np

    from coactor import search
    from coactor.protocol import (
        BROKEN,
        CountsEdits,
        Describes,
        Shows,
        Validates,
        Vectorises,
        feature_names,
        feature_signs,
        has,
    )
    from coactor.solutions import solution_key

    counts, repeated, solving, looking = [], 0, 0.0, 0.0
    largest = np.full(domain.dim, -np.inf)
    sizes = np.zeros(domain.dim)
    w = np.ones(domain.dim)
    for x in problems:
        start = time.perf_counter()
        y = domain.solve(x, w)
        solved = time.perf_counter()
        rows = search.move_features(domain, x, y)
        looking += time.perf_counter() - solved
        solving += solved - start
        counts.append(len(rows))
        largest = np.maximum(largest, domain.features(x, y))
        neighbours = [solution_key(domain.apply(x, y, move)) for move in domain.moves(x, y)]
        repeated += len(neighbours) - len(set(neighbours))
        if len(rows):
            sizes += np.abs(rows).mean(axis=0)
    n = len(problems)
    moves = " to ".join(map(str, sorted({min(counts), max(counts)})))
    notes = [
        f"Tried {n} problems with {domain.dim} features and {moves} moves: solved in "
        f"{1000 * solving / n:,.1f} ms, features of all moves in {1000 * looking / n:,.1f} ms."
    ]
    names, unnamed = feature_names(domain), not hasattr(domain, "feature_names")
    positive_costs = (largest > 0) & (np.array(feature_signs(domain)) < 0)
    slow = (
        "The default learner's proposals call solve several times; make it faster, or give them "
        "less time: Session(..., budget=0.5)."
    )
    remarks = {
        slow: solving / n > 0.05,
        "Without feature_names, reports speak of feature 1, feature 2, ...": unnamed,
        "feature_signs says -1 of a feature that is above 0; return minus the costs.": positive_costs.any(),
        f"{repeated} of {sum(counts)} moves lead to the same solution as another move.": repeated,
    }
    notes += [remark for remark, holds in remarks.items() if holds]
    without = {
        Vectorises: "features_along and move_features would make rounds faster.",
        Shows: "Without show, the page shows solutions as plain data.",
        Describes: "Without describe_edit, the page names edits by operator and numbers.",
        Validates: "Without check_solution, an invalid solution is noticed only if another method raises.",
        CountsEdits: "Without edits_between, the effort of a final solution alone is estimated by search.",
    }
    notes += [note for ability, note in without.items() if not has(domain, ability)]
    notes += [
        f"No move changes {name!r}, so nothing can be learned about it."
        for name, size in zip(names, sizes, strict=True)
        if size == 0 and not name.startswith(BROKEN)  # moves that break rules are not offered
    ]
    if sizes.max() > 1000 * sizes[sizes > 0].min(initial=np.inf):
        notes.append(
            f"A move changes {names[sizes.argmax()]!r} over 1000 times as much as "
            f"{names[np.where(sizes > 0, sizes, np.inf).argmin()]!r}; give features similar sizes."
        )
    return notes


def _problems(target: str, module: ModuleType, domain: Any, count: int, rng: Any) -> list[Any]:
    from coactor.protocol import Samples, has

    if has(domain, Samples):
        sampled = domain.sample(rng, count)
        if isinstance(sampled, dict | str):
            raise ValueError(f"sample(rng, n) returned a {type(sampled).__name__}; it must yield problems.")
        return list(sampled)
    problems = getattr(module, "problems", None)
    if problems is None:
        raise ValueError(
            f"{target} has no sample(rng, n), and its module has no list named problems; add one of them."
        )
    return list(problems)[:count]
