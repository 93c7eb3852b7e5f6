from __future__ import annotations

import base64
import math
import re
from pathlib import Path

import orjson
import pytest
import sqlalchemy as sa

from coactor.learners import PER
from coactor.protocol import Work
from coactor.studies import Conflict, Invalid, NotFound, Store, Tampered, open_study
from coactor.studies.accounts import Account, Accounts
from coactor.studies.log import ledger, schema, transactions, transfer
from coactor.studies.log import store as store_module
from coactor.studies.log.chain import GENESIS, canonical, link
from coactor.studies.log.verification import verify
from tests.studies.stubs import Switches, change_row, flip, make, tours


def filled(url, name="desk"):
    study = open_study(url, name, Switches(), "averaged-PER", create=True)
    desk = study.desk()
    for k in range(6):
        study.ask([1.0 + k, -2.0, 3.0], key=f"{name}/{k}", label="<b>é</b>")
    for k in range(4):
        study.tell(k + 1, moves=flip(k % 3), actor="ana", work=Work(note="n"))
    desk.reopen(2, actor="ana")
    study.rollback(1, "back")
    return study


def test_import_of_an_export_is_the_same_study(url, tmp_path):
    with filled(url) as study, Store(f"sqlite:///{tmp_path}/copy.db") as other:
        lines = [orjson.loads(orjson.dumps(line)) for line in study.export()]
        assert transfer.load(other, lines) == "desk"
        assert list(transfer.export(other, "desk")) == lines
        assert verify(other, "desk") == verify(study.store, "desk")
        with pytest.raises(Conflict, match="already a study"):
            transfer.load(other, lines)
        assert transfer.load(other, lines, "another") == "another"
        with open_study(other, "another", Switches()) as again:
            assert again.weights().tobytes() == study.weights().tobytes()
            assert again.proposals() == study.proposals()


def test_import_calls_no_solver_that_was_not_named(sqlite_url, tmp_path):
    settings = {"solver": "os:system"}
    with (
        open_study(sqlite_url, "desk", Switches(), create=True, settings=settings) as study,
        Store(f"sqlite:///{tmp_path}/copy.db") as other,
    ):
        lines = list(study.export())
        with pytest.raises(Invalid, match="calls 'os:system' on this machine"):
            transfer.load(other, lines)
        with other.reading() as sql:
            assert sql.studies() == []
        assert transfer.load(other, lines, solver="os:system") == "desk"


def test_copy_from_sqlite_to_postgresql_and_back(postgres_server, tmp_path):
    from tests.studies.support import postgres

    there = postgres.new_schema(postgres_server, "copied")
    with (
        filled(f"sqlite:///{tmp_path}/a.db") as study,
        Store(there) as middle,
        Store(f"sqlite:///{tmp_path}/b.db") as back,
    ):
        transfer.copy(study.store, middle)
        transfer.copy(middle, back)
        assert list(transfer.export(back, "desk")) == list(study.export())
        assert verify(middle, "desk").hash == verify(back, "desk").hash


def test_backup_contains_every_study_and_never_overwrites(url, tmp_path, monkeypatch):
    monkeypatch.setattr(ledger, "EVERY", 4)  # with snapshots
    with filled(url) as study, filled(study.store, "night"):
        file = tmp_path / "backup.db"
        assert transfer.backup(study.store, file).studies == ["desk", "night"]
        with Store(f"sqlite:///{file}") as copy:
            for name in ("desk", "night"):
                assert verify(copy, name) == verify(study.store, name)
        with pytest.raises(Conflict, match="never overwrites"):
            transfer.backup(study.store, file)


def test_backup_needs_neither_the_learner_nor_the_domain(url, tmp_path):
    """Both belong to the caller who opened the study, and need not be installed where backups are made."""
    with make(url, "own", Mine(3)) as study, filled(study.store, "desk"):
        study.tell(study.ask([1.0, 2.0, 3.0]), moves=flip(0))
        file = tmp_path / "backup.db"
        assert transfer.backup(study.store, file) == transfer.Copied(["desk", "own"], {})
        with open_study(f"sqlite:///{file}", "own", Switches(), Mine(3)) as again:
            assert again.weights().tobytes() == study.weights().tobytes()
            assert list(again.export()) == list(study.export())


class Mine(PER):
    """A learner that is not an entry point."""

    name = "mine"


@pytest.mark.parametrize(
    "damage",
    [
        "UPDATE coactor_facts SET body = hash WHERE study = {id} AND seq = 3",
        "UPDATE coactor_facts SET body = hash WHERE study = {id} AND seq = 1",
        "DELETE FROM coactor_facts WHERE study = {id} AND seq = 4",
        "DELETE FROM coactor_facts WHERE study = {id}",
        "UPDATE coactor_facts SET kind = 'told' WHERE study = {id} AND seq = 2",
    ],
)
def test_backup_leaves_out_a_damaged_study_and_copies_the_others(url, tmp_path, damage):
    with filled(url) as study, filled(study.store, "night"):
        with study.store.reading() as sql:
            id = sql.find("desk").id
        change_row(study.store, damage.format(id=id))
        copied = transfer.backup(study.store, tmp_path / "backup.db")
        assert (copied.studies, list(copied.left_out)) == (["night"], ["desk"])
        with Store(f"sqlite:///{tmp_path}/backup.db") as there, there.reading() as sql:
            assert [head.name for head in sql.studies()] == ["night"]


def test_backup_leaves_no_partial_file(sqlite_url, tmp_path, monkeypatch):
    with filled(sqlite_url) as study:
        before = sorted(tmp_path.iterdir())
        monkeypatch.setattr(transfer, "_copy_tokens", lambda source, target: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            transfer.backup(study.store, tmp_path / "backup.db")
        assert sorted(tmp_path.iterdir()) == before
        with pytest.raises(Invalid, match="no folder"):
            transfer.backup(study.store, tmp_path / "nowhere" / "backup.db")


def damage_body(lines):
    lines[5]["fact"]["actor"] = "eve"


def damage_problem(lines):
    next(line for line in lines if "problem" in line)["data"] = [7, 7, 7]


def cut_off(lines):
    del lines[-2:]


def leave_out(lines):
    del lines[4]


def no_header(lines):
    del lines[0]


@pytest.mark.parametrize("damage", [damage_body, damage_problem, cut_off, leave_out, no_header])
def test_load_raises_for_a_damaged_export_and_imports_nothing(sqlite_url, tmp_path, damage):
    with filled(sqlite_url) as study, Store(f"sqlite:///{tmp_path}/copy.db") as other:
        lines = list(study.export())
        damage(lines)
        with pytest.raises((Tampered, Invalid, NotFound)):
            transfer.load(other, lines)
        with other.reading() as sql:
            assert sql.studies() == []


def edited_export(study, change):
    """An export with one change to its facts, and the chain made anew, as a careful forger would."""
    header, *lines = study.export()
    previous = GENESIS
    for line in lines:
        if "fact" in line:
            change(line["fact"])
            vectors = base64.b64decode(line.get("vectors", ""))
            previous = link(previous, canonical(line["fact"]), vectors)
            line["hash"] = previous.hex()
    return [{**header, "name": "forged", "hash": previous.hex()}, *lines]


@pytest.mark.parametrize(
    ("kind", "field", "value"),
    [
        ("created", "uid", "ab"),
        ("created", "time", 2.0**40),
        ("created", "config", {}),
        ("created", "state", None),
        ("asked", "proposal", "1"),
        ("asked", "proposal", 7),
        ("asked", "version", 99),
        ("asked", "label", None),
        ("asked", "renewable", "yes"),
        ("claimed", "until", "never"),
        ("claimed", "proposal", 5),
        ("edited", "revision", 9),
        ("edited", "moves", [{"op": "flip"}]),
        ("told", "version", 3),
        ("told", "effort", "much"),
        ("told", "moves", [1]),
        ("configured", "settings", {"learner": "PER"}),
        ("configured", "settings", {"grace": "long"}),
        ("rolled back", "to", 9),
        ("rolled back", "to", 1),
        ("rolled back", "state", {"learner": "CSPER", "weights": [9.0, 0.0, 0.0]}),
        ("rolled back", "reason", 1),
        ("told", "time", "noon"),
    ],
)
def test_load_refuses_facts_that_were_edited_by_hand(sqlite_url, kind, field, value):
    with make(sqlite_url) as study:
        study.ask([1.0, 2.0, 3.0])
        desk = study.desk()
        revision = desk.claim(1, "ana").revision
        desk.submit(1, revision=desk.edit(1, flip(0), revision=revision, actor="ana").revision, actor="ana")
        study.configure({"grace": 5})
        study.rollback(0, "back")

        def change(fact):
            if fact["kind"] == kind:
                fact[field] = value

        assert transfer.load(study.store, edited_export(study, lambda fact: None)) == "forged"
        with pytest.raises((Tampered, Invalid)):
            transfer.load(study.store, edited_export(study, change), "other")
        with study.store.reading() as sql:
            assert [head.name for head in sql.studies()] == ["desk", "forged"]


def people_study(store, name="desk"):
    """A study in which Ana and Ben work, whose learner keeps weights for each, with much that names Ana."""
    domain, problems = tours(6)
    study = open_study(store, name, domain, create=True, actor="ana", settings={"budget": math.inf})
    for k, problem in enumerate(problems):
        who = ("ana", "ben")[k % 2]
        asked = study.ask(problem, actor=who, label=f"for {who}, not banana", asked_for=who)
        study.tell(
            asked,
            moves=[{"op": "reverse", "args": [1 + k % 3, 5]}],
            actor=who,
            work=Work(note=f"{who} was here"),
        )
    study.rollback(3, "ana said so", learned_for="ana", actor="ben")
    study.desk().claim(study.ask(problems[0], actor="machine", via="ana").id, "ana")
    return study


def bodies_of(store):
    with store.reading() as sql:
        return b"".join(sql.bodies(sql.find("desk").id, 0, 1000))


def test_erase_removes_a_name_and_changes_nothing_that_was_learned(url, monkeypatch):
    monkeypatch.setattr(ledger, "OFTEN", 5)
    with Store(url) as store, Store(url) as other:
        elsewhere = people_study(other)
        before = verify(store, "desk")
        assert before.snapshots > 0
        erasure = transfer.erase(store, "desk", "ana", actor="admin")
        alias, similar = erasure.name, erasure.similar
        after = verify(store, "desk")
        assert (after.facts, after.weights, after.arithmetic) == (before.facts + 1, before.weights, "")
        with store.reading() as sql:
            bodies = bodies_of(store) + b"".join(sql.snapshots(sql.find("desk").id).values())
        assert not re.search(rb"\bana\b", bodies)
        assert before.hash.encode() in bodies  # the erasure says what the log ended with
        assert b"for ben, not banana" in bodies
        assert similar == len(re.findall(rb"(?i)ana", bodies_of(store))) > 0
        assert elsewhere.version == after.version  # an open study of another process goes on
        assert {row.work.actor for row in elsewhere.effort()} == {alias, "ben"}
        assert elsewhere.draft(7).holder == alias
        elsewhere.tell(elsewhere.ask(elsewhere.proposal(1).problem), moves=[], actor="ben")
        verify(store, "desk")
        lines = list(transfer.export(store, "desk"))
        assert verify(store, transfer.load(store, lines, "copy")).arithmetic == ""
        with pytest.raises(NotFound, match="Nobody"):
            transfer.erase(store, "desk", "ana")
        with pytest.raises(NotFound):
            transfer.erase(store, "nowhere", "ana")


def test_what_is_erased_or_deleted_is_not_left_in_the_file(sqlite_url, tmp_path):
    with Store(sqlite_url) as store:
        people_study(store).close()
        transfer.erase(store, "desk", "ana")
        transfer.backup(store, tmp_path / "backup.db")
        assert not left_on_disk(f"sqlite:///{tmp_path}/backup.db", b"ana")
        assert not re.search(r"\bana\b", str(list(transfer.export(store, "desk"))))
        people_study(store, "second").close()
        transfer.delete(store, "second")
    file = Path(sqlite_url.removeprefix("sqlite:///"))
    assert not re.search(rb"\bana\b", file.read_bytes())


def left_on_disk(sqlite_url, name):
    """How often a name is in the files of a store."""
    file = Path(sqlite_url.removeprefix("sqlite:///"))
    files = [file, file.with_name(f"{file.name}-wal")]
    return sum(len(re.findall(rb"\b%b\b" % name, f.read_bytes())) for f in files if f.exists())


def test_a_stalled_export_blocks_no_writer_and_no_erasure(sqlite_url, monkeypatch):
    monkeypatch.setattr(transactions, "PAGE", 5)
    with Store(sqlite_url, wait=5.0) as store:
        people_study(store)
        with filled(store, "other") as other:
            exports = [transfer.export(store, "other") for _ in range(70)]  # more than there are connections
            headers = [next(lines) for lines in exports]
            assert [next(lines)["fact"] for lines in exports]
            assert not transfer.erase(store, "desk", "ben").left_in_file
            assert not left_on_disk(sqlite_url, b"ben")
            other.tell(5, moves=flip(0))
            assert list(exports[0])[-1]["hash"] == headers[0]["hash"]  # as it was at the first line


def store_facts(store):
    with store.reading() as sql:
        return sql.find("desk").seq


def test_export_raises_conflict_if_the_log_is_rewritten_meanwhile(sqlite_url, monkeypatch):
    monkeypatch.setattr(transactions, "PAGE", 3)
    with Store(sqlite_url) as store:
        people_study(store)
        for change in (lambda: transfer.erase(store, "desk", "ana"), lambda: transfer.delete(store, "desk")):
            lines = transfer.export(store, "desk")
            assert next(lines)["facts"] == store_facts(store)
            assert next(lines)["fact"]
            change()
            with pytest.raises((Conflict, NotFound), match=r"meanwhile|deleted"):
                list(lines)


def test_erase_says_if_the_file_still_holds_the_name_and_tidy_removes_it(sqlite_url, monkeypatch):
    monkeypatch.setattr(store_module, "PAUSES", (0.0, 0.01))
    with Store(sqlite_url, wait=5.0) as store:
        people_study(store)
        with store.reading() as sql:
            sql.studies()  # a reader that stays where it is
            assert transfer.erase(store, "desk", "ana").left_in_file
            assert left_on_disk(sqlite_url, b"ana")
            store.tidy()
            assert left_on_disk(sqlite_url, b"ana")
        store.tidy()
        assert not left_on_disk(sqlite_url, b"ana")


@pytest.mark.parametrize(
    ("field", "value"),
    [
        *(("name", name) for name in ("../x", "a/b", "", "*", "n\n", "n" * 65, "<b>", 7, None)),
        *(("facts", number) for number in (0, -1, "3", None, True, 2.0)),
        *(("hash", hash) for hash in ("", "0" * 63, "x" * 64, None, 5)),
        ("format", None),
    ],
)
def test_load_refuses_an_invalid_header(sqlite_url, field, value):
    with filled(sqlite_url) as study:
        header, *rest = study.export()
        changed = {**header, "name": "other", field: value}
        left_out = {k: v for k, v in {**header, "name": "other"}.items() if k != field}
        for first in (changed, left_out):
            with pytest.raises(Invalid):
                transfer.load(study.store, [first, *rest])
        with pytest.raises(Invalid):
            transfer.load(study.store, [{**header, "facts": 0, "hash": "0" * 64, "name": "other"}])
        with pytest.raises(Invalid, match="not a valid name"):
            transfer.load(study.store, [header, *rest], "a/b")
        with study.store.reading() as sql:
            assert [head.name for head in sql.studies()] == ["desk"]


def test_delete_removes_a_study_and_leaves_the_others_whole(url):
    with Store(url) as store, Store(url) as other:
        gone = people_study(other)
        kept = people_study(store, "kept")  # of the same problems
        gone.tell(gone.ask(tours(1, seed=7)[1][0]), moves=[])
        accounts = Accounts(store)
        tokens = [accounts.create(name, "desk", "expert") for name in ("ana", "ben")]
        accounts.grant("ben", "kept", "viewer")
        cookie, _ = accounts.open_session(token=tokens[0])
        with store.reading() as sql:
            problems = sql.connection.scalar(sa.select(sa.func.count()).select_from(schema.problems))
        transfer.delete(store, "desk")
        assert verify(store, "kept").facts == kept.summary()["facts"]
        with store.reading() as sql:
            left = sql.connection.scalar(sa.select(sa.func.count()).select_from(schema.problems))
            assert [head.name for head in sql.studies()] == ["kept"]
        assert left == problems - 1
        assert [accounts.by_token(token) for token in tokens] == [None, Account("ben", {"kept": "viewer"})]
        assert accounts.by_session(cookie) is None
        again = people_study(store, "desk")
        for call in (gone.summary, gone.weights, lambda: gone.desk().next("ana")):
            with pytest.raises(NotFound, match="deleted"):
                call()  # not the new one
        assert again.version == kept.version
        with pytest.raises(NotFound):
            transfer.delete(store, "nowhere")


def erased(store, person):
    """The log of a study after a person's name was erased; it verifies."""
    before = verify(store, "desk")
    transfer.erase(store, "desk", person)
    after = verify(store, "desk")
    assert (after.facts, after.weights, after.arithmetic) == (before.facts + 1, before.weights, "")
    return b"".join(orjson.dumps(line) for line in transfer.export(store, "desk"))


def test_erase_renames_in_the_nested_states_of_many_features(sqlite_url):
    domain, problems = tours(4, points=6, features=260)
    with open_study(sqlite_url, "desk", domain, create=True, settings={"budget": math.inf}) as study:
        for k, problem in enumerate(problems):
            study.tell(study.ask(problem), moves=[], actor=("ana", "ben")[k % 2])
        study.rollback(3, "try")
        assert not re.search(rb"\bana\b", erased(study.store, "ana"))


def groups_study(store):
    """A study of four people in two groups, set back once so that the groups are in the log."""
    study = open_study(store, "desk", Switches(), create=True, settings={"budget": math.inf})
    wants = {"ana": [1, 0, 0], "erika": [0, 0, 1], "eric": [1, 0, 0], "gus": [0, 0, 1]}
    for _ in range(4):
        for name, wanted in wants.items():
            p = study.ask([1.0, 1.0, 1.0], actor=name)
            study.tell(p, moves=flip(*(i for i in range(3) if p.solution[i] != wanted[i])), actor=name)
    study.rollback(study.version, "as it is")
    return study


@pytest.mark.parametrize("person", ["erika", "eric", "gus"])
def test_erase_renames_in_groups(sqlite_url, person):
    with groups_study(sqlite_url) as study:
        assert person.encode() not in erased(study.store, person)


def test_erase_changes_nothing_if_the_name_would_stay(sqlite_url, monkeypatch):
    with groups_study(sqlite_url) as study:
        before = list(study.export())
        monkeypatch.setattr(transfer, "_renamed_state", lambda state, person, alias: state)
        with pytest.raises(Invalid, match="The name cannot be erased"):
            transfer.erase(study.store, "desk", "erika")
        assert list(study.export()) == before
