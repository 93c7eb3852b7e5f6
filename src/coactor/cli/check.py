"""The commands version and check."""

from __future__ import annotations

import json
import platform
import sys
from importlib.metadata import PackageNotFoundError
from importlib.metadata import version as installed
from types import ModuleType
from typing import Any

import click

import coactor
from coactor.cli.options import json_option, seed_option

DOMAIN = ("features", "solve", "moves", "apply")
LEARNER = ("update", "state", "restore")


@click.command()
@json_option
def version(as_json: bool) -> None:
    """Print the versions of coactor, Python, numpy and numba."""
    versions = {"coactor": coactor.__version__, "python": platform.python_version()}
    for name in ("numpy", "numba"):
        try:
            versions[name] = installed(name)
        except PackageNotFoundError:  # on the path, but not installed
            versions[name] = "unknown"
    text = ", ".join(f"{name} {number}" for name, number in versions.items())
    click.echo(json.dumps(versions) if as_json else text)


@click.command()
@click.argument("target", metavar="MODULE:CLASS")
@click.option(
    "--problems", "count", type=click.IntRange(1), default=5, show_default=True, help="Problems to try."
)
@seed_option
@json_option
def check(target: str, count: int, seed: int, as_json: bool) -> None:
    """Check a domain or a learner of your own, and say what is wrong with it.

    MODULE is the name of a module, or the path of a file that ends in .py. Problems come from the domain's
    sample(rng, n), or from a list named `problems` in the module.
    """
    try:
        kind = _check(target, count, seed)
    except ValueError as error:
        if as_json:
            click.echo(json.dumps({"target": target, "ok": False, "message": str(error)}, ensure_ascii=False))
            sys.exit(1)
        raise click.ClickException(str(error)) from error
    message = f"{target} is a valid {kind}."
    result = {"target": target, "ok": True, "kind": kind, "message": message}
    click.echo(json.dumps(result) if as_json else message)


def _check(target: str, count: int, seed: int) -> str:
    """Check the target; returns whether it is a domain or a learner. Raises ValueError if it is not valid."""
    import numpy as np

    from coactor import checks
    from coactor.plugins import load

    module, thing = load(target)
    rng = np.random.default_rng(seed)
    if all(hasattr(thing, name) for name in LEARNER):
        if not isinstance(thing, type):
            raise ValueError(f"{target} is an object; give the class of the learner, so that it can be made.")
        checks.check_learner(thing, rng=rng)
        return "learner"
    if not any(hasattr(thing, name) for name in DOMAIN):
        raise ValueError(
            f"{target} is neither a domain ({', '.join(DOMAIN)}) nor a learner ({', '.join(LEARNER)}). "
            "Experts are checked from Python: coactor.check_expert."
        )
    domain = _instance(target, thing)
    checks.check_domain(domain, _problems(target, module, domain, count, rng), rng=rng)
    return "domain"


def _instance(target: str, thing: Any) -> Any:
    if not isinstance(thing, type):
        return thing
    try:
        return thing()
    except TypeError as error:
        raise ValueError(
            f"{target} cannot be made without arguments ({error}); give an object instead of a class."
        ) from error


def _problems(target: str, module: ModuleType, domain: Any, count: int, rng: Any) -> list[Any]:
    if hasattr(domain, "sample"):
        return list(domain.sample(rng, count))
    problems = getattr(module, "problems", None)
    if problems is None:
        raise ValueError(
            f"{target} has no sample(rng, n), and its module has no list named problems; add one of them."
        )
    return list(problems)[:count]
