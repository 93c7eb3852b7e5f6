"""Login at an identity provider: a small one that signs as real ones do, and one that lies."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import threading
import time
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlsplit

import httpx
import pytest

pytest.importorskip("authlib")

from joserfc import jwt
from joserfc.jwk import KeySet, RSAKey

from coactor.studies.accounts import LINK_SESSION_LASTS
from coactor.web.app import create_app
from coactor.web.auth.middleware import COOKIE
from coactor.web.auth.oidc import Provider
from tests.web.conftest import NO_TLS, serving

KEY = RSAKey.generate_key(2048, parameters={"kid": "one"})
OTHER_KEY = RSAKey.generate_key(2048, parameters={"kid": "one"})
EVE = {"sub": "7", "preferred_username": "eve", "coactor": ["tours:expert", "north:viewer"]}


def signed(key, claims):
    return jwt.encode({"alg": "RS256", "kid": "one"}, claims, key)


def forged(algorithm, claims):
    """A token without a signature, or with one that everybody can make: by the public key as a password."""
    parts = [json.dumps(part).encode() for part in ({"alg": algorithm, "kid": "one"}, claims)]
    text = b".".join(base64.urlsafe_b64encode(part).rstrip(b"=") for part in parts)
    proof = hmac.digest(KEY.as_pem(private=False), text, "sha256") if algorithm != "none" else b""
    return (text + b"." + base64.urlsafe_b64encode(proof).rstrip(b"=")).decode()


class Company(ThreadingHTTPServer):
    """A provider that knows one person; `claims` and `key` are what it says, and what it signs with."""

    def __init__(self):
        super().__init__(("127.0.0.1", 0), Handler)
        self.issuer = f"http://127.0.0.1:{self.server_port}"
        self.claims, self.sign, self.asked = dict(EVE), partial(signed, KEY), {}

    def log_in(self, address):
        """What the browser does at the provider; return where it is sent back."""
        self.asked = {name: values[0] for name, values in parse_qs(urlsplit(address).query).items()}
        return f"{self.asked['redirect_uri']}?code=c0de&state={self.asked['state']}"


class Handler(BaseHTTPRequestHandler):
    def answer(self, data):
        self.send_response(200)
        self.end_headers()
        self.wfile.write(json.dumps(data).encode())

    def do_GET(self):
        issuer = self.server.issuer
        ends = {"authorization_endpoint": "/authorize", "token_endpoint": "/token", "jwks_uri": "/keys"}
        about = {"issuer": issuer} | {name: issuer + path for name, path in ends.items()}
        self.answer(KeySet([KEY]).as_dict(private=False) if self.path == "/keys" else about)

    def do_POST(self):
        form = parse_qs(self.rfile.read(int(self.headers["content-length"])).decode())
        proof = base64.urlsafe_b64encode(hashlib.sha256(form["code_verifier"][0].encode()).digest())
        assert self.server.asked["code_challenge"] == proof.rstrip(b"=").decode()
        assert self.headers["authorization"] == "Basic " + base64.b64encode(b"desk:secret").decode()
        assert form["code"] == ["c0de"]
        about = {"iss": self.server.issuer, "aud": "desk", "exp": int(time.time()) + 60}
        claims = {**about, "nonce": self.server.asked["nonce"], **self.server.claims}
        self.answer({"id_token": self.server.sign(claims)})

    def log_message(self, *_):
        pass


@pytest.fixture
def company():
    with Company() as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield server
        server.shutdown()
        thread.join()


@pytest.fixture
def desk(server, company):
    """The address of a server whose people log in at the company."""
    provider = Provider(company.issuer, "desk", "secret")
    with serving(create_app(server.store, provider=provider)) as address:
        yield address


@pytest.fixture
def browser(desk):
    with httpx.Client(base_url=desk, verify=NO_TLS, timeout=30) as client:
        yield client


def log_in(browser, company):
    return browser.get(company.log_in(browser.get("/login/oidc?next=/s/tours").headers["location"]))


def test_person_of_the_company_logs_in_and_has_the_roles_of_the_claim(browser, company, server):
    assert 'href="/login/oidc?next=/"' in browser.get("/login").text
    done = log_in(browser, company)
    assert (done.status_code, done.headers["location"]) == (303, "/s/tours")
    assert browser.get("/api/me").json() == {"name": "eve", "studies": {"north": "viewer", "tours": "expert"}}
    assert "secret" not in str(company.asked)
    company.claims["coactor"] = ["tours:viewer"]
    log_in(browser, company)
    assert browser.get("/api/me").json() == {"name": "eve", "studies": {"tours": "viewer"}}
    assert [row.name for row in server.accounts.tokens()] == ["eve"]
    server.clock.now += LINK_SESSION_LASTS
    assert browser.get("/api/me").status_code == 401


@pytest.mark.parametrize(
    ("claims", "status"),
    [
        ({"coactor": []}, 403),
        ({"coactor": "tours:admin"}, 403),
        ({"coactor": None}, 403),
        ({"coactor": ["tours:king"]}, 422),
        ({"coactor": ["../x:lead"]}, 422),
        ({"preferred_username": "Ana "}, 409),  # somebody else's name
        ({"preferred_username": "\u200b"}, 422),
        ({"aud": "another"}, 401),
        ({"iss": "http://evil.example"}, 401),
        ({"nonce": "of another login"}, 401),
        ({"exp": 1}, 401),
        ({"sub": None}, 401),
    ],
)
def test_login_is_refused_when_the_claims_are_wrong(browser, company, server, claims, status):
    server.accounts.create("ana", "tours", "expert")
    company.claims |= claims
    assert log_in(browser, company).status_code == status
    assert browser.get("/api/me").status_code == 401
    assert [row.name for row in server.accounts.tokens()] == ["ana"]


@pytest.mark.parametrize(
    "sign", [partial(signed, OTHER_KEY), partial(forged, "none"), partial(forged, "HS256")]
)
def test_login_is_refused_without_the_providers_signature(browser, company, sign):
    company.sign = sign
    assert log_in(browser, company).status_code == 401
    assert browser.get("/api/me").status_code == 401


def test_session_of_the_company_is_listed_and_ends_by_logout_or_by_an_admin(browser, company, server, desk):
    def still_in(cookie):
        answer = httpx.get(f"{desk}/api/me", headers={"cookie": f"{COOKIE}={cookie}"}, verify=NO_TLS)
        return answer.status_code == 200

    cookies = [log_in(browser, company).cookies[COOKIE] for _ in range(3)]
    assert len(set(cookies)) == 3
    assert [(row.name, row.kind) for row in server.accounts.sessions()] == [("eve", "session")] * 3
    assert browser.post("/logout", headers={"origin": desk}).status_code == 204
    assert [still_in(cookie) for cookie in cookies] == [True, True, False]
    assert server.client("admin").delete("/api/sessions/eve").status_code == 200
    assert not any(map(still_in, cookies))
    assert [row.name for row in server.accounts.tokens()] == ["admin-*", "eve"]


def test_login_must_end_in_the_browser_in_which_it_began(browser, company, desk):
    back = company.log_in(browser.get("/login/oidc").headers["location"])
    with httpx.Client(base_url=desk, verify=NO_TLS) as other:
        assert other.get(back).status_code == 401
        other.cookies.set("coactor_oidc", json.dumps(["", "n", "v", "/"]).encode().hex())
        assert other.get("/login/oidc/back?code=c0de&state=").status_code == 401
    assert browser.get(back.replace("state=", "state=x")).status_code == 401
    assert browser.get(back).status_code == 303


def test_provider_that_cannot_be_reached_is_said(server):
    provider = Provider("http://127.0.0.1:9", "desk", "secret")
    with serving(create_app(server.store, provider=provider)) as address:
        answer = httpx.get(f"{address}/login/oidc", verify=NO_TLS)
    assert answer.status_code == 503
    assert "identity provider cannot be used" in answer.json()["detail"]
