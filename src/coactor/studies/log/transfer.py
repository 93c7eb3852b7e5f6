"""Whole studies: export, import, copy, backup, and the check that nothing was changed."""

from __future__ import annotations

import base64
from collections.abc import Iterable, Iterator
from copy import deepcopy
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import orjson

from coactor.protocol import Learner
from coactor.studies.errors import Conflict, Invalid, NotFound, Tampered
from coactor.studies.log import facts
from coactor.studies.log.facts import Asked, Entry, Reopened, RolledBack, Told, canonical, content_hash
from coactor.studies.log.ledger import EVERY, Ledger, created, learner_of
from coactor.studies.log.model import Model
from coactor.studies.log.store import Head, Store

FORMAT = "coactor study 1"


def export(store: Store, name: str) -> Iterator[dict[str, Any]]:
    """A header, then each problem before its first use and each fact in order."""
    with store.reading() as sql:
        head = sql.find(name)
        yield {"format": FORMAT, "name": name, "facts": head.seq, "hash": head.hash.hex()}
        known: set[str] = set()
        for entry in sql.after(head.id, 0, head.seq):
            for needed in entry.needs:
                if needed not in known:
                    known.add(needed)
                    yield {"problem": needed, "data": orjson.loads(sql.problem(needed))}
            line: dict[str, Any] = {"fact": orjson.loads(entry.body), "hash": entry.hash.hex()}
            if entry.vectors:
                line["vectors"] = base64.b64encode(entry.vectors).decode()
            yield line


def read_lines(path: Path) -> Iterator[dict[str, Any]]:
    """The lines of an exported file."""
    with path.open("rb") as file:
        for number, line in enumerate(file, 1):
            try:
                data = orjson.loads(line)
            except orjson.JSONDecodeError as error:
                raise Invalid(
                    f"Line {number} of {path.name} is no JSON ({error}); export the study again."
                ) from error
            if not isinstance(data, dict):
                raise Invalid(f"Line {number} of {path.name} is no line of a study; export the study again.")
            yield data


def load(
    store: Store, lines: Iterable[dict[str, Any]], name: str | None = None, learner: Learner | None = None
) -> str:
    """Put an exported study into a store, all or nothing. Every link of the chain is checked on the way."""
    reader = iter(lines)
    header = next(reader, {})
    if header.get("format") != FORMAT:
        raise Invalid(
            f"This is no exported study: its first line says {header.get('format')!r}, not {FORMAT!r}."
        )
    name = name or str(header["name"])
    with store.writing() as sql:
        study, model = sql.create(name), None
        previous, seq = facts.GENESIS, 0
        for line in reader:
            if "problem" in line:
                data = canonical(line["data"])
                if content_hash(data) != line["problem"]:
                    raise Tampered(
                        f"Problem {line['problem'][:12]} is not what was exported; use another copy."
                    )
                sql.add_problem(line["problem"], data)
                continue
            entry = _entry(line, previous, seq)
            for needed in entry.needs:
                sql.problem(needed)  # raises where the line before was left out
            if model is None:
                model = Model(learner_of(created(entry), learner))
            if seq and seq % EVERY == 0:
                sql.add_snapshot(study, seq, orjson.dumps(model.snapshot()))
            model.apply(entry)
            sql.append(study, entry)
            previous, seq = entry.hash, entry.seq
        if seq != header.get("facts") or previous.hex() != header.get("hash"):
            raise Tampered(f"The export ends after fact {seq} of {header.get('facts')}; it is not whole.")
    return name


def _entry(line: dict[str, Any], previous: bytes, seq: int) -> Entry:
    try:
        body, vectors = canonical(line["fact"]), base64.b64decode(line.get("vectors", ""), validate=True)
        entry = facts.unseal(body, vectors, bytes.fromhex(line["hash"]))
    except (KeyError, ValueError, TypeError) as error:
        raise Tampered(f"The line after fact {seq} cannot be read ({error}).") from error
    if entry.seq != seq + 1 or facts.link(previous, body, vectors) != entry.hash:
        raise Tampered(f"Fact {entry.seq} is not what was exported; use another copy.")
    return entry


def copy(source: Store, target: Store, names: Iterable[str] = ()) -> list[str]:
    """Copy studies from store to store; all of them when none is named."""
    with source.reading() as sql:
        wanted = list(names) or [head.name for head in sql.studies()]
    return [load(target, export(source, name)) for name in wanted]


def backup(source: Store, file: Path) -> list[str]:
    """Copy every study into a new SQLite file. Accounts are not copied: a backup opens no doors."""
    if file.exists():
        raise Conflict(f"{file.name} exists already; a backup never overwrites. Choose another name.")
    with Store(f"sqlite:///{file}") as target:
        return copy(source, target)


def replay(store: Store, head: Head, learner: Learner | None = None) -> Model:
    """What a study's facts add up to; no solver, no domain."""
    with store.reading() as sql:
        first = next(sql.after(head.id, 0, 1), None)
    if first is None:
        raise Tampered(f"Study {head.name!r} has no facts; restore from a backup.")
    return Ledger(store, head, learner_of(created(first), learner)).model


@dataclass(frozen=True, slots=True)
class Verified:
    """A study whose log is whole and whose replay gives the weights it says."""

    name: str
    facts: int
    version: int
    hash: str
    weights: str
    snapshots: int


def verify(store: Store, name: str, learner: Learner | None = None) -> Verified:
    """Replay a study from its first fact, checking everything that can be checked.

    The chain, the columns beside each body, the problems' names, the weights after each tell, what rollbacks
    and reopenings say about the learner, and every snapshot. The solver and the domain are not needed.
    """
    with store.reading() as sql:
        head = sql.find(name)
        first = next(sql.after(head.id, 0, 1), None)
        if first is None:
            raise Tampered(f"Study {name!r} has no facts; restore from a backup.")
        fresh = learner_of(created(first), learner)
        ledger, model = Ledger(store, head, fresh), Model(deepcopy(fresh))
        snapshots = sql.snapshots(head.id)
        for entry, columns in sql.rows(head.id, head.seq):
            _check(sql, ledger, model, entry, columns)
            model.apply(entry)
            _check_digest(name, entry, model)
            if entry.seq in snapshots and _differs(snapshots[entry.seq], model, fresh):
                raise Tampered(
                    f"The snapshot at fact {entry.seq} of {name!r} is not what the facts add up to."
                )
        if (model.seq, model.hash) != (head.seq, head.hash):
            raise Tampered(
                f"Study {name!r} ends at fact {head.seq}, its log at {model.seq}; restore from a backup."
            )
        if model.snapshot() != ledger.model.snapshot():
            raise Tampered(f"Study {name!r} opened from its snapshot is not what its facts add up to.")
    return Verified(
        name, head.seq, model.version, head.hash.hex(), facts.digest(model.learner.weights), len(snapshots)
    )


def _check(sql: Any, ledger: Ledger, model: Model, entry: Entry, columns: tuple[Any, ...]) -> None:
    said = (entry.seq, entry.fact.kind, entry.proposal, entry.key, entry.made)
    if facts.link(model.hash, entry.body, entry.vectors) != entry.hash or said != columns:
        raise Tampered(f"Fact {columns[0]} of study {ledger.head.name!r} is not what was written.")
    fact = entry.fact
    for needed in entry.needs:
        try:
            good = content_hash(sql.problem(needed)) == needed
        except NotFound:
            good = False
        if not good:
            what = f"problem of proposal {fact.proposal}" if isinstance(fact, Asked) else "domain"
            raise Tampered(f"The {what} of study {ledger.head.name!r} was changed.")
    if isinstance(fact, RolledBack) and not _leads(ledger.model_at(fact.to), fact):
        raise Tampered(f"The rollback at fact {entry.seq} does not lead to version {fact.to}.")
    if isinstance(fact, Reopened) and fact.state is not None:
        told = next(e for e in sql.of_proposal(ledger.head.id, fact.proposal) if e.seq == fact.told)
        learner, acceptance = ledger.without(told, sql, entry.seq - 1)
        if learner.state() != fact.state or fact.acceptance not in (None, acceptance.state()):
            raise Tampered(f"The reopening at fact {entry.seq} does not forget what it says.")


def _leads(model: Model, fact: RolledBack) -> bool:
    """Whether a rollback says what was there; one written before there were chances is silent about them."""
    return model.learner.state() == fact.state and fact.acceptance in (None, model.acceptance.state())


def _differs(snapshot: bytes, model: Model, fresh: Learner) -> bool:
    """Whether a snapshot leads elsewhere; it may have been taken when a model had fewer parts."""
    try:
        return Model.load(orjson.loads(snapshot), deepcopy(fresh)).snapshot() != model.snapshot()
    except (ValueError, KeyError, TypeError, AttributeError):
        return True


def _check_digest(name: str, entry: Entry, model: Model) -> None:
    said = getattr(entry.fact, "digest", "")
    if isinstance(entry.fact, Told | Reopened | RolledBack) and said != facts.digest(model.learner.weights):
        raise Tampered(
            f"After fact {entry.seq} of study {name!r} the weights are not those that were used; "
            "the learner's code or the machine's arithmetic has changed."
        )
