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
from coactor.lab.theorem import TheoremRow
from coactor.lab.twin import Twin
from coactor.protocol import Correction, Domain, Matrix, Problem, Vector

_WEIGHTS, _PROBLEMS, _EXPERT, _LINE = range(4)
_ROUNDING = 1e-9


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
    theorem = _watchers(unit, domain, weights, expert) if unit.theorem else []
    for t, x in enumerate(problems):
        truth = search.landscape(domain, x, weights)
        for k, edit in enumerate(editors):
            correction = edit(x)
            costs[k, t] = correction.effort
            utilities[k, t] = truth.utility(correction.final)
        for watcher in theorem:
            watcher.see(x)
    return UnitResult(costs, utilities, [watcher.row() for watcher in theorem])


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
    session = _session(unit, line, domain)

    def edit(x: Problem) -> Correction:
        proposal = session.ask(x)
        correction = expert(x, proposal.solution)
        session.tell(proposal, correction)
        return correction

    return edit


def _session(unit: Unit, line: Line, domain: Domain) -> Session:
    return Session(domain, line.make(domain.dim))


class _Watcher:
    """One learner in Theorem 1's setting: Assumption 3's candidate, a locally optimal solver."""

    def __init__(self, unit: Unit, name: str, domain: Domain, weights: Vector, expert: SimulatedExpert) -> None:
        self._unit, self._name, self._domain, self._true, self._expert = unit, name, domain, weights, expert
        self._learner = Line.parse(name).make(domain.dim)
        # Where the paper's solver ignores the expert's operators, polishing makes Assumption 1 true.
        solver = None if unit.panel.assumption_1 else search.polish(domain)
        self._session = Session(domain, self._learner, solver=solver, candidate="disagreement")
        self._updates, self._effort, self._squares, self._norm = 0, 0.0, 0.0, 0.0
        self._local = self._gained = self._disagreed = True

    def see(self, x: Problem) -> None:
        """One example."""
        w = self._learner.weights.copy()
        proposal = self._session.ask(x)
        y = proposal.solution
        slack = _ROUNDING * (1.0 + np.abs(w).sum())
        self._local &= bool((search.landscape(self._domain, x, w).gains(y) <= slack).all())
        finished = self._session.tell(proposal, self._expert(x, y))
        if finished.cost > 0:
            delta, phi = finished.delta, self._domain.features(x, y)
            self._updates += 1
            self._effort += finished.cost
            self._squares += finished.cost**2
            self._norm = max(self._norm, float(np.linalg.norm(phi)), float(np.linalg.norm(phi + delta)))
            self._gained &= bool(self._true @ delta >= self._unit.panel.kappa * finished.cost - _ROUNDING)
            self._disagreed &= bool(w @ delta <= slack)

    def row(self) -> TheoremRow:
        """The run, measured against the theorem."""
        unit, n = self._unit, self._unit.examples
        W, kappa = float(np.linalg.norm(self._true)), unit.panel.kappa
        printed, refined = _bounds(self._name, n, self._norm, W, kappa)
        return TheoremRow(
            unit.panel.name, self._name, unit.run, n, self._updates, self._norm, W, kappa, self._effort,
            self._squares, self._local, self._gained, self._disagreed, printed, refined,
        )  # fmt: skip


def _bounds(name: str, n: int, R: float, W: float, kappa: float) -> tuple[float, float]:
    # Until coactor.bounds is there.
    a = 2 * R * W / kappa
    printed = {"PER": a / n**0.5, "CSPER": a * a / n, "PA": a * a / n**0.5, "CSPA": a * a / n**0.5}
    refined = {"PER": a * a, "CSPER": a * a, "PA": a**4, "CSPA": a**4}
    return printed[name], refined[name] / n


def _watchers(unit: Unit, domain: Domain, weights: Vector, expert: SimulatedExpert) -> list[_Watcher]:
    if not unit.panel.noise_free or unit.panel.budget is not None:
        return []
    return [_Watcher(unit, line.text, domain, weights, expert) for line in unit.lines if line.text in PAPER]
