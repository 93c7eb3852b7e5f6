"""One state of a learner from those of several shards, which all started at a common state."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

import numpy as np

from coactor import learners
from coactor.learners import ChoiceLearner, Population
from coactor.learners.serialization import pack, unpack
from coactor.learners.units import Units
from coactor.protocol import Matrix, State, Vector


def combine(common: State, states: Sequence[State], counts: Sequence[int]) -> State:
    """One state from those of several shards that all started at `common` and learned `counts` cases."""
    if "single" in common:  # one person
        single = combine(common["single"], [state["single"] for state in states], counts)
        people = [{"person": each["person"]} for each in states[0]["people"]]
        return {
            "learner": common["learner"],
            "weights": single["weights"],
            "single": single,
            "people": people,
        }
    combined = dict(common)
    share = np.array(counts, dtype=np.float64) / max(1, sum(counts))
    if "belief_matrix" in common:
        combined |= _multiply(common, states)
        combined["rounds"] = common["rounds"] + sum(s["rounds"] - common["rounds"] for s in states)
        learner = learners.make(common["learner"], len(common["weights"]))
        learner.restore(combined)
        return learner.state()
    for key, value in common.items():
        if isinstance(value, list):
            combined[key] = (share @ np.array([s[key] for s in states], dtype=np.float64)).tolist()
        elif isinstance(value, dict):
            combined[key] = combine(value, [s[key] for s in states], counts)
        elif key == "rounds":
            combined[key] = value + sum(s[key] - value for s in states)
    return combined


# -- several people ----------------------------------------------------------------------------------------


def unite(common: State, states: Sequence[State], owners: Sequence[Collection[str]]) -> State:
    """One state of the default learner from those of shards that all started at `common`.

    All cases of a person are in one shard, so what they have shown is known there; `owners` has the people
    of each shard. In which directions people differ is the mean of the shards, each weighted by its number
    of cases. Whether there are two groups of people is left to later cases.
    """
    if "single" not in common:  # a committee
        both = {
            key: unite(common[key], [state[key] for state in states], owners) for key in ("quick", "slow")
        }
        return learners.from_state(common | both).state()
    units = _common_units(common["single"], [state["single"] for state in states])
    single = ChoiceLearner(len(units.features))
    single.restore(common["single"])
    single.measure(units)
    united, known = Population.of(single), _population(common)
    sources = dict.fromkeys(known.people, known)
    for state, own in zip(states, owners, strict=True):
        shard = _population(state)
        sources |= {name: shard for name in shard.people if name in own}
    for name, shard in sources.items():
        united.set_back(name, shard)
    counts = [state["rounds"] - common["rounds"] for state in states]
    total = united.state() | {key: common[key] + sum(counts) for key in ("rounds", "moments")}
    if sum(counts):
        share = np.array(counts) / sum(counts)
        shape = (single.dim + 1,) * (1 if isinstance(common["moment"], list) else 2)
        for key in ("directions", "moment"):
            each = [unpack(state, key, united.name, shape) for state in states]
            total[key] = pack(np.tensordot(share, each, 1))
    united.restore(total)
    return united.state()


def _population(state: State) -> Population:
    population = Population(len(state["single"]["units"]))
    population.restore(state)
    return population


# -- products of Gaussian posteriors -------------------------------------------------------------------------


def _multiply(common: State, states: Sequence[State]) -> dict[str, Any]:
    """The posterior of `common` times the message of every shard.

    Natural parameters are the precision P and P m. A posterior is about theta = scale * w, and a shard has
    its own scale for a feature that did not vary before the shards parted. The messages are converted to
    one scale; the prior is about theta, whatever its scale.
    """
    size = len(common["belief_mean"])
    joint = not isinstance(common["belief_matrix"], list)  # a matrix, or a vector of variances
    precise = joint and "belief_wide" not in common  # a matrix of precisions, or else of covariances

    def inverse(matrix: Matrix) -> Matrix:
        """A covariance to a precision, and back."""
        if precise:
            return matrix
        return np.linalg.inv(matrix).astype(np.float64) if joint else 1.0 / matrix

    def natural(state: State) -> tuple[Matrix, Vector]:
        owner = state["learner"]
        mean = unpack(state, "belief_mean", owner, (size,))
        matrix = unpack(state, "belief_matrix", owner, (size, size) if joint else (size,))
        if "belief_wide" in common:
            wide = unpack(state, "belief_wide", owner, (size,))
            matrix = matrix * wide * wide[:, None]
        precision = inverse(matrix)
        return precision, precision @ mean if joint else precision * mean

    def converted(precision: Matrix, pull: Vector, factor: Vector) -> tuple[Matrix, Vector]:
        """The natural parameters of factor * theta."""
        factors = factor * factor[:, None] if joint else factor**2
        return precision / factors, pull / factor

    units = _common_units(common, states)
    lengths = common.get("lengths", True)
    factors = [np.append(_units(state).factors(units, lengths), 1.0) for state in states]
    start = natural(common)
    shards = [natural(state) for state in states]
    messages = [
        converted(precision - start[0], pull - start[1], factor)
        for (precision, pull), factor in zip(shards, factors, strict=True)
    ]
    precision = start[0] + sum(own for own, _ in messages)
    pull = start[1] + sum(own for _, own in messages)
    lowest = np.linalg.eigvalsh(precision)[0] if joint else precision.min()
    if lowest <= 0.0:  # the shards forgot more of the pilot than they learned: average their posteriors
        posteriors = [converted(*own, factor) for own, factor in zip(shards, factors, strict=True)]
        precision = np.mean([own for own, _ in posteriors], axis=0)
        pull = np.mean([own for _, own in posteriors], axis=0)
    mean = np.linalg.solve(precision, pull) if joint else pull / precision
    combined = {
        "belief_mean": pack(mean.astype(np.float64)),
        "belief_matrix": pack(inverse(precision)),
        "units": pack(units.features),
        "length": units.length,
    }
    return combined | ({"belief_wide": pack(np.ones(size))} if "belief_wide" in common else {})


def _common_units(common: State, states: Sequence[State]) -> Units:
    """The units of the features and the length of rows: the pilot's, or the shards' geometric means."""
    sizes = np.array([[*state["units"], state["length"]] for state in (common, *states)])
    shards = np.ma.masked_equal(sizes[1:], 0.0)
    scale = np.where(sizes[0] > 0.0, sizes[0], np.ma.exp(np.ma.log(shards).mean(axis=0)).filled(0.0))
    return Units(scale[:-1], float(scale[-1]))


def _units(state: State) -> Units:
    return Units(np.array(state["units"]), state["length"])
