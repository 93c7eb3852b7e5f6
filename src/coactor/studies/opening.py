"""Opening and creating studies."""

from __future__ import annotations

import uuid
from collections.abc import Mapping, Sequence
from typing import Any

from coactor import learners
from coactor.habits import start_weights, with_habits
from coactor.proposals.strategies import Strategy
from coactor.protocol import Domain, Learner, Solver, State, Vector, feature_names, uses_habits
from coactor.rounds import Knowledge
from coactor.solutions import short
from coactor.studies import catalog
from coactor.studies.codec import as_invalid
from coactor.studies.errors import Conflict, Invalid
from coactor.studies.log.chain import GENESIS, seal
from coactor.studies.log.facts import Created
from coactor.studies.log.store import Store
from coactor.studies.settings import DEFAULTS, Settings, validated
from coactor.studies.study import Study
from coactor.validation import checked_domain, checked_learner, study_name, validate_actor

COUNTERS = ("rounds", "waiting", "length")  # in the states of learners: measured, not set


def open_study(
    url: str | Store,
    name: str,
    domain: Domain | None = None,
    learner: str | Learner | None = None,
    *,
    create: bool = False,
    solver: Solver | None = None,
    strategy: Strategy | None = None,
    start: Sequence[float] | Vector | Mapping[str, Any] | None = None,
    settings: Settings | None = None,
    actor: str = "",
) -> Study:
    """Open a study by the URL of its store and its name.

    The learner and the settings are stored when the study is created. Later they can be left out; a value
    that differs from the stored one is an error. `Study.configure` changes proposals, budget, costs,
    grace and control.

    Parameters
    ----------
    url
        ``sqlite:///desk.db``, ``postgresql://...``, or an open store.
    name
        Letters, digits, dots, dashes and underscores.
    domain
        What is proposed and edited. A study of an installed domain can be opened without it.
    learner
        A name such as "CSPER", or a learner; "default" when created.
    create
        Create the study if there is none.
    solver, strategy
        They replace the domain's own solver, and the strategy of proposals. They are not stored: pass them
        again each time, or name the solver in the settings.
    start
        What a new study starts with. The weights in use today: a list, or numbers by the names of the
        features, in their own units, without those of habits. Or what ``coactor learn`` wrote, in place of
        `learner`.
    settings
        See `coactor.studies.Settings`.
    actor
        Who creates the study.

    Raises
    ------
    NotFound
        If there is no such study and `create` is false.
    Conflict
        If a setting differs from the one the study was created with.
    Invalid
        If an argument is invalid.

    Examples
    --------
    >>> import tempfile, numpy as np
    >>> from coactor import domains, open_study
    >>> tour = domains.Tour(points=8, features=3)
    >>> x = next(tour.sample(np.random.default_rng(0), n=1))
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     study = open_study(f"sqlite:///{folder}/desk.db", "depot-7", tour, "CSPER", create=True)
    ...     p = study.ask(x, key="monday")
    ...     result = study.tell(p, moves=[{"op": "reverse", "args": [2, 4]}], actor="ana")
    ...     study.close()
    >>> result.effort, result.version
    (1.0, 1)
    """
    study_name(name)
    if domain is not None:
        checked_domain(domain)
    if learner is not None and not isinstance(learner, str):
        checked_learner(learner)
    given = validated({} if settings is None else settings)
    store = url if isinstance(url, Store) else Store(url, create=create)
    try:
        with store.reading() as sql:
            exists = any(head.name == name for head in sql.studies())
        if not exists and create:
            _create(store, name, domain, learner, start, given, actor)
        own = None if learner is None or isinstance(learner, str) else learner
        study = Study(store, name, domain, own, solver, strategy)
        _check_settings(study, learner, start, given)
    except BaseException:
        if store is not url:
            store.close()
        raise
    study.closes_store = store is not url
    return study


def _create(
    store: Store,
    name: str,
    domain: Domain | None,
    learner: str | Learner | None,
    start: Sequence[float] | Vector | Mapping[str, Any] | None,
    given: dict[str, Any],
    actor: str,
) -> None:
    validate_actor(actor)
    if domain is None:
        raise Invalid(f"Study {name!r} is new; pass its domain.")
    settings, memory = {**DEFAULTS, **given}, None
    trust, habits = settings.pop("trust", None), settings.pop("habits", False)
    if isinstance(start, Mapping) and isinstance(start.get("learner"), Mapping):  # of `coactor learn`
        habits, memory = start.get("habits", habits), start.get("memory")
        learner, start = learner_from(dict(start)), None
    domain = with_habits(domain) if habits else domain
    if learner is None or isinstance(learner, str):
        learner = make_learner(learner or "default", domain, start, trust)
    elif start is not None or trust is not None:
        raise Invalid(
            "The learner is given as an object, which has a start already; give its name, or no start."
        )
    if len(learner.weights) != domain.dim:
        raise Invalid(f"The learner has {len(learner.weights)} weights, the domain {domain.dim} features.")
    knowledge = Knowledge.fresh(domain, learner)
    if memory is not None and knowledge.memory is not None:
        knowledge.memory.restore(memory)
    config: Any = {
        "domain": catalog.describe(domain),
        "dim": domain.dim,
        "learner": learner.name,
        "features": feature_names(domain),
        "habits": uses_habits(domain),
        **settings,
    }
    first = Created(uid=uuid.uuid4().hex, config=config, state=knowledge.state())
    parts = catalog.parts(domain)
    try:
        with store.writing() as sql:
            study = sql.create(name)
            for part, data in parts.items():
                sql.add_problem(part, data)
            sql.append(study, seal(first, seq=1, time=store.clock(), actor=actor, via="", previous=GENESIS))
            sql.add_weights(study, {0: learner.weights})
    except Conflict:
        pass  # another process created it in between; its settings are compared when it is opened


def make_learner(
    name: str,
    domain: Domain,
    start: Sequence[float] | Vector | Mapping[str, float] | None = None,
    trust: float | None = None,
) -> Learner:
    """A fresh learner by name. Raises Invalid if there is none, or if it cannot start so."""
    with as_invalid(f"There is no learner {short(name)}", KeyError):
        learners.resolve(name, domain.dim)
    try:
        weights = start_weights(domain, start)
        return learners.make(name, domain.dim, start=weights, trust=trust)
    except (ValueError, TypeError) as error:
        raise Invalid(str(error)) from error


def learner_from(learned: State) -> Learner:
    """The learner of what ``coactor learn`` wrote. Raises Invalid if it is not that."""
    with as_invalid("This is not what `coactor learn` wrote", KeyError, TypeError):
        return learners.from_state(learned["learner"])


def _check_settings(
    study: Study,
    learner: str | Learner | None,
    start: Sequence[float] | Vector | Mapping[str, Any] | None,
    settings: dict[str, Any],
) -> None:
    """Raise Conflict if the study was created with other settings than the ones given."""
    given: dict[str, Any] = dict(settings)
    trust = given.pop("trust", None)
    begins = start is not None or trust is not None
    if isinstance(start, Mapping) and isinstance(start.get("learner"), Mapping):
        expected: Learner | None = learner_from(dict(start))
    elif isinstance(learner, str) or (learner is None and begins):
        expected = make_learner(learner or study.config["learner"], study.domain, start, trust)
    else:
        expected = learner
    if expected is not None:
        given["learner"] = expected.name
    for setting, value in given.items():
        stored: Any = study.config.get(setting)
        if stored != value:
            has = repr(learners.spoken(stored, study.domain.dim) if setting == "learner" else stored)
            raise Conflict(
                f"Study {study.name!r} has {setting} {has}, not {value!r}; "
                f"leave {setting} out, or create another study."
            )
    if expected is not None and (begins or expected is learner):  # a name alone has no settings
        _check_learner(study, expected)


def _check_learner(study: Study, learner: Learner) -> None:
    """Raise Conflict if a setting of the learner differs from the one the study was created with."""
    given, first, now = (_settings(each.state()) for each in (learner, study.learner(0), study.learner()))
    for key in sorted({*given, *first}):
        has, wants = first.get(key), given.get(key)
        # What changes as the study learns is not a setting.
        if has != wants and has == now.get(key):
            raise Conflict(
                f"Study {study.name!r} has learner {learner.name!r} with {key.rpartition('.')[2]} {has!r}, "
                f"not {wants!r}; leave it out, or create another study."
            )


def _settings(state: State, path: str = "") -> dict[str, Any]:
    """The numbers, flags and initial weights in the state of a learner and of inner learners, by path."""
    leaves: dict[str, Any] = {}
    for key, value in state.items():
        if isinstance(value, dict) and "learner" in value:
            leaves |= _settings(value, f"{path}{key}.")
        elif isinstance(value, int | float | str) and key not in COUNTERS:
            leaves[path + key] = value
        elif key in ("prior", "start") and isinstance(value, list):
            leaves[path + key] = [float(f"{number:.9g}") for number in value]
    return leaves
