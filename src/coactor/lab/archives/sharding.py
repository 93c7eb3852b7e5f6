"""Learn from an archive in shards, each on its own machine, and combine what the shards learned.

Parameter mixing. The archive is cut into shards of consecutive cases. Some cases of the first shard are
learned before the others start (the pilot); every shard continues from there by itself. Then

- the weights of the learners of Algorithm 1 are averaged, each shard weighted by its number of cases
  (McDonald, Hall and Mann 2010);
- the Gaussian posteriors of the default learner are multiplied: each shard's posterior is the pilot's
  posterior times the shard's message, and the pilot's posterior times all messages is the posterior of all
  cases (a Bayesian committee machine).

One shard gives exactly the result of learning in one go. The memory of all cases is that of the shards in
order, but while a shard learns it knows the pilot's cases and its own only.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from coactor import learners
from coactor.lab.archives.archives import Archive
from coactor.lab.archives.recorded_cases import CaseArchive
from coactor.lab.engine.contenders import OURS, parse_contenders
from coactor.lab.engine.parallel import run_all
from coactor.learners.serialization import pack, unpack
from coactor.memory import Memory
from coactor.proposals.strategies import Outlook, Strategy
from coactor.protocol import Matrix, Problem, Solution, State, Vector, uses_habits
from coactor.session import Session

PILOT = 20  # cases that are learned before the shards part


@dataclass(frozen=True, slots=True)
class Shard:
    """Consecutive cases, learned from an initial state; the first `skip` are recorded, but not learned.

    With a guard, as in a replay of the default learner, each shard counts for itself what is left to edit.
    """

    first: int
    last: int
    state: State
    guard: bool
    skip: int = 0

    def __str__(self) -> str:
        return f"cases {self.first} to {self.last}"


def learn_archive(
    archive: Archive,
    learner: str = "default",
    shards: int = 1,
    *,
    jobs: int | None = None,
    cluster: str | None = None,
    silent: bool = True,
) -> tuple[State, float]:
    """Learn from all cases of an archive, in its own order.

    Parameters
    ----------
    archive
        From `open_archive`.
    learner
        A contender that learns, such as "default" or "PER@start".
    shards
        The number of parts that are learned separately and then combined.
    jobs, cluster, silent
        Processes on this machine (by default one per core), or the address of a Dask scheduler; show no
        progress.

    Returns the states of learner and memory and the kinds of habits, with which `coactor.open_study` can
    create a study; and the mean effort per case.
    """
    (contender,) = parse_contenders([learner], "archive", "paper")
    if not contender.learner:
        raise ValueError(f"{learner!r} does not learn; name a learner, such as default or PER@start.")
    if not 1 <= shards <= archive.size:
        raise ValueError(
            f"The number of shards is {shards}; expected 1 to {archive.size}, the number of cases."
        )
    start = {"learner": contender.make(archive.domain.dim, archive.start).state()}
    guard = contender.learner == OURS
    bounds = np.linspace(0, archive.size, shards + 1).round().astype(int).tolist()
    if shards == 1:
        ((state, total),) = run_all(_learn, archive, [Shard(0, archive.size, start, guard)], silent=silent)
        return state, total / archive.size
    pilot = min(PILOT, bounds[1])
    ((common, spent),) = run_all(_learn, archive, [Shard(0, pilot, start, guard)])
    parts = [Shard(a, b, common, guard, pilot if a == 0 else 0) for a, b in itertools.pairwise(bounds)]
    results = run_all(_learn, archive, parts, jobs=jobs, cluster=cluster, silent=silent)
    counts = [part.last - part.first - part.skip for part in parts]
    states = [state for state, _ in results]
    state = {**common, "learner": combine(common["learner"], [one["learner"] for one in states], counts)}
    if "memory" in common:
        state["memory"] = _combine_memories(common["memory"], [one["memory"] for one in states], counts)
    return state, (spent + sum(total for _, total in results)) / archive.size


def _learn(archive: Archive, shard: Shard) -> tuple[State, float]:
    shown: Solution | None = None  # to the person, in the current case

    def recorded(x: Problem, outlook: Outlook, stream: Sequence[int]) -> Solution:
        """What was shown to the person; what the learner would propose if that was not recorded."""
        return archive.domain.solve(x, outlook.weights) if shown is None else shown

    proposals: str | Strategy = recorded if isinstance(archive, CaseArchive) else "paper"
    learner = learners.from_state(shard.state["learner"])
    session = Session(archive.domain, learner, proposals=proposals, guard=shard.guard)
    memory = session.knowledge.memory
    if memory is not None and "memory" in shard.state:
        memory.restore(shard.state["memory"])
    for k, case in enumerate(archive.replay(range(shard.first, shard.last), shard.first)):
        if k < shard.skip:
            continue
        shown = case.proposed
        proposal = session.ask(case.problem, actor=case.person)
        if case.moves is not None:
            session.tell(proposal, moves=case.moves, actor=case.person)
        else:
            correction = case.expert(proposal.problem, proposal.solution)
            session.tell(proposal, correction, actor=case.person)
    state: State = {"learner": session.learner.state()}
    if memory is not None and uses_habits(archive.domain):
        state |= {"memory": memory.state(), "habits": list(archive.domain.habits)}
    return state, float(sum(session.efforts))


def _combine_memories(common: State, states: Sequence[State], counts: Sequence[int]) -> State:
    """The cases of the pilot, then those of each shard; shards began with the pilot's.

    The scores of half-lives are those of the last shard, because they forget.
    """
    last = Memory.of(common)
    cases = last.cases()
    for state, count in zip(states, counts, strict=True):
        if count:
            last = Memory.of(state)
            cases += last.cases()[-count:]
    return Memory.holding(cases, last.scores).state()


def combine(common: State, states: Sequence[State], counts: Sequence[int]) -> State:
    """One state from those of several shards that all started at `common` and learned `counts` cases."""
    if "single" in common:  # one posterior for all people of the archive
        single = combine(common["single"], [state["single"] for state in states], counts)
        people = [{"person": each["person"]} for each in states[0]["people"][:1]]
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

    units, length = _common_scale(common, states)
    factors = [_factor(state, units, length) for state in states]
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
        "units": pack(units),
        "length": length,
    }
    return combined | ({"belief_wide": pack(np.ones(size))} if "belief_wide" in common else {})


def _common_scale(common: State, states: Sequence[State]) -> tuple[Vector, float]:
    """The units of the features and the length of rows: the pilot's, or the shards' geometric means."""
    sizes = np.array([[*state["units"], state["length"]] for state in (common, *states)])
    shards = np.ma.masked_equal(sizes[1:], 0.0)
    scale = np.where(sizes[0] > 0.0, sizes[0], np.ma.exp(np.ma.log(shards).mean(axis=0)).filled(0.0))
    return scale[:-1], float(scale[-1])


def _factor(state: State, units: Vector, length: float) -> Vector:
    """Converts theta of a shard to the common scale; 1 where the shard has no scale yet."""
    own = np.array(state["units"])
    factor = np.where(own > 0.0, units / np.where(own > 0.0, own, 1.0), 1.0)
    if state.get("lengths", True) and state["length"] > 0.0:  # otherwise rows count by their direction alone
        factor = factor * (length / state["length"])
    return np.append(factor, 1.0)
