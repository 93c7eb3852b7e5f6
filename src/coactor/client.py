"""A study on a server, with the methods of a local one. Needs httpx, and neither SQLAlchemy nor orjson."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from typing import Any, NoReturn
from urllib.parse import quote, urlencode

import numpy as np

from coactor import records
from coactor.corrections import check_told, continued, plain_move, report_of
from coactor.corrections import correction as make_correction
from coactor.explanations import Belief, PeopleView
from coactor.keeping import named_parts, plain_parts
from coactor.proposals.calibration import Calibration
from coactor.protocol import (
    Basis,
    Correction,
    Domain,
    Move,
    Parts,
    Problem,
    Proposal,
    Round,
    Solution,
    Vector,
    Wish,
    Work,
)
from coactor.studies.codec import Codec, read
from coactor.studies.drafts import Draft
from coactor.studies.errors import (
    Conflict,
    Forbidden,
    Invalid,
    NotFound,
    RateLimited,
    SolverFailed,
    Unavailable,
)
from coactor.studies.report import Report
from coactor.studies.results import Explanation, Version
from coactor.studies.settings import CHANGEABLE, Settings
from coactor.validation import (
    checked_domain,
    checked_type,
    listed,
    proposal_number,
    study_name,
    text,
    validate_label,
)

try:
    import httpx
except ImportError:  # `connect` says what to install
    httpx = None  # type: ignore[assignment]

TOKEN = "COACTOR_TOKEN"
PAGE = 1000  # rows in one response


def connect(
    url: str, study: str, *, token: str | None = None, domain: Domain | None = None, wait: float = 60.0
) -> RemoteStudy:
    """Open a study on a server.

    Parameters
    ----------
    url
        Of the server: ``http://127.0.0.1:8765``.
    study
        Its name.
    token
        Made by ``coactor token create``; by default the environment variable COACTOR_TOKEN.
    domain
        Encodes and decodes problems and solutions. Without it they are plain JSON-able data.
    wait
        Seconds to wait for an answer; a solver may need some.

    Examples
    --------
    >>> study = coactor.connect("http://127.0.0.1:8765", "depot-7", domain=tour)  # doctest: +SKIP
    >>> p = study.ask(problem, key="2026-11-15/van-7")  # doctest: +SKIP
    >>> study.tell(p, moves=[{"op": "reverse", "args": [2, 4]}])  # doctest: +SKIP
    """
    if httpx is None:
        raise ImportError("Connecting needs httpx; install it with: pip install 'coactor[client]'")
    text(url, "URL", 2000)
    study_name(study)
    secret = token if token is not None else os.environ.get(TOKEN, "")
    if not secret:
        raise Invalid(f"The server needs a token; pass token=..., or set {TOKEN}.")
    return RemoteStudy(url, study, secret, domain, wait)


class RemoteStudy:
    """A study on a server. Open it with `connect`; close it, or use it in a `with` block."""

    def __init__(self, url: str, study: str, token: str, domain: Domain | None, wait: float) -> None:
        self.name = study
        self.url = url.rstrip("/")
        self._codec = None if domain is None else Codec(checked_domain(domain))
        self._base = f"/api/studies/{quote(study, safe='')}"
        self.http = httpx.Client(
            base_url=self.url, headers={"Authorization": f"Bearer {token}"}, timeout=wait
        )

    def __repr__(self) -> str:
        return f"<RemoteStudy {self.name!r} at {self.url}>"

    # -- ask and tell ------------------------------------------------------------------------------------

    def ask(
        self,
        problem: Problem,
        *,
        key: str | None = None,
        label: str = "",
        actor: str = "",
        asked_for: str = "",
        renew: bool = True,
        solution: Solution | None = None,
        keep: Parts = (),
        near: Solution | None = None,
    ) -> Proposal:
        """Propose a solution with the current weights, and store the proposal; see `Study.ask`."""
        validate_label(label, key)
        data = problem if self._codec is None else self._codec.plain_problem(problem)
        headers = {} if key is None else {"Idempotency-Key": key}
        body = {"problem": data, "label": label, "renew": renew, "asked_for": asked_for}
        body |= {"actor": actor} if actor else {}
        body |= {"keep": plain_parts(named_parts(keep))}
        given = {"solution": solution, "near": near}
        body |= {name: self._plain(y) for name, y in given.items() if y is not None}
        return self._proposal(problem, self._call("POST", "/proposals", body, headers))

    def renew(self, proposal: Proposal | int) -> Proposal:
        """The proposal as it should be shown now; see `Study.renew`."""
        answer = self._call("POST", f"/proposals/{proposal_number(proposal)}/renew")
        asked = proposal if isinstance(proposal, Proposal) else self.proposal(proposal)
        return self._proposal(asked.problem, answer)

    def replan(
        self,
        proposal: Proposal | int,
        solution: Solution | None = None,
        *,
        moves: Iterable[Move] | None = None,
        keep: Parts | None = None,
    ) -> Proposal:
        """Solve the rest of a draft again, around what stays; see `Study.replan`."""
        asked = proposal if isinstance(proposal, Proposal) else self.proposal(proposal)
        moves = [] if solution is None and moves is None else moves
        body = self._report(asked, None, moves, solution)
        body |= {} if keep is None else {"keep": plain_parts(named_parts(keep))}
        answer = self._call("POST", f"/proposals/{asked.id}/replan", body)
        done = read(dict[str, Any], answer["before"])
        path = [self._solution(asked.problem, z) for z in done.pop("path")]
        correction = Correction(path, done.pop("moves", []), **done)
        return replace(asked, solution=path[-1], before=correction)

    def tell(
        self,
        proposal: Proposal | int,
        correction: Correction | None = None,
        *,
        moves: Iterable[Move] | None = None,
        solution: Solution | None = None,
        effort: float | None = None,
        cut: bool = False,
        learn: bool = True,
        actor: str = "",
        learned_for: str = "",
        work: Work | None = None,
    ) -> Round:
        """Learn from the expert's correction of a proposal; see `Study.tell`."""
        work = check_told(correction, (moves, solution, effort, cut), work, learn)
        body: dict[str, Any] = {"effort": effort, "cut": cut, "learn": learn, "note": work.note}
        body |= {"actor": actor or work.actor or None, "seconds": work.seconds}
        body |= {"learned_for": learned_for or None}
        body |= self._report(proposal, correction, moves, solution)
        if isinstance(proposal, Proposal):
            body["version"] = proposal.version
        body = {name: value for name, value in body.items() if value is not None}
        return read(Round, self._call("POST", f"/proposals/{proposal_number(proposal)}/tell", body))

    def say(self, feature: str, wish: Wish, *, learned_for: str = "", actor: str = "") -> int:
        """Learn that an expert wants more or less of a feature than what is proposed now; see `Study.say`."""
        body = {"feature": feature, "wish": wish, "learned_for": learned_for, "actor": actor or None}
        return int(self._call("POST", "/say", body)["version"])

    # -- reading -----------------------------------------------------------------------------------------

    def effort(self, after: int = 0) -> list[Round]:
        """What each finished proposal cost, in the order of the tells; those with `seq` above `after`."""
        rows: list[Round] = []
        while True:
            page = read(list[Round], self._call("GET", f"/effort?after={after}&limit={PAGE}"))
            rows += page
            if len(page) < PAGE:
                return rows
            after = rows[-1].seq

    @property
    def efforts(self) -> list[float]:
        """The expert's total effort for each finished proposal, in the order of the tells."""
        return [row.effort for row in self.effort()]

    def weights(self, version: int | None = None, *, learned_for: str = "") -> Vector:
        """The current weights, or those of an earlier version; of one expert, or of all.

        Raises NotFound if there is no such version.
        """
        query = {"learned_for": learned_for, **({} if version is None else {"version": version})}
        answer = self._call("GET", f"/weights?{urlencode(query)}")
        return np.array(answer["weights"], dtype=np.float64)

    def beliefs(self, version: int | None = None, *, learned_for: str = "") -> list[Belief]:
        """What is known about each feature; see `Study.beliefs`."""
        query = {"learned_for": learned_for, **({} if version is None else {"version": version})}
        return read(list[Belief], self._call("GET", f"/beliefs?{urlencode(query)}")["features"])

    to_frame, plot = records.to_frame, records.plot

    def people(self, *, hide: bool = False) -> PeopleView:
        """What people share, how they differ and who goes together; names are for leads only."""
        return read(PeopleView, self._call("GET", f"/people?hide={'true' if hide else 'false'}"))

    @property
    def version(self) -> int:
        """The version of the weights: how often they were changed."""
        return int(self._call("GET", "")["version"])

    def versions(self, after: int = -1, limit: int = 1000) -> list[Version]:
        """The versions of the weights numbered above `after`, and what created them."""
        return read(list[Version], self._call("GET", f"/versions?after={after}&limit={limit}"))

    def proposals(self, state: str | None = None, after: int = 0, limit: int = 100) -> list[Draft]:
        """Proposals by number: all of them, or those in one state."""
        query = {"after": after, "limit": limit, **({"state": state} if state else {})}
        return read(list[Draft], self._call("GET", f"/proposals?{urlencode(query)}"))

    def proposal(self, id: int) -> Proposal:
        """A proposal as it is edited now, or as it was when it was told."""
        answer = self._call("GET", f"/proposals/{proposal_number(id)}")
        problem = answer["problem"] if self._codec is None else self._codec.problem(answer["problem"])
        return self._proposal(problem, answer)

    def round(self, proposal: Proposal | int) -> Round:
        """The round of a finished proposal. Raises Invalid if it is not finished."""
        return read(Round, self._call("GET", f"/proposals/{proposal_number(proposal)}/outcome"))

    def explain(self, proposal: Proposal | int) -> Explanation:
        """Each feature's share of the proposal's utility, and of each edit's."""
        return read(Explanation, self._call("GET", f"/proposals/{proposal_number(proposal)}/explain"))

    def calibration(self) -> Calibration:
        """Whether proposals were accepted as often as predicted."""
        return read(Calibration, self._call("GET", "/calibration"))

    def report(self) -> Report:
        """Whether there is less to correct, and what learning saves; names are for leads only."""
        return read(Report, self._call("GET", "/report"))

    def summary(self) -> dict[str, Any]:
        """The study in a few numbers, as JSON-able data."""
        about: dict[str, Any] = self._call("GET", "")
        return about

    # -- the whole study ---------------------------------------------------------------------------------

    def configure(self, settings: Settings) -> dict[str, Any]:
        """Change settings of the study; see `Study.configure`."""
        body: dict[str, Any] = {**checked_type(settings, Mapping, "'settings'")}
        if body.get("budget") == math.inf:
            body["budget"] = None
        about = self._call("PATCH", "", body)
        return {name: about[name] for name in CHANGEABLE}

    def rollback(self, to: int, reason: str, *, learned_for: str | None = None, actor: str = "") -> Version:
        """Set the weights, or one expert's, back to an earlier version; see `Study.rollback`."""
        body = {"to": to, "reason": reason, "actor": actor or None}
        body |= {} if learned_for is None else {"learned_for": learned_for}
        return read(Version, self._call("POST", "/rollback", body))

    def export(self) -> Iterator[dict[str, Any]]:
        """The whole study as JSON-able lines."""
        with _translated_errors(), self.http.stream("GET", f"{self._base}/export") as answer:
            if answer.is_error:
                answer.read()
                _raise(answer)
            for line in answer.iter_lines():
                yield json.loads(line)

    def close(self) -> None:
        """Close the connection."""
        self.http.close()

    def __enter__(self) -> RemoteStudy:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # -- inside ------------------------------------------------------------------------------------------

    def _proposal(self, problem: Problem, answer: dict[str, Any]) -> Proposal:
        solution = self._solution(problem, answer["proposed"])
        basis = read(Basis, answer["basis"])
        domain = None if self._codec is None else self._codec.domain
        names = answer["asked_for"], answer["solved_for"]
        return Proposal(answer["id"], problem, solution, *names, basis, domain=domain)

    def _report(
        self,
        proposal: Proposal | int,
        correction: Correction | None,
        moves: Iterable[Move] | None,
        solution: Solution | None,
    ) -> dict[str, Any]:
        """What was done to a proposal, before a re-plan and after it, as fields of a request."""
        before = proposal.before if isinstance(proposal, Proposal) else None
        if before is not None and isinstance(proposal, Proposal):
            if correction is None and moves is not None and len(before.moves) == len(before.costs):
                moves = [*before.moves, *moves]  # the server knows what they cost
            else:
                if self._codec is None:
                    raise Invalid("After a re-plan, tell the moves; or connect with domain=...")
                x, y, domain = proposal.problem, proposal.solution, self._codec.domain
                after = correction or make_correction(domain, x, y, moves=moves, solution=solution)
                correction, moves, solution = continued(before, after), None, None
        if correction is not None:
            report = report_of(correction)
            path = [self._plain(z) for z in report.get("path", [])]
            return report | ({"path": path} if path else {"moves": self._plain_moves(correction.moves)})
        given = {} if moves is None else {"moves": self._plain_moves(moves)}
        return given if solution is None else {**given, "solution": self._plain(solution)}

    def _plain_moves(self, moves: Iterable[Move]) -> list[Move]:
        plain = [plain_move(move) for move in listed(moves, "moves")]
        return plain if self._codec is None else self._codec.plain_moves(plain)

    def _solution(self, problem: Problem, data: Any) -> Solution:
        return data if self._codec is None else self._codec.solution(problem, data)

    def _plain(self, y: Solution) -> Any:
        return y if self._codec is None else self._codec.plain(y)

    def _call(
        self, verb: str, path: str, body: dict[str, Any] | None = None, headers: dict[str, str] | None = None
    ) -> Any:
        content = None if body is None else _dump(body)
        sent = {"Content-Type": "application/json", **(headers or {})}
        with _translated_errors():
            answer = self.http.request(verb, self._base + path, content=content, headers=sent)
        if answer.is_error:
            _raise(answer)
        return answer.json()


def _dump(data: Any) -> str:
    """JSON, with arrays as lists. Raises Invalid if the data cannot be written."""
    try:
        return json.dumps(data, default=_to_list, allow_nan=False)
    except (TypeError, ValueError) as error:
        raise Invalid(f"This cannot be written as JSON ({error}); connect with domain=...") from error


def _to_list(value: Any) -> Any:
    if isinstance(value, np.ndarray | np.generic):
        return value.tolist()
    raise TypeError(f"{type(value).__name__} is not JSON-able")


@contextmanager
def _translated_errors() -> Iterator[None]:
    """Re-raise httpx's errors as `Unavailable`."""
    try:
        yield
    except httpx.HTTPError as error:
        raise Unavailable(
            f"The server does not answer ({error}); is it running? Asking again is safe."
        ) from error


def _raise(answer: httpx.Response) -> NoReturn:
    try:
        body = answer.json()
        detail, current = str(body["detail"]), body.get("current")
    except (ValueError, KeyError, TypeError):
        detail, current = f"The server answered {answer.status_code}.", None
    status, seconds = answer.status_code, answer.headers.get("Retry-After", "")
    if status == 409:
        raise Conflict(detail, current)
    if status == 429:
        raise RateLimited(detail, float(seconds) if seconds.isdecimal() else None)
    if status in (502, 504):
        raise SolverFailed(detail, timeout=status == 504)
    kinds: dict[int, type[Exception]] = {404: NotFound, 401: Forbidden, 403: Forbidden}
    raise kinds.get(status, Unavailable if status >= 500 else Invalid)(detail)
