"""Files that ``coactor study create`` reads: a road network, and what ``coactor learn`` wrote."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import orjson

from coactor import loaders
from coactor.domains.roads import network_json
from coactor.protocol import State
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


def learned_from(file: Path) -> State:
    """What ``coactor learn`` wrote to a file. Raises Invalid if the file is not that."""
    try:
        state = orjson.loads(file.read_bytes())
    except orjson.JSONDecodeError as error:
        raise Invalid(f"{file.name} was not written by `coactor learn`: {error}") from error
    if not isinstance(state, dict) or "learner" not in state:
        raise Invalid(f"{file.name} was not written by `coactor learn`: it has no learner.")
    return state if isinstance(state["learner"], dict) else {"learner": state}  # of an older coactor
