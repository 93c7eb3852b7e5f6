from __future__ import annotations

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from coactor.studies import open_study
from coactor.studies.accounts import Accounts
from coactor.web.app import create_app
from coactor.web.routes.requests import BODY, COUNT, DEPTH, NUMBER, TEXT, check
from tests.studies.stubs import Switches
from tests.web.conftest import PROPOSALS, serving

valid = st.recursive(
    st.floats(-NUMBER, NUMBER)
    | st.integers(-(10**15), 10**15)
    | st.text(max_size=20)
    | st.booleans()
    | st.none(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner, max_size=4),
    max_leaves=12,
)


invalid = st.sampled_from([1e16, -1e16, 10**16, "x" * (TEXT + 1)])


def nested(value, levels):
    for _ in range(levels):
        value = [value]
    return value


@given(valid)
def test_check_accepts_ordinary_data(value):
    check(value)


@given(valid, invalid, st.integers(0, 8))
def test_check_finds_one_invalid_value_anywhere(value, wrong, levels):
    for holder in ([value, wrong], [1.0, wrong], {"a": value, "b": wrong}, {"a": [0, wrong, value]}):
        with pytest.raises(ValueError, match="may"):
            check(nested(holder, levels))


def test_check_limits_depth_and_count():
    check(nested(1.0, DEPTH - 1))
    with pytest.raises(ValueError, match="nested"):
        check(nested(1.0, DEPTH + 1))
    with pytest.raises(ValueError, match="at most"):
        check([0.0] * (COUNT + 1))
    with pytest.raises(ValueError, match="at most"):
        check([[0.0] * 1000] * (COUNT // 1000 + 1))
    with pytest.raises(ValueError, match="characters"):
        check({"x" * (TEXT + 1): 1})


def nested_lists(levels):
    return b'{"problem": ' + b"[" * levels + b"]" * levels + b"}"


@pytest.mark.parametrize(
    ("body", "status"),
    [
        (b'{"problem": NaN}', 422),
        (b'{"problem": -Infinity}', 422),
        (b'{"problem": 1e999}', 422),
        (b'{"problem": 1e300}', 422),
        (b'{"problem": ' + b"9" * 5000 + b"}", 422),
        (nested_lists(DEPTH + 1), 422),
        (nested_lists(200_000), 422),
        (b'{"problem": "' + b"x" * 30_000 + b'"}', 422),
        (b'{"' + b"x" * 30_000 + b'": 1}', 422),
        (b'{"problem": [' + b"0," * COUNT + b"0]}", 422),
        (b"\xff\xfe", 422),
        (b"", 422),
        (b"null", 422),
        (b"[]", 422),
        (b'{"problem": 1', 422),
        (b'{"problem": "\\ud800"}', 422),
        (b'{"problem": "' + b"x" * (BODY + 1) + b'"}', 413),
    ],
    ids=lambda value: None if isinstance(value, int) else f"{value[:24]!r}-{len(value)}",
)
def test_invalid_body_is_refused(shared_server, body, status):
    answer = shared_server.client("admin").post(
        PROPOSALS, content=body, headers={"Content-Type": "application/json"}
    )
    assert answer.status_code == status, answer.text
    assert answer.headers["content-type"] == "application/problem+json"
    assert len(answer.json()["detail"]) < 600


def test_large_body_without_content_length_is_413(shared_server):
    def stream():
        for _ in range(BODY // 2**16 + 2):
            yield b" " * 2**16

    answer = shared_server.client("admin").post(
        PROPOSALS, content=stream(), headers={"Content-Type": "application/json"}
    )
    assert answer.status_code == 413


def test_body_limit_allows_larger_bodies_with_more_values(store):
    open_study(store, "own", Switches(), "PER", create=True).close()
    token = Accounts(store).create("m", "own", "solver")
    body = b'{"problem": [%b0]}' % (b"0," * (COUNT + 1))
    answers = []
    for limit in (2**20, BODY, 2 * BODY):
        with serving(create_app(store, body_limit=limit, domains={"own": Switches()})) as address:
            headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
            place = f"{address}/api/studies/own/proposals"
            answers.append(httpx.post(place, content=body, headers=headers, timeout=30))
    assert [answer.status_code for answer in answers] == [413, 422, 422]
    assert "at most 1000000 values" in answers[1].json()["detail"]
    assert "values" not in answers[2].json()["detail"]  # it reached the solver, which wants three


def test_other_content_types_are_refused(shared_server):
    for kind in ("text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", ""):
        answer = shared_server.client("admin").post(
            PROPOSALS, content=b'{"problem": {}}', headers={"Content-Type": kind}
        )
        assert answer.status_code == 422, (kind, answer.text)
