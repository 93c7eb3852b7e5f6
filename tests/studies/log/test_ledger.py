"""The ledger: live processes agree with a replay, snapshots and stored weights with the facts."""

from __future__ import annotations

import sqlite3
import tempfile
from contextlib import suppress

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from coactor import SimulatedExpert, learners
from coactor.studies import Conflict, Forbidden, Invalid, NotFound, Store, Tampered, open_study
from coactor.studies.log import ledger, schema, transfer
from coactor.studies.log.vectors import digest
from coactor.studies.log.verification import verify
from tests.studies.stubs import Switches, change_row, flip, make, tours

small = st.integers(1, 6)
price = st.floats(-5, 5)
acts = st.one_of(
    st.tuples(st.just("ask"), st.lists(price, min_size=3, max_size=3)),
    st.tuples(st.just("tell"), small, st.lists(st.integers(0, 2), max_size=3), st.booleans()),
    st.tuples(st.just("edit"), small, st.integers(0, 2), st.integers(0, 3)),
    st.tuples(st.just("undo"), small, st.integers(0, 3)),
    st.tuples(st.just("submit"), small, st.integers(0, 3), st.booleans()),
    st.tuples(st.just("next"), st.sampled_from(["ana", "ben"])),
    st.tuples(st.just("claim"), small, st.sampled_from(["ana", "ben"])),
    st.tuples(st.just("release"), small),
    st.tuples(st.just("renew"), small),
    st.tuples(st.just("reopen"), small),
    st.tuples(st.just("rollback"), st.integers(0, 4)),
)


def perform(study, desk, act):
    match act:
        case ("ask", prices):
            study.ask(prices)
        case ("tell", id, which, learn):
            study.tell(id, moves=flip(*which), learn=learn, actor="ana")
        case ("edit", id, which, revision):
            desk.edit(id, flip(which), revision=revision, actor="ana")
        case ("undo", id, revision):
            desk.undo(id, revision=revision, actor="ana")
        case ("submit", id, revision, learn):
            desk.submit(id, revision=revision, actor="ana", learn=learn)
        case ("next", who):
            desk.next(who)
        case ("claim", id, who):
            desk.claim(id, who)
        case ("release", id):
            desk.release(id, "ana", force=True)
        case ("renew", id):
            study.renew(id)
        case ("reopen", id):
            desk.reopen(id, actor="ana")
        case ("rollback", to):
            study.rollback(to, "because")


@settings(max_examples=40)
@given(st.lists(acts, min_size=5, max_size=25), st.sampled_from(["PER", "CSPA", "averaged-PER"]))
def test_replay_equals_every_live_process(sequence, learner):
    with tempfile.TemporaryDirectory() as folder, Store(f"sqlite:///{folder}/desk.db") as store:
        live = [open_study(store, "desk", Switches(), learner, create=True) for _ in range(2)]
        desks = [study.desk() for study in live]
        live[0].ask([1.0, -1.0, 0.5])
        for turn, act in enumerate(sequence):  # two processes, turn by turn
            with suppress(Conflict, NotFound, Invalid, Forbidden):  # refused: it must leave no trace
                perform(live[turn % 2], desks[turn % 2], act)
        models = [study._ledger.refresh() for study in live]
        assert models[0].snapshot() == models[1].snapshot()
        good = verify(store, "desk")
        assert good.weights == digest(models[0].knowledge.learner.weights)
        assert good.facts == models[0].seq


@pytest.mark.parametrize("learner", learners.names())
def test_every_learner_is_replayed_without_solver_or_domain(tmp_path, learner):
    rng = np.random.default_rng(3)
    domain, problems = tours(12, points=7, features=4)
    expert = SimulatedExpert(domain, rng.random(4))
    url = f"sqlite:///{tmp_path}/desk.db"
    with open_study(url, "tours", domain, learner, create=True) as study:
        for x in problems:
            p = study.ask(x)
            study.tell(p.id, moves=list(expert(x, p.solution).moves))
        weights = study.weights()
    with Store(url) as store:
        replayed = ledger.Ledger(store, "tours").projection  # knows learners and facts, nothing else
        assert replayed.knowledge.learner.weights.tobytes() == weights.tobytes()
        assert verify(store, "tours").version == 12


def test_load_gives_the_same_projection_from_a_snapshot(tmp_path, monkeypatch):
    monkeypatch.setattr(ledger, "EVERY", 5)
    url = f"sqlite:///{tmp_path}/desk.db"
    with open_study(url, "desk", Switches(), "CSPER", create=True) as study:
        for k in range(12):
            study.tell(study.ask([1.0 + k, 2.0, -k]).id, moves=flip(k % 3))
            study.ask([0.0, 0.0, 0.0])
        good = verify(study.store, "desk")
        assert good.snapshots == 7
        with study.store.writing() as sql:
            fast = study._ledger.load(sql, good.facts)
            sql.remove_snapshot(study._ledger.head.id)
            slow = study._ledger.load(sql, good.facts)
        assert slow.snapshot() == fast.snapshot()
        for version in range(13):
            assert study.weights(version).shape == (3,)


def test_catching_up_raises_tampered_when_a_fact_was_changed(tmp_path):
    url = f"sqlite:///{tmp_path}/desk.db"
    with (
        open_study(url, "desk", Switches(), "CSPER", create=True) as one,
        open_study(url, "desk", Switches()) as two,
    ):
        one.tell(one.ask([1.0, 2.0, 3.0]).id, moves=flip(0), actor="ana")
        change_row(one.store, "UPDATE coactor_facts SET vectors = zeroblob(LENGTH(vectors)) WHERE seq = 3")
        with pytest.raises(Tampered, match="Fact 3"):
            two.ask([1.0, 1.0, 1.0])


def test_a_running_process_follows_a_store_that_was_set_back(tmp_path):
    url = f"sqlite:///{tmp_path}/desk.db"
    with open_study(url, "desk", Switches(), "CSPER", create=True) as study:
        study.ask([1.0, 2.0, 3.0])
        held = study._ledger.projection.hash
        study.tell(1, moves=flip(0))
        change_row(study.store, "DELETE FROM coactor_facts WHERE seq = 3")
        with study.store.writing() as sql:
            sql.connection.exec_driver_sql("UPDATE coactor_studies SET seq = 2, hash = ?", (held,))
        assert study.version == 0
        assert study.tell(1, moves=flip(1)).version == 1
        verify(study.store, "desk")


def test_a_running_process_follows_a_store_that_was_set_back_and_has_grown_again(tmp_path):
    url, older = f"sqlite:///{tmp_path}/desk.db", tmp_path / "older.db"
    with make(url) as study:
        study.ask([1.0, 2.0, 3.0])
        transfer.backup(study.store, older)
        for k in range(3):
            study.tell(study.ask([1.0, float(k), 3.0]), moves=flip(k))
        before = study.ask([9.0, 9.0, 9.0])
        with Store(f"sqlite:///{older}") as store, make(store) as copy:
            for k in range(6):
                copy.tell(copy.ask([5.0, float(k), 3.0]), moves=flip(0))
            expected = copy.weights()
        restore(study.store, older)
        assert study.version == 6
        assert study.weights().tobytes() == expected.tobytes()
        assert study.proposal(before.id).problem == [5.0, 3.0, 3.0]  # not the one in the cache
        assert study.ask([1.0, 1.0, 1.0]).id == 8
        verify(study.store, "desk")


def restore(store, file):
    """Replace the contents of a store, as restoring a backup under a running server does."""
    tables = [table.name for table in schema.tables.sorted_tables]
    with sqlite3.connect(store.engine.url.database) as database:
        database.execute(f"ATTACH '{file}' AS other")
        for table in reversed(tables):
            database.execute(f"DELETE FROM {table}")
        for table in tables:
            database.execute(f"INSERT INTO {table} SELECT * FROM other.{table}")
    database.close()
