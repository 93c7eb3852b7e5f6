"""Files that ``coactor study create`` reads: a domain, a network, weights, what ``coactor learn`` wrote."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import orjson

from coactor import loaders, plugins
from coactor.domains.roads import network_json
from coactor.protocol import Domain, State
from coactor.studies import catalog
from coactor.studies.errors import Invalid


def with_network(domain: str, given: dict[str, Any], folder: Path) -> dict[str, Any]:
    """Add the network of a folder to the parameters of a study of roads.

    Raises Invalid if the domain is not roads or the files are invalid.
    """
    if domain != "roads":
        raise Invalid(f"--network is for the domain roads, not {domain!r}.")
    try:
        network, _ = loaders.read_roads(folder)
    except ValueError as error:
        raise Invalid(str(error)) from error
    return {**given, "network": network_json.encode(network)}


def domain_of(text: str, parameters: dict[str, Any]) -> Domain:
    """An installed domain by its name, or one from a file. Raises Invalid if there is none."""
    if ":" not in text:
        return catalog.make(text, parameters, limits=False)
    try:
        domain: Domain = plugins.load_domain(text, parameters)
    except ValueError as error:
        raise Invalid(str(error)) from error
    return domain


def start_from(file: Path) -> list[float] | dict[str, float]:
    """The weights in use, as a list or by name. Raises Invalid if the file has neither."""
    try:
        start = orjson.loads(file.read_bytes())
    except orjson.JSONDecodeError as error:
        raise Invalid(f"{file.name} is not valid JSON: {error}") from error
    numbers = start.values() if isinstance(start, dict) else start if isinstance(start, list) else [None]
    if not all(isinstance(n, int | float) and not isinstance(n, bool) for n in numbers):
        raise Invalid(f"{file.name} must hold a list of numbers, or numbers by the names of the features.")
    result: list[float] | dict[str, float] = start
    return result


def learned_from(file: Path) -> State:
    """What ``coactor learn`` wrote to a file. Raises Invalid if the file is not that."""
    try:
        state = orjson.loads(file.read_bytes())
    except orjson.JSONDecodeError as error:
        raise Invalid(f"{file.name} was not written by `coactor learn`: {error}") from error
    if not isinstance(state, dict) or "learner" not in state:
        raise Invalid(f"{file.name} was not written by `coactor learn`: it has no learner.")
    return state if isinstance(state["learner"], dict) else {"learner": state}  # of an older coactor
