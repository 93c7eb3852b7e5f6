"""Facts in their place in the log: the bytes that are stored, and the hash chain over them.

The body of an entry is canonical JSON: one value has one spelling, so that bytes can be hashed and compared.
The vectors a learner was given travel beside it. The hash of an entry covers the hash of the entry before it,
its body and its vectors, so that one changed byte breaks every later hash.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass, replace
from typing import Any

import orjson

from coactor.protocol import Round
from coactor.studies.codec import read, to_object
from coactor.studies.drafts import SHOWN, Draft
from coactor.studies.errors import Invalid, Tampered
from coactor.studies.log.facts import (
    KINDS,
    Asked,
    Configured,
    Created,
    Edited,
    Erased,
    Fact,
    Finished,
    Reopened,
    RolledBack,
    Said,
    Told,
    finished,
)

GENESIS = bytes(32)

# Fields that are not in the body of a fact.
_APART = {Told: ("vectors",), Said: ("vectors",), Round: ("delta", "change", "seq", "time"), Draft: SHOWN}


@dataclass(frozen=True, slots=True)
class Entry:
    """A fact in its place in the log.

    Attributes
    ----------
    seq
        1, 2, 3, ... without a gap; updates are made in this order.
    time
        Seconds since 1970.
    actor
        Who acted.
    via
        The account that reported it, if that is another one.
    fact
        What happened.
    body, hash
        The stored bytes, and the link of the chain.
    """

    seq: int
    time: float
    actor: str
    via: str
    fact: Fact
    body: bytes
    hash: bytes

    @property
    def proposal(self) -> int | None:
        """The proposal that the fact is about, if any."""
        fact = self.fact
        if isinstance(fact, Told):
            return fact.round.proposal
        if isinstance(fact, Reopened):
            return fact.draft.id
        return None if isinstance(fact, Created | Said | RolledBack | Configured | Erased) else fact.proposal

    @property
    def key(self) -> str | None:
        """The idempotency key of the request, if any."""
        return self.fact.key if isinstance(self.fact, Asked | Edited) else None

    @property
    def made(self) -> int | None:
        """The version of the weights that this fact created, if any."""
        fact = self.fact
        if isinstance(fact, Told):
            return fact.round.version if fact.round.learn else None
        if isinstance(fact, Reopened):
            return fact.version if fact.state is not None else None
        if isinstance(fact, Said | RolledBack):
            return fact.version
        return 0 if isinstance(fact, Created) else None

    @property
    def needs(self) -> list[str]:
        """Content hashes of data beside the log: a problem, what was recalled, large parts of a domain."""
        if isinstance(self.fact, Asked):
            return [hash for hash in (self.fact.problem, self.fact.recalled) if hash is not None]
        if not isinstance(self.fact, Created):
            return []
        parameters = self.fact.config["domain"]["parameters"].values()
        return [value["stored"] for value in parameters if isinstance(value, dict)]

    @property
    def finished(self) -> Finished | None:
        """The row of a tell beside the log; None for every other fact."""
        fact = self.fact
        if not isinstance(fact, Told):
            return None
        return finished(replace(fact.round, seq=self.seq, time=self.time), fact.left)

    @property
    def vectors(self) -> bytes:
        """The packed vectors of a tell or a statement; empty for every other fact."""
        return self.fact.vectors if isinstance(self.fact, Told | Said) else b""


def link(previous: bytes, body: bytes, vectors: bytes) -> bytes:
    """The hash of an entry, from the chain so far, its body and its vectors."""
    chain = hashlib.sha256(previous)
    chain.update(len(body).to_bytes(8, "little"))
    chain.update(body)
    chain.update(vectors)
    return chain.digest()


def seal(fact: Fact, *, seq: int, time: float, actor: str, via: str, previous: bytes) -> Entry:
    """Put a fact in its place in the log."""
    data: dict[str, Any] = {"seq": seq, "time": time, "actor": actor, "via": via, "kind": fact.kind}
    body = canonical(data | stored(fact))
    vectors = fact.vectors if isinstance(fact, Told | Said) else b""
    return Entry(seq, time, actor, via, fact, body, link(previous, body, vectors))


def unseal(body: bytes, vectors: bytes, hash: bytes) -> Entry:
    """Read an entry back from its bytes. Raises Tampered if the body is not a fact."""
    try:
        data = orjson.loads(body)
        seq, time, actor, via = data.pop("seq"), data.pop("time"), data.pop("actor"), data.pop("via")
        kind: Any = KINDS[data.pop("kind")]
        fact: Fact = read(kind, data | {"vectors": vectors} if kind in (Told, Said) else data)
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise Tampered(f"A fact cannot be read ({error}); restore the store from a backup.") from error
    return Entry(seq, time, actor, via, fact, body, hash)


def stored(value: Any) -> Any:
    """A fact, or a draft in one, as the JSON-able data that its body consists of."""
    return to_object(value, _APART)


def outline(body: bytes) -> dict[str, Any]:
    """A stored fact for those who read the log: its parts in one level, without what is known after it."""
    data: dict[str, Any] = orjson.loads(body)
    data.pop("state", None)
    told, draft = data.pop("round", {}), data.pop("draft", {})
    basis, work = told.pop("basis", data.pop("basis", {})), told.pop("work", {})
    version = {"version": basis["version"]} if data["kind"] == Asked.kind else {}
    proposal = {"proposal": draft["id"]} if draft else {}
    return {**basis, **version, **work, **proposal, **told, **data}


def canonical(data: Any) -> bytes:
    """Serialise JSON-able data with sorted keys and no spaces; floats survive bit for bit.

    Raises Invalid if the data cannot be written as JSON or holds NaN or infinity.
    """
    try:
        text = orjson.dumps(data, option=orjson.OPT_SORT_KEYS | orjson.OPT_SERIALIZE_NUMPY)
    except (TypeError, orjson.JSONEncodeError) as error:
        raise Invalid(
            f"This cannot be written as JSON ({error}); give the domain encode_ and decode_ methods."
        ) from error
    if b"null" in text and not _is_finite(data):  # orjson writes NaN and infinity as null
        raise Invalid("A number is NaN or infinite; every number must be finite.")
    return text


def content_hash(data: bytes) -> str:
    """The key under which a problem or a part of a domain is stored: SHA-256 of its bytes."""
    return hashlib.sha256(data).hexdigest()


def _is_finite(data: Any) -> bool:
    try:
        json.dumps(data, allow_nan=False, default=lambda value: getattr(value, "tolist", str)())
    except ValueError:
        return False
    return True
