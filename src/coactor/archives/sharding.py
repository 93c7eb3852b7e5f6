"""Learn from an archive in shards, each on its own machine, and combine what the shards learned.

Parameter mixing. The archive is cut into shards of consecutive cases. Some cases of the first shard are
learned before the others start (the pilot); every shard continues from there by itself. Then

- the weights of the learners of Algorithm 1 are averaged, each shard weighted by its number of cases
  (McDonald, Hall and Mann 2010);
- the Gaussian posteriors of the default learner are multiplied: each shard's posterior is the pilot's
  posterior times the shard's message, and the pilot's posterior times all messages is the posterior of all
  cases (a Bayesian committee machine).

With several people, the default learner is cut by person: the pilot has their first cases, each shard has all
others of its people, and what the shards know of their people is united. A shard does not see how its people
differ from those of the others. So the last cases of each person (the final cases) are learned afterwards by
the united learner; their predictions choose how much people differ, and whether there are two groups.

One shard gives exactly the result of learning in one go. The memory of all cases is in the order of the
archive, with final cases at the end; while a shard learns it knows the pilot's cases and its own only.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from coactor import learners
from coactor.archives.archives import Archive
from coactor.archives.combining import combine, unite
from coactor.archives.recorded_cases import CaseArchive
from coactor.habits import Memory
from coactor.lab.engine.contenders import OURS, parse_contenders
from coactor.lab.engine.parallel import run_all
from coactor.learners import Population, PopulationCommittee
from coactor.proposals.strategies import Outlook, Strategy
from coactor.protocol import KnowsPeople, PastCase, Problem, Solution, State, has, uses_habits
from coactor.session import Session

PILOT = 20  # cases that are learned before the shards part
FINAL = 50  # cases, besides one of each person, that are learned after the shards


@dataclass(frozen=True, slots=True)
class Shard:
    """Some cases, learned from an initial state; the first `skip` are recorded, but not learned.

    With a guard, as in a replay of the default learner, each shard counts for itself what is left to edit.
    """

    cases: Sequence[int]
    state: State
    guard: bool
    skip: int = 0

    @property
    def learned(self) -> Sequence[int]:
        """The cases that are learned."""
        return self.cases[self.skip :]

    def __str__(self) -> str:
        return f"{len(self.cases)} cases from {self.cases[0]} on"


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
    if contender.sharing:
        raise ValueError(f"{learner!r} is for comparisons; learn with {contender.learner!r} instead.")
    if not 1 <= shards <= archive.size:
        raise ValueError(
            f"The number of shards is {shards}; expected 1 to {archive.size}, the number of cases."
        )
    new = contender.make(archive.domain.dim, archive.start)
    whole = Shard(range(archive.size), {"learner": new.state()}, contender.learner == OURS)
    if shards == 1:
        return _in_one_go(archive, whole, silent)
    people = archive.people if isinstance(archive, CaseArchive) and has(new, KnowsPeople) else ()
    several = len(set(people)) > 1
    if several and not isinstance(new, Population | PopulationCommittee):
        raise ValueError(
            f"What shards of several people teach {learner!r} cannot be combined; use one shard, or default."
        )
    cut = _by_person(people, shards) if several else _consecutive(archive.size, shards)
    ((common, spent),) = run_all(_learn, archive, [replace(whole, cases=cut.pilot)])
    if several and len(_people_in(common)) < 2:  # the pilot's cases of all others taught nothing
        return _in_one_go(archive, whole, silent)
    skips = [len(cut.pilot) if part[: len(cut.pilot)] == cut.pilot else 0 for part in cut.parts]
    tasks = [Shard(part, common, whole.guard, skip) for part, skip in zip(cut.parts, skips, strict=True)]
    results = run_all(_learn, archive, tasks, jobs=jobs, cluster=cluster, silent=silent)
    spent += sum(total for _, total in results)
    states = [one["learner"] for one, _ in results]
    if several:
        united = unite(common["learner"], states, [{people[k] for k in part} for part in cut.parts])
    else:
        united = combine(common["learner"], states, [len(task.learned) for task in tasks])
    state = {**common, "learner": united}
    if "memory" in common:
        cases = [(one["memory"], task.learned) for (one, _), task in zip(results, tasks, strict=True)]
        state["memory"] = _combine_memories([(common["memory"], cut.pilot), *cases])
    if cut.final:
        ((state, total),) = run_all(_learn, archive, [Shard(cut.final, state, whole.guard)])
        spent += total
    return state, spent / archive.size


def _in_one_go(archive: Archive, whole: Shard, silent: bool) -> tuple[State, float]:
    ((state, total),) = run_all(_learn, archive, [whole], silent=silent)
    return state, total / archive.size


def _people_in(state: State) -> tuple[str, ...]:
    learner = learners.from_state(state["learner"])
    return learner.people if has(learner, KnowsPeople) else ()


class Cut(NamedTuple):
    """The cases that are learned first, the parts that are learned separately, and the final cases."""

    pilot: Sequence[int]
    parts: Sequence[Sequence[int]]
    final: Sequence[int] = ()


def _consecutive(size: int, shards: int) -> Cut:
    """Parts of consecutive cases; the first one begins with the pilot."""
    bounds = np.linspace(0, size, shards + 1).round().astype(int).tolist()
    return Cut(range(min(PILOT, bounds[1])), [range(a, b) for a, b in itertools.pairwise(bounds)])


def _by_person(people: Sequence[str], shards: int) -> Cut:
    """Parts of about equal size, each with all cases of its people but those of the pilot and the final ones.

    The pilot has the first case of each person, then the second ones, and so on; the final cases are the last
    ones likewise. People are drawn, so that a shard has people of all kinds.
    """
    cases: dict[str, list[int]] = {}
    for k, name in enumerate(people):
        cases.setdefault(name, []).append(k)
    turn = {k: n for own in cases.values() for n, k in enumerate(own)}
    left = {k: n for own in cases.values() for n, k in enumerate(reversed(own))}
    every = range(len(people))
    pilot = sorted(every, key=turn.__getitem__)[: max(2, min(PILOT, len(people) // shards))]
    final = sorted(every, key=left.__getitem__)[: min(len(cases) + FINAL, len(people) // 5)]
    elsewhere = {*pilot, *final}
    drawn = np.random.default_rng(0).permutation(np.array(list(cases), dtype=object)).tolist()
    parts: list[list[int]] = [[] for _ in range(shards)]
    for name in sorted(drawn, key=lambda name: -len(cases[name])):
        min(parts, key=len).extend(k for k in cases[name] if k not in elsewhere)
    rest = sorted(set(final) - set(pilot))
    return Cut(sorted(pilot), [sorted(part) for part in parts if part], rest)


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
    for k, case in enumerate(archive.replay(shard.cases, shard.cases[0])):
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


def _combine_memories(parts: Sequence[tuple[State, Sequence[int]]]) -> State:
    """The cases of the pilot and those that each shard learned, in the order of the archive.

    The scores of half-lives are those of the last shard, because they forget.
    """
    cases: dict[int, PastCase] = {}
    for state, learned in parts:
        if learned:
            last = Memory.of(state)
            cases |= zip(learned, last.cases()[-len(learned) :], strict=True)
    return Memory.holding([cases[number] for number in sorted(cases)], last.scores).state()
