"""The domains a study may be about, by name.

A request names a domain; it never imports one. The names are ours and those that installed packages
announce under the entry point group ``coactor.domains``.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from importlib.metadata import entry_points
from typing import Any, TypeAlias

from coactor import domains
from coactor.protocol import Domain
from coactor.studies.codec import short
from coactor.studies.errors import Invalid

Maker: TypeAlias = Callable[..., Domain]

BUILT_IN: dict[str, str] = {
    "tour": "Tour", "fleet": "Fleet", "plan": "Plans", "ranking": "Ranking", "hypercube": "Hypercube",
}  # fmt: skip
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
        if not _fits(value):
            raise Invalid(
                f"Parameter {key!r} is {short(value)}; numbers go up to {MOST}, lists hold up to 1000 names."
            )
    try:
        return maker(name)(**given)
    except (ValueError, TypeError) as error:
        raise Invalid(f"Domain {name!r} cannot be made: {error}") from error


def describe(domain: Domain) -> dict[str, Any]:
    """How to make this domain again: its name here, or none, and its parameters."""
    kind = type(domain)
    said = f"{kind.__module__}.{kind.__qualname__}"
    for name in names():
        if maker(name) is kind:
            given = {key: _value_of(domain, key) for key in parameters(name)}
            return {
                "name": name,
                "type": said,
                "parameters": {k: v for k, v in given.items() if v is not None},
            }
    return {"name": None, "type": said, "parameters": {}}


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
