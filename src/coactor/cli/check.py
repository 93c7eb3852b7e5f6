"""Two small commands: version, and check for a domain or a learner of one's own."""

from __future__ import annotations

import importlib
import importlib.util
import json
import platform
import sys
from importlib.metadata import PackageNotFoundError
from importlib.metadata import version as installed
from pathlib import Path
from types import ModuleType
from typing import Any

import click

import coactor

DOMAIN = ("features", "solve", "moves", "apply")
LEARNER = ("update", "state", "restore")


@click.command()
@click.option("--json", "as_json", is_flag=True, help="Print JSON and nothing else.")
def version(as_json: bool) -> None:
    """Print the version, and those of what it stands on."""
    found = {"coactor": coactor.__version__, "python": platform.python_version()}
    for name in ("numpy", "numba"):
        try:
            found[name] = installed(name)
        except PackageNotFoundError:  # put on the path without being installed
            found[name] = "unknown"
    click.echo(
        json.dumps(found) if as_json else ", ".join(f"{name} {number}" for name, number in found.items())
    )


@click.command()
@click.argument("target", metavar="MODULE:CLASS")
@click.option(
    "--problems", "count", type=click.IntRange(1), default=5, show_default=True, help="How many to try."
)
@click.option("--seed", type=click.IntRange(0), default=0, show_default=True, help="Of all random numbers.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON and nothing else.")
def check(target: str, count: int, seed: int, as_json: bool) -> None:
    """Check a domain or a learner, and say in a sentence what is wrong.

    MODULE is the name of a module, or a file that ends in .py. Problems come from the domain's own
    sample(rng, n), or from a list named `problems` in the module.
    """
    try:
        kind = _check(target, count, seed)
    except ValueError as error:
        if as_json:
            click.echo(json.dumps({"target": target, "ok": False, "message": str(error)}, ensure_ascii=False))
            sys.exit(1)
        raise click.ClickException(str(error)) from error
    message = f"{target} keeps the promises of a {kind}."
    click.echo(
        json.dumps({"target": target, "ok": True, "kind": kind, "message": message}) if as_json else message
    )


def _check(target: str, count: int, seed: int) -> str:
    import numpy as np

    from coactor import checks

    module, thing = _load(target)
    rng = np.random.default_rng(seed)
    if all(hasattr(thing, name) for name in LEARNER):
        if not isinstance(thing, type):
            raise ValueError(
                f"{target} is a learner, not a class; give the class, so that fresh ones can be made."
            )
        checks.check_learner(thing, rng=rng)
        return "learner"
    if not any(hasattr(thing, name) for name in DOMAIN):
        raise ValueError(
            f"{target} is neither a domain ({', '.join(DOMAIN)}) nor a learner ({', '.join(LEARNER)}); "
            "experts are checked from Python: coactor.check_expert."
        )
    domain = _instance(target, thing)
    checks.check_domain(domain, _problems(target, module, domain, count, rng), rng=rng)
    return "domain"


def _load(target: str) -> tuple[ModuleType, Any]:
    where, colon, name = target.rpartition(":")
    if not colon or not where or not name:
        raise ValueError(f"{target!r} is not of the form MODULE:CLASS, for instance mine.knapsack:Knapsack.")
    try:
        module = _module_from_file(Path(where)) if where.endswith(".py") else _module(where)
    except (ImportError, OSError) as error:
        raise ValueError(f"cannot import {where!r}: {error}; is it in this folder or installed?") from error
    if not hasattr(module, name):
        raise ValueError(
            f"{where!r} has no {name!r}; it has {', '.join(n for n in vars(module) if n[0] != '_')}."
        )
    return module, getattr(module, name)


def _module(name: str) -> ModuleType:
    sys.path.insert(0, "")  # a module in this folder, as `python -m` would find it
    try:
        return importlib.import_module(name)
    finally:
        sys.path.remove("")


def _module_from_file(path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(path.stem, path)
    if spec is None or spec.loader is None:
        raise ImportError("not a Python file")
    module = importlib.util.module_from_spec(spec)
    sys.modules[path.stem] = module  # dataclasses look their module up
    spec.loader.exec_module(module)
    return module


def _instance(target: str, thing: Any) -> Any:
    if not isinstance(thing, type):
        return thing
    try:
        return thing()
    except TypeError as error:
        raise ValueError(
            f"{target} cannot be made without arguments ({error}); name an object instead."
        ) from error


def _problems(target: str, module: ModuleType, domain: Any, count: int, rng: Any) -> list[Any]:
    if hasattr(domain, "sample"):
        return list(domain.sample(rng, count))
    given = getattr(module, "problems", None)
    if given is None:
        raise ValueError(
            f"{target} has no sample(rng, n), and its module no list named problems; add one of them."
        )
    return list(given)[:count]
