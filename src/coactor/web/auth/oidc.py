"""Login at a company's identity provider: OpenID Connect, authorization code flow with PKCE.

The provider says who a person is, and which roles they have: a claim holds a list such as
``["depot-7:expert"]`` or ``["*:viewer"]``. Both are read at each login, and a session lasts a day. What has
to survive the visit at the provider is in a cookie of the browser.
"""

from __future__ import annotations

import secrets
from typing import Any

import httpx
import orjson
from anyio import CapacityLimiter, to_thread
from fastapi import FastAPI, HTTPException, Request, Response
from fastapi.responses import RedirectResponse

try:
    from authlib.oauth2.rfc6749.parameters import prepare_grant_uri
    from authlib.oauth2.rfc7636 import create_s256_code_challenge
    from joserfc import jwt
    from joserfc.errors import JoseError
    from joserfc.jwk import KeySet
except ImportError as error:  # pragma: no cover
    raise ImportError("Login with OpenID Connect needs Authlib: pip install 'coactor[oidc]'") from error

from coactor.studies.accounts import LINK_SESSION_LASTS, Accounts
from coactor.web.auth.middleware import COOKIE, OIDC, OIDC_BACK, safe_path

STATE_COOKIE, STATE_LASTS = "coactor_oidc", 600
ALGORITHMS = ("RS256", "PS256", "ES256", "EdDSA")  # of signatures; none is symmetric
TIMEOUT = 10.0  # seconds for the provider to answer


class Provider:
    """An identity provider.

    Parameters
    ----------
    issuer
        Its address, below which ``.well-known/openid-configuration`` is.
    client_id, client_secret
        How it knows this server.
    claim
        The claim that holds the roles.
    """

    def __init__(self, issuer: str, client_id: str, client_secret: str, claim: str = "coactor") -> None:
        self.issuer, self.client_id, self.claim = issuer.rstrip("/"), client_id, claim
        self._secret = client_secret

    def _get(self, url: str) -> dict[str, Any]:
        data: dict[str, Any] = httpx.get(url, timeout=TIMEOUT).raise_for_status().json()
        return data

    def _about(self) -> dict[str, Any]:
        about = self._get(f"{self.issuer}/.well-known/openid-configuration")
        if about["issuer"].rstrip("/") != self.issuer:
            raise ValueError(f"it calls itself {about['issuer']!r}")
        return about

    def begin(self, back: str, state: str, nonce: str, verifier: str) -> str:
        """Return where a browser logs in, to come back with a code."""
        address: str = prepare_grant_uri(
            self._about()["authorization_endpoint"],
            client_id=self.client_id,
            response_type="code",
            redirect_uri=back,
            scope="openid profile email",
            state=state,
            nonce=nonce,
            code_challenge=create_s256_code_challenge(verifier),
            code_challenge_method="S256",
        )
        return address

    def claims(self, code: str, back: str, nonce: str, verifier: str) -> dict[str, Any]:
        """Exchange a code for what the provider says about a person.

        Raises ValueError, KeyError, JoseError or HTTPError if it is not what this provider signed, for this
        login.
        """
        about = self._about()
        form = {"grant_type": "authorization_code", "code": code, "redirect_uri": back}
        form["code_verifier"] = verifier
        auth = (self.client_id, self._secret)
        answer = httpx.post(about["token_endpoint"], data=form, auth=auth, timeout=TIMEOUT).raise_for_status()
        published: Any = self._get(about["jwks_uri"])
        keys = KeySet.import_key_set(published)
        claims: dict[str, Any] = jwt.decode(answer.json()["id_token"], keys, algorithms=ALGORITHMS).claims
        jwt.JWTClaimsRegistry(
            leeway=60,
            iss={"essential": True, "value": about["issuer"]},
            aud={"essential": True, "value": self.client_id},
            exp={"essential": True},
            nonce={"essential": True, "value": nonce},
            sub={"essential": True},
        ).validate(claims)
        return claims

    def person(self, claims: dict[str, Any]) -> tuple[str, str, dict[str, str]]:
        """Return the subject of claims, their name, and their role in each study."""
        given = claims.get(self.claim)
        pairs = [str(one).rpartition(":") for one in given] if isinstance(given, list) else []
        name = claims.get("preferred_username") or claims.get("email") or claims["sub"]
        return f"{self.issuer} {claims['sub']}", str(name), {study: role for study, _, role in pairs}


def add_routes(app: FastAPI, accounts: Accounts, provider: Provider, secure: bool) -> None:
    """Add the way to the provider, and back."""

    def back(request: Request) -> str:
        return f"{'https' if secure else 'http'}://{request.headers['host']}{OIDC_BACK}"

    def cookie(response: Response, name: str, value: str, seconds: int) -> Response:
        response.set_cookie(name, value, seconds, httponly=True, samesite="lax", secure=secure)
        return response

    threads = CapacityLimiter(4)  # that may wait for the provider, so that logins cannot occupy the others

    @app.get(OIDC, include_in_schema=False)
    async def begin(request: Request, next: str = "/") -> Response:
        """Send a browser to the provider."""
        state, nonce, verifier = (secrets.token_urlsafe(48) for _ in range(3))
        given = back(request), state, nonce, verifier
        try:
            address = await to_thread.run_sync(provider.begin, *given, limiter=threads)
        except (httpx.HTTPError, KeyError, ValueError) as error:
            raise HTTPException(503, f"The identity provider cannot be used now: {error}") from error
        kept = orjson.dumps([state, nonce, verifier, safe_path(next)]).hex()
        return cookie(RedirectResponse(address, 303), STATE_COOKIE, kept, STATE_LASTS)

    @app.get(OIDC_BACK, include_in_schema=False)
    async def finish(request: Request, code: str = "", state: str = "") -> Response:
        """Open a session for who comes back from the provider."""
        try:
            kept = orjson.loads(bytes.fromhex(request.cookies.get(STATE_COOKIE, "")))
            begun, nonce, verifier, path = kept
            if not state or state != begun:
                raise ValueError("it was begun in another browser, or too long ago")
            given = code, back(request), nonce, verifier
            claims = await to_thread.run_sync(provider.claims, *given, limiter=threads)
            person = provider.person(claims)
        except (httpx.HTTPError, JoseError, KeyError, TypeError, ValueError) as error:
            raise HTTPException(401, f"The login at the identity provider failed: {error}") from error
        session = await to_thread.run_sync(accounts.sign_in, *person)
        response = cookie(RedirectResponse(safe_path(path), 303), COOKIE, session, int(LINK_SESSION_LASTS))
        response.delete_cookie(STATE_COOKIE)
        return response
