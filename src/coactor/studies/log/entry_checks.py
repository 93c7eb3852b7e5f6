"""Checks of facts that come from outside, such as an export that may have been edited."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import fields, is_dataclass
from functools import cache
from types import UnionType
from typing import Any, Union, get_args, get_origin, get_type_hints

from coactor.protocol import Move, Vector
from coactor.studies.errors import Tampered
from coactor.studies.log import facts
from coactor.studies.log.chain import Entry
from coactor.studies.log.projection import Projection

_CONFIG: dict[str, Any] = {
    "domain": dict[str, Any],
    "dim": int,
    "learner": str,
    "features": list[str],
    "costs": dict[str, float],
    "candidate": str,
    "grace": float,
    "proposals": str,
    "budget": float | None,
    "seed": int,
    "habits": bool,
}


def check_entry(entry: Entry, before: Projection | None) -> None:
    """Raise Tampered unless every field has its type and the fact fits what happened before."""
    fact = entry.fact
    kind: Any = type(fact)
    types = _types(kind)
    wrong = next((name for name, kind in types if not _has_type(getattr(fact, name), kind)), "")
    if not _has_type(entry.time, float):
        wrong = "time"
    elif not all(isinstance(name, str) and len(name) <= 100 for name in (entry.actor, entry.via)):
        wrong = "actor"
    elif isinstance(fact, facts.Created) and not wrong:
        wrong = _wrong_in_creation(fact)
    if wrong:
        raise Tampered(f"Fact {entry.seq} has an invalid field {wrong!r}; use another copy.")
    if not _fits(entry, before):
        raise Tampered(f"Fact {entry.seq} does not fit the facts before it; use another copy.")


def _wrong_in_creation(fact: facts.Created) -> str:
    if not re.fullmatch("[0-9a-f]{32}", fact.uid):
        return "uid"
    config = fact.config
    wrong = next((k for k, kind in _CONFIG.items() if not _has_type(config.get(k, ...), kind)), "")
    if not wrong and not {"name", "type", "parameters"} <= config["domain"].keys():
        return "domain"
    return wrong or ("" if len(config["features"]) == config["dim"] else "features")


def _fits(entry: Entry, before: Projection | None) -> bool:
    fact = entry.fact
    if before is None or isinstance(fact, facts.Created):
        return before is None and isinstance(fact, facts.Created)
    draft = before.drafts.get(entry.proposal or 0)
    match fact:
        case facts.Asked():
            exists = 0 <= fact.basis.version <= before.version
            if fact.revision:  # solved again
                return exists and draft is not None and fact.revision > draft.revision
            return exists and fact.proposal == before.asked + 1
        case facts.Edited():
            return draft is not None and fact.revision == draft.revision + 1
        case facts.Told():
            told = fact.round
            return draft is not None and told.version == before.version + told.learn
        case facts.Reopened():
            closed = draft is None and 1 <= fact.draft.id <= before.asked
            return closed and fact.version == before.version + (fact.state is not None)
        case facts.RolledBack():
            return fact.version == before.version + 1 and 0 <= fact.to <= before.version
        case facts.Configured():
            known = {key: _CONFIG[key] for key in ("costs", "grace", "proposals", "budget")}
            return all(key in known and _has_type(v, known[key]) for key, v in fact.settings.items())
        case facts.Erased():
            return True
        case _:
            return draft is not None


@cache
def _types(kind: Any) -> list[tuple[str, Any]]:
    hints = get_type_hints(kind)
    return [(field.name, hints[field.name]) for field in fields(kind)]


def _has_type(value: Any, kind: Any) -> bool:
    """Whether a JSON value has the type of an annotation."""
    if kind in (Any, Vector):  # vectors are packed beside the body
        return True
    if isinstance(kind, type) and is_dataclass(kind):
        return isinstance(value, kind) and all(_has_type(getattr(value, n), k) for n, k in _types(kind))
    if kind is Move:
        return isinstance(value, dict) and value.keys() == {"op", "args"} and isinstance(value["args"], list)
    origin, parts = get_origin(kind), get_args(kind)
    if origin is Sequence:  # what a desk adds to a draft; a fact holds none
        return not value
    if origin in (Union, UnionType):
        return any(_has_type(value, part) for part in parts)
    if origin is list:
        return isinstance(value, list) and all(_has_type(item, parts[0]) for item in value)
    if origin is dict:
        return isinstance(value, dict) and all(_has_type(item, parts[1]) for item in value.values())
    if kind is float:
        return type(value) in (int, float) and math.isfinite(value)
    if kind is int:
        return type(value) is int
    return isinstance(value, kind)
