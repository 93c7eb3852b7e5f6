"""Whole studies: export, import, copy, backup, deletion, and erasure of a person's name."""

from __future__ import annotations

import base64
import re
import secrets
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import orjson
import sqlalchemy as sa

from coactor.protocol import Learner
from coactor.solutions import short
from coactor.studies.errors import Conflict, Invalid, NotFound, Tampered
from coactor.studies.log import ledger, schema
from coactor.studies.log.chain import GENESIS, Entry, canonical, content_hash, link, seal, unseal
from coactor.studies.log.facts import Erased, recorded_digest
from coactor.studies.log.projection import Projection, check_entry
from coactor.studies.log.replay import LogReplay, created, open_replay
from coactor.studies.log.store import Store
from coactor.studies.log.transactions import Head, StoredFact, Transaction
from coactor.studies.log.vectors import digest, unpack_weights
from coactor.studies.log.verification import Check, verify_in
from coactor.validation import study_name

FORMAT = "coactor study 1"
NAMES = ("actor", "via", "asked_for", "solved_for", "learned_for", "holder", "editor")
PARTS = ("basis", "draft", "round", "work")  # fields of facts that have fields themselves
TEXTS = ("note", "label", "reason", "lesson")  # fields in which people write


def export(store: Store, name: str) -> Iterator[dict[str, Any]]:
    """A header, then each problem before its first use and each fact in order, as JSON-able data.

    No transaction is open while the caller handles a line, however slow it is: the facts up to the end of the
    log at the first line are read page by page. Raises Conflict if the log is rewritten meanwhile, Deleted
    if the study is.
    """
    with store.reading() as sql:
        head = sql.find(name)
    yield {"format": FORMAT, "name": name, "facts": head.seq, "hash": head.hash.hex()}
    for rows, problems in _pages(store, head):
        for row in rows:
            entry = row.entry
            for hash in entry.needs:
                if hash in problems:
                    yield {"problem": hash, "data": orjson.loads(problems.pop(hash))}
            line: dict[str, Any] = {"fact": orjson.loads(entry.body), "hash": entry.hash.hex()}
            if entry.vectors:
                line["vectors"] = base64.b64encode(entry.vectors).decode()
            yield line


def _pages(store: Store, head: Head) -> Iterator[tuple[list[StoredFact], dict[str, bytes]]]:
    """The log up to a head, page by page, with the problems that a page needs and no page before it did.

    Each page is read in a transaction of its own.
    """
    seq, known = 0, set[str]()
    while seq < head.seq:
        with store.reading() as sql:
            _check_unchanged(sql, head)
            rows = next(sql.pages(head.id, seq, head.seq))
            needed = {hash for row in rows for hash in row.entry.needs} - known
            problems = sql.problems(needed)
        missing = needed - problems.keys()
        if missing or not rows:
            what = f"Problem {min(missing)[:12]}" if missing else f"Fact {seq + 1}"
            raise Tampered(f"{what} of study {head.name!r} is missing; restore from a backup.")
        known |= needed
        yield rows, problems
        seq = rows[-1].entry.seq


def _check_unchanged(sql: Transaction, head: Head) -> None:
    if sql.hash_at(head.id, head.seq) != head.hash:
        if sql.head(head.id) == (head.seq, head.hash):
            raise Tampered(
                f"The end of the log of study {head.name!r} is not what was written; restore from a backup."
            )
        raise Conflict(f"Study {head.name!r} was rewritten meanwhile; try again.")


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
    solver: str | None = None,
) -> str:
    """Import an exported study in one transaction, checking every link of the chain; return its name.

    A study may call a solver by its name, which is code on this machine: then `solver` must be this name.

    Raises Invalid if the lines are not an export, Tampered if they were changed, Conflict if the store has a
    study of this name.
    """
    reader = iter(lines)
    header = next(reader, {})
    _check_header(header)
    name = study_name(header.get("name") if name is None else name)
    with store.writing() as sql:
        study, check = sql.create(name), None
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
            for hash in entry.needs:
                sql.problem(hash)  # raises NotFound if its line is missing
            if check is None:
                first = created(entry, name)
                if first.config.get("solver") != solver:
                    raise Invalid(_calls(first.config.get("solver")))
                check = Check(LogReplay(Head(study, name, 0, GENESIS), first, learner), sql, {})
            projection = check.projection
            if seq and seq % ledger.EVERY == 0:
                sql.add_snapshot(study, seq, orjson.dumps(projection.snapshot()))
            try:
                check_entry(entry, projection if seq else None)
                check.state(entry)
                projection.apply(entry)
            except (LookupError, ValueError, TypeError, AttributeError, ArithmeticError) as error:
                raise Tampered(f"Fact {entry.seq} does not fit the facts before it ({error!r}).") from error
            sql.append(study, entry)
            weights = projection.knowledge.learner.weights
            if entry.made is not None and recorded_digest(entry.fact) in ("", digest(weights)):
                sql.add_weights(study, {entry.made: weights})
            previous, seq = entry.hash, entry.seq
        if seq != header.get("facts") or previous.hex() != header.get("hash"):
            raise Tampered(f"The export ends after fact {seq} of {header.get('facts')}; it is incomplete.")
    return name


def _calls(solver: str | None) -> str:
    if solver is None:
        return "The exported study has no solver of its own; import it without one."
    return f"The exported study calls {solver!r} on this machine; if you trust that, import it with --solver."


def _check_header(header: dict[str, Any]) -> None:
    """Raise Invalid unless this is the first line of an export."""
    if header.get("format") != FORMAT:
        raise Invalid(
            f"This is not an exported study: its first line has the format {short(header.get('format'))}, "
            f"expected {FORMAT!r}."
        )
    facts, hash = header.get("facts"), header.get("hash")
    counted = isinstance(facts, int) and not isinstance(facts, bool) and facts >= 1
    hashed = isinstance(hash, str) and re.fullmatch("[0-9a-f]{64}", hash)
    if not counted or not hashed:
        raise Invalid("The first line of the export lacks its number of facts or its hash; export it again.")


def _entry(line: dict[str, Any], previous: bytes, seq: int) -> Entry:
    try:
        body, vectors = canonical(line["fact"]), base64.b64decode(line.get("vectors", ""), validate=True)
        entry = unseal(body, vectors, bytes.fromhex(line["hash"]))
    except (KeyError, ValueError, TypeError) as error:
        raise Tampered(f"The line after fact {seq} cannot be read ({error}).") from error
    if entry.seq != seq + 1 or link(previous, body, vectors) != entry.hash:
        raise Tampered(f"Fact {entry.seq} is not what was exported; use another copy.")
    return entry


@dataclass(frozen=True, slots=True)
class Copied:
    """The studies that were copied, and why each of the others was not, by name."""

    studies: list[str]
    left_out: dict[str, str]


def copy(source: Store, target: Store, names: Iterable[str] = ()) -> Copied:
    """Copy studies from store to store; all of them, and the tokens, if no name is given.

    The facts are copied as they are, each one checked against the hash chain; neither learner nor domain is
    needed. A study whose log is damaged, or rewritten or deleted meanwhile, is left out, and the others are
    copied. A token whose name the target has is left out. A study keeps its id if that is free, so that a
    server follows a store that is set back to its backup.

    Raises NotFound if there is no such study, Conflict if the target has a study of one of the names.
    """
    selected = list(names)
    with source.reading() as sql:
        marks = sql.connection.execute(sa.select(schema.meta)).all()  # first, so never ahead of the logs
        heads = [sql.find(name) for name in selected] if selected else sql.studies()
    with target.reading() as sql:
        own = {head.name for head in sql.studies()}
    if taken := own & {head.name for head in heads}:
        raise Conflict(f"There is already a study {min(taken)!r} in the other store; nothing was copied.")
    copied = Copied([], {})
    for head in heads:
        try:
            _copy_study(source, target, head)
            copied.studies.append(head.name)
        except (Tampered, Conflict, NotFound) as error:
            copied.left_out[head.name] = error.args[0]
    if not selected:
        _copy_tokens(source, target)
        with target.writing() as sql:  # how far another system was told of each study
            noted = {*sql.connection.scalars(sa.select(schema.meta.c.name))}
            if late := [one._asdict() for one in marks if not own and one.name not in noted]:
                sql.connection.execute(schema.meta.insert(), late)
    return copied


def _copy_study(source: Store, target: Store, head: Head) -> None:
    if head.seq == 0:
        raise Tampered(f"The log of study {head.name!r} is empty; restore from a backup.")
    with target.writing() as sql:
        study, previous = sql.create(head.name, head.id), GENESIS
        for rows, problems in _pages(source, head):
            for hash, data in problems.items():
                if content_hash(data) != hash:
                    raise Tampered(f"Problem {hash[:12]} of study {head.name!r} was changed.")
                sql.add_problem(hash, data)
            for row in rows:
                if not row.follows(previous):
                    raise Tampered(f"Fact {row.columns[1]} of study {head.name!r} is not what was written.")
                sql.append(study, row.entry)
                if row.weights is not None and row.entry.made is not None:
                    sql.add_weights(study, {row.entry.made: unpack_weights(row.weights)})
                previous = row.entry.hash
        if previous != head.hash:
            raise Tampered(f"The end of the log of study {head.name!r} is not what was written.")
        with source.reading() as there:
            _check_unchanged(there, head)
            for seq, data in there.snapshots(head.id, head.seq).items():
                sql.add_snapshot(study, seq, data)


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


def backup(source: Store, file: Path) -> Copied:
    """Copy every study and every token into a new SQLite file; browser sessions are not copied.

    The file appears when it is complete. Raises Conflict if it exists already.
    """
    if not file.parent.is_dir():
        raise Invalid(f"There is no folder {file.parent}; create it, or choose another one.")
    if file.exists():
        raise Conflict(f"{file.name} exists already; a backup never overwrites. Choose another name.")
    with TemporaryDirectory(prefix=".backup-", dir=file.parent) as folder:
        unfinished = Path(folder) / file.name
        with Store(sa.URL.create("sqlite", database=str(unfinished)).render_as_string()) as target:
            copied = copy(source, target)
        unfinished.rename(file)
    return copied


def delete(store: Store, name: str) -> bool:
    """Delete a study, the roles in it, and the tokens that are for nothing else. Backups keep it.

    Returns False if the file of the store still holds its data, see `Store.shrink`.

    Raises NotFound if there is no such study.
    """
    with store.writing() as sql:
        head = sql.find(name)
        sql.lock(head.id)
        sql.delete(head)
    return store.shrink()


@dataclass(frozen=True, slots=True)
class Erasure:
    """The name that stands for an erased one, and what still holds that.

    `similar` counts where the name stays in another spelling or within a word, and `left_in_file` says
    whether the file of the store still has it.
    """

    name: str
    similar: int
    left_in_file: bool


def erase(
    store: Store, name: str, person: str, *, actor: str = "", learner: Learner | None = None
) -> Erasure:
    """Replace a person's name in every fact of a study by a random one.

    The hashes are made anew from the first fact with the name on. A fact records the erasure and the hash
    that the log ended with before. What was learned stays as it is, bit for bit. Names in problems and in
    solutions are data of the domain and stay, as do accounts, backups and exports. While another connection
    reads an older state, the file of the store still holds the name, see `Store.shrink`.

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
        changed = similar = 0
        for entry in sql.after(head.id, 0, seq):
            data = orjson.loads(entry.body)
            body = canonical(_renamed(data, person, alias, word)) if person else entry.body
            changed += body != entry.body
            similar += body.decode().casefold().count(person.casefold())
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
            if _holds(orjson.loads(body).get("state", {}).get("learner"), person):
                raise _not_erasable(f"The name stays in the state of the learner at fact {entry.seq}.")
        if not changed:
            raise NotFound(f"Nobody called {person!r} is in study {name!r}.")
        fact = Erased(name=alias, before=hash.hex())
        last = seal(fact, seq=seq + 1, time=store.clock(), actor=actor, via="", previous=after.hash)
        sql.append(head.id, last)
        after.apply(last)
        sql.remove_snapshot(head.id)
        sql.add_snapshot(head.id, after.seq, orjson.dumps(after.snapshot()))
        try:
            verify_in(sql, name, learner)
        except Tampered as error:
            raise _not_erasable(error) from error
    return Erasure(alias, similar, left_in_file=not store.shrink())


def _not_erasable(reason: object) -> Invalid:
    return Invalid(f"The name cannot be erased, and nothing was changed. {reason}")


def _renamed(fact: dict[str, Any], person: str, alias: str, word: re.Pattern[str]) -> dict[str, Any]:
    """A fact, or a part of one, with another name of a person."""
    fields = dict(fact)
    for name, value in fact.items():
        if name in PARTS:
            fields[name] = _renamed(value, person, alias, word)
        elif name in NAMES and value == person:
            fields[name] = alias
        elif name == "authors":
            fields[name] = [alias if author == person else author for author in value]
        elif name in TEXTS and isinstance(value, str):
            fields[name] = word.sub(alias, value)
        elif name == "state":
            fields[name] = {**value, "learner": _renamed_state(value["learner"], person, alias)}
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
