"""A study that goes on with more features of habits: what was told so far, learned again with them.

The number of features of a study is fixed, because its log is replayed bit by bit. So a study with more
features is a new study, which begins with what the old one would know if it had had them from its beginning:
every tell that counts is learned again, in its order, with what was recalled at that time. What was told just
for one day, withdrawn or rolled back does not count. The old study stays as it is.
"""

from __future__ import annotations

from typing import Any

from coactor.archives.cases import Archive, Case
from coactor.archives.learning import learn_archive
from coactor.habits import with_habits
from coactor.protocol import Domain, State, uses_habits
from coactor.studies import Invalid, Study, open_study
from coactor.studies.codec import Codec
from coactor.studies.log.facts import Reopened, RolledBack, Said, Told
from coactor.studies.settings import CHANGEABLE, Settings


def extend(study: Study, name: str) -> None:
    """Create a study in the same store, with habits and the same settings, that goes on from here."""
    domain, state = extended(study)
    kept: Any = {name: study.config[name] for name in (*CHANGEABLE, "candidate", "seed")}
    settings: Settings = kept
    open_study(study.store, name, domain, create=True, start=state, settings=settings)


def extended(study: Study, learner: str = "default") -> tuple[Domain, State]:
    """The domain of a study with habits, and the states to create a study of it with.

    Raises Invalid if the study has habits already, or if nothing was told.
    """
    if uses_habits(study.domain):
        raise Invalid(f"Study {study.name!r} has habits already.")
    domain = with_habits(study.domain)
    codec, cases = Codec(domain), []
    for told in counted_tells(study):
        proposal = study.proposal(told.round.proposal)
        x = codec.problem(study.codec.plain_problem(proposal.problem))
        plain = study.codec.plain_solution(proposal.solution)
        solutions = codec.solution(x, told.solution), codec.solution(x, plain)
        cases.append(Case(x, *solutions, told.moves or None, told.round.learned_for))
    if not cases:
        raise Invalid(f"Nothing was told in study {study.name!r} yet; create a study with habits instead.")
    state, _ = learn_archive(Archive.of(cases, domain), learner)
    return domain, state


def counted_tells(study: Study) -> list[Told]:
    """The tells that were learned from, and neither withdrawn nor rolled back, in their order."""
    counted: list[Told] = []
    at: dict[int, list[Told]] = {0: []}  # by version
    with study.store.reading() as sql:
        kinds = (kind.kind for kind in (Told, Said, Reopened, RolledBack))
        for entry in sql.of_kind(sql.find(study.name).id, *kinds):
            fact = entry.fact
            if isinstance(fact, Told) and fact.round.learn:
                counted = [*counted, fact]
            elif isinstance(fact, Reopened):
                counted = [told for told in counted if told.round.proposal != fact.draft.id]
            elif isinstance(fact, RolledBack):
                who = fact.learned_for
                others = [told for told in counted if who and told.round.learned_for != who]
                mine = [told for told in at[fact.to] if who in ("", told.round.learned_for)]
                counted = sorted([*others, *mine], key=lambda told: told.round.version)
            if isinstance(fact, Told):
                at[fact.round.version] = counted
            elif isinstance(fact, Said | Reopened | RolledBack):
                at[fact.version] = counted
    return counted
