"""The domains a study may be about, by name.

A request names a domain; it never imports one. The names are ours and those that installed packages
announce under the entry point group ``coactor.domains``.

A study's configuration holds its domain's parameters. A large one, such as a road network, is stored once
under the hash of its content, and the configuration refers to it: ``{"stored": hash}``.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from importlib.metadata import entry_points
from typing import Any, TypeAlias

import orjson

from coactor import domains
from coactor.domains.roads import network_json
from coactor.protocol import Domain
from coactor.studies.codec import short
from coactor.studies.errors import Invalid
from coactor.studies.log.facts import canonical, content_hash

Maker: TypeAlias = Callable[..., Domain]

BUILT_IN: dict[str, str] = {
    "tour": "Tour",
    "fleet": "Fleet",
    "plan": "Plans",
    "ranking": "Ranking",
    "hypercube": "Hypercube",
    "roads": "Roads",
}
LARGE = {"roads": {"network": network_json}}
"""Parameters that are stored apart, and what writes and reads them."""
MOST = 5000  # the largest number a parameter may be: a request must not fill the memory


def names() -> list[str]:
    """Every installed domain."""
    return sorted({*BUILT_IN, *(point.name for point in entry_points(group="coactor.domains"))})


def maker(name: str) -> Maker:
    """What makes a domain of this name."""
    if name in BUILT_IN:
        made: Maker = getattr(domains, BUILT_IN[name])
        return made
    for point in entry_points(group="coactor.domains", name=name):
        loaded: Maker = point.load()
        return loaded
    raise Invalid(f"There is no domain {short(name)}; installed are {', '.join(names())}.")


def parameters(name: str) -> dict[str, Any]:
    """What can be said about a domain of this name, with the defaults."""
    found = inspect.signature(maker(name)).parameters.values()
    return {p.name: None if p.default is p.empty else p.default for p in found}


def make(name: str, given: dict[str, Any]) -> Domain:
    """A domain from its name and JSON-able parameters."""
    known = parameters(name)
    for key, value in given.items():
        if key not in known:
            raise Invalid(f"Domain {name!r} has no parameter {short(key)}; it has {', '.join(known)}.")
        if key not in LARGE.get(name, {}) and not _fits(value):
            raise Invalid(
                f"Parameter {key!r} is {short(value)}; numbers go up to {MOST}, lists hold up to 1000 names."
            )
    for key in LARGE.get(name, {}):
        if key not in given:
            raise Invalid(f"Domain {name!r} needs a {key}; give it as the parameter {key!r}.")
    try:
        parts = {key: code.decode(given[key]) for key, code in LARGE.get(name, {}).items()}
        return maker(name)(**{**given, **parts})
    except (ValueError, TypeError) as error:
        raise Invalid(f"Domain {name!r} cannot be made: {error}") from error


def name_of(domain: Domain) -> str | None:
    """What this domain is called here, if it is installed."""
    return next((name for name in names() if maker(name) is type(domain)), None)


def describe(domain: Domain) -> dict[str, Any]:
    """How to make this domain again: its name here, or none, and its parameters, large ones by reference."""
    kind, name = type(domain), name_of(domain)
    given = {} if name is None else {key: _value_of(domain, key) for key in parameters(name)}
    given |= {key: {"stored": content_hash(data)} for key, data in _written(domain).items()}
    return {
        "name": name,
        "type": f"{kind.__module__}.{kind.__qualname__}",
        "parameters": {key: value for key, value in given.items() if value is not None},
    }


def parts(domain: Domain) -> dict[str, bytes]:
    """The large parameters of a domain, by the hash of their content."""
    return {content_hash(data): data for data in _written(domain).values()}


def whole(parameters: dict[str, Any], read: Callable[[str], bytes]) -> dict[str, Any]:
    """Parameters of a configuration with what they refer to in place."""
    return {
        key: orjson.loads(read(value["stored"])) if isinstance(value, dict) else value
        for key, value in parameters.items()
    }


def check_same(study: str, kept: dict[str, Any], domain: Domain) -> None:
    """Raise Invalid where a study is opened with another domain than it was created with."""
    given = describe(domain)
    if not kept["name"] or not given["name"]:
        return
    if kept["name"] != given["name"]:
        raise Invalid(
            f"Study {study!r} is about the domain {kept['name']!r}, not {given['name']!r}; "
            "open it with its own."
        )
    for key in LARGE.get(kept["name"], {}):
        if kept["parameters"][key] != given["parameters"][key]:
            raise Invalid(f"Study {study!r} was created with another {key}; open it without a domain.")


def _written(domain: Domain) -> dict[str, bytes]:
    codes = LARGE.get(name_of(domain) or "", {})
    try:
        return {key: canonical(code.encode(getattr(domain, key))) for key, code in codes.items()}
    except ValueError as error:
        raise Invalid(f"This domain cannot be kept: {error}") from error


def _value_of(domain: Domain, key: str) -> Any:
    names = getattr(domain, "feature_names", None)
    given = domain.dim - int(getattr(domain, "soft", False))  # a soft capacity is a feature nobody gave
    renamed: dict[str, Any] = {"features": given, "names": None if names is None else tuple(names)[:given]}
    value = renamed.get(key)
    value = getattr(domain, key, None) if value is None else value
    value = list(value) if isinstance(value, tuple) else value
    return value if _fits(value) else None


def _fits(value: Any) -> bool:
    if value is None or isinstance(value, bool):
        return True
    if isinstance(value, int | float):
        return abs(value) <= MOST
    if isinstance(value, str):
        return len(value) <= 200
    return (
        isinstance(value, list) and len(value) <= 1000 and all(isinstance(v, str) and _fits(v) for v in value)
    )
