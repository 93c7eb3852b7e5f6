"""Valid requests in odd orders, with odd values: no server error, and a refused call changes nothing."""

from __future__ import annotations

import tempfile
from collections import Counter
from contextlib import ExitStack
from functools import partial

import httpx
import numpy as np
import sqlalchemy as sa
from anyio.from_thread import start_blocking_portal
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    precondition,
    rule,
    run_state_machine_as_test,
)

from coactor.domains import Tour
from coactor.studies import NotFound, Store, open_study
from coactor.studies.accounts import Accounts
from coactor.studies.log import schema, transfer
from coactor.studies.log.verification import verify
from coactor.web.app import create_app
from tests.studies.stubs import Clock, Switches

TOUR = {"points": 6, "features": 2}
DOMAINS = {
    "tour": ("tour", TOUR),
    "habits": ("tour", {**TOUR, "habits": True}),
    "ranking": ("ranking", {"features": 3, "documents": 5}),
    "hypercube": ("hypercube", {"dimension": 3, "features": 2}),
}
LEARNERS = ("default", "CSPER", "PA", "averaged-PER")
PEOPLE = ("ana", "ben", "cleo")
ROLES = {"ana": "expert", "ben": "lead", "machine": "solver", "eve": "viewer", "root": "admin"}
READS = ["", "/queue", "/queue?order=doubtful&expert=ana&search=1", "/proposals", "/proposals?state=done"]
READS += ["/versions", "/events", "/events?after=3&limit=2", "/effort", "/effort?last=1", "/effort.csv"]
READS += ["/trend", "/effort/summary?days=0.001", "/calibration", "/weights", "/weights?learned_for=ana"]
READS += ["/weights?version=0", "/beliefs?learned_for=ben", "/beliefs?version=1", "/people", "/history"]
READS += ["/progress", "/export", "/features", "/proposals/1", "/proposals/1/explain", "/proposals/1/outcome"]
READS += ["/proposals/2/moves", "/proposals/2/moves?order=gain&search=a", "/proposals/1?brief=true"]

studies = st.integers(0, 20)
texts = st.sampled_from(["", "ana", "0", "ß", "an ana", "<b>", "=1+1", "\n", "x" * 100, "🙂", "\u202e"])
names = st.sampled_from(["", *PEOPLE, "Ana", "машина", "x" * 100, "a/b", " "])
keys = st.sampled_from([None, None, "k", "k2", " ", "x" * 200])
budgets = st.sampled_from([0.0, 1e-9, 0.01, None])
numbers = st.sampled_from([0.0, 1e-300, 0.5, 1.0, 7.0, 1e6])
ids = st.integers(0, 20)
picks = st.lists(st.integers(0, 50), max_size=4)
who = st.sampled_from(["ana", "ben", "ben", "root"])
leads = st.sampled_from(["ben", "ben", "root", "ana"])
admins = st.sampled_from(["root", "root", "root", "ben"])
flags = st.booleans()


class Service(RuleBasedStateMachine):
    """A server with up to three studies, and everything that clients may do to it."""

    def __init__(self) -> None:
        super().__init__()
        self.stack, self.clock = ExitStack(), Clock()
        folder = self.stack.enter_context(tempfile.TemporaryDirectory())
        self.store = self.stack.enter_context(Store(f"sqlite:///{folder}/desk.db"))
        self.store.clock = self.clock
        self.app = create_app(self.store, lease=60.0, domains={"own": Switches()})
        self.accounts = Accounts(self.store)
        self.tokens = {name: self.accounts.create(name, "*", role) for name, role in ROLES.items()}
        # An event loop in a thread of its own: the browser of other tests keeps one running in this thread.
        self.portal = self.stack.enter_context(start_blocking_portal())
        self.client = httpx.AsyncClient(
            transport=httpx.ASGITransport(self.app), base_url="http://localhost/api"
        )
        self.codes: Counter[int] = Counter()

    def teardown(self) -> None:
        try:
            with self.store.reading() as sql:
                heads = sql.studies()
            for head in heads:
                assert verify(self.store, head.name).arithmetic == ""
            TOTAL.update(self.codes)
        finally:
            self.portal.call(self.client.aclose)
            self.stack.close()

    # -- helpers -----------------------------------------------------------------------------------------

    def stored(self):
        """What a refused call must not change: the ends of the logs, the accounts and their roles."""
        with self.store.reading() as sql:
            tables = (schema.accounts, schema.grants)
            return sql.studies(), [sql.connection.execute(sa.select(table)).all() for table in tables]

    def call(self, method, path, account="root", body=None, **headers):
        before = self.stored()
        headers = {"Authorization": f"Bearer {self.tokens[account]}", **headers}
        answer = self.portal.call(partial(self.client.request, method, path, json=body, headers=headers))
        assert answer.status_code < 500, (method, path, body, answer.text)
        if answer.status_code >= 400:
            assert self.stored() == before, (method, path, body, answer.text)
            assert answer.json()["detail"]
        self.codes[answer.status_code] += 1
        return answer

    def known(self, study):
        return study in self.app.state.studies.names()

    def pick(self, study, id=0):
        """The name of a study and the number of a proposal, nearly always of some that are there."""
        names = self.app.state.studies.names()
        name = names[study % len(names)] if names and study < 20 else "b"
        asked = self.app.state.studies.summary(name)["asked"] if name in names else 0
        return name, 1 + id % asked if asked and id < 20 else 7

    def problem(self, study, number):
        opened = self.app.state.studies.study(study) if self.known(study) else None
        domain = Tour(**TOUR) if opened is None else opened.domain
        if isinstance(domain, Switches):
            return [[1.0, 2.0, 3.0], [0.0, 0.0, 0.0], [-1.0, 1e-9, 1e9]][number]
        x = list(domain.sample(np.random.default_rng(0), 3))[number]
        return domain.encode_problem(x) if opened is None else opened.codec.plain_problem(x)

    def edited(self, study, id, picks, draft=False):
        """Moves that the proposal or its draft allows, and the solutions on the way, as JSON."""
        if not self.known(study):
            return [{"op": "reverse", "args": [1, 2]}], [[0, 1]]
        opened, moves = self.app.state.studies.study(study), []
        try:
            if draft:
                view = self.app.state.studies.desk(study).view(id)
                x, y = view.problem, view.solution
            else:
                shown = opened.proposal(id)
                x, y = shown.problem, shown.solution
        except NotFound:  # there is no such proposal; any move will do
            return [{"op": "reverse", "args": [1, 2]}], [[0, 1]]
        path = [y]
        for pick in picks:
            options = list(opened.domain.moves(x, path[-1]))
            if options:
                moves.append(options[pick % len(options)])
                path.append(opened.domain.apply(x, path[-1], moves[-1]))
        plain = [{"op": move["op"], "args": [int(k) for k in move["args"]]} for move in moves]
        return plain, [opened.codec.plain_solution(y) for y in path]

    # -- studies -----------------------------------------------------------------------------------------

    @initialize(domain=st.sampled_from([*DOMAINS]), learner=st.sampled_from(LEARNERS))
    def create_first(self, domain, learner):
        self.create("a", domain, learner, 0.0, 600.0, {}, "root")
        own = open_study(self.store, "own", Switches(), learner, settings={"budget": 0.0}, create=True)
        own.close()
        for study in (0, 0, 1):
            self.ask(study, 0, None, "", True, None, "", None, "machine")

    @rule(
        study=st.sampled_from(["a", "b"]),
        domain=st.sampled_from([*DOMAINS]),
        learner=st.sampled_from(LEARNERS),
        budget=budgets,
        grace=numbers,
        costs=st.dictionaries(st.sampled_from(["reverse", "swap", "?", ""]), numbers, max_size=2),
        account=admins,
    )
    def create(self, study, domain, learner, budget, grace, costs, account):
        name, parameters = DOMAINS[domain]
        about = {"name": name, "parameters": {k: v for k, v in parameters.items() if k != "habits"}}
        body = {"name": study, "domain": about, "learner": learner, "budget": budget, "grace": grace}
        habits = parameters.get("habits", False)
        answer = self.call("POST", "/studies", account, {**body, "costs": costs, "habits": habits})
        assert answer.status_code in (201, 403, 409), answer.text

    @rule(
        study=studies,
        changed=st.fixed_dictionaries(
            {},
            optional={
                "proposals": st.sampled_from(["default", "polish", "solver", "paper"]),
                "budget": budgets,
                "grace": numbers,
                "costs": st.dictionaries(st.sampled_from(["reverse", "flip", "🙂"]), numbers, max_size=2),
            },
        ),
        account=leads,
    )
    def configure(self, study, changed, account):
        study, _ = self.pick(study)
        self.call("PATCH", f"/studies/{study}", account, changed)

    @rule(
        study=studies,
        to=st.integers(0, 5),
        person=st.sampled_from([None, None, "ana"]),
        account=leads,
        actor=st.none() | names,
    )
    def roll_back(self, study, to, person, account, actor):
        study, _ = self.pick(study)
        version = self.app.state.studies.summary(study)["version"] if self.known(study) else 0
        body = {"to": to % (version + 2), "reason": "odd", "learned_for": person, "actor": actor}
        self.call("POST", f"/studies/{study}/rollback", account, body)

    @rule(study=studies, person=st.sampled_from([*PEOPLE, *ROLES, "nobody"]), account=admins)
    def erase(self, study, person, account):
        study, _ = self.pick(study)
        self.call("POST", f"/studies/{study}/erase", account, {"name": person})

    @rule(study=studies, sure=st.integers(0, 9))
    def delete(self, study, sure):
        if not sure:
            self.call("DELETE", f"/studies/{self.pick(study)[0]}")

    @rule(study=st.sampled_from(["a", "b"]), back=flags)
    def export_and_import(self, study, back):
        """Move a study: export it, delete it perhaps, and import the lines."""
        if self.known(study):
            lines = [*transfer.export(self.store, study)]
            if back:
                self.call("DELETE", f"/studies/{study}")
            other = study if back else "b" if study == "a" else "a"
            if not self.known(other):
                transfer.load(self.store, lines, other)

    @rule(study=studies, path=st.sampled_from(READS), account=st.sampled_from([*ROLES]))
    def read(self, study, path, account):
        study, _ = self.pick(study)
        self.call("GET", f"/studies/{study}{path}", account)

    # -- ask and tell ------------------------------------------------------------------------------------

    @rule(
        study=studies,
        number=st.integers(0, 2),
        key=keys,
        label=texts,
        renew=flags,
        actor=st.none() | names,
        person=names,
        outside=st.none() | picks,
        account=st.sampled_from(["machine", "ben"]),
    )
    def ask(self, study, number, key, label, renew, actor, person, outside, account):
        study, _ = self.pick(study)
        body = {"problem": self.problem(study, number), "label": label, "renew": renew, "asked_for": person}
        if outside is not None and self.known(study):  # what another system proposes
            opened = self.app.state.studies.study(study)
            x = opened.read_problem(body["problem"])
            y = opened.ask(x, actor="other").solution
            for pick in outside:
                moves = list(opened.domain.moves(x, y))
                y = opened.domain.apply(x, y, moves[pick % len(moves)]) if moves else y
            body["solution"] = opened.codec.plain_solution(y)
        headers = {} if key is None else {"Idempotency-Key": key}
        answer = self.call(
            "POST", f"/studies/{study}/proposals", account, {**body, "actor": actor}, **headers
        )
        if self.known(study) and key is None:
            assert answer.status_code == 201, answer.text

    @rule(
        study=studies,
        id=ids,
        picks=picks,
        how=st.sampled_from(["moves", "path", "solution"]),
        more=st.fixed_dictionaries(
            {},
            optional={
                "learn": flags,
                "note": texts,
                "cut": flags,
                "seconds": numbers,
                "effort": numbers,
                "estimated": flags,
                "actor": names,
                "learned_for": names,
                "version": st.integers(0, 5),
            },
        ),
        account=st.sampled_from(["machine", "ben"]),
    )
    def tell(self, study, id, picks, how, more, account):
        study, id = self.pick(study, id)
        moves, path = self.edited(study, id, picks)
        bodies = {"moves": {"moves": moves}, "path": {"path": path}, "solution": {"solution": path[-1]}}
        self.call("POST", f"/studies/{study}/proposals/{id}/tell", account, {**bodies[how], **more})

    # -- people at work ----------------------------------------------------------------------------------

    @rule(study=studies, id=ids, account=who, act=st.sampled_from(["claim", "release", "reopen", "renew"]))
    def act(self, study, id, account, act):
        study, id = self.pick(study, id)
        self.call("POST", f"/studies/{study}/proposals/{id}/{act}", account)

    @rule(study=studies, id=ids, first=who, second=who, what=st.sampled_from(["claim", "release", "submit"]))
    def contend(self, study, id, first, second, what):
        """Two people want the same proposal."""
        study, id = self.pick(study, id)
        self.call("POST", f"/studies/{study}/proposals/{id}/claim", first)
        self._at_revision(study, id, 3, what, second, {}, None)

    @rule(
        study=studies, account=who, query=st.sampled_from(["", "?order=likely", "?state=waiting&expert=ana"])
    )
    def next(self, study, account, query):
        study, _ = self.pick(study)
        self.call("POST", f"/studies/{study}/queue/next{query}", account)

    @rule(study=studies, id=ids, picks=picks, account=who, late=st.integers(0, 3), key=keys)
    def edit(self, study, id, picks, account, late, key):
        study, id = self.pick(study, id)
        moves, _ = self.edited(study, id, picks, draft=True)
        self._at_revision(study, id, late, "edits", account, {"moves": moves}, key)

    @rule(
        study=studies, id=ids, action=st.sampled_from(["undo", "redo"]), count=st.integers(1, 3), account=who
    )
    def undo_or_redo(self, study, id, action, count, account):
        study, id = self.pick(study, id)
        self._at_revision(study, id, 3, "edits", account, {"action": action, "count": count}, None)

    @rule(study=studies, id=ids, account=who, learn=flags, cut=flags, note=texts, seconds=numbers)
    def submit(self, study, id, account, learn, cut, note, seconds):
        study, id = self.pick(study, id)
        body = {"learn": learn, "cut": cut, "note": note, "seconds": seconds}
        self._at_revision(study, id, 3, "submit", account, body, None)

    def _at_revision(self, study, id, late, what, account, body, key):
        """Send the revision of the draft, or an earlier one if `late` is 0."""
        tag = self.call("GET", f"/studies/{study}/proposals/{id}").headers.get("etag", '"0"')
        revision = int(tag.strip('W/"')) - (late == 0)
        headers = {"If-Match": f'"{max(0, revision)}"'} | ({"Idempotency-Key": key} if key else {})
        self.call("POST", f"/studies/{study}/proposals/{id}/{what}", account, body, **headers)

    @rule()
    def work_in_the_background(self):
        self.app.state.studies.renew_ahead()

    @rule(seconds=st.sampled_from([1.0, 61.0, 700.0, 1e6, -100.0]))
    def wait(self, seconds):
        self.clock.now += seconds

    # -- tokens ------------------------------------------------------------------------------------------

    @rule(
        name=st.sampled_from(["new", "ana", "🙂", " "]),
        study=st.sampled_from(["a", "own", "*"]),
        role=st.sampled_from([*ROLES.values()]),
        seconds=st.sampled_from([None, 1e-6, 30.0, 1e10]),
    )
    def create_token(self, name, study, role, seconds):
        body = {"name": name, "study": study, "role": role, "seconds": seconds}
        answer = self.call("POST", "/tokens", "root", body)
        if answer.status_code == 201:
            self.tokens["new"] = answer.json()["token"]

    @rule(
        name=st.sampled_from(["new", "ana", "nobody"]),
        study=studies,
        role=st.sampled_from(["none", "lead", "viewer"]),
    )
    def grant(self, name, study, role):
        study, _ = self.pick(study)
        self.call("PATCH", f"/tokens/{name}", "root", {"study": study, "role": role})

    @rule(name=st.sampled_from(["new", "🙂", " "]))
    def revoke(self, name):
        self.call("DELETE", f"/tokens/{name}")

    @precondition(lambda self: "new" in self.tokens)
    @rule(study=studies, path=st.sampled_from(["", "/proposals", "/export"]))
    def read_with_a_token(self, study, path):
        study, _ = self.pick(study)
        self.call("GET", f"/studies/{study}{path}", "new")
        self.call("GET", "/tokens", "new")


TOTAL: Counter[int] = Counter()


def test_no_order_of_valid_requests_gives_a_server_error_or_breaks_the_log():
    TOTAL.clear()
    run_state_machine_as_test(Service, settings=settings(max_examples=7, stateful_step_count=35))
    done = sum(count for code, count in TOTAL.items() if code < 300)
    assert done > sum(TOTAL.values()) / 2  # most requests are accepted
