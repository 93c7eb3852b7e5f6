"""One run of one panel: problems are made once and shown to every line; out come plain arrays.

Random streams are addressed, not advanced: [seed, stream, run, purpose]. So a line more, a panel less or
another order of work changes no other number.
"""

from __future__ import annotations

import threading
import zlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import islice

import numpy as np
from threadpoolctl import threadpool_limits

from coactor import Session, SimulatedExpert, loaders, search
from coactor.domains import Query
from coactor.experts import Policy
from coactor.lab.lines import EXPERT, PAPER, Line
from coactor.lab.panels import DataFile, Panel
from coactor.lab.theorem import THEOREM_EXAMPLES, TheoremRow, Watcher
from coactor.lab.twin import Twin
from coactor.protocol import Correction, Domain, Matrix, Problem, Vector

_WEIGHTS, _PROBLEMS, _EXPERT, _LINE = range(4)


@dataclass(frozen=True, slots=True)
class Unit:
    """The smallest piece of work that is saved, resumed and sent to a worker."""

    panel: Panel
    run: int
    seed: int
    examples: int
    lines: tuple[Line, ...]
    policy: Policy = "first"
    theorem: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class UnitResult:
    """What a unit measured: effort and final utility, shape (lines, examples)."""

    costs: Matrix
    utilities: Matrix
    theorem: list[TheoremRow] = field(default_factory=list)


# BLAS with several threads may add up in another order, and two units in one process (threads of a Dask
# worker) would undo each other's limit: one unit at a time, on one BLAS thread.
_ONE_AT_A_TIME = threading.Lock()


def run_unit(unit: Unit, queries: Sequence[Query] | None = None) -> UnitResult:
    """Run one unit.

    Parameters
    ----------
    unit
        What to run.
    queries
        The data, when the caller has it at hand; otherwise it is read from the panel's file.
    """
    with _ONE_AT_A_TIME, threadpool_limits(1):
        return _run(unit, queries)


def stream(unit: Unit, purpose: int, *more: int) -> np.random.Generator:
    """The random numbers for one purpose of one run."""
    panel = unit.panel.stream or unit.panel.name
    return np.random.default_rng([unit.seed, zlib.crc32(panel.encode()), unit.run, purpose, *more])


def _run(unit: Unit, queries: Sequence[Query] | None) -> UnitResult:
    panel = unit.panel
    domain = panel.make_domain()
    weights = true_weights(unit, domain)
    problems = make_problems(unit, domain, queries)
    # One expert for all lines: he draws his budget once a problem, so every line meets the same one.
    expert = SimulatedExpert(
        domain, weights, kappa=panel.kappa, policy=unit.policy, budget=panel.budget, rng=stream(unit, _EXPERT)
    )
    editors = [_editor(unit, line, domain, weights, expert) for line in unit.lines]
    costs = np.zeros((len(editors), unit.examples))
    utilities = np.zeros_like(costs)
    watchers = _watchers(unit, domain, expert)
    for t, x in enumerate(problems):
        for k, edit in enumerate(editors):
            correction = edit(x)
            costs[k, t] = correction.effort
            utilities[k, t] = expert.utility(x, correction.final)
        if t < THEOREM_EXAMPLES:
            for watcher in watchers:
                watcher.see(x)
    return UnitResult(costs, utilities, [watcher.row(panel.name, unit.run) for watcher in watchers])


def true_weights(unit: Unit, domain: Domain) -> Vector:
    """The expert's taste: uniform on [0, 1]; in ranking, the labels and nothing else."""
    length = domain.dim + int(getattr(domain, "hidden", 0))
    if unit.panel.problems == "sample":
        return stream(unit, _WEIGHTS).random(length)
    weights = np.zeros(length)
    weights[-1] = 1.0
    return weights


def make_problems(unit: Unit, domain: Domain, queries: Sequence[Query] | None) -> Iterator[Problem]:
    """The problems of this run, in order; the same for every line."""
    rng = stream(unit, _PROBLEMS)
    if unit.panel.problems == "data":
        data = unit.panel.data
        if queries is None and data is not None:
            queries = read_data(data)
        if not queries:
            raise ValueError(f"panel {unit.panel.name} runs on a data file, and none was given; use --data")
        order = rng.permutation(len(queries))[: unit.examples]
        return (queries[i] for i in order)
    if unit.panel.problems == "twin":
        return Twin(rng, domain.dim).sample(rng, unit.examples)
    made: Iterator[Problem] = iter(domain.sample(rng, unit.examples))  # type: ignore[attr-defined]
    return islice(made, unit.examples)


@lru_cache(maxsize=1)
def read_data(data: DataFile) -> list[Query]:
    """The queries of all files of a data set; every file is widened to the widest one."""
    parts = [loaders.read_letor(path) for path in data.paths]
    widest = max(query.documents.shape[1] for part in parts for query in part)
    if len(parts) > 1:
        parts = [loaders.read_letor(path, features=widest) for path in data.paths]
    return [query for part in parts for query in part]


def _editor(
    unit: Unit, line: Line, domain: Domain, weights: Vector, expert: SimulatedExpert
) -> Callable[[Problem], Correction]:
    """One line: from a problem to what the expert made of its proposal."""
    if line.learner == EXPERT:
        visible = weights[: domain.dim]
        return lambda x: expert(x, domain.solve(x, visible))
    seed = int(stream(unit, _LINE, zlib.crc32(line.text.encode())).integers(2**31))
    session = Session(domain, line.make(domain.dim), proposals=line.proposals, seed=seed)

    def edit(x: Problem) -> Correction:
        proposal = session.ask(x)
        correction = expert(x, proposal.solution)
        session.tell(proposal, correction)
        return correction

    return edit


def _watchers(unit: Unit, domain: Domain, expert: SimulatedExpert) -> list[Watcher]:
    """Theorem 1 is checked where it speaks: no noise, no budget, the paper's four learners."""
    if not unit.theorem or not unit.panel.noise_free or unit.panel.budget is not None:
        return []
    solver = None if unit.panel.assumption_1 else search.polish(domain)
    return [Watcher(line.text, domain, expert, solver) for line in unit.lines if line.text in PAPER]
