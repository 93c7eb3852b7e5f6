from __future__ import annotations

import pytest

from coactor.studies import Conflict, Invalid, NotFound, Store
from coactor.studies.accounts import (
    LINK_LASTS,
    LINK_SESSION_LASTS,
    SESSION_LASTS,
    Account,
    Accounts,
    SessionRow,
)
from coactor.studies.log import transfer
from tests.studies.stubs import Clock


def test_a_token_is_valid_until_it_is_revoked(url):
    with Store(url) as store:
        accounts = Accounts(store)
        token = accounts.create("ana", "desk", "expert")
        assert accounts.by_token(token) == Account("ana", {"desk": "expert"})
        cookie, who = accounts.open_session(token=token)
        assert who == accounts.by_session(cookie) == Account("ana", {"desk": "expert"})
        accounts.revoke("ana")
        assert accounts.by_token(token) is None
        assert accounts.by_session(cookie) is None
        with pytest.raises(NotFound):
            accounts.revoke("ana")


def test_a_login_link_works_once_and_expires(url):
    clock = Clock()
    with Store(url, clock=clock) as store:
        accounts = Accounts(store)
        code = accounts.login_link()
        cookie, who = accounts.open_session(code=code)
        assert who.role() == "admin"
        assert accounts.open_session(code=code) is None
        late = accounts.login_link()
        clock.now += LINK_LASTS + 1
        assert accounts.open_session(code=late) is None
        assert accounts.by_session(cookie) is not None
        clock.now += LINK_SESSION_LASTS - LINK_LASTS - 2
        assert accounts.by_session(cookie) is not None
        clock.now += 2
        assert accounts.by_session(cookie) is None


def test_sessions_of_a_link_are_listed_and_ended_by_name(url):
    clock = Clock()
    with Store(url, clock=clock) as store:
        accounts = Accounts(store)
        cookie, _ = accounts.open_session(code=accounts.login_link())
        unused, token = accounts.login_link(), accounts.create("ana", "*", "viewer")
        hers, _ = accounts.open_session(token=token)
        assert accounts.sessions() == [
            SessionRow("admin", "link", clock.now + LINK_LASTS),
            SessionRow("admin", "session", clock.now + LINK_SESSION_LASTS),
            SessionRow("ana", "session", clock.now + SESSION_LASTS),
        ]
        assert [accounts.end_sessions("admin"), accounts.end_sessions("admin")] == [2, 0]
        assert accounts.by_session(cookie) is accounts.open_session(code=unused) is None
        assert accounts.by_session(hers) is not None
        clock.now += SESSION_LASTS
        assert accounts.sessions() == []


def test_a_token_expires_and_so_do_its_sessions(url):
    clock = Clock()
    with Store(url, clock=clock) as store:
        accounts = Accounts(store)
        token = accounts.create("ana", "desk", "expert", lasts=100.0)
        cookie, _ = accounts.open_session(token=token)
        assert accounts.tokens()[0].expires == clock.now + 100
        clock.now += 99
        assert accounts.by_token(token) == accounts.by_session(cookie) == Account("ana", {"desk": "expert"})
        clock.now += 2
        assert accounts.by_token(token) is None
        assert accounts.by_session(cookie) is None
        assert accounts.open_session(token=token) is None
        for wrong in (0.0, -1.0, float("inf"), float("nan")):
            with pytest.raises(Invalid, match="cannot last"):
                accounts.create("ben", "desk", "expert", lasts=wrong)


def test_one_account_has_roles_in_several_studies(url):
    with Store(url) as store:
        accounts = Accounts(store)
        token = accounts.create("ana", "north", "expert")
        cookie, _ = accounts.open_session(token=token)
        accounts.grant("ana", "south", "lead")
        account = accounts.by_token(token)
        assert account == accounts.by_session(cookie) == Account("ana", {"north": "expert", "south": "lead"})
        assert [account.role(study) for study in ("north", "south", "east", "*")] == [
            "expert",
            "lead",
            "",
            "",
        ]
        accounts.grant("ana", "north", "viewer")
        accounts.grant("ana", "south", "none")
        assert accounts.by_session(cookie) == Account("ana", {"north": "viewer"})
        with pytest.raises(Invalid, match="revoke"):
            accounts.grant("ana", "north", "none")
        assert accounts.by_token(token) == Account("ana", {"north": "viewer"})
        with pytest.raises(NotFound):
            accounts.grant("ben", "north", "viewer")
        accounts.grant("ana", "*", "expert")  # in all others
        assert [accounts.by_token(token).role(study) for study in ("north", "east")] == ["viewer", "expert"]
        accounts.revoke("ana")
        assert accounts.tokens() == []


def test_links_and_sessions_are_not_interchangeable(sqlite_url):
    with Store(sqlite_url) as store:
        accounts = Accounts(store)
        code = accounts.login_link()
        assert accounts.by_session(code) is None
        cookie, _ = accounts.open_session(code=code)
        assert accounts.open_session(code=cookie) is None
        accounts.close_session(cookie)
        assert accounts.by_session(cookie) is None


@pytest.mark.parametrize(
    "wrong",
    ["", "x", "coactor_", "coactor__", "coactor_a_b", "coactor_é_b", "_" * 300, "coactor_%_%", "' OR 1=1 --"],
)
def test_wrong_credentials_give_no_account(sqlite_url, wrong):
    with Store(sqlite_url) as store:
        accounts = Accounts(store)
        good = accounts.create("ana", "*", "lead")
        for bad in (wrong, good + "x", good[:-1], good.upper()):
            assert accounts.by_token(bad) is None
            assert accounts.by_session(bad) is None
            assert accounts.open_session(code=bad) is None
            assert accounts.open_session(token=bad or "x") is None


def test_create_raises_invalid_for_a_bad_name_role_or_study(sqlite_url):
    with Store(sqlite_url) as store:
        accounts = Accounts(store)
        accounts.create("ana", "desk", "expert")
        with pytest.raises(Conflict, match="already a token"):
            accounts.create("ana", "desk", "lead")
        for name, study, role in (
            ("", "*", "lead"),
            ("b", "*", "king"),
            ("b", "a/b", "lead"),
            ("b" * 101, "*", "lead"),
        ):
            with pytest.raises(Invalid):
                accounts.create(name, study, role)
        assert [(t.name, t.studies) for t in accounts.tokens()] == [("ana", {"desk": "expert"})]


def test_create_strips_names_and_refuses_those_that_look_the_same(sqlite_url):
    with Store(sqlite_url) as store:
        accounts = Accounts(store)
        assert accounts.by_token(accounts.create(" ana ", "desk", "expert")).name == "ana"
        for same in ("ana", "ana ", " ana", "ANA", "Ana ", "ana\u200d", "\uff41na"):
            with pytest.raises(Conflict, match="already a token named 'ana'"):
                accounts.create(same, "desk", "lead")
        for invisible in ("ana\n2", "an\ta", "ana\u202e", "   ", "\u200d"):
            with pytest.raises(Invalid):
                accounts.create(invisible, "desk", "lead")
        assert [token.name for token in accounts.tokens()] == ["ana"]


def test_backup_has_the_tokens(url, tmp_path):
    with Store(url) as store:
        token = Accounts(store).create("ana", "*", "expert")
        transfer.backup(store, tmp_path / "backup.db")
        with Store(f"sqlite:///{tmp_path}/backup.db") as copy:
            assert Accounts(copy).by_token(token) == Accounts(store).by_token(token)
            assert Accounts(copy).tokens() == Accounts(store).tokens()
            with Store(f"sqlite:///{tmp_path}/elsewhere.db") as other:  # as a restore into another store
                Accounts(other).create("ben", "*", "viewer")
                transfer.copy(copy, other)
                assert Accounts(other).by_token(token) == Accounts(store).by_token(token)
                transfer.copy(copy, other)  # again: known names are left out
                assert [row.name for row in Accounts(other).tokens()] == ["ana", "ben"]
