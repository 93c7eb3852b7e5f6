"""What ``coactor study create`` reads from files: a road network, and a learner that has learned before."""

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
    """The parameters of a study of roads, with the network of a folder.

    The habits of those who drove there before are kept as a feature of its turns: a trip then needs nothing
    but its two ends.
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
    """The learner that ``coactor learn`` wrote into a file."""
    try:
        return learners.from_state(orjson.loads(file.read_bytes()))
    except (ValueError, KeyError, TypeError) as error:
        raise Invalid(f"{file.name} is no learner that `coactor learn` wrote: {error}") from error
