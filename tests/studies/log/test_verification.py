from __future__ import annotations

import threading

import numpy as np
import pytest

from coactor.learners import CSPER
from coactor.studies import Store, Tampered, open_study
from coactor.studies.log import ledger
from coactor.studies.log.verification import verify
from tests.studies.stubs import Switches, change_row, flip, make


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE coactor_facts SET body = CAST(REPLACE(CAST(body AS TEXT), 'ana', 'eve') AS BLOB)",
        "UPDATE coactor_facts SET vectors = zeroblob(LENGTH(vectors)) WHERE seq = 3",
        "UPDATE coactor_facts SET hash = zeroblob(32) WHERE seq = 4",
        "UPDATE coactor_facts SET proposal = 2 WHERE seq = 3",
        "UPDATE coactor_facts SET made = 7 WHERE seq = 3",
        "DELETE FROM coactor_facts WHERE seq = 3",
        "DELETE FROM coactor_facts WHERE seq = 5",
        "UPDATE coactor_weights SET data = zeroblob(LENGTH(data)) WHERE version = 2",
        "UPDATE coactor_problems SET data = CAST('[9,9,9]' AS BLOB)",
        "DELETE FROM coactor_problems",
        "UPDATE coactor_facts SET vectors = x'00' WHERE seq = 2",  # of an ask, which has none
        "DELETE FROM coactor_weights WHERE version = 1",
        "UPDATE coactor_weights SET version = 9 WHERE version = 3",
        "INSERT INTO coactor_weights SELECT study, 9, data FROM coactor_weights WHERE version = 3",
        "UPDATE coactor_rounds SET effort = 9 WHERE seq = 3",
        "DELETE FROM coactor_rounds WHERE seq = 5",
        "UPDATE coactor_rounds SET seq = 2 WHERE seq = 3",
        "UPDATE coactor_snapshots SET data = CAST(REPLACE(CAST(data AS TEXT), 'd\":2', 'd\":9') AS BLOB)",
    ],
)
def test_verify_raises_tampered_when_a_stored_row_was_changed(tmp_path, monkeypatch, statement):
    monkeypatch.setattr(ledger, "EVERY", 5)
    url = f"sqlite:///{tmp_path}/desk.db"
    with open_study(url, "desk", Switches(), "CSPER", create=True) as study:
        for k in range(3):
            study.tell(study.ask([1.0 + k, 2.0, 3.0]).id, moves=flip(k), actor="ana")
        verify(study.store, "desk")
        change_row(study.store, statement)
        with pytest.raises(Tampered):
            verify(study.store, "desk")


def test_verify_accepts_a_healthy_log_while_others_write(url):
    with make(url) as study, make(url) as other:
        stop, failures = threading.Event(), []

        def write():
            try:
                while not stop.is_set():
                    other.tell(other.ask([1.0, 2.0, 3.0]), moves=flip(0))
            except Exception as error:
                failures.append(error)

        writer = threading.Thread(target=write)
        writer.start()
        try:
            facts = [verify(study.store, "desk").facts]
            while facts[-1] == facts[0] or len(facts) < 5:
                facts.append(verify(study.store, "desk").facts)
        finally:
            stop.set()
            writer.join()
        assert not failures


def test_verify_does_not_look_beyond_the_end_that_it_saw(sqlite_url, monkeypatch):
    """A fact that is committed between two reads of a verification is not tampering."""
    with make(sqlite_url) as study, make(sqlite_url) as other:
        study.tell(study.ask([1.0, 2.0, 3.0]), moves=flip(0))
        read, times = Store.reading, []

        def write_first(self):
            if len(times) < 8:
                times.append(None)
                with monkeypatch.context() as patch:
                    patch.setattr(Store, "reading", read)
                    other.tell(other.ask([1.0, 2.0, 3.0]), moves=flip(1))
            return read(self)

        monkeypatch.setattr(Store, "reading", write_first)
        assert verify(study.store, "desk").facts > 3


class Drifting(CSPER):
    """A learner whose arithmetic can be made to differ."""

    drift = 0.0

    def update(self, feedback):
        super().update(feedback)
        self.weights = self.weights * (1.0 + self.drift)


def test_verify_reports_other_arithmetic_and_does_not_call_it_tampering(sqlite_url, monkeypatch):
    monkeypatch.setattr(ledger, "EVERY", 6)
    with open_study(sqlite_url, "desk", Switches(), Drifting(3), create=True) as study:
        for k in range(6):
            study.tell(study.ask([1.0 + k, 2.0, 3.0]), moves=flip(k % 3), actor="ana")
        study.desk().reopen(5, actor="ana")
        study.rollback(3, "again")
        assert verify(study.store, "desk", Drifting(3)).arithmetic == ""
        other = Drifting(3)
        other.drift = 1e-14
        finding = verify(study.store, "desk", other).arithmetic
        assert finding.startswith("From fact 3 on")
        assert "The log is intact." in finding
        other.drift = 1e-3
        with pytest.raises(Tampered):
            verify(study.store, "desk", other)


class Columns(Switches):
    """Computes features in columns, so that its arrays are in Fortran order."""

    dim = 40

    def features(self, x, y):
        return np.asarray(x).T @ np.asarray(y, float)

    def features_along(self, x, path):
        return np.array([[column @ np.asarray(y, float) for y in path] for column in np.asarray(x).T]).T

    def move_features(self, x, y):
        return np.array([column * (1 - 2 * np.asarray(y)) for column in np.asarray(x).T]).T

    def solve(self, x, w):
        return [int(gain > 0) for gain in np.asarray(x) @ w]


def test_live_updates_equal_a_replay_whatever_the_layout_of_arrays(sqlite_url):
    rng = np.random.default_rng(0)
    with open_study(sqlite_url, "desk", Columns(), "default", create=True) as study:
        for _ in range(8):
            study.tell(study.ask(rng.standard_normal((3, 40))), moves=flip(*rng.integers(0, 3, 2).tolist()))
        assert verify(study.store, "desk").arithmetic == ""


def test_verify_says_in_which_fact_it_is_that_the_first_one_was_changed(tmp_path):
    with make(f"sqlite:///{tmp_path}/desk.db") as study:
        dim = (
            "UPDATE coactor_facts SET body = CAST(REPLACE(CAST(body AS TEXT), 'dim\":3', 'dim\":4') AS BLOB)"
        )
        change_row(study.store, dim)
        with pytest.raises(Tampered, match="does not begin with its creation"):
            verify(study.store, "desk")
