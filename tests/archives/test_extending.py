"""A study goes on with habits, and knows all that counted before."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from coactor import open_study
from coactor.archives.extending import counted_tells, extended
from coactor.domains import Graph, Tour
from coactor.habits import Memory
from coactor.studies import Invalid
from coactor.studies.log.verification import verify

TOUR = Tour(points=6, features=2, names=["time", "toll"])
MOVE = {"op": "reverse", "args": [1, 3]}
PROBLEMS = [
    Graph.of(6, graph.edges, names=[f"stop {k}" for k in range(6)])
    for graph in TOUR.sample(np.random.default_rng(0), 8)
]


def test_a_new_study_has_learned_with_habits_what_counted_in_the_old_one(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/desk.db"
    with open_study(url, "old", TOUR, create=True) as old:
        with pytest.raises(Invalid, match="Nothing was told"):
            extended(old)
        for x in PROBLEMS:
            old.ask(x)
        for k in (1, 2):
            old.tell(k, moves=[MOVE], actor="ana")
        old.tell(3, moves=[], actor="ana", learn=False)  # just today
        old.tell(4, moves=[MOVE], actor="ana")
        old.desk().reopen(4, actor="ana")
        old.tell(5, moves=[MOVE], actor="ben")
        version = old.version
        old.tell(6, moves=[MOVE], actor="ben")
        old.rollback(version, "a test")
        old.tell(7, moves=[], actor="ana")
        assert [told.round.proposal for told in counted_tells(old)] == [1, 2, 5, 7]
        old.rollback(old.version, "only ben", learned_for="ben")
        assert [told.round.proposal for told in counted_tells(old)] == [1, 2, 5, 7]
        old.rollback(1, "ben had told nothing", learned_for="ben")
        assert [told.round.proposal for told in counted_tells(old)] == [1, 2, 7]
        domain, state = extended(old)
        before = verify(old.store, "old").hash
        assert len(Memory.of(state["memory"])) == 3
        with open_study(old.store, "new", domain, create=True, start=state) as new:
            assert new.domain.feature_names == ("time", "toll", "unusual in similar cases")
            new.tell(new.ask(PROBLEMS[0]), moves=[MOVE], actor="ana")
            verify(new.store, "new")
            with pytest.raises(Invalid, match="has habits already"):
                extended(new)
        assert verify(old.store, "old").hash == before
