"""One run of one panel: each problem is generated once and shown to every contender.

Random streams are addressed, not advanced: [seed, stream, run, purpose]. So another contender, panel or order
of work changes no number.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import cache
from itertools import islice
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

from coactor import search
from coactor.domains import Query
from coactor.experts import SimulatedExpert
from coactor.lab.engine.cache import Cache, source_digests
from coactor.lab.engine.contenders import ALIKE, EXPERT, OURS, PAPER, START, Contender
from coactor.lab.engine.parallel import run_alone
from coactor.lab.paper.choices import solver_with_random_ties
from coactor.lab.paper.data.perturbations import PERTURBATIONS, Perturbation, perturbed
from coactor.lab.paper.data.synthetic_ranking import SyntheticRanking
from coactor.lab.paper.data.tastes import TASTES
from coactor.lab.paper.panels import Panel
from coactor.lab.paper.theorem import THEOREM_EXAMPLES, MarginCheck, TheoremCheck, TheoremRow
from coactor.protocol import Correction, Domain, Hides, Indices, Matrix, Problem, Vector, has
from coactor.session import Session

_WEIGHTS, _PROBLEMS, _EXPERT, _CONTENDER, _PERTURBATION, _TIES, _TURNS = range(7)

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
    """What a unit measured, shape (contenders, examples) each.

    Attributes
    ----------
    costs, utilities
        The expert's effort, and the true utility of their final solution.
    chances
        The predicted probability that the proposal is accepted; NaN where there is no prediction.
    theorem
        Checks of the theorems and of PA's margin.
    """

    costs: Matrix
    utilities: Matrix
    chances: Matrix
    theorem: list[TheoremRow] = field(default_factory=list)


def run_unit(unit: Unit, data: Data | None = None) -> UnitResult:
    """Run one unit; `data` has the queries of the panels that run on a data file."""
    return run_alone(measure_unit, data, unit)


def measure_unit(data: Data | None, unit: Unit) -> UnitResult:
    """The work of one unit, for `engine.parallel`."""
    panel = unit.panel
    domain = panel.make_domain()
    problems = make_problems(unit, domain, data)
    experts, turns = _experts(unit, domain), _turns(unit)
    editors = [_editor(unit, contender, domain) for contender in unit.contenders]
    costs = np.zeros((len(editors), unit.examples))
    utilities, chances = np.zeros_like(costs), np.full_like(costs, np.nan)
    checks = _checks(unit, domain, experts[0])
    for t, x in enumerate(problems):
        if panel.drift and t == unit.examples // 2:
            experts = _experts(unit, domain, changed=True)
        expert, person = experts[turns[t]], f"person {turns[t]}" if len(experts) > 1 else ""
        for k, edit in enumerate(editors):
            correction, chance = edit(x, expert, person)
            costs[k, t] = correction.effort
            utilities[k, t] = expert.utility(x, correction.final)
            if chance is not None:
                chances[k, t] = chance
        if t < THEOREM_EXAMPLES:
            for check in checks:
                check.observe(x)
    theorem = [check.row(panel.name, unit.run) for check in checks]
    return UnitResult(costs, utilities, chances, theorem)


# -- the cache -----------------------------------------------------------------------------------------------


def unit_cache(folder: Path) -> Cache[Unit, UnitResult]:
    """The finished units in a folder."""
    return Cache(folder, _inputs, _pack, _unpack)


def _inputs(unit: Unit) -> dict[str, Any]:
    plain = asdict(unit)
    if unit.panel.data is not None:
        plain["panel"]["data"] = unit.panel.data.digest  # the content counts, not the path
    names = [unit.panel.domain, *(contender.learner for contender in unit.contenders)]
    return {"unit": plain, "sources": source_digests(names)}


def _pack(result: UnitResult) -> dict[str, np.ndarray[Any, Any]]:
    rows = json.dumps([asdict(row) for row in result.theorem]).encode()
    return {
        "costs": result.costs,
        "utilities": result.utilities,
        "chances": result.chances,
        "theorem": np.frombuffer(rows, dtype=np.uint8),
    }


def _unpack(unit: Unit, arrays: Mapping[str, np.ndarray[Any, Any]]) -> UnitResult | None:
    costs, utilities, chances = arrays["costs"], arrays["utilities"], arrays["chances"]
    if not costs.shape == utilities.shape == chances.shape == (len(unit.contenders), unit.examples):
        return None
    rows = [TheoremRow(**row) for row in json.loads(arrays["theorem"].tobytes())]
    return UnitResult(costs, utilities, chances, rows)


# -- the random parts of a run -----------------------------------------------------------------------------


def stream(unit: Unit, purpose: int, *more: int) -> np.random.Generator:
    """The random numbers for one purpose of one run."""
    panel = unit.panel.stream or unit.panel.name
    return np.random.default_rng([unit.seed, zlib.crc32(panel.encode()), unit.run, purpose, *more])


def _experts(unit: Unit, domain: Domain, changed: bool = False) -> list[SimulatedExpert]:
    """The experts, the same for all contenders: the budget is drawn once per problem."""
    panel, more = unit.panel, (1,) if changed else ()
    weights = [true_weights(unit, domain, changed)]
    if panel.tastes:
        weights = TASTES[panel.tastes](stream(unit, _WEIGHTS), _people(panel), weights[0].size)
    return [
        SimulatedExpert(
            domain,
            own,
            kappa=panel.kappa,
            policy=panel.policy,
            budget=panel.budget,
            slips=panel.slips,
            rng=stream(unit, _EXPERT, *more),
        )
        for own in weights
    ]


def _people(panel: Panel) -> int:
    return panel.people + bool(panel.newcomer)


def _turns(unit: Unit) -> Indices:
    """Whose problem each one is: drawn at random, and in the end those of the newcomer."""
    panel = unit.panel
    turns = stream(unit, _TURNS).integers(panel.people, size=unit.examples)
    turns[unit.examples - panel.newcomer :] = _people(panel) - 1
    return turns


def true_weights(unit: Unit, domain: Domain, changed: bool = False) -> Vector:
    """The expert's weights: uniform on [0, 1], drawn again when they change; the label alone in ranking."""
    length = domain.dim + hidden_features(domain)
    if unit.panel.problems == "sample":
        weights = stream(unit, _WEIGHTS, *((1,) if changed else ())).random(length)
        return _perturbation(unit, domain)[0](weights) if unit.panel.perturbation else weights
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
    problems: Iterator[Problem] = iter(domain.sample(rng, unit.examples))  # type: ignore[attr-defined]
    if unit.panel.perturbation:
        change = _perturbation(unit, domain)[1]
        problems = (perturbed(x, change) for x in problems)
    return islice(problems, unit.examples)


def _perturbation(unit: Unit, domain: Domain) -> Perturbation:
    return PERTURBATIONS[unit.panel.perturbation](stream(unit, _PERTURBATION), domain.dim)


# -- contenders ----------------------------------------------------------------------------------------------


def _editor(
    unit: Unit, contender: Contender, domain: Domain
) -> Callable[[Problem, SimulatedExpert, str], tuple[Correction, float | None]]:
    """One contender: from a problem and a person to the correction of its proposal and its chance."""
    start = np.ones(domain.dim)
    if contender.text == EXPERT:
        return lambda x, expert, _: (expert(x, domain.solve(x, expert.weights[: domain.dim])), None)
    if contender.text in (START, ALIKE):
        return lambda x, expert, _: (expert(x, domain.solve(x, start)), None)
    text = contender.text.removeprefix(f"{contender.sharing}-")  # the same search, however weights are shared
    seed = int(stream(unit, _CONTENDER, zlib.crc32(text.encode())).integers(2**31))
    # Every contender draws from the same stream, so that all begin with the same solution.
    random_ties = unit.panel.ties == "random"

    @cache
    def session_of(_: str) -> Session:
        return Session(
            domain,
            contender.make(domain.dim, start),
            solver=solver_with_random_ties(domain, stream(unit, _TIES)) if random_ties else None,
            proposals=contender.proposals,
            candidate=unit.panel.candidate,
            seed=seed,
            guard=contender.learner == OURS and contender.proposals == "default",
        )

    def edit(x: Problem, expert: SimulatedExpert, person: str) -> tuple[Correction, float | None]:
        session = session_of(contender.learner_of(person))
        proposal = session.ask(x, person=contender.named(person))
        correction = expert(x, proposal.solution)
        session.tell(proposal, correction)
        return correction, proposal.chance

    return edit


def _checks(unit: Unit, domain: Domain, expert: SimulatedExpert) -> list[TheoremCheck | MarginCheck]:
    """Theorem 1 without noise, Theorem 2 with it, and PA's margin; where the expert is the paper's."""
    panel = unit.panel
    if (
        not unit.theorem
        or panel.problems != "sample"
        or panel.budget
        or panel.slips
        or panel.drift
        or panel.tastes
    ):
        return []
    solver = None if panel.assumption_1 else search.polish(domain)
    bounded = PAPER[:2] if hidden_features(domain) else PAPER
    names = [contender.text for contender in unit.contenders if contender.text in PAPER]
    checks: list[TheoremCheck | MarginCheck] = [
        TheoremCheck(name, domain, expert, solver) for name in names if name in bounded
    ]
    return [*checks, MarginCheck(domain, expert)] if "PA" in names else checks
