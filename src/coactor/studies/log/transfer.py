"""Whole studies: export, import, copy, backup, deletion, and erasure of a person's name."""

from __future__ import annotations

import base64
import re
import secrets
import time
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import orjson
import sqlalchemy as sa

from coactor.protocol import Learner
from coactor.studies.errors import Conflict, Invalid, NotFound, Tampered
from coactor.studies.log import ledger, schema
from coactor.studies.log.chain import GENESIS, Entry, canonical, content_hash, link, seal, unseal
from coactor.studies.log.entry_checks import check_entry
from coactor.studies.log.facts import Erased, recorded_digest
from coactor.studies.log.projection import Projection
from coactor.studies.log.replay import LogReplay, created, open_replay
from coactor.studies.log.store import Store
from coactor.studies.log.transactions import Head
from coactor.studies.log.vectors import digest
from coactor.studies.log.verification import Check, verify_in

FORMAT = "coactor study 1"
NAMES = ("actor", "via", "person", "solved_for", "asked_for")  # fields of facts that name a person
TEXTS = ("note", "label", "reason", "lesson")  # fields in which people write


def export(store: Store, name: str) -> Iterator[dict[str, Any]]:
    """A header, then each problem before its first use and each fact in order, as JSON-able data."""
    with store.reading() as sql:
        head = sql.find(name)
        yield {"format": FORMAT, "name": name, "facts": head.seq, "hash": head.hash.hex()}
        exported: set[str] = set()
        for entry in sql.after(head.id, 0, head.seq):
            for hash in entry.needs:
                if hash not in exported:
                    exported.add(hash)
                    yield {"problem": hash, "data": orjson.loads(sql.problem(hash))}
            line: dict[str, Any] = {"fact": orjson.loads(entry.body), "hash": entry.hash.hex()}
            if entry.vectors:
                line["vectors"] = base64.b64encode(entry.vectors).decode()
            yield line


def read_lines(path: Path) -> Iterator[dict[str, Any]]:
    """The lines of an exported file. Raises Invalid if a line is not a JSON object."""
    with path.open("rb") as file:
        for number, line in enumerate(file, 1):
            try:
                data = orjson.loads(line)
            except orjson.JSONDecodeError as error:
                raise Invalid(
                    f"Line {number} of {path.name} is not valid JSON ({error}); export the study again."
                ) from error
            if not isinstance(data, dict):
                raise Invalid(f"Line {number} of {path.name} is not a JSON object; export the study again.")
            yield data


def load(
    store: Store,
    lines: Iterable[dict[str, Any]],
    name: str | None = None,
    learner: Learner | None = None,
    id: int | None = None,
) -> str:
    """Import an exported study in one transaction, checking every link of the chain; return its name.

    Raises Invalid if the lines are not an export, Tampered if they were changed, Conflict if the store has a
    study of this name.
    """
    reader = iter(lines)
    header = next(reader, {})
    if header.get("format") != FORMAT:
        raise Invalid(
            f"This is not an exported study: its first line has the format {header.get('format')!r}, "
            f"expected {FORMAT!r}."
        )
    name = name or str(header["name"])
    with store.writing() as sql:
        study, check = sql.create(name, id), None
        previous, seq = GENESIS, 0
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
            check_entry(entry, None if check is None else check.projection)
            for hash in entry.needs:
                sql.problem(hash)  # raises NotFound if its line is missing
            if check is None:
                check = Check(
                    LogReplay(Head(study, name, 0, GENESIS), created(entry, name), learner), sql, {}
                )
            projection = check.projection
            if seq and seq % ledger.EVERY == 0:
                sql.add_snapshot(study, seq, orjson.dumps(projection.snapshot()))
            try:
                check.state(entry)
                projection.apply(entry)
            except (KeyError, IndexError, ValueError, TypeError, AttributeError) as error:
                raise Tampered(f"Fact {entry.seq} does not fit the facts before it ({error!r}).") from error
            sql.append(study, entry)
            weights = projection.knowledge.learner.weights
            if entry.made is not None and recorded_digest(entry.fact) in ("", digest(weights)):
                sql.add_weights(study, {entry.made: weights})
            previous, seq = entry.hash, entry.seq
        if seq != header.get("facts") or previous.hex() != header.get("hash"):
            raise Tampered(f"The export ends after fact {seq} of {header.get('facts')}; it is incomplete.")
    return name


def _entry(line: dict[str, Any], previous: bytes, seq: int) -> Entry:
    try:
        body, vectors = canonical(line["fact"]), base64.b64decode(line.get("vectors", ""), validate=True)
        entry = unseal(body, vectors, bytes.fromhex(line["hash"]))
    except (KeyError, ValueError, TypeError) as error:
        raise Tampered(f"The line after fact {seq} cannot be read ({error}).") from error
    if entry.seq != seq + 1 or link(previous, body, vectors) != entry.hash:
        raise Tampered(f"Fact {entry.seq} is not what was exported; use another copy.")
    return entry


def copy(source: Store, target: Store, names: Iterable[str] = ()) -> list[str]:
    """Copy studies from store to store; all of them, and the tokens, if no name is given.

    A token whose name the target has is left out. A study keeps its id if that is free, so that a server
    follows a store that is set back to its backup.
    """
    selected = list(names)
    with source.reading() as sql:
        ids = {head.name: head.id for head in sql.studies()}
    copied = selected or list(ids)
    for name in copied:
        load(target, export(source, name), id=ids.get(name))
    if not selected:
        _copy_tokens(source, target)
    return copied


def _copy_tokens(source: Store, target: Store) -> None:
    accounts, grants = schema.accounts, schema.grants
    with source.reading() as sql:
        rows, roles = (
            [dict(r._mapping) for r in sql.connection.execute(sa.select(t))] for t in (accounts, grants)
        )
    with target.writing() as sql:
        known = {*sql.connection.scalars(sa.select(accounts.c.name))}
        new = [row for row in rows if row["name"] not in known]
        ids = {row["id"] for row in new}
        for table, added in ((accounts, new), (grants, [row for row in roles if row["account"] in ids])):
            if added:
                sql.connection.execute(table.insert(), added)


def backup(source: Store, file: Path) -> list[str]:
    """Copy every study and every token into a new SQLite file; browser sessions are not copied.

    Raises Conflict if the file exists.
    """
    if file.exists():
        raise Conflict(f"{file.name} exists already; a backup never overwrites. Choose another name.")
    with Store(sa.URL.create("sqlite", database=str(file)).render_as_string()) as target:
        return copy(source, target)


def delete(store: Store, name: str) -> None:
    """Delete a study, the roles in it, and the tokens that are for nothing else. Backups keep it.

    Raises NotFound if there is no such study.
    """
    with store.writing() as sql:
        head = sql.find(name)
        sql.lock(head.id)
        sql.delete(head)
    store.shrink()


def erase(store: Store, name: str, person: str, *, actor: str = "", learner: Learner | None = None) -> str:
    """Replace a person's name in every fact of a study by a random one, and return that.

    The hashes are made anew from the first fact with the name on. A fact records the erasure and the hash
    that the log ended with before. What was learned stays as it is, bit for bit. Names in problems and in
    solutions are data of the domain and stay, as do accounts, backups and exports.

    Raises NotFound if there is no such study or the name is not in it. Raises Invalid, and changes nothing,
    if the learner would learn something else under another name, if the name would stay in one of its states,
    or if the log would not verify afterwards.
    """
    alias = f"erased-{secrets.token_hex(4)}"
    word = re.compile(rf"(?<!\w){re.escape(person)}(?!\w)")
    with store.writing() as sql:
        replay = open_replay(sql, name, learner)
        head = replay.head
        seq, hash = sql.lock(head.id)
        before, after = Projection(replay.fresh()), Projection(replay.fresh())
        changed = 0
        for entry in sql.after(head.id, 0, seq):
            data = orjson.loads(entry.body)
            body = canonical(_renamed(data, person, alias, word)) if person else entry.body
            changed += body != entry.body
            if changed:
                link_ = link(after.hash, body, entry.vectors)
                sql.rewrite(head.id, renamed := unseal(body, entry.vectors, link_))
            before.apply(entry)
            try:
                after.apply(renamed if changed else entry)
            except (ValueError, KeyError, TypeError) as error:
                raise _not_erasable(error) from error
            weights = [each.knowledge.learner.weights for each in (before, after)]
            if entry.made is not None and weights[0].tobytes() != weights[1].tobytes():
                raise _not_erasable("What the learner learns depends on the names of people.")
            if _holds(orjson.loads(body).get("state"), person):
                raise _not_erasable(f"The name stays in the state of the learner at fact {entry.seq}.")
        if not changed:
            raise NotFound(f"Nobody called {person!r} is in study {name!r}.")
        fact = Erased(name=alias, before=hash.hex())
        last = seal(fact, seq=seq + 1, time=time.time(), actor=actor, via="", previous=after.hash)
        sql.append(head.id, last)
        after.apply(last)
        sql.remove_snapshot(head.id)
        sql.add_snapshot(head.id, after.seq, orjson.dumps(after.snapshot()))
        try:
            verify_in(sql, name, learner)
        except Tampered as error:
            raise _not_erasable(error) from error
    store.shrink()
    return alias


def _not_erasable(reason: object) -> Invalid:
    return Invalid(f"The name cannot be erased, and nothing was changed. {reason}")


def _renamed(fact: dict[str, Any], person: str, alias: str, word: re.Pattern[str]) -> dict[str, Any]:
    """A fact with another name of a person."""
    fields = dict(fact)
    for name, value in fact.items():
        if name in NAMES and value == person:
            fields[name] = alias
        elif name in TEXTS and isinstance(value, str):
            fields[name] = word.sub(alias, value)
        elif name == "state":
            fields[name] = _renamed_state(value, person, alias)
    return fields


def _renamed_state(data: Any, person: str, alias: str) -> Any:
    """The state of a learner, and of those within it, with another name of a person."""
    if isinstance(data, dict):
        renamed = {name: _renamed_state(value, person, alias) for name, value in data.items()}
        return renamed | {"person": alias} if data.get("person") == person else renamed
    return [_renamed_state(item, person, alias) for item in data] if isinstance(data, list) else data


def _holds(data: Any, person: str) -> bool:
    """Whether a name is in the state of a learner, other than as the name of a learner."""
    if isinstance(data, dict):
        return any(name == person or _holds(data[name], person) for name in data if name != "learner")
    return any(_holds(item, person) for item in data) if isinstance(data, list) else data == person
