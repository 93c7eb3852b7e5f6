"""Opening and creating studies."""

from __future__ import annotations

import time
import uuid
from collections.abc import Callable
from typing import Any

from coactor import learners
from coactor.proposals.strategies import NAMES, Strategy
from coactor.protocol import Candidate, Domain, Learner, Solver
from coactor.studies import catalog
from coactor.studies.codec import Codec
from coactor.studies.errors import Conflict, Invalid
from coactor.studies.log import facts
from coactor.studies.log.facts import Created
from coactor.studies.log.store import Store
from coactor.studies.study import NAME, Study

GRACE = 600.0  # seconds in which a tell can be taken back


def open_study(
    url: str | Store,
    name: str,
    domain: Domain | None = None,
    learner: str | Learner = "default",
    *,
    create: bool = False,
    solver: Solver | None = None,
    proposals: str | Strategy | None = None,
    costs: dict[str, float] | None = None,
    candidate: Candidate = "final",
    grace: float = GRACE,
    actor: str = "",
    clock: Callable[[], float] = time.time,
) -> Study:
    """Open a study by the URL of its store and its name.

    Parameters
    ----------
    url
        ``sqlite:///desk.db``, ``postgresql://...``, or a store that is already open.
    name
        Letters, digits, dots, dashes and underscores.
    domain
        What is proposed and edited. A study of an installed domain can be opened without it.
    learner
        A name such as "CSPER", or a learner. Used when the study is created; afterwards the log knows.
    create
        Create the study if there is none.
    solver, proposals
        Your own way from a problem to a solution, the domain's solver otherwise; and which of its answers to
        show: a name or a strategy of `coactor.proposals`. A name is kept when the study is created.
    costs, candidate, grace
        What an operator costs (1 where silent); what to learn from; for how many seconds a tell can be
        taken back.

    Examples
    --------
    >>> import tempfile, numpy as np
    >>> from coactor import domains, open_study
    >>> tour = domains.Tour(points=8, features=3)
    >>> x = next(tour.sample(np.random.default_rng(0), n=1))
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     study = open_study(f"sqlite:///{folder}/desk.db", "depot-7", tour, "CSPER", create=True)
    ...     p = study.ask(x, key="monday")
    ...     outcome = study.tell(p.id, moves=[{"op": "reverse", "args": [2, 4]}], actor="ana")
    ...     study.close()
    >>> outcome.effort, outcome.version
    (1.0, 1)
    """
    if not NAME.fullmatch(name):
        raise Invalid(
            f"{name!r} is no name for a study; use up to 64 letters, digits, dots, dashes, underscores."
        )
    store = url if isinstance(url, Store) else Store(url)
    try:
        with store.reading() as sql:
            known = any(head.name == name for head in sql.studies())
        if not known and create:
            settings: dict[str, Any] = {
                "costs": dict(costs or {}),
                "candidate": candidate,
                "grace": float(grace),
            }
            settings["proposals"] = proposals if isinstance(proposals, str) else "default"
            _create(store, name, domain, learner, settings, actor, clock)
        study = Study(
            store, name, domain, None if isinstance(learner, str) else learner, solver, proposals, clock
        )
    except BaseException:
        if store is not url:
            store.close()
        raise
    study.owns_store = store is not url
    return study


def _create(
    store: Store,
    name: str,
    domain: Domain | None,
    learner: str | Learner,
    settings: dict[str, Any],
    actor: str,
    clock: Callable[[], float],
) -> None:
    if settings["proposals"] not in NAMES:
        raise Invalid(
            f"There are no proposals of kind {settings['proposals']!r}; choose one of {', '.join(NAMES)}."
        )
    if domain is None:
        raise Invalid(f"Study {name!r} is new; say which domain it is about.")
    if isinstance(learner, str):
        try:
            learner = learners.make(learner, domain.dim)
        except (ValueError, KeyError) as error:
            raise Invalid(f"There is no learner {learner!r}: {error}") from error
    if len(learner.weights) != domain.dim:
        raise Invalid(f"The learner has {len(learner.weights)} weights, the domain {domain.dim} features.")
    config = {
        "domain": catalog.describe(domain),
        "dim": domain.dim,
        "learner": learner.name,
        "features": Codec(domain).names(),
        **settings,
    }
    first = Created(uid=uuid.uuid4().hex, config=config, state=learner.state())
    parts = catalog.parts(domain)
    try:
        with store.writing() as sql:
            study = sql.create(name)
            for part, data in parts.items():
                sql.add_problem(part, data)
            sql.append(
                study, facts.seal(first, seq=1, time=clock(), actor=actor, via="", previous=facts.GENESIS)
            )
    except Conflict:
        pass  # another process created it a moment ago: open that one
