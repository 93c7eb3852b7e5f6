"""A study on a server, with the same verbs as a local one."""

from __future__ import annotations

import os
from collections.abc import Iterator
from types import TracebackType
from typing import Any, NoReturn
from urllib.parse import quote

import numpy as np
import orjson

from coactor.protocol import Domain, Problem, Proposal, Solution, Vector
from coactor.studies.calibration import Bin, Calibration
from coactor.studies.codec import Codec, to_plain
from coactor.studies.errors import Conflict, Forbidden, Invalid, NotFound, Unavailable
from coactor.studies.log.facts import canonical
from coactor.studies.results import EffortRow, Explanation, Outcome, Share, Ticket, Version

try:
    import httpx
except ImportError:  # said when somebody connects
    httpx = None  # type: ignore[assignment]

TOKEN = "COACTOR_TOKEN"


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
        Made by ``coactor token create``; without it, the environment variable COACTOR_TOKEN is read.
    domain
        Turns problems and solutions into plain data and back. Without it, plain data goes in and comes out.
    wait
        Seconds to wait for an answer; a solver may take its time.

    Examples
    --------
    >>> study = coactor.connect("http://127.0.0.1:8765", "depot-7", domain=tour)  # doctest: +SKIP
    >>> p = study.ask(problem, key="2026-11-15/van-7")  # doctest: +SKIP
    >>> study.tell(p.id, moves=[{"op": "reverse", "args": [2, 4]}])  # doctest: +SKIP
    """
    if httpx is None:
        raise ImportError("Connecting needs httpx; install it with: pip install 'coactor[serve]'")
    secret = token if token is not None else os.environ.get(TOKEN, "")
    if not secret:
        raise Invalid(f"A server wants to know who you are; pass token=..., or set {TOKEN}.")
    return RemoteStudy(url, study, secret, domain, wait)


class RemoteStudy:
    """A study on a server. Open it with `connect`; close it, or use it in a `with` block."""

    def __init__(self, url: str, study: str, token: str, domain: Domain | None, wait: float) -> None:
        self.name = study
        self.codec = None if domain is None else Codec(domain)
        self._base = f"/api/studies/{quote(study, safe='')}"
        self._http = httpx.Client(
            base_url=url.rstrip("/"), headers={"Authorization": f"Bearer {token}"}, timeout=wait
        )

    def ask(
        self, problem: Problem, *, key: str | None = None, label: str = "", renew: bool = True
    ) -> Proposal:
        """Have a problem solved and the proposal kept. The same key gives the same proposal."""
        data = problem if self.codec is None else orjson.loads(self.codec.problem_bytes(problem))
        headers = {} if key is None else {"Idempotency-Key": key}
        body = {"problem": to_json(data), "label": label, "renew": renew}
        return self._proposal(problem, self._call("POST", "/proposals", body, headers))

    def renew(self, id: int) -> Proposal:
        """The proposal as it should be shown now; see `Study.renew`."""
        made = self._call("POST", f"/proposals/{id}/renew")
        data = self.proposal(id)["problem"]
        return self._proposal(data if self.codec is None else self.codec.problem(data), made)

    def tell(
        self,
        id: int | Proposal,
        *,
        moves: Any = None,
        path: Any = None,
        solution: Any = None,
        effort: float | None = None,
        actor: str | None = None,
        learn: bool = True,
        note: str = "",
        cut: bool = False,
        seconds: float | None = None,
        asked_with: int | None = None,
    ) -> Outcome:
        """Say what the expert made of a proposal; see `Study.tell`."""
        number, asked_with = (id.id, id.version) if isinstance(id, Proposal) else (id, asked_with)
        said = {
            "moves": None if moves is None else to_plain(list(moves)),
            "path": None if path is None else [self._plain(z) for z in path],
            "solution": None if solution is None else self._plain(solution),
            "effort": effort,
            "actor": actor,
            "seconds": seconds,
            "asked_with": asked_with,
        }
        body = {name: value for name, value in said.items() if value is not None}
        body |= {"learn": learn, "note": note, "cut": cut}
        return Outcome(**self._call("POST", f"/proposals/{number}/tell", body))

    def proposals(self, state: str | None = None, after: int = 0, limit: int = 100) -> list[Ticket]:
        """Proposals by number."""
        ask = f"/proposals?after={after}&limit={limit}" + (f"&state={quote(state)}" if state else "")
        return [Ticket(**row) for row in self._call("GET", ask)]

    def proposal(self, id: int) -> dict[str, Any]:
        """A proposal, its problem and its draft, as plain data."""
        found: dict[str, Any] = self._call("GET", f"/proposals/{id}")
        return found

    def effort(self, after: int = 0) -> list[EffortRow]:
        """What each finished proposal cost."""
        return [EffortRow(**row) for row in self._call("GET", f"/effort?after={after}")]

    def calibration(self) -> Calibration:
        """Whether proposals were accepted untouched as often as was said beforehand."""
        found = self._call("GET", "/calibration")
        return Calibration(**{**found, "bins": [Bin(**row) for row in found["bins"]]})

    def weights(self, version: int | None = None) -> Vector:
        """The weights now, or those of an earlier version."""
        found = self._call("GET", "/weights" if version is None else f"/weights?version={version}")
        return np.array(found["weights"], dtype=np.float64)

    @property
    def version(self) -> int:
        """How often the weights have changed."""
        return int(self._call("GET", "")["version"])

    def explain(self, id: int) -> Explanation:
        """Each feature's share of the proposal's utility, and of each edit's."""
        found = self._call("GET", f"/proposals/{id}/explain")
        found["shares"] = [Share(**row) for row in found["shares"]]
        for edit in found["edits"]:
            edit["shares"] = [Share(**row) for row in edit["shares"]]
        return Explanation(**found)

    def versions(self, after: int = -1, limit: int = 1000) -> list[Version]:
        """Every state of the weights, and what made it."""
        return [Version(**row) for row in self._call("GET", f"/versions?after={after}&limit={limit}")]

    def rollback(self, to: int, reason: str) -> Version:
        """Take the weights back to an earlier version."""
        return Version(**self._call("POST", "/rollback", {"to": to, "reason": reason}))

    def export(self) -> Iterator[dict[str, Any]]:
        """The whole study as JSON-able lines."""
        with self._http.stream("GET", f"{self._base}/export") as answer:
            if answer.is_error:
                answer.read()
                _raise(answer)
            for line in answer.iter_lines():
                yield orjson.loads(line)

    def close(self) -> None:
        """Let go of the server."""
        self._http.close()

    def __enter__(self) -> RemoteStudy:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _proposal(self, problem: Problem, made: dict[str, Any]) -> Proposal:
        shown = self._solution(problem, made["proposed"])
        return Proposal(made["id"], problem, shown, made["version"], made["chance"])

    def _plain(self, y: Solution) -> Any:
        return to_json(y) if self.codec is None else self.codec.plain_solution(y)

    def _solution(self, problem: Problem, data: Any) -> Solution:
        return data if self.codec is None else self.codec.solution(problem, data)

    def _call(
        self, verb: str, path: str, body: dict[str, Any] | None = None, headers: dict[str, str] | None = None
    ) -> Any:
        content = None if body is None else canonical(body)
        sent = {"Content-Type": "application/json", **(headers or {})}
        try:
            answer = self._http.request(verb, self._base + path, content=content, headers=sent)
        except httpx.TransportError as error:
            raise Unavailable(
                f"The server does not answer ({error}); is it running? Asking again is safe."
            ) from error
        if answer.is_error:
            _raise(answer)
        return orjson.loads(answer.content)


def to_json(data: Any) -> Any:
    """Arrays and tuples as lists."""
    return orjson.loads(canonical(data))


def _raise(answer: httpx.Response) -> NoReturn:
    try:
        said = answer.json()
        detail, current = str(said["detail"]), said.get("current")
    except (ValueError, KeyError, TypeError):
        detail, current = f"The server answered {answer.status_code}.", None
    if answer.status_code == 409:
        raise Conflict(detail, current)
    kinds: dict[int, type[Exception]] = {404: NotFound, 401: Forbidden, 403: Forbidden, 429: Forbidden}
    raise kinds.get(answer.status_code, Unavailable if answer.status_code >= 500 else Invalid)(detail)
