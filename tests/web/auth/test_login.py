from __future__ import annotations

import re

from tests.web.conftest import BROWSER


def test_login_link_works_once(server):
    code = server.accounts.login_link()
    browser = server.client(**BROWSER)
    assert browser.get("/").headers["location"] == "/login"
    first = browser.get("/login", params={"code": code})
    assert (first.status_code, first.headers["location"]) == (303, "/")
    cookie = first.headers["set-cookie"].lower()
    assert "httponly" in cookie
    assert "samesite=lax" in cookie
    assert browser.get("/api/me").json()["studies"] == {"*": "admin"}
    assert server.client().get("/login", params={"code": code}).status_code == 401
    assert browser.post("/logout", headers={"Origin": server.address}).status_code == 204
    browser.cookies.set(
        "coactor_session", re.search(r"coactor_session=([^;]+)", first.headers["set-cookie"])[1]
    )
    assert browser.get("/api/me").status_code == 401


def test_login_by_token(server):
    server.client("expert", "tours", "ana")
    browser = server.client()
    assert "Log in" in browser.get("/login").text
    assert browser.post("/login", data={"token": "coactor_x_y"}).status_code == 401
    for nonsense in (b"", b"[]", b"{", b"null", b'{"token": 5}', b"\xff"):
        assert browser.post("/login", content=nonsense).status_code in (401, 422)
    form = browser.post("/login", data={"token": server.tokens["ana"]}, headers={"Origin": server.address})
    assert (form.status_code, form.headers["location"]) == (303, "/")
    assert browser.get("/api/me").json() == {"name": "ana", "studies": {"tours": "expert"}}


def test_login_leads_back_to_the_page_that_was_asked_for(server):
    server.client("expert", "tours", "ana")
    browser = server.client(**BROWSER)
    where = browser.get("/s/tours/p/7?x=1").headers["location"]
    assert where == "/login?next=%2Fs%2Ftours%2Fp%2F7%3Fx%3D1"
    assert 'name="next" value="/s/tours/p/7?x=1"' in browser.get(where).text
    origin = {"Origin": server.address}
    for path, target in (
        ("/s/tours", "/s/tours"),
        ("//evil.example/", "/"),
        ("/\\evil.example", "/"),
        ("https://evil.example", "/"),
        ("/a\nb", "/"),
    ):
        form = {"token": server.tokens["ana"], "next": path}
        assert browser.post("/login", data=form, headers=origin).headers["location"] == target
    browser.cookies.set("coactor_session", "expired")
    ended = browser.get("/s/tours").headers["location"]
    assert "session ended" in browser.get(ended).text
