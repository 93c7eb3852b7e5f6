"""The domains that a study may be about, by name.

A request names a domain; it never imports one. The names are those of coactor's own domains and those that
installed packages announce as entry points in the group ``coactor.domains``. Such a name stands for a class,
or for a domain itself, such as a model. `add` makes one known in this process.

A study's configuration holds the parameters of its domain. A large one, such as a road network, is stored
once under its content hash, and the configuration refers to it: ``{"stored": hash}``.
"""

from __future__ import annotations

import inspect
import logging
from collections.abc import Callable, Iterator
from typing import Any, TypeAlias

import orjson

from coactor import domains
from coactor.domains.roads import network_json
from coactor.habits import HabitualDomain
from coactor.plugins import DOMAINS, announced
from coactor.protocol import Domain
from coactor.solutions import short
from coactor.studies.codec import as_invalid
from coactor.studies.errors import Invalid
from coactor.studies.log.chain import canonical, content_hash
from coactor.studies.log.facts import DomainConfig

logger = logging.getLogger("coactor.studies")
Factory: TypeAlias = Callable[..., Domain]

BUILT_IN: dict[str, str] = {
    "tour": "Tour",
    "fleet": "Fleet",
    "plan": "Plans",
    "ranking": "Ranking",
    "hypercube": "Hypercube",
    "roads": "Roads",
    "alternatives": "Alternatives",
}
LARGE = {"roads": {"network": network_json}}
"""Parameters that are stored apart, and the module that encodes and decodes them."""
_ADDED: dict[str, Callable[[], Domain]] = {}
_UNKNOWN = object()
MOST = 5000  # the largest number in a request for a domain: it must not exhaust the memory


def names() -> list[str]:
    """Every installed domain."""
    return sorted({*BUILT_IN, *announced(DOMAINS), *_ADDED})


def add(name: str, make: Callable[[], Domain]) -> None:
    """Make a domain known under a name in this process, for studies that are opened without it.

    `make` is called when the domain is needed, and returns the same one each time.
    """
    _ADDED[name] = make


def factory(name: str) -> Factory:
    """The class, or another callable, that makes a domain of this name. Raises Invalid if there is none."""
    if name in BUILT_IN and name in announced(DOMAINS):
        raise Invalid(f"An installed package announces the domain {name!r}, which is built in; rename it.")
    thing = _installed(name)
    return thing if callable(thing) else lambda: thing


def _installed(name: str) -> Any:
    """What a name stands for: a class, another callable, or a domain."""
    if name in _ADDED:
        return _ADDED[name]()
    if name in BUILT_IN:
        return getattr(domains, BUILT_IN[name])
    if name in announced(DOMAINS):
        try:
            return announced(DOMAINS)[name].load()
        except Exception as error:  # the package is not ours; whatever it raises is its own defect
            raise Invalid(
                f"The domain {name!r} cannot be imported: {type(error).__name__}: {error}"
            ) from error
    raise Invalid(f"There is no domain {short(name)}; installed are {', '.join(names())}.")


def parameters(name: str) -> dict[str, Any]:
    """The parameters of a domain, with their defaults."""
    declared = inspect.signature(factory(name)).parameters.values()
    return {p.name: None if p.default is p.empty else p.default for p in declared}


def make(name: str, given: dict[str, Any], *, limits: bool = True) -> Domain:
    """Make a domain from its name and JSON-able parameters.

    Raises Invalid if the domain rejects them, or if a parameter exceeds the limits for requests.
    """
    known = parameters(name)
    for key, value in given.items():
        if key not in known:
            raise Invalid(f"Domain {name!r} has no parameter {short(key)}; it has {', '.join(known)}.")
        if limits and key not in LARGE.get(name, {}) and not _within_limits(value):
            raise Invalid(
                f"Parameter {key!r} is {short(value)}; numbers go up to {MOST}, lists hold up to 1000 names."
            )
    for key in LARGE.get(name, {}):
        if key not in given:
            raise Invalid(f"Domain {name!r} needs a {key}; give it as the parameter {key!r}.")
    with as_invalid(f"Domain {name!r} cannot be made", TypeError):
        parts = {key: code.decode(given[key]) for key, code in LARGE.get(name, {}).items()}
        return factory(name)(**{**given, **parts})


def name_of(domain: Domain) -> str | None:
    """The name of this domain, if it is installed."""
    return next((name for name, thing in installed() if thing is domain or thing is type(domain)), None)


def name_of_type(kind: str) -> str | None:
    """The name under which a class was announced after a study of it was created."""
    classes = ((name, thing) for name, thing in installed() if isinstance(thing, type))
    return next((name for name, one in classes if f"{one.__module__}.{one.__qualname__}" == kind), None)


def installed() -> Iterator[tuple[str, Any]]:
    """Every installed domain and what its name stands for, without those that cannot be imported."""
    for name in (*BUILT_IN, *sorted({*_ADDED, *announced(DOMAINS)} - BUILT_IN.keys())):
        try:
            yield name, _installed(name)
        except Invalid as error:
            logger.warning("%s", error)


def describe(domain: Domain) -> dict[str, Any]:
    """How to make this domain again: its name, if it is installed, and its parameters (large ones by hash).

    A domain that does not keep a parameter as an attribute of the same name, or keeps it in a form that JSON
    cannot hold, gets no name here: it must be passed when the study is opened.
    """
    domain = domain.domain if isinstance(domain, HabitualDomain) else domain
    kind, name = type(domain), name_of(domain)
    value_of = _value_of_built_in if name in BUILT_IN else _value_of
    values = {} if name is None else {key: value_of(domain, key) for key in parameters(name)}
    values |= {key: {"stored": content_hash(data)} for key, data in _large_parts(domain).items()}
    plain = all(_is_plain(value) for value in values.values())
    return {
        "name": name if plain else None,
        "type": f"{kind.__module__}.{kind.__qualname__}",
        "parameters": {k: value for k, value in values.items() if value not in (None, [])} if plain else {},
    }


def parts(domain: Domain) -> dict[str, bytes]:
    """The large parameters of a domain, by their content hashes."""
    return {content_hash(data): data for data in _large_parts(domain).values()}


def whole(parameters: dict[str, Any], read: Callable[[str], bytes]) -> dict[str, Any]:
    """The parameters of a configuration with the data they refer to in place."""
    return {
        key: orjson.loads(read(value["stored"])) if isinstance(value, dict) else value
        for key, value in parameters.items()
    }


def check_same(study: str, stored: DomainConfig, domain: Domain) -> None:
    """Raise Invalid if a study is opened with another domain than it was created with."""
    given = describe(domain)
    if not stored["name"] or not given["name"]:
        return
    if stored["name"] != given["name"]:
        raise Invalid(
            f"Study {study!r} is about the domain {stored['name']!r}, not {given['name']!r}; "
            "open it with its own."
        )
    for key in LARGE.get(stored["name"], {}):
        if stored["parameters"][key] != given["parameters"][key]:
            raise Invalid(f"Study {study!r} was created with another {key}; open it without a domain.")


def _large_parts(domain: Domain) -> dict[str, bytes]:
    codes = LARGE.get(name_of(domain) or "", {})
    with as_invalid("This domain cannot be stored"):
        return {key: canonical(code.encode(getattr(domain, key))) for key, code in codes.items()}


def _value_of(domain: Domain, key: str) -> Any:
    value = getattr(domain, key, _UNKNOWN)
    return list(value) if isinstance(value, tuple) else value


def _value_of_built_in(domain: Domain, key: str) -> Any:
    names = getattr(domain, "feature_names", None)
    extra = len(getattr(domain, "soft", ())) + int(getattr(domain, "habits", False))
    given = domain.dim - extra  # without the features of what is soft, and habits
    renamed: dict[str, Any] = {"features": given, "names": None if names is None else tuple(names)[:given]}
    value = renamed.get(key)
    if value is None:
        return _value_of(domain, key)
    return list(value) if isinstance(value, tuple) else value


def _is_plain(value: Any) -> bool:
    if isinstance(value, dict):
        return value.keys() == {"stored"}
    return value is None or isinstance(value, bool | int | float | str) or _is_names(value)


def _is_names(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(item, str) for item in value)


def _within_limits(value: Any) -> bool:
    if isinstance(value, int | float) and not isinstance(value, bool):
        return abs(value) <= MOST
    if isinstance(value, str):
        return len(value) <= 200
    if _is_names(value):
        return len(value) <= 1000 and all(len(item) <= 200 for item in value)
    return value is None or isinstance(value, bool)
