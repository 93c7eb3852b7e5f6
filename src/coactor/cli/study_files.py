"""Files that ``coactor study create`` reads: a road network, and the state of a learner."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import orjson

from coactor import learners, loaders
from coactor.domains import Habits
from coactor.domains.roads import network_json
from coactor.protocol import Learner
from coactor.studies.errors import Invalid


def with_network(domain: str, given: dict[str, Any], folder: Path, habit: bool) -> dict[str, Any]:
    """Add the network of a folder to the parameters of a study of roads.

    How unusual each turn is on past trips becomes a feature of the network, so that a trip needs nothing but
    its two ends. Raises Invalid if the domain is not roads or the files are invalid.
    """
    if domain != "roads":
        raise Invalid(f"--network is for the domain roads, not {domain!r}.")
    try:
        network, trips = loaders.read_roads(folder)
    except ValueError as error:
        raise Invalid(str(error)) from error
    if habit and trips is not None:
        habits = Habits(network)
        for links in trips:
            habits.record(links)
        network = habits.frozen()
    return {"habit": False, **given, "network": network_json.encode(network)}


def learner_from(file: Path) -> Learner:
    """The learner that ``coactor learn`` wrote to a file. Raises Invalid if the file is not one."""
    try:
        return learners.from_state(orjson.loads(file.read_bytes()))
    except (ValueError, KeyError, TypeError) as error:
        raise Invalid(f"{file.name} was not written by `coactor learn`: {error}") from error
