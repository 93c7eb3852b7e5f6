"""Which feature is missing: what corrections say that no weights of the present features can.

Every case is a choice: the final solution against the proposal and neighbours of the final solution that the
expert could have moved to. A conditional logit,

    P(final) = 1 / (1 + sum over alternatives of exp(w . (phi(alternative) - phi(final))))

is fitted to four fifths of the cases and scored on the last fifth, for each fifth in turn; once with the
present features, and once for each candidate with one more. People who differ need no other feature: people
with enough cases have weights of the present features of their own. A candidate explains something if it
makes the held-back cases more likely: the mean gain in log-likelihood per case is compared with its standard
error, with a Bonferroni correction for the number of candidates. Candidates are what the library can build
itself:

    habits         how unusual the parts of a solution are in similar cases
    parts          how often a solution has one part, one place or one choice, of those most often corrected
    transforms     squares and products of present features, centred
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from statistics import NormalDist
from typing import TYPE_CHECKING

import numpy as np

from coactor.archives.cases import Archive, Case
from coactor.archives.personal_fits import PersonalFits
from coactor.habits import HABIT, Memory, past_case, place_and_choice
from coactor.protocol import Domain, HasParts, Matrix, Solution, Vector, feature_names, has, uses_habits
from coactor.search import features_along
from coactor.session import Session
from coactor.solutions import same_solution

if TYPE_CHECKING:
    from coactor.studies import Study


FEWEST = 20  # cases that a diagnosis needs
NEIGHBOURS = 60  # alternatives of a case, drawn at random if there are more
MOST_NAMED = 5  # candidates, and parts, that are named in words
MOST_PARTS = 12  # parts, and places, and choices, that become candidates
MOST_FEATURES = 8  # whose squares and products become candidates: those with the largest effect
LEVEL = 0.05  # of a false alarm, for all candidates together
CLEARLY = 3.0  # standard errors above chance


@dataclass(frozen=True, slots=True)
class CandidateFeature:
    """A feature that could be added.

    Attributes
    ----------
    name
        In words.
    gain
        How much more likely it makes a held-back case: the mean gain in log-likelihood.
    z
        The gain in standard errors.
    missing
        Whether that is more than chance, given the number of candidates.
    """

    name: str
    gain: float
    z: float
    missing: bool


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """What the corrections say about the features.

    Attributes
    ----------
    cases, effort
        How many cases there were, and their total effort.
    unexplained
        The share of the effort in cases where fitted weights still prefer something else to the final
        solution.
    candidates
        The most useful first.
    parts
        The parts of solutions that were corrected most often in those cases, and how often.
    carriers
        Places, choices, people and words of the context (such as the weekday) whose cases have more of that
        effort than their share of the cases: the name, and the share of the effort.
    """

    cases: int
    effort: float
    unexplained: float
    candidates: tuple[CandidateFeature, ...]
    parts: tuple[tuple[str, int], ...] = ()
    carriers: tuple[tuple[str, float], ...] = ()

    @property
    def habits(self) -> bool:
        """Whether habits are missing."""
        return any(one.name == HABIT for one in self.missing)

    @property
    def missing(self) -> tuple[CandidateFeature, ...]:
        """The candidates that explain more than chance."""
        return tuple(candidate for candidate in self.candidates if candidate.missing)

    def sentences(self) -> list[str]:
        """The diagnosis in words."""
        share = f"{100 * self.unexplained:.0f} % of the effort cannot be explained by any weights"
        lines = [f"{share} of the present features ({self.cases} cases, effort {self.effort:g})."]
        if self.missing:
            lines.append("A feature is missing. These would have made held-back cases more likely:")
        else:
            lines.append(
                f"None of the {len(self.candidates)} candidates (habits, single parts, squares and products "
                "of the present features) explains it: none makes held-back cases more likely."
            )
        for one in self.missing[:MOST_NAMED]:
            lines.append(f"- {one.name}: log-likelihood {one.gain:+.3f} a case ({one.z:.1f} standard errors)")
        if self.parts:
            often = ", ".join(f"{name} ({times} times)" for name, times in self.parts)
            lines.append(f"Corrected most often in the unexplained cases: {often}.")
        if self.carriers and not self.missing:
            most = ", ".join(f"{name} ({100 * share:.0f} %)" for name, share in self.carriers)
            lines.append(f"Cases with these have more of the unexplained effort than chance: {most}.")
        if self.habits:
            lines.append("To go on with habits: coactor study extend STUDY --name NEW_STUDY")
        return lines


def cases_of_archive(archive: Archive, limit: int | None = None) -> tuple[Domain, list[Case]]:
    """The cases of an archive in its own order, proposed by the default learner."""
    session = Session(archive.domain, "default", proposals="paper")
    cases = []
    for case in archive.replay(range(archive.size if limit is None else min(limit, archive.size))):
        proposal = session.ask(case.problem)
        correction = case.expert(proposal.problem, proposal.solution)
        session.tell(proposal, correction)
        row = proposal.problem, correction.final, proposal.solution, None, case.person, correction.effort
        cases.append(Case(*row))
    return session.domain, cases


def cases_of_study(study: Study, limit: int | None = None) -> tuple[Domain, list[Case]]:
    """The proposals of a study that it learned from, in the order in which they were told."""
    from coactor.archives.extending import counted_tells  # needs the extra [studies]

    tells = counted_tells(study)
    cases = []
    for fact in tells[-(limit or len(tells)) :]:
        told, proposal = fact.round, study.proposal(fact.round.proposal)
        final = study.codec.solution(proposal.problem, fact.solution)
        row = proposal.problem, final, proposal.solution, None, told.learned_for, told.effort
        cases.append(Case(*row))
    return study.domain, cases


def diagnose(domain: Domain, cases: Sequence[Case], seed: int = 0) -> Diagnosis:
    """Find candidate features that explain what the present ones cannot.

    Raises ValueError if there are too few cases.
    """
    if len(cases) < FEWEST:
        raise ValueError(
            f"Too early to tell: {len(cases)} of {FEWEST} finished proposals that were learned from."
        )
    table = _Choices(domain, cases, np.random.default_rng(seed))
    fits = PersonalFits(table.rows, table.owner, [case.person for case in cases])
    base = fits.held_back()
    weights, own = fits.all_cases()
    columns = list(table.candidates(weights))
    limit = NormalDist().inv_cdf(1.0 - LEVEL / max(1, len(columns)))
    candidates = []
    for name, column in columns:
        gains = fits.held_back(column) - base
        gain, error = float(gains.mean()), float(gains.std(ddof=1)) / np.sqrt(len(cases))
        z = gain / error if error > 0 else 0.0
        candidates.append(CandidateFeature(name, gain, float(z), bool(z > limit)))
    candidates.sort(key=lambda one: (not one.missing, -one.gain))
    worse = np.zeros(len(cases), bool)
    worse[table.owner[table.rows @ weights + own > 0.0]] = True
    efforts = np.array([case.effort for case in cases])
    total = float(efforts.sum())
    share = float(efforts[worse].sum()) / total if total else 0.0
    corrected = Counter[str]()
    for k in np.flatnonzero(worse).tolist():
        corrected.update({_GROUPS["the part"](part): n for part, n in table.changed[k].items()})
    parts = tuple(corrected.most_common(MOST_NAMED))
    carriers = _carriers(
        [{case.person, *words} for case, words in zip(cases, table.words, strict=True)], efforts * worse
    )
    return Diagnosis(len(cases), total, share, tuple(candidates), parts, carriers)


def _carriers(words: Sequence[set[str]], efforts: Vector) -> tuple[tuple[str, float], ...]:
    """Words of cases that have more of the effort than chance, with their share of it.

    A word's effort is compared with what as many cases, drawn at random, would have.
    """
    total, n = float(efforts.sum()), len(efforts)
    found = []
    for name in sorted(set[str]().union(*words) - {""}):
        mine = np.array([name in of for of in words])
        count = int(mine.sum())
        error = float(efforts.std()) * np.sqrt(count * (n - count) / max(1, n - 1))
        excess = float(efforts[mine].sum()) - total * count / n
        if error > 0 and excess > CLEARLY * error:
            found.append((name, float(efforts[mine].sum()) / total, excess / error))
    found.sort(key=lambda one: -one[2])
    return tuple((name, share) for name, share, _ in found[:MOST_NAMED])


class _Choices:
    """The alternatives of all cases: features and parts, relative to the final solution."""

    def __init__(self, domain: Domain, cases: Sequence[Case], rng: np.random.Generator) -> None:
        self.domain = domain
        self.levels: list[Matrix] = []  # features of the final solution and of the alternatives
        self.parts: list[Counter[tuple[str, str]]] = []  # of each alternative, minus those of the final one
        self.changed: list[Counter[tuple[str, str]]] = []  # how often each part was corrected in each case
        self.words: list[set[str]] = []  # the places, choices and context of each case
        self.unusual: list[float] = []  # of each alternative, minus that of the final one
        owner: list[int] = []
        memory = Memory()
        for number, case in enumerate(cases):
            others = list(_alternatives(domain, case, rng))
            owner += [number] * len(others)
            self.levels.append(features_along(domain, case.problem, [case.solution, *others]))
            if has(domain, HasParts):
                self._add_parts(domain, case, others, memory)
            else:
                self.changed.append(Counter())
                self.words.append(set())
        self.rows = np.concatenate([phi[1:] - phi[0] for phi in self.levels])
        self.owner = np.array(owner, np.int64)

    def _add_parts(self, domain: HasParts, case: Case, others: Sequence[Solution], memory: Memory) -> None:
        def count(y: Solution) -> Counter[tuple[str, str]]:
            return Counter(map(place_and_choice, domain.parts(case.problem, y)))

        final, proposed = count(case.solution), count(case.proposed)
        self.changed.append((proposed - final) + (final - proposed))
        now = past_case(domain, case.problem, case.solution)
        self.words.append({*sum(now.parts, ()), *(now.context or ())})
        usage = memory.recall(now.choices, now.context)
        known = dict(zip(zip(usage.given, usage.choice, strict=True), usage.costs.tolist(), strict=True))
        for y in others:
            parts = count(y)
            parts.subtract(final)
            self.parts.append(parts)
            self.unusual.append(-sum(n * known.get(part, 1.0) for part, n in parts.items()))
        memory.add(now)

    def candidates(self, weights: Vector) -> Iterator[tuple[str, Vector]]:
        """Names and values of the candidate features, relative to the final solution."""
        if self.unusual and not uses_habits(self.domain):
            yield HABIT, np.array(self.unusual)
        yield from self._of_parts()
        yield from self._transforms(weights)

    def _of_parts(self) -> Iterator[tuple[str, Vector]]:
        for kind, key in _GROUPS.items():
            often: Counter[str] = Counter()
            for part, n in sum(self.changed, Counter[tuple[str, str]]()).items():
                often[key(part)] += n
            for name, _ in often.most_common(MOST_PARTS):
                counts = [sum(n for part, n in one.items() if key(part) == name) for one in self.parts]
                if name and any(counts):
                    yield f"{kind} {name}", np.array(counts, np.float64)

    def _transforms(self, weights: Vector) -> Iterator[tuple[str, Vector]]:
        effect = np.abs(weights) * self.rows.std(axis=0)
        names, top = feature_names(self.domain), np.argsort(-effect, kind="stable")[:MOST_FEATURES].tolist()
        finals = np.array([phi[0] for phi in self.levels])
        centre, scale = finals.mean(axis=0), finals.std(axis=0) + 1e-12
        levels = [(phi - centre) / scale for phi in self.levels]
        for a, i in enumerate(top):
            for j in top[a:]:
                column = np.concatenate([phi[1:, i] * phi[1:, j] - phi[0, i] * phi[0, j] for phi in levels])
                if column.std() > 0:
                    name = f"the square of {names[i]}" if i == j else f"{names[i]} times {names[j]}"
                    yield name, column


_GROUPS: dict[str, Callable[[tuple[str, str]], str]] = {
    "the part": lambda part: " -> ".join(name for name in part if name),
    "the place": lambda part: part[0],
    "the choice": lambda part: part[1],
}


def _alternatives(domain: Domain, case: Case, rng: np.random.Generator) -> Iterator[Solution]:
    """The proposal, if it was changed, and neighbours of the final solution."""
    if not same_solution(case.proposed, case.solution):
        yield case.proposed
    moves = list(domain.moves(case.problem, case.solution))
    some = rng.permutation(len(moves))[:NEIGHBOURS] if len(moves) > NEIGHBOURS else range(len(moves))
    for k in some:
        yield domain.apply(case.problem, case.solution, moves[int(k)])
