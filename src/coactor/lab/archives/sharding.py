"""Learning from an archive in parts, each on its own machine, and mixing what was learned.

Parameter mixing. The archive is cut into shards of consecutive cases. A few cases of the first shard are
learned before all else (they fix the units of the default learner); every shard goes on from there alone.
Then

- learners of Algorithm 1 are mixed by the mean of their weights, each shard counting by its cases (McDonald,
  Hall and Mann 2010);
- the default learner's beliefs are multiplied: each shard's belief is the common start times what the shard
said, so
  the product of the shards' messages times the start is the belief that saw everything (a Bayesian
  committee machine).

One shard gives exactly what learning in one go gives. Habits are those of the shard: a shard does not see
the trips or days of the others.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from coactor import Session
from coactor import learners as known
from coactor.lab.archives.archives import Archive
from coactor.lab.archives.contenders import parse_line
from coactor.lab.archives.parallel import run_all
from coactor.learners.serialization import pack, unpack
from coactor.protocol import Learner, Matrix, State, Vector

PILOT = 20  # cases learned before the shards part


@dataclass(frozen=True, slots=True)
class Shard:
    """Consecutive cases, learned on from a state; the first `skip` only make history."""

    first: int
    last: int
    state: State
    skip: int = 0

    def __str__(self) -> str:
        return f"cases {self.first} to {self.last}"


def learn_shards(
    archive: Archive, line: str, shards: int = 1, *, jobs: int = 1, cluster: str | None = None
) -> tuple[State, float]:
    """Learn from an archive, cut into shards; returns the learner's state and the effort a case.

    Parameters
    ----------
    archive
        What people did.
    line
        A line that learns, such as "default" or "PER@start".
    shards
        How many parts.
    jobs, cluster
        Where the parts are learned.
    """
    parsed = parse_line(line)
    if not parsed.learner:
        raise ValueError(f"{line!r} does not learn; name a learner, such as default or PER@start.")
    if shards > archive.size:
        raise ValueError(f"{shards} shards were asked for; the archive has {archive.size} cases.")
    start = parsed.make(archive.domain.dim, archive.start).state()
    bounds = np.linspace(0, archive.size, shards + 1).round().astype(int).tolist()
    if shards == 1:
        states, total = run_all(_learn, archive, [Shard(0, archive.size, start)])[0]
        return states, total / archive.size
    pilot = min(PILOT, bounds[1])
    common, spent = _learn(archive, Shard(0, pilot, start))
    parts = [Shard(a, b, common, pilot if a == 0 else 0) for a, b in itertools.pairwise(bounds)]
    found = run_all(_learn, archive, parts, jobs=jobs, cluster=cluster)
    counts = [part.last - part.first - part.skip for part in parts]
    state = mix(common, [state for state, _ in found], counts)
    return state, (spent + sum(total for _, total in found)) / archive.size


def mix(common: State, states: Sequence[State], counts: Sequence[int]) -> State:
    """One state from several that started at the common one."""
    mixed = dict(common)
    share = np.array(counts, dtype=np.float64) / max(1, sum(counts))
    if "belief_matrix" in common:
        mixed.update(_multiplied(common, states))
        mixed["rounds"] = common["rounds"] + sum(s["rounds"] - common["rounds"] for s in states)
        learner = known.make(common["learner"], len(common["weights"]))
        learner.restore(mixed)
        return learner.state()
    for key, value in common.items():
        if isinstance(value, list):
            mixed[key] = (share @ np.array([s[key] for s in states], dtype=np.float64)).tolist()
        elif isinstance(value, dict):
            mixed[key] = mix(value, [s[key] for s in states], counts)
        elif key == "rounds":
            mixed[key] = value + sum(s[key] - value for s in states)
    return mixed


def _multiplied(common: State, states: Sequence[State]) -> dict[str, Any]:
    """The product of Gaussian beliefs, the common start counted once."""
    size = len(common["belief_mean"])
    joint = not isinstance(common["belief_matrix"], list)  # a matrix, or a vector of variances
    precise = joint and "belief_wide" not in common  # a matrix of precisions, or else of covariances

    def turned(matrix: Matrix) -> Matrix:
        """To precisions, and back."""
        if precise:
            return matrix
        return np.linalg.inv(matrix).astype(np.float64) if joint else 1.0 / matrix

    def message(state: State) -> tuple[Vector, Vector]:
        """The natural parameters: precision, and precision times mean."""
        owner = state["learner"]
        mean = unpack(state, "belief_mean", owner, (size,))
        matrix = unpack(state, "belief_matrix", owner, (size, size) if joint else (size,))
        if "belief_wide" in common:
            wide = unpack(state, "belief_wide", owner, (size,))
            matrix = matrix * wide * wide[:, None]
        precision = turned(matrix)
        return precision, precision @ mean if joint else precision * mean

    start = message(common)
    parts = [message(state) for state in states]
    precision = start[0] + sum(own - start[0] for own, _ in parts)
    pull = start[1] + sum(own - start[1] for _, own in parts)
    lowest = np.linalg.eigvalsh(precision)[0] if joint else precision.min()
    if lowest <= 0.0:  # the shards forgot more of the start than they learned: their mean is what is left
        precision = np.mean([own for own, _ in parts], axis=0)
        pull = np.mean([own for _, own in parts], axis=0)
    mean = np.linalg.solve(precision, pull) if joint else pull / precision
    mixed = {"belief_mean": pack(mean.astype(np.float64)), "belief_matrix": pack(turned(precision))}
    return mixed | ({"belief_wide": pack(np.ones(size))} if "belief_wide" in common else {})


def _learn(archive: Archive, shard: Shard) -> tuple[State, float]:
    learner: Learner = known.from_state(shard.state)
    session = Session(archive.domain, learner, proposals="paper")
    for k, case in enumerate(archive.replay(range(shard.first, shard.last), shard.first)):
        if k < shard.skip:
            continue
        proposal = session.ask(case.problem)
        session.tell(proposal, case.expert(case.problem, proposal.solution))
    return learner.state(), float(sum(session.efforts))
