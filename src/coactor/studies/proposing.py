"""From a problem to what an expert is shown: solved when it is asked, and again when it has waited too long.

A proposal that waits while others are finished was made with old weights. Solving it again as soon as weights
change would be work for nothing, and whoever holds what `ask` answered would find it changed behind his back.
So it is solved again when somebody opens it to edit, and only if

    nobody has touched it and nobody holds it,
    the weights have changed since (a rollback changes them too),
    it was made by the domain's own solver in the study's own way, which every process can repeat,
    and `ask` was not told to keep it.

Every solving stays in the log. A correction is learned from the one that was corrected: the desk knows which
one it showed; a caller of `tell` says so (`asked_with`, or the proposal itself) where there is more than one.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from coactor.proposals.acceptance import Acceptance
from coactor.proposals.strategies import Outlook, expected_moves
from coactor.protocol import Learner, Problem, Proposal, Solution
from coactor.search import landscape
from coactor.studies.codec import plain
from coactor.studies.errors import Conflict, Invalid, NotFound
from coactor.studies.log.facts import Asked, Renewed
from coactor.studies.log.model import Model, Open

if TYPE_CHECKING:
    from coactor.studies.study import Study


@dataclass(frozen=True, slots=True, eq=False)
class Shown:
    """One solving of a proposal.

    Attributes
    ----------
    name, problem, solution
        The problem's content hash, the problem, and what was proposed for it.
    version
        The weights it was solved with.
    chance, expected
        How likely it is to be accepted untouched, and the number of edits expected at once; None where the
        learner cannot tell.
    """

    name: str
    problem: Problem
    solution: Solution
    version: int
    chance: float | None
    expected: float | None

    def proposal(self, id: int) -> Proposal:
        """The same as people know it."""
        return Proposal(id, self.problem, self.solution, self.version, self.chance)


class Known(NamedTuple):
    """What a solving needs of a model, taken while nobody changes it."""

    learner: Learner
    acceptance: Acceptance
    version: int
    uid: str

    @staticmethod
    def of(model: Model) -> Known:
        return Known(model.learner, model.acceptance, model.version, model.uid)


def solve(study: Study, name: str, problem: Problem, known: Known) -> Shown:
    """Solve a problem with what has been learned, and say how likely the answer is to be accepted."""
    outlook = Outlook.of(known.learner)
    # Addressed, not advanced: the same problem under the same weights is shown the same proposal.
    stream = (int(known.uid[:12], 16), int(name[:12], 16), known.version)
    chance = expected = None
    try:
        solution = study.codec.checked(problem, study.propose(problem, outlook, stream))
        if outlook.threshold is not None and math.isfinite(outlook.threshold):
            gains = landscape(study.domain, problem, outlook.weights).gains(solution)
            found = expected_moves(gains, outlook.threshold)
            if math.isfinite(found):
                expected, chance = found, known.acceptance.chance(found)
    except ValueError as error:
        raise Invalid(f"No proposal could be made: {error}") from error
    return Shown(name, problem, solution, known.version, chance, expected)


def solvings(study: Study, id: int) -> list[Shown]:
    """Every solving of a proposal, the first one first."""
    with study.store.reading() as sql:
        entries = sql.of_proposal(study.ledger.head.id, id)
        if not entries or not isinstance(entries[0].fact, Asked):
            raise NotFound(f"Study {study.name!r} has no proposal {id}; see its proposals.")
        name = entries[0].fact.problem
        data = sql.problem(name)
    problem = study.codec.problem(data)
    return [
        Shown(
            name,
            problem,
            study.codec.solution(problem, fact.solution),
            fact.version,
            fact.chance,
            fact.expected,
        )
        for entry in entries
        if isinstance(fact := entry.fact, Asked | Renewed)
    ]


def corrected(study: Study, id: int, asked_with: int | None, path: Any) -> Shown:
    """The solving a correction is about: the one named, the one its path begins with, or the only one."""
    with study.ledger.lock:
        draft = study.ledger.model.open.get(id)
        only = draft.version if draft is not None and draft.revision == 0 else None
    if only is not None and asked_with in (None, only):  # never touched, so never solved again
        return study.shown(id, only)
    found = solvings(study, id)
    versions = [shown.version for shown in found]
    if asked_with is not None:
        if asked_with not in versions:
            said = " and ".join(map(str, versions))
            raise Invalid(f"Proposal {id} was solved with version {said} of the weights, not {asked_with}.")
        return found[versions.index(asked_with)]
    if path:  # it says itself what it begins with
        first = study.codec.solution(found[0].problem, plain(study.codec, path[0]))
        for shown in reversed(found):
            if study.codec.same(shown.solution, first):
                return shown
    if all(study.codec.same(shown.solution, found[0].solution) for shown in found):
        return found[-1]
    said = " or ".join(f"asked_with={version}" for version in versions)
    raise Conflict(
        f"Proposal {id} was solved again since it was asked; say which solution was corrected: {said}.",
        {"state": "open", "version": versions[-1], "versions": versions},
    )


def due(study: Study, model: Model, draft: Open, now: float) -> bool:
    """Whether a proposal should be solved again before somebody sees it."""
    return (
        study.repeatable
        and draft.renewable
        and draft.version != model.version
        and not draft.touched
        and not draft.held_by(now)
    )


def renew(study: Study, id: int, actor: str, via: str = "") -> None:
    """Solve an untouched proposal again with the newest weights, unless somebody else was faster.

    The solver runs outside the store's lock. If it fails nothing is changed: what was asked is still good.
    """
    with study.ledger.lock:
        model = study.ledger.refresh()
        draft, known = model.open.get(id), Known.of(model)
        if draft is None or draft.touched or draft.version == known.version:
            return
        before = study.shown(id, draft.version)
        revision = draft.revision
    try:
        shown = solve(study, before.name, before.problem, known)
    except Invalid:
        return
    with study.ledger.writing() as log:
        draft = log.model.open.get(id)
        if draft is None or draft.revision != revision or draft.held_by(log.now) not in ("", actor):
            return
        fact = Renewed(
            proposal=id,
            solution=study.codec.plain_solution(shown.solution),
            version=shown.version,
            revision=revision + 1,
            chance=shown.chance,
            expected=shown.expected,
        )
        log.add(fact, actor=actor, via=via)
    study.keep(id, shown)
