"""Learn from an archive in its own order, as a study would have learned from it case by case."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from coactor.archives.cases import Archive
from coactor.habits import start_weights
from coactor.lab.engine.contenders import parse_contenders
from coactor.proposals.strategies import Outlook, Strategy
from coactor.protocol import Problem, Solution, State, uses_habits
from coactor.session import Session


def learn_archive(archive: Archive, learner: str = "default") -> tuple[State, float]:
    """Learn from all cases of an archive, in its own order.

    Parameters
    ----------
    archive
        From `open_archive`.
    learner
        A contender that learns, such as "default" or "PER@start".

    Returns the states of learner and memory and whether it has habits, with which `coactor.open_study` can
    create a study; and the mean effort per case.
    """
    (contender,) = parse_contenders([learner], "archive", "paper")
    if not contender.learner:
        raise ValueError(f"{learner!r} does not learn; name a learner, such as default or PER@start.")
    if contender.sharing:
        raise ValueError(f"{learner!r} is for comparisons; learn with {contender.learner!r} instead.")
    shown: Solution | None = None  # to the person, in the current case

    def recorded(x: Problem, outlook: Outlook, stream: Sequence[int]) -> Solution:
        """What was shown to the person; what the learner would propose if that was not recorded."""
        return archive.domain.solve(x, outlook.weights) if shown is None else shown

    known = any(case.proposed is not None for case in archive.cases)
    proposals: str | Strategy = recorded if known else contender.proposals
    new = contender.make(archive.domain.dim, archive.start, start_weights(archive.domain))
    session = Session(archive.domain, new, proposals=proposals)
    for case in archive.replay(range(archive.size)):
        shown = case.proposed
        proposal = session.ask(case.problem, actor=case.person)
        if case.moves is not None:
            session.tell(proposal, moves=case.moves, actor=case.person)
        else:
            correction = case.expert(proposal.problem, proposal.solution)
            session.tell(proposal, correction, actor=case.person)
    state: State = {"learner": session.learner.state()}
    memory = session.knowledge.memory
    if memory is not None and uses_habits(archive.domain):
        state |= {"memory": memory.state(), "habits": True}
    return state, float(np.mean(session.efforts))
