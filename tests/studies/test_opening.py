from __future__ import annotations

import os
import re
from concurrent.futures.process import BrokenProcessPool
from contextlib import closing

import numpy as np
import pytest

import coactor
from coactor import domains, learners
from coactor.studies import Conflict, Invalid, NotFound, Store, Study, catalog, open_study
from coactor.studies.log import transfer
from coactor.studies.log.verification import verify
from coactor.studies.processes import Processes
from coactor.studies.settings import named_solver
from tests.studies.stubs import Switches, flip, make, tours


def test_open_study_raises_without_study_domain_or_learner(sqlite_url):
    Store(sqlite_url).close()
    with pytest.raises(NotFound, match="no study"):
        open_study(sqlite_url, "desk", Switches())
    with pytest.raises(Invalid, match="pass its domain"):
        open_study(sqlite_url, "desk", create=True)
    with pytest.raises(Invalid, match="not a valid name"):
        open_study(sqlite_url, "../desk", Switches(), create=True)
    with pytest.raises(Invalid, match="no learner"):
        open_study(sqlite_url, "desk", Switches(), "clairvoyant", create=True)
    with pytest.raises(Invalid, match="no proposals"):
        open_study(sqlite_url, "desk", Switches(), create=True, settings={"proposals": "best"})
    with pytest.raises(Invalid, match="candidate"):
        open_study(sqlite_url, "desk", Switches(), create=True, settings={"candidate": "last"})
    with pytest.raises(Invalid, match="cost"):
        open_study(sqlite_url, "desk", Switches(), create=True, settings={"costs": {"flip": -1.0}})
    with pytest.raises(Invalid, match="4 weights"):
        open_study(sqlite_url, "desk", Switches(), learners.make("PER", 4), create=True)


def test_open_study_starts_from_the_weights_in_use(sqlite_url):
    for name in ("default", "PER"):
        study = open_study(sqlite_url, name, Switches(), name, create=True, start=[1.0, 5.0, 2.0])
        np.testing.assert_allclose(study.weights() / study.weights()[0], [1.0, 5.0, 2.0])
        study.close()
    named = {"feature 2": 5.0, "feature 1": 1.0, "feature 3": 2.0}
    with open_study(
        sqlite_url, "named", Switches(), create=True, start=named, settings={"trust": 100.0}
    ) as study:
        study.tell(study.ask([1.0, 2.0, 3.0]), moves=flip(0))
        np.testing.assert_allclose(study.weights() / study.weights()[0], [1.0, 5.0, 2.0], rtol=0.5)
    with pytest.raises(Invalid, match="name every feature; 'feature 3'"):
        open_study(sqlite_url, "desk", Switches(), create=True, start={"feature 1": 1.0, "feature 2": 1.0})
    with pytest.raises(Invalid, match="takes no trust"):
        open_study(sqlite_url, "desk", Switches(), create=True, settings={"trust": 1.0})
    with pytest.raises(Invalid, match="The start has shape"):
        open_study(sqlite_url, "desk", Switches(), create=True, start=[1.0])
    with pytest.raises(Invalid, match="has a start already"):
        open_study(
            sqlite_url, "desk", Switches(), learners.make("PER", 3), create=True, start=[1.0, 1.0, 1.0]
        )


def test_a_start_of_the_own_features_says_nothing_about_habits(sqlite_url):
    plans = domains.Plans(1, soft=True, names=("distance",))
    study = open_study(sqlite_url, "desk", plans, create=True, start=[1.0, 5.0], settings={"habits": True})
    assert study.domain.feature_names == ("distance", "unusual in similar cases", "overload")
    weights = study.weights()
    assert weights[1] == 0.0
    assert weights[2] == pytest.approx(5.0 * weights[0])


@pytest.mark.parametrize(
    ("setting", "stored", "other"),
    [
        ("learner", "CSPER", "PER"),
        ("costs", {"flip": 2.0}, {"flip": 3.0}),
        ("candidate", "disagreement", "final"),
        ("grace", 60.0, 61.0),
        ("proposals", "polish", "paper"),
        ("seed", 3, 4),
    ],
)
def test_open_study_raises_conflict_when_a_setting_differs(sqlite_url, setting, stored, other):
    def given(value):
        return {setting: value} if setting == "learner" else {"settings": {setting: value}}

    open_study(sqlite_url, "desk", Switches(), **given(stored), create=True).close()
    open_study(sqlite_url, "desk", Switches(), **given(stored)).close()
    open_study(sqlite_url, "desk", Switches()).close()  # not given
    for create in (True, False):
        with pytest.raises(Conflict, match=setting) as refused:
            open_study(sqlite_url, "desk", Switches(), **given(other), create=create)
        assert repr(stored) in str(refused.value)
        assert repr(other) in str(refused.value)


def test_open_study_raises_conflict_when_the_start_differs(sqlite_url):
    tour = domains.Tour(points=6, features=2)
    open_study(sqlite_url, "s", tour, start=[1.0, 2.0], create=True, settings={"trust": 2.0}).close()
    open_study(sqlite_url, "s", tour, start=[2.0, 4.0], settings={"trust": 2.0}).close()  # the same direction
    with pytest.raises(Conflict, match=r"with start .* not .*leave it out"):
        open_study(sqlite_url, "s", tour, start=[2.0, 1.0], settings={"trust": 2.0})
    with pytest.raises(Conflict, match=r"with trust 2\.0, not 3\.0"):
        open_study(sqlite_url, "s", tour, start=[1.0, 2.0], settings={"trust": 3.0})
    with pytest.raises(Invalid, match="habits"):
        open_study(sqlite_url, "new", tour, create=True, settings={"habits": 5})
    with pytest.raises(NotFound):  # nothing was created
        open_study(sqlite_url, "new", tour)


def test_a_solver_named_in_the_settings_makes_the_proposals_of_every_process(sqlite_url, tmp_path):
    code = "import numpy\n\ndef backwards(x, w):\n    return numpy.array([0, 5, 4, 3, 2, 1])\n"
    (tmp_path / "backward.py").write_text(code)
    named, domain = {"solver": f"{tmp_path}/backward.py:backwards"}, domains.Tour(points=6, features=2)
    x = next(domain.sample(np.random.default_rng(0), n=1))
    open_study(sqlite_url, "desk", domain, create=True, settings=named).close()
    with open_study(sqlite_url, "desk") as study:  # as another process opens it
        study.configure({"proposals": "paper"})
        assert study.ask(x).solution.tolist() == [0, 5, 4, 3, 2, 1]
    (tmp_path / "backward.py").write_text(
        code.replace("[0, ", "[")
    )  # of another size: bytecode is by time and size
    with open_study(sqlite_url, "desk") as study, pytest.raises(Invalid, match="The tour must be an array"):
        study.ask(x)
    with pytest.raises(Conflict, match=r"has solver '.*backward.py:backwards', not 'mine:forwards'"):
        open_study(sqlite_url, "desk", domain, settings={"solver": "mine:forwards"})
    open_study(sqlite_url, "gone", domain, create=True, settings={"solver": "nowhere:solve"}).close()
    with open_study(sqlite_url, "gone") as study, pytest.raises(Invalid, match="Cannot import 'nowhere'"):
        study.ask(x)


def test_a_named_solver_runs_in_another_process_which_may_die(sqlite_url, tmp_path):
    code = """import os
import numpy

def solve(x, w):
    if w[1] > w[0]:
        os.abort()
    if w[1] < w[0]:
        raise ValueError("This one has no solution.")
    open(__file__ + ".pid", "w").write(str(os.getpid()))
    return numpy.array([0, 5, 4, 3, 2, 1])
"""
    (tmp_path / "mine.py").write_text(code)
    domain, x = domains.Tour(points=6, features=2), domains.Graph.of(6, np.ones((15, 2)))
    with closing(Processes(1)) as processes:
        solve = named_solver(domain, f"{tmp_path}/mine.py:solve", processes)
        for w in ([2.0, 2.0], [1.0, 3.0], [3.0, 1.0], [2.0, 2.0]):
            if w[0] != w[1]:
                with pytest.raises(ValueError if w[1] < w[0] else BrokenProcessPool):
                    solve(x, np.array(w))
            else:
                assert solve(x, np.array(w)).tolist() == [0, 5, 4, 3, 2, 1]
                assert int((tmp_path / "mine.py.pid").read_text()) != os.getpid()


def test_open_study_names_the_default_learner_in_a_conflict(sqlite_url):
    open_study(sqlite_url, "desk", Switches(), create=True).close()
    with pytest.raises(Conflict, match=r"learner 'population \(the default\)', not 'PER'"):
        open_study(sqlite_url, "desk", Switches(), "PER")


def test_a_closed_study_is_not_written(sqlite_url):
    study = make(sqlite_url)
    study.close()
    with pytest.raises(Invalid, match="closed"):
        study.ask([1.0, 1.0, 1.0])
    assert repr(study) == "<Study 'desk', closed>"


def test_every_exported_name_of_studies_exists():
    assert all(hasattr(coactor.studies, name) for name in ("Settings", *coactor.studies.__all__))


def test_a_class_of_a_learner_is_refused(sqlite_url):
    with pytest.raises(Invalid, match="is not a learner; give an object"):
        open_study(sqlite_url, "desk", Switches(), learners.PER, create=True)
    with pytest.raises(Invalid, match="is not a learner; give an object"):
        coactor.Session(Switches(), learners.PER)


@pytest.mark.parametrize(
    ("name", "stored", "other", "says"),
    [
        ("PA", {"margin": 1.0}, {"margin": 2.0}, "'PA' with margin 1.0, not 2.0"),
        ("batch-PER", {"size": 2}, {"size": 3}, "'batch-PER' with size 2, not 3"),
        ("population", {"forgetting": 0.9}, {}, "'population' with forgetting 0.9, not 0.995"),
        ("choice", {"start": [1.0, 0.0, 0.0]}, {}, "0.0, 0.0], not "),
    ],
)
def test_open_study_raises_conflict_when_the_learner_has_other_settings(
    sqlite_url, name, stored, other, says
):
    def learner(settings):
        return learners.make(name, 3, **settings)

    open_study(sqlite_url, "desk", Switches(), learner(stored), create=True).close()
    for _ in range(2):
        with open_study(sqlite_url, "desk", Switches(), learner(stored)) as study:
            study.tell(study.ask([1.0, 2.0, 3.0]), moves=flip(0))
        open_study(sqlite_url, "desk", Switches(), name).close()
        with pytest.raises(Conflict, match=re.escape(says)):
            open_study(sqlite_url, "desk", Switches(), learner(other))


def test_open_study_raises_conflict_when_another_process_creates_it_differently(sqlite_url, monkeypatch):
    """Both processes see that there is no study; the second one to create it must not get the first one's."""
    from coactor.studies import opening

    create = opening._create

    def late(*args):
        monkeypatch.setattr(opening, "_create", create)
        open_study(sqlite_url, "desk", Switches(), "CSPER", create=True).close()
        create(*args)

    monkeypatch.setattr(opening, "_create", late)
    with pytest.raises(Conflict, match="'CSPER', not 'PER'"):
        open_study(sqlite_url, "desk", Switches(), "PER", create=True)
    monkeypatch.setattr(opening, "_create", late)
    open_study(sqlite_url, "night", Switches(), "PER", create=True).close()


def test_an_installed_domain_need_not_be_passed(sqlite_url):
    domain, problems = tours(1)
    with open_study(sqlite_url, "tours", domain, "PER", create=True) as study:
        study.ask(problems[0])
    with Store(sqlite_url) as store:
        again = Study(store, "tours")
        assert type(again.domain) is type(domain)
        assert again.domain.points == 8
        assert again.proposal(1).problem.edges.tobytes() == problems[0].edges.tobytes()
        with make(store) as own:
            own.ask([1.0, 1.0, 1.0])
        with pytest.raises(PermissionError, match="or `coactor serve --study desk="):
            Study(store, "desk")


def test_open_study_raises_invalid_for_another_domain(sqlite_url):
    domain, _ = tours(1, features=3)
    open_study(sqlite_url, "tours", domain, "PER", create=True).close()
    with pytest.raises(Invalid, match="domain 'tour', not 'ranking'"):
        open_study(sqlite_url, "tours", coactor.domains.Ranking(features=3))
    with pytest.raises(Invalid, match="3 features"):
        open_study(sqlite_url, "tours", tours(1, features=4)[0])


class Own:
    """A learner that is not installed: it adds up the differences."""

    name, reads = "own", "ends"

    def __init__(self):
        self.weights = np.zeros(3)

    def update(self, feedback):
        self.weights = self.weights + feedback.delta

    def state(self):
        return {"weights": self.weights.tolist()}

    def restore(self, state):
        self.weights = np.array(state["weights"])

    def __len__(self):
        return 0


def test_a_learner_that_is_not_installed_must_be_passed(sqlite_url, tmp_path):
    with open_study(sqlite_url, "desk", Switches(), Own(), create=True) as study:
        study.tell(study.ask([1.0, 2.0, 3.0]).id, moves=flip(0, 1))
        study.rollback(0, "try again")
        study.tell(study.ask([1.0, 2.0, 3.0]).id, moves=flip(2))
        assert verify(study.store, "desk", Own()).version == 3
        lines = list(study.export())
    with open_study(sqlite_url, "desk", Switches(), Own()) as again:
        assert again.weights().tolist() == [0.0, 0.0, 3.0]
    with pytest.raises(Invalid, match="'own' is not installed"):
        open_study(sqlite_url, "desk", Switches())
    with Store(f"sqlite:///{tmp_path}/copy.db") as other:
        with pytest.raises(Invalid, match="not installed"):
            transfer.load(other, lines)
        transfer.load(other, lines, learner=Own())


class EntryPoint:
    def __init__(self, loaded):
        self.load = lambda: loaded


class Announced(Own):
    """A learner that an installed package announces; its state does not name it."""

    name = "announced"

    def __init__(self, dim, rate=1.0):
        self.weights, self.rate = np.zeros(dim), rate


def test_an_announced_learner_and_domain_are_opened_by_name(sqlite_url, monkeypatch):
    monkeypatch.setattr(learners, "announced", lambda group: {"announced": EntryPoint(Announced)})
    monkeypatch.setattr(catalog, "announced", lambda group: {"switches": EntryPoint(Switches)})
    with open_study(sqlite_url, "desk", Switches(), "announced", create=True) as study:
        study.tell(study.ask([1.0, 2.0, 3.0]), moves=flip(0, 1))
    with open_study(sqlite_url, "desk") as again:
        assert (type(again.domain), type(again.learner())) == (Switches, Announced)
        assert again.weights().tolist() == [1.0, 2.0, 0.0]
        assert verify(again.store, "desk").arithmetic == ""


def test_a_domain_announced_after_its_study_was_created_is_found(sqlite_url, monkeypatch):
    with make(sqlite_url) as study:
        study.ask([1.0, 1.0, 1.0])
    monkeypatch.setattr(catalog, "announced", lambda group: {"switches": EntryPoint(Switches)})
    with open_study(sqlite_url, "desk") as again:
        assert type(again.domain) is Switches


def test_an_announced_domain_does_not_hide_behind_a_built_in_one(monkeypatch):
    monkeypatch.setattr(catalog, "announced", lambda group: {"tour": EntryPoint(Switches)})
    with pytest.raises(Invalid, match="announces the domain 'tour', which is built in"):
        catalog.make("tour", {})
