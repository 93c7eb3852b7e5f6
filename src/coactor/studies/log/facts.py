"""The kinds of facts a study is made of, their bytes, and the chain that makes tampering visible.

A fact is written once and never changed. Its body is canonical JSON (sorted keys, no spaces, floats that
survive bit for bit); the vectors a learner was given travel beside it as packed float64. The hash of an
entry covers the hash before it, its body and its vectors, so one changed byte breaks every later hash.

Why the vectors, and not the moves alone: a replay then needs neither the solver nor the domain, and gives the
same weights bit for bit when features are computed otherwise tomorrow (new code, another processor). The
price is disk: two rows of d numbers for a learner that reads the ends, the path and a row per move left alone
for one that reads everything (a 20-point tour: 14 kB at 10 features, 140 kB at 100; mostly-zero rows of
rankings are squeezed).
"""

from __future__ import annotations

import hashlib
import math
import struct
import zlib
from dataclasses import dataclass, fields
from typing import Any, ClassVar, TypeAlias

import numpy as np
import orjson

from coactor.protocol import Feedback, Move, State, Vector
from coactor.studies.errors import Invalid, Tampered

GENESIS = bytes(32)


@dataclass(frozen=True, slots=True, kw_only=True)
class Created:
    """The study began: what it is about, and the learner's state at version 0."""

    kind: ClassVar[str] = "created"
    uid: str
    config: dict[str, Any]
    state: State


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """A proposal was made for a problem, with the weights of `version`.

    `expected` and `chance` say how many edits were expected and how likely none, where the learner knew.
    `renewable` says that any process that opens the study could have made it, and may make it anew.
    """

    kind: ClassVar[str] = "asked"
    proposal: int
    problem: str
    solution: Any
    version: int
    key: str | None = None
    label: str = ""
    chance: float | None = None
    expected: float | None = None
    renewable: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Renewed:
    """A proposal nobody had touched was solved again, with newer weights; the draft begins anew from it."""

    kind: ClassVar[str] = "renewed"
    proposal: int
    solution: Any
    version: int
    revision: int
    chance: float | None = None
    expected: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Claimed:
    """Somebody holds the proposal until a time (seconds since 1970)."""

    kind: ClassVar[str] = "claimed"
    proposal: int
    until: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Released:
    """Nobody holds the proposal any more; its draft stays."""

    kind: ClassVar[str] = "released"
    proposal: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Edited:
    """One gesture on a draft: a move, or the undo or redo of one. `revision` is the one it leads to."""

    kind: ClassVar[str] = "edited"
    proposal: int
    action: str  # "move", "undo" or "redo"
    revision: int
    until: float
    move: Move | None = None
    key: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """The expert is done: what he did, what it cost, and the very vectors the learner was given."""

    kind: ClassVar[str] = "told"
    proposal: int
    solution: Any
    source: str  # "moves", "path" or "solution": how the correction was described
    moves: list[Move]
    effort: float
    cost: float
    estimated: bool
    cut: bool
    learn: bool
    asked_with: int
    version: int
    gross: int
    note: str = ""
    seconds: float | None = None
    asked_key: str | None = None
    request: str = ""  # digest of what was told, to tell a repetition from a contradiction
    digest: str = ""  # of the weights after it
    chance: float | None = None  # of the solution that was corrected, as it was told beforehand
    expected: float | None = None
    vectors: bytes = b""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reopened:
    """A tell was taken back within the grace period; `state` and `acceptance` are those without it."""

    kind: ClassVar[str] = "reopened"
    proposal: int
    told: int
    effort: float
    moves: list[Move]
    revision: int
    until: float
    version: int
    asked_with: int
    asked: float
    gross: int
    asked_key: str | None = None
    label: str = ""
    state: State | None = None
    acceptance: State | None = None
    digest: str = ""
    chance: float | None = None
    expected: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class RolledBack:
    """The learner became what it was at version `to`; that is the new `version`."""

    kind: ClassVar[str] = "rolled back"
    to: int
    reason: str
    version: int
    state: State
    digest: str
    acceptance: State | None = None


Fact: TypeAlias = Created | Asked | Renewed | Claimed | Released | Edited | Told | Reopened | RolledBack

KINDS: dict[str, type[Fact]] = {
    kind.kind: kind
    for kind in (Created, Asked, Renewed, Claimed, Released, Edited, Told, Reopened, RolledBack)
}
_FIELDS = {name: tuple(f.name for f in fields(kind) if f.name != "vectors") for name, kind in KINDS.items()}
_OPTIONAL = {
    f.name for kind in KINDS.values() for f in fields(kind) if f.default is None
}  # left out when None


@dataclass(frozen=True, slots=True)
class Entry:
    """A fact in its place in the log.

    Attributes
    ----------
    seq
        1, 2, 3, ... without a gap; the order in which updates are made.
    time
        Seconds since 1970.
    actor
        Whose act it was.
    via
        The account that reported it, where that is somebody else.
    fact
        What happened.
    body, hash
        The bytes that were written, and the link of the chain.
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
        return getattr(self.fact, "proposal", None)

    @property
    def key(self) -> str | None:
        return getattr(self.fact, "key", None)

    @property
    def made(self) -> int | None:
        """The version of the weights this fact made, if it made one."""
        fact = self.fact
        if isinstance(fact, Told):
            return fact.version if fact.learn else None
        if isinstance(fact, Reopened):
            return fact.version if fact.state is not None else None
        if isinstance(fact, RolledBack):
            return fact.version
        return 0 if isinstance(fact, Created) else None

    @property
    def needs(self) -> list[str]:
        """The content hashes of what stands beside the log: a problem, or the large parts of a domain."""
        if isinstance(self.fact, Asked):
            return [self.fact.problem]
        if not isinstance(self.fact, Created):
            return []
        given = self.fact.config["domain"]["parameters"].values()
        return [value["stored"] for value in given if isinstance(value, dict)]

    @property
    def vectors(self) -> bytes:
        return self.fact.vectors if isinstance(self.fact, Told) else b""


def canonical(data: Any) -> bytes:
    """JSON with sorted keys; one value has one spelling."""
    try:
        written = orjson.dumps(data, option=orjson.OPT_SORT_KEYS | orjson.OPT_SERIALIZE_NUMPY)
    except (TypeError, orjson.JSONEncodeError) as error:
        raise Invalid(
            f"This cannot be written as JSON ({error}); give the domain encode_ and decode_ methods."
        ) from error
    if b"null" in written and not _finite(data):  # orjson writes NaN and infinity as null
        raise Invalid("A number is NaN or infinite; every number must be finite.")
    return written


def _finite(data: Any) -> bool:
    if isinstance(data, float):
        return math.isfinite(data)
    if isinstance(data, np.ndarray):
        return data.dtype.kind not in "fc" or bool(np.isfinite(data).all())
    if isinstance(data, np.floating):
        return bool(np.isfinite(data))
    if isinstance(data, dict):
        return all(map(_finite, data.values()))
    return not isinstance(data, list | tuple) or all(map(_finite, data))


def content_hash(data: bytes) -> str:
    """The name of a problem: what it says."""
    return hashlib.sha256(data).hexdigest()


def link(previous: bytes, body: bytes, vectors: bytes) -> bytes:
    """The hash of an entry: of the chain so far, its body, its vectors."""
    chain = hashlib.sha256(previous)
    chain.update(len(body).to_bytes(8, "little"))
    chain.update(body)
    chain.update(vectors)
    return chain.digest()


def seal(fact: Fact, *, seq: int, time: float, actor: str, via: str, previous: bytes) -> Entry:
    """Put a fact in its place in the log."""
    data: dict[str, Any] = {"seq": seq, "time": time, "actor": actor, "via": via, "kind": fact.kind}
    for name in _FIELDS[fact.kind]:
        value = getattr(fact, name)
        if value is not None or name not in _OPTIONAL:
            data[name] = value
    body = canonical(data)
    vectors = fact.vectors if isinstance(fact, Told) else b""
    return Entry(seq, time, actor, via, fact, body, link(previous, body, vectors))


def unseal(body: bytes, vectors: bytes, hash: bytes) -> Entry:
    """Read an entry back from its bytes."""
    try:
        data = orjson.loads(body)
        seq, time, actor, via = data.pop("seq"), data.pop("time"), data.pop("actor"), data.pop("via")
        kind = KINDS[data.pop("kind")]
        fact = kind(**data, vectors=vectors) if kind is Told else kind(**data)
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise Tampered(f"A fact cannot be read ({error}); restore the store from a backup.") from error
    return Entry(seq, time, actor, via, fact, body, hash)


def digest(weights: Vector) -> str:
    """A short name for weights, bit for bit."""
    return hashlib.blake2b(np.ascontiguousarray(weights, dtype="<f8").tobytes(), digest_size=12).hexdigest()


# -- the vectors a learner was given ---------------------------------------------------------------

_HEADER = struct.Struct("<BBIiI")  # squeezed?, cut?, rows of the path, rows declined (-1: none), d


def pack(feedback: Feedback) -> bytes:
    """A feedback as bytes, float64 for float64; vectors that are mostly zeros are squeezed."""
    path = np.ascontiguousarray(feedback.path, dtype="<f8")
    declined = None if feedback.declined is None else np.ascontiguousarray(feedback.declined, dtype="<f8")
    numbers = path.tobytes() + (b"" if declined is None else declined.tobytes())
    filled = np.count_nonzero(path) + (0 if declined is None else np.count_nonzero(declined))
    squeezed = len(numbers) > 4096 and 2 * filled < len(numbers) // 8
    rows = -1 if declined is None else len(declined)
    header = _HEADER.pack(bool(squeezed), bool(feedback.cut), len(path), rows, path.shape[1])
    return header + (zlib.compress(numbers, 1) if squeezed else numbers)


def unpack(data: bytes, cost: float) -> Feedback:
    """The feedback that `pack` was given."""
    squeezed, cut, rows, declined, dim = _HEADER.unpack_from(data)
    numbers = np.frombuffer(
        zlib.decompress(data[_HEADER.size :]) if squeezed else data[_HEADER.size :], "<f8"
    )
    path = numbers[: rows * dim].reshape(rows, dim)
    left = None if declined < 0 else numbers[rows * dim :].reshape(declined, dim)
    return Feedback(path=path, cost=cost, declined=left, cut=bool(cut))
