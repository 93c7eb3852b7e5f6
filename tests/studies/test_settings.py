"""Settings that are changed later."""

from __future__ import annotations

import math

import pytest

from coactor.studies import Conflict, Invalid, Store, Study, open_study
from coactor.studies.log import ledger, transfer
from coactor.studies.log.verification import verify
from tests.studies.stubs import Switches, flip, make, tours


def test_configure_is_a_fact_that_holds_from_then_on_in_every_process(url):
    with make(url, learner="CSPER") as study, Store(url) as other_store:
        other = Study(other_store, "desk", Switches())
        assert study.tell(study.ask([1.0, 2.0, 3.0]), moves=flip(0)).effort == 1.0
        first = other.ask([1.0, 2.0, 3.0])
        settings = study.configure({"costs": {"flip": 2.5}, "budget": 0.25}, actor="lea")
        assert settings == {"proposals": "default", "budget": 0.25, "costs": {"flip": 2.5}, "grace": 600.0}
        assert other.tell(first, moves=flip(0)).effort == 2.5
        assert other.config["budget"] == 0.25
        assert study.configure({"budget": 0.25}) == settings  # no change, no fact
        assert study.configure({"budget": math.inf})["budget"] is None
        kinds = [line["fact"]["kind"] for line in study.export() if "fact" in line]
        assert kinds.count("configured") == 2
        assert verify(study.store, "desk").version == 2


def test_settings_survive_snapshots_and_exports(sqlite_url, tmp_path, monkeypatch):
    monkeypatch.setattr(ledger, "EVERY", 3)
    with make(sqlite_url) as study:
        study.configure({"proposals": "polish", "grace": 5})
        for _ in range(6):
            study.ask([1.0, 2.0, 3.0])
        with Store(f"sqlite:///{tmp_path}/copy.db") as copy:
            transfer.load(copy, study.export())
            for store in (study.store, copy):
                again = Study(store, "desk", Switches())
                assert (again.config["proposals"], again.config["grace"]) == ("polish", 5.0)
                verify(store, "desk")
        with pytest.raises(Conflict, match=r"has grace 5\.0, not 600\.0"):
            make(study.store, settings={"grace": 600})


@pytest.mark.parametrize(
    "settings",
    [{"budget": -1}, {"budget": math.nan}, {"grace": -1}, {"costs": {"flip": -1}}, {"proposals": "x"}],
)
def test_configure_raises_invalid_and_changes_nothing(sqlite_url, settings):
    with make(sqlite_url) as study:
        before = dict(study.config)
        with pytest.raises(Invalid):
            study.configure(settings)
        assert study.config == before
        with pytest.raises(Invalid):
            make(sqlite_url, "other", settings=settings)
        with pytest.raises(Invalid, match="'seed' is fixed"):
            study.configure({"seed": 1})


def test_the_budget_of_a_study_limits_the_calls_of_its_solver(sqlite_url, monkeypatch):
    domain, problems = tours(2, points=12)
    calls = []

    def solver(x, w):
        calls.append(x)
        return domain.solve(x, w)

    monkeypatch.setattr("coactor.proposals.strategies.time.monotonic", lambda: 2.0 * len(calls))
    with open_study(sqlite_url, "desk", domain, "default", create=True, solver=solver) as study:
        assert study.config["budget"] == 1.0
        study.tell(study.ask(problems[0]), moves=[{"op": "reverse", "args": [2, 4]}])
        calls.clear()
        study.ask(problems[1])
        assert len(calls) == 1
        study.configure({"budget": 9.0})
        study.ask(problems[1])
        assert len(calls) == 5  # at 2, 4, 6 and 8 seconds
