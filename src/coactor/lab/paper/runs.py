"""One run of one panel: each problem is generated once and shown to every contender.

Random streams are addressed, not advanced: [seed, stream, run, purpose]. So another contender, panel or order
of work changes no number.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

from coactor import search
from coactor.domains import Query
from coactor.experts import SimulatedExpert
from coactor.lab.engine.cache import Cache, source_digests
from coactor.lab.engine.contenders import ALIKE, EXPERT, PAPER, START, Contender
from coactor.lab.paper.choices import solver_with_random_ties
from coactor.lab.paper.data.synthetic_ranking import SyntheticRanking
from coactor.lab.paper.panels import PANELS, Panel
from coactor.lab.paper.theorem import THEOREM_EXAMPLES, MarginCheck, TheoremCheck, TheoremRow
from coactor.protocol import Domain, Hides, Matrix, Problem, Vector, declares, has
from coactor.session import Session

_WEIGHTS, _PROBLEMS, _EXPERT, _CONTENDER = range(4)
_TIES = 5

Data: TypeAlias = Mapping[str, Sequence[Query]]
"""The queries of each data set, by its digest."""


@dataclass(frozen=True, slots=True)
class Unit:
    """One run of one panel: the smallest piece of work that is cached, resumed and sent to a worker."""

    panel: Panel
    run: int
    seed: int
    examples: int
    contenders: tuple[Contender, ...]
    theorem: bool = False

    def __str__(self) -> str:
        return f"{self.panel.name}, run {self.run}"


@dataclass(frozen=True, slots=True, eq=False)
class UnitResult:
    """What a unit measured.

    Attributes
    ----------
    costs, utilities
        The expert's effort, and the true utility of their final solution; shape (contenders, examples).
    theorem
        Checks of the theorems and of PA's margin.
    """

    costs: Matrix
    utilities: Matrix
    theorem: list[TheoremRow] = field(default_factory=list)


def measure_unit(data: Data | None, unit: Unit) -> UnitResult:
    """The work of one unit, for `engine.parallel`."""
    domain = unit.panel.make_domain()
    expert = make_expert(unit, domain, true_weights(unit, domain))
    fixed = {START: np.ones(domain.dim), ALIKE: np.ones(domain.dim), EXPERT: expert.weights[: domain.dim]}
    sessions = [make_session(unit, one, domain) if one.learner else None for one in unit.contenders]
    costs = np.zeros((len(sessions), unit.examples))
    utilities = np.zeros_like(costs)
    checks = _checks(unit, domain, expert)
    for t, x in enumerate(make_problems(unit, domain, data)):
        for k, (contender, session) in enumerate(zip(unit.contenders, sessions, strict=True)):
            if session is None:
                correction = expert(x, domain.solve(x, fixed[contender.text]))
            else:
                proposal = session.ask(x)
                correction = expert(x, proposal.solution)
                session.tell(proposal, correction)
            costs[k, t] = correction.effort
            utilities[k, t] = expert.utility(x, correction.final)
        if t < THEOREM_EXAMPLES:
            for check in checks:
                check.observe(x)
    return UnitResult(costs, utilities, [check.row(unit.panel.name, unit.run) for check in checks])


def make_session(unit: Unit, contender: Contender, domain: Domain) -> Session:
    """The session of a contender that learns."""
    # Ties are drawn from the same stream for all, so that all contenders begin with the same solution.
    ties = stream(unit, _TIES) if unit.panel.ties == "random" else None
    return Session(
        domain,
        contender.make(domain.dim, np.ones(domain.dim)),
        solver=None if ties is None else solver_with_random_ties(domain, ties),
        proposals=contender.proposals,
        candidate=unit.panel.candidate,
        seed=int(stream(unit, _CONTENDER, zlib.crc32(contender.text.encode())).integers(2**31)),
    )


def _checks(unit: Unit, domain: Domain, expert: SimulatedExpert) -> list[TheoremCheck | MarginCheck]:
    """Theorem 1 without noise, Theorem 2 with it, and PA's margin; not for rankings."""
    panel = unit.panel
    if not unit.theorem or panel.problems != "sample":
        return []
    optimal = panel.name in PANELS and declares(domain, "locally_optimal")
    solver = None if optimal else search.polish(domain)  # Assumption 1
    bounded = PAPER[:2] if hidden_features(domain) else PAPER
    names = [contender.text for contender in unit.contenders if contender.text in PAPER]
    checks: list[TheoremCheck | MarginCheck] = [
        TheoremCheck(name, domain, expert, solver) for name in names if name in bounded
    ]
    return [*checks, MarginCheck(domain, expert)] if "PA" in names else checks


# -- the cache -----------------------------------------------------------------------------------------------


def unit_cache(folder: Path) -> Cache[Unit, UnitResult]:
    """The finished units in a folder."""
    return Cache(folder, _inputs, _unpack)


def _inputs(unit: Unit) -> dict[str, Any]:
    plain = asdict(unit)
    if unit.panel.data is not None:
        plain["panel"]["data"] = unit.panel.data.digest  # the content counts, not the path
    names = [unit.panel.domain, *(contender.learner for contender in unit.contenders)]
    return {"unit": plain, "sources": source_digests(names)}


def _unpack(unit: Unit, data: dict[str, Any]) -> UnitResult | None:
    costs, utilities = np.array(data["costs"]), np.array(data["utilities"])
    if not costs.shape == utilities.shape == (len(unit.contenders), unit.examples):
        return None
    return UnitResult(costs, utilities, [TheoremRow(**row) for row in data["theorem"]])


# -- the random parts of a run -----------------------------------------------------------------------------


def stream(unit: Unit, purpose: int, *more: int) -> np.random.Generator:
    """The random numbers for one purpose of one run."""
    panel = unit.panel.stream or unit.panel.name
    return np.random.default_rng([unit.seed, zlib.crc32(panel.encode()), unit.run, purpose, *more])


def make_expert(unit: Unit, domain: Domain, weights: Vector) -> SimulatedExpert:
    """An expert with these weights; the budget is drawn once per problem, the same for all contenders."""
    panel, rng = unit.panel, stream(unit, _EXPERT)
    return SimulatedExpert(
        domain, weights, kappa=panel.kappa, policy=panel.policy, budget=panel.budget, rng=rng
    )


def true_weights(unit: Unit, domain: Domain) -> Vector:
    """The expert's weights: uniform on [0, 1]; the label alone in ranking."""
    length = domain.dim + hidden_features(domain)
    if unit.panel.problems == "sample":
        return stream(unit, _WEIGHTS).random(length)
    weights = np.zeros(length)
    weights[-1] = 1.0
    return weights


def hidden_features(domain: Domain) -> int:
    """The number of features that only the expert sees: the paper's noise."""
    return domain.hidden if has(domain, Hides) else 0


def make_problems(unit: Unit, domain: Domain, data: Data | None) -> Iterator[Problem]:
    """The problems of this run, in order; the same for every contender."""
    rng = stream(unit, _PROBLEMS)
    if unit.panel.data is not None:
        queries = (data or {}).get(unit.panel.data.digest)
        if queries is None:
            raise ValueError(f"The data of panel {unit.panel.name} is missing.")
        order = rng.permutation(len(queries))[: unit.examples]
        return (queries[i] for i in order)
    if unit.panel.problems == "synthetic":
        return SyntheticRanking(rng, domain.dim).sample(rng, unit.examples)
    return islice(domain.sample(rng, unit.examples), unit.examples)  # type: ignore[attr-defined]
