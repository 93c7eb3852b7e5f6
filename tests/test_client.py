"""The same methods in memory, on disk and over the network, with the same results bit for bit."""

from __future__ import annotations

import math
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import httpx
import numpy as np
import pytest
from matplotlib.figure import Figure

import coactor
from coactor import Session, SimulatedExpert, connect, learners, open_study
from coactor.client import RemoteStudy
from coactor.domains import Alternatives, Fleet, Hypercube, Plans, Ranking, Roads, Tour
from coactor.grids import GridModel
from coactor.studies import Invalid, RateLimited, Store, Unavailable
from coactor.studies.accounts import Accounts
from coactor.studies.catalog import BUILT_IN
from coactor.web.app import create_app
from tests.domains.roads.networks import grid
from tests.web.conftest import serving

README = Path(__file__).parents[1] / "README.md"


def roster() -> GridModel:
    model = GridModel(
        over={"nurse": ("Ana", "Ben", "Cleo"), "day": ("Mon", "Tue", "Wed")},
        choose={"shift": ("off", "early", "late")},
        data={"dislike": "nurse shift"},
        sample=lambda rng: {"dislike": rng.integers(0, 3, (3, 3))},
        steps=5,
    )
    work = model.has("early", "late")
    model.rule("One at work", work.per("day").below(1))
    model.wish("Disliked shift", model.chosen.times("dislike"))
    model.wish("Uneven days", work.per("nurse").spread("nurse"))
    return model


DOMAINS = {
    "tour": lambda: Tour(points=7, features=3),
    "large-tour": lambda: Tour(points=20, features=10),  # whose declined moves are rounded
    "roster": roster,
    "fleet": lambda: Fleet(points=9, vehicles=2, features=3),
    "alternatives": lambda: Alternatives(features=3),
    "hypercube": lambda: Hypercube(dimension=4, features=3),
    "ranking": lambda: Ranking(features=4, documents=6),
    "plan": lambda: Plans(features=2),
    "roads": lambda: Roads(grid(4, np.random.default_rng(4))),
}
assert not set(BUILT_IN) - set(DOMAINS)
PAIRS = [("tour", name) for name in learners.names()]
PAIRS += [(name, learner) for name in DOMAINS for learner in ("CSPER", "default")]


class Place:
    """A store and a server on it."""

    def __init__(self, store: Store, address: str) -> None:
        self.store, self.address = store, address
        self.token = Accounts(store).create("tester", "*", "admin")

    def connect(self, name: str, domain: object = None) -> RemoteStudy:
        return connect(self.address, name, token=self.token, domain=domain)


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Place]:
    url = f"sqlite:///{tmp_path_factory.mktemp('place')}/desk.db"
    models = {f"roster-{learner}-remote": roster() for learner in ("CSPER", "default")}
    with Store(url) as store, serving(create_app(store, domains=models)) as address:
        yield Place(store, address)


def test_readme_gives_the_same_numbers_in_memory_on_disk_and_over_http(place):
    code = next(
        block for block in re.findall(r"```python\n(.*?)```", README.read_text(), re.S) if "Session(" in block
    )
    code = (
        code.replace("n=300", "n=40")
        .replace("features=100", "features=10")
        .replace("random(100)", "random(10)")
    )
    opened = 'coactor.Session(domain, "default")'
    assert opened in code
    results = []
    for session in (
        opened,
        'coactor.open_study(place.store, "disk", domain, create=True, settings={"budget": float("inf")})',
        'remote("net", domain)',
    ):

        def remote(name, domain):
            open_study(place.store, name, domain, create=True, settings={"budget": math.inf}).close()
            return place.connect(name, domain)

        names = {"place": place, "remote": remote}
        exec(code.replace(opened, session), names)
        ran = names["session"]
        results.append((ran.efforts, ran.weights().tobytes(), ran.weights(20).tobytes(), ran.version))
        if isinstance(ran, RemoteStudy):
            ran.close()
    assert results[0] == results[1] == results[2]


@pytest.mark.parametrize(("name", "learner"), sorted(set(PAIRS)))
def test_rounds_are_the_same_in_memory_on_disk_and_over_http(place, name, learner):
    domain = DOMAINS[name]()
    weights = np.random.default_rng(3).random(domain.dim)
    expert = SimulatedExpert(domain, weights, 0.05, costs={"reverse": 0.7})
    study_name = f"{name}-{learner}"
    session = Session(domain, learner, seed=5)
    counted = {"create": True, "settings": {"seed": 5, "budget": math.inf}}
    with (
        open_study(place.store, f"{study_name}-local", domain, learner, **counted) as local,
        open_study(place.store, f"{study_name}-remote", domain, learner, **counted),
        place.connect(f"{study_name}-remote", domain) as remote,
    ):
        for k, x in enumerate(domain.sample(np.random.default_rng(1), 5)):
            proposals = [one.ask(x, key=f"k{k}") for one in (session, local, remote)]
            correction = expert(x, proposals[0].solution)
            report = (
                {},
                {"solution": correction.final},
                {"moves": correction.moves},
                {"cut": True, "moves": []},
            )
            how = report[k] if k < 4 else {}
            told = [
                one.tell(p, correction, actor="ana") if not how else one.tell(p, **how, actor="ana")
                for one, p in zip((session, local, remote), proposals, strict=True)
            ]
            for p in proposals[1:]:
                assert (p.id, p.version, p.chance) == (
                    proposals[0].id,
                    proposals[0].version,
                    proposals[0].chance,
                )
                assert p.basis.expected_moves == proposals[0].basis.expected_moves
            for one in told[1:]:  # the log adds a position and a time, and that is all
                same = {"seq": told[0].seq, "time": told[0].time, "key": told[0].key}
                assert replace(one, **same) == told[0]
            assert session.weights().tobytes() == local.weights().tobytes() == remote.weights().tobytes()
        for version in range(6):
            expected = session.weights(version).tobytes()
            assert expected == local.weights(version).tobytes() == remote.weights(version).tobytes()
        assert session.efforts == local.efforts == remote.efforts
        assert session.beliefs() == local.beliefs() == remote.beliefs()
        assert remote.beliefs(2, learned_for="ana") == local.beliefs(2, learned_for="ana")
        if learner == "default":
            feature = next(one.feature for one in session.beliefs() if one.known)
            assert {one.say(feature, "less", actor="ana") for one in (session, local, remote)} == {6}
            assert session.weights().tobytes() == local.weights().tobytes() == remote.weights().tobytes()
        assert local.to_frame()["lesson"].equals(remote.to_frame()["lesson"])
        assert remote.plot(Figure().add_subplot()).lines


def test_client_imports_neither_sqlalchemy_nor_orjson():
    code = (
        "import sys; sys.modules['sqlalchemy'] = sys.modules['orjson'] = None\n"
        "import coactor; coactor.connect('http://127.0.0.1:9', 'x', token='t').close()\n"
        "from coactor.studies import Conflict, Draft, Round"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def answering(status: int, headers: dict[str, str] | None = None, content: bytes = b"{}") -> RemoteStudy:
    study = coactor.connect("http://server", "desk", token="t")
    transport = httpx.MockTransport(lambda request: httpx.Response(status, headers=headers, content=content))
    study.http = httpx.Client(base_url="http://server", transport=transport)
    return study


def test_client_raises_rate_limited_with_the_time_to_wait():
    with answering(429, {"Retry-After": "17"}) as study, pytest.raises(RateLimited) as caught:
        study.weights()
    assert caught.value.retry_after == 17.0
    with answering(429) as study, pytest.raises(RateLimited) as caught:
        study.weights()
    assert caught.value.retry_after is None


def test_export_raises_unavailable_when_the_connection_breaks():
    def broken(request: httpx.Request) -> httpx.Response:
        raise httpx.ReadError("gone")

    study = coactor.connect("http://server", "desk", token="t")
    study.http = httpx.Client(base_url="http://server", transport=httpx.MockTransport(broken))
    with study, pytest.raises(Unavailable, match="gone"):
        list(study.export())


def test_tell_sends_moves_with_tuples_and_refuses_nan(place):
    domain = Tour(points=7, features=3)
    x = next(domain.sample(np.random.default_rng(0), 1))
    with (
        open_study(place.store, "tuples", domain, "CSPER", create=True),
        place.connect("tuples", domain) as study,
    ):
        p = study.ask(x)
        assert study.tell(p, moves=[{"op": "reverse", "args": (np.int64(1), 3)}]).effort == 1.0
        assert repr(study) == f"<RemoteStudy 'tuples' at {place.address}>"
        q = study.ask(x)
        with pytest.raises(Invalid, match="JSON"):
            study.tell(q, moves=[], effort=float("nan"))


@pytest.mark.parametrize("kind", ["tour", "plan", "ranking"])
def test_replans_are_the_same_in_memory_on_disk_and_over_http(place, kind):
    domain, counted = DOMAINS[kind](), {"create": True, "settings": {"budget": math.inf, "habits": True}}
    if kind == "ranking":
        counted["settings"].pop("habits")
    with (
        open_study(place.store, f"again-{kind}", domain, **counted) as local,
        open_study(place.store, f"again-http-{kind}", domain, **counted) as other,
        place.connect(f"again-http-{kind}", other.domain) as remote,
    ):
        habits = "habits" in counted["settings"]
        places = [Session(domain, "default", habits=habits), local, remote]
        domain, rng = local.domain, np.random.default_rng(3)
        for x in domain.sample(rng, n=3):
            y = places[0].ask(x).solution
            moves = list(domain.moves(x, y))
            first, keep = moves[rng.integers(len(moves))], sorted(domain.parts(x, y))[:2]
            told = []
            for one in places:
                p = one.ask(x, keep=keep, near=y if habits else None)
                assert set(keep) <= set(domain.parts(x, p.solution))
                better = one.replan(p, domain.apply(x, y, first), keep=keep)
                again = one.replan(better, moves=[], keep=[])
                told.append(one.tell(again, solution=y))
            assert [(r.effort, r.cost) for r in told] == [(told[0].effort, told[0].cost)] * 3
            weights = [one.weights().tolist() for one in places]
            assert weights[0] == weights[1] == weights[2]
            for one in places:
                p = one.ask(x)
                moves = list(domain.moves(x, p.solution))
                better = one.replan(p, moves=moves[:1])
                told.append(one.tell(better, moves=list(domain.moves(x, better.solution))[:1]))
            assert [r.cost for r in told[3:]] == [2.0] * 3


def test_several_people_are_the_same_in_memory_on_disk_and_over_http(place):
    domain, counted = Tour(points=7, features=3), {"create": True, "settings": {"budget": math.inf}}
    tastes = {"ana": [1.0, 0.0, 1.0], "ben": [0.0, 1.0, 1.0]}
    experts = {name: SimulatedExpert(domain, weights=weights) for name, weights in tastes.items()}
    with (
        open_study(place.store, "people", domain, **counted) as local,
        open_study(place.store, "people-http", domain, **counted),
        place.connect("people-http", domain) as remote,
    ):
        places = [Session(domain, learners.make("default", 3)), local, remote]
        for k, x in enumerate(domain.sample(np.random.default_rng(5), n=8)):
            name = ("ana", "ben")[k % 2]
            for one in places:
                p = one.ask(x, asked_for=name)
                assert p.solved_for == name
                one.tell(p, experts[name](x, p.solution))  # for the person of ask
        weights = [
            [one.weights(learned_for=name).tolist() for name in (*tastes, "new", "")] for one in places
        ]
        assert weights[0] == weights[1] == weights[2]
        assert weights[0][0] != weights[0][1]
        views = [one.people() for one in places]
        assert views[0] == views[1] == views[2]
        assert [one.name for one in views[0].people] == ["ana", "ben"]
        assert [one.name for one in remote.people(hide=True).people] == ["Person 1", "Person 2"]
        whose = [[row.learned_for for row in one.effort()] for one in places]
        assert whose == [["ana", "ben"] * 4] * 3
        for one in (local, remote):
            assert one.rollback(4, "ana alone", learned_for="ana").learned_for == "ana"
            assert [version.learned_for for version in one.versions(7)] == ["ben", "ana"]
            with pytest.raises(Invalid, match="The name of the expert is empty"):
                one.rollback(4, "an empty variable", learned_for="")


def test_a_plan_from_outside_and_what_a_tell_refuses_are_the_same_on_disk_and_over_http(place):
    domain = Tour(points=6, features=2)
    x, other = domain.sample(np.random.default_rng(0), 2)
    mine = domain.apply(x, domain.solve(x, np.ones(2)), {"op": "reverse", "args": [1, 3]})
    with open_study(place.store, "outside", domain, "PER", create=True) as local:
        with place.connect("outside", domain) as remote:
            for study in (local, remote):
                proposal = study.ask(x, solution=mine)
                assert proposal.basis.proposer == "outside"
                np.testing.assert_array_equal(proposal.solution, mine)
                with pytest.raises(Invalid, match="exactly one"):
                    study.tell(proposal, moves=[], solution=mine)
        session = Session(domain, "PER")
        ours, theirs = session.ask(x), Session(domain, "PER").ask(other)
        for place_, foreign in ((session, theirs), (local, replace(theirs, id=1))):
            for call in (place_.tell, place_.replan):
                with pytest.raises(Invalid, match="made by another session or study"):
                    call(foreign, moves=[])
        assert session.tell(ours, moves=[]).effort == 0
