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
from coactor.lab.engine.contenders import EXPERT, PAPER, Line
from coactor.lab.paper.panels import DataFile, Panel
from coactor.lab.paper.perturbations import TWISTS, Twist, twisted
from coactor.lab.paper.synthetic_ranking import Twin
from coactor.lab.paper.theorem import THEOREM_EXAMPLES, TheoremRow, Watcher
from coactor.protocol import Correction, Domain, Matrix, Problem, Vector

_WEIGHTS, _PROBLEMS, _EXPERT, _LINE, _TWIST = range(5)


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
    """What a unit measured, shape (lines, examples) each.

    Attributes
    ----------
    costs, utilities
        The expert's effort, and what his final solution is worth to him.
    chances
        How likely the proposal was said to be accepted; NaN where nothing was said.
    theorem
        Runs that check Theorem 1.
    """

    costs: Matrix
    utilities: Matrix
    chances: Matrix
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
    problems = make_problems(unit, domain, queries)
    expert = _expert(unit, domain)
    editors = [_editor(unit, line, domain) for line in unit.lines]
    costs = np.zeros((len(editors), unit.examples))
    utilities, chances = np.zeros_like(costs), np.full_like(costs, np.nan)
    watchers = _watchers(unit, domain, expert)
    for t, x in enumerate(problems):
        if panel.turns and t == unit.examples // 2:
            expert = _expert(unit, domain, turned=True)
        for k, edit in enumerate(editors):
            correction, chance = edit(x, expert)
            costs[k, t] = correction.effort
            utilities[k, t] = expert.utility(x, correction.final)
            if chance is not None:
                chances[k, t] = chance
        if t < THEOREM_EXAMPLES:
            for watcher in watchers:
                watcher.see(x)
    theorem = [watcher.row(panel.name, unit.run) for watcher in watchers]
    return UnitResult(costs, utilities, chances, theorem)


def _expert(unit: Unit, domain: Domain, turned: bool = False) -> SimulatedExpert:
    """One expert for all lines: he draws his budget once a problem, so every line meets the same one."""
    panel, more = unit.panel, (1,) if turned else ()
    return SimulatedExpert(
        domain,
        true_weights(unit, domain, turned),
        kappa=panel.kappa,
        policy=unit.policy,
        budget=panel.budget,
        slips=panel.slips,
        rng=stream(unit, _EXPERT, *more),
    )


def true_weights(unit: Unit, domain: Domain, turned: bool = False) -> Vector:
    """The expert's taste: uniform on [0, 1], drawn anew when it turns; in ranking the labels alone."""
    length = domain.dim + int(getattr(domain, "hidden", 0))
    if unit.panel.problems == "sample":
        weights = stream(unit, _WEIGHTS, *((1,) if turned else ())).random(length)
        return _twist(unit, domain)[0](weights) if unit.panel.twist else weights
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
    if unit.panel.twist:
        change = _twist(unit, domain)[1]
        made = (twisted(x, change) for x in made)
    return islice(made, unit.examples)


def _twist(unit: Unit, domain: Domain) -> Twist:
    return TWISTS[unit.panel.twist](stream(unit, _TWIST), domain.dim)


@lru_cache(maxsize=1)
def read_data(data: DataFile) -> list[Query]:
    """The queries of all files of a data set; every file is widened to the widest one."""
    parts = [loaders.read_letor(path) for path in data.paths]
    widest = max(query.documents.shape[1] for part in parts for query in part)
    if len(parts) > 1:
        parts = [loaders.read_letor(path, features=widest) for path in data.paths]
    return [query for part in parts for query in part]


def _editor(
    unit: Unit, line: Line, domain: Domain
) -> Callable[[Problem, SimulatedExpert], tuple[Correction, float | None]]:
    """One line: from a problem to what the expert made of its proposal, and how it was said to fare."""
    if line.learner == EXPERT:
        return lambda x, expert: (expert(x, domain.solve(x, expert.weights[: domain.dim])), None)
    seed = int(stream(unit, _LINE, zlib.crc32(line.text.encode())).integers(2**31))
    session = Session(domain, line.make(domain.dim), proposals=line.proposals, seed=seed)

    def edit(x: Problem, expert: SimulatedExpert) -> tuple[Correction, float | None]:
        proposal = session.ask(x)
        correction = expert(x, proposal.solution)
        session.tell(proposal, correction)
        return correction, proposal.chance

    return edit


def _watchers(unit: Unit, domain: Domain, expert: SimulatedExpert) -> list[Watcher]:
    """Theorem 1 is checked where it speaks: no noise, no budget, the paper's four learners."""
    if not unit.theorem or not unit.panel.noise_free or unit.panel.budget is not None:
        return []
    solver = None if unit.panel.assumption_1 else search.polish(domain)
    return [Watcher(line.text, domain, expert, solver) for line in unit.lines if line.text in PAPER]
