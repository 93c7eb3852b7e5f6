"""Routes of tokens, for admins of all studies."""

from __future__ import annotations

from typing import Annotated, Literal

from fastapi import APIRouter, Path, Response
from pydantic import BaseModel, Field

from coactor.studies.accounts import NONE, Accounts, SessionRow, TokenRow
from coactor.web.auth.permissions import Me, require_admin
from coactor.web.open_studies import OpenStudies
from coactor.web.routes.requests import NAME, Body
from coactor.web.routes.responses import json_response

Role = Literal["viewer", "expert", "solver", "lead", "admin"]
Scope = Annotated[str, Field(pattern=rf"{NAME}|^\*$", description="A study, or * for all.")]
AccountName = Annotated[str, Path(min_length=1, max_length=100, description="Name of the account.")]


class TokenBody(Body):
    """A token to create: the name of its account, a study, the role there, and how long it lasts."""

    name: Annotated[str, Field(min_length=1, max_length=100)]
    study: Scope
    role: Role
    seconds: Annotated[float, Field(gt=0, le=1e10, allow_inf_nan=False)] | None = None


class GrantBody(Body):
    """The role of an account in a study; none takes it away."""

    study: Scope
    role: Role | Literal["none"]


class NewToken(BaseModel):
    """A token that was created. It is shown only now."""

    name: str
    token: str


def add_routes(router: APIRouter, studies: OpenStudies) -> None:
    """Add the routes of tokens."""
    accounts = Accounts(studies.store)

    def check(study: str) -> None:
        if study != "*":
            with studies.store.reading() as sql:
                sql.find(study)

    @router.get("/tokens", tags=["accounts"], response_model=list[TokenRow])
    def list_tokens(account: Me) -> Response:
        """List the tokens, without their secrets."""
        require_admin(account)
        return json_response(accounts.tokens())

    @router.post("/tokens", tags=["accounts"], status_code=201, response_model=NewToken)
    def create_token(body: TokenBody, account: Me) -> Response:
        """Create an account and its token."""
        require_admin(account)
        check(body.study)
        token = accounts.create(body.name, body.study, body.role, lasts=body.seconds)
        return json_response({"name": body.name.strip(), "token": token}, 201)

    @router.patch("/tokens/{name}", tags=["accounts"], status_code=204)
    def grant_role(name: AccountName, body: GrantBody, account: Me) -> Response:
        """Give an account a role in a study, in place of the one it has there."""
        require_admin(account)
        if body.role != NONE:
            check(body.study)
        accounts.grant(name, body.study, body.role)
        return Response(status_code=204)

    @router.get("/sessions", tags=["accounts"], response_model=list[SessionRow])
    def list_sessions(account: Me) -> Response:
        """List the browser sessions and the unused login links."""
        require_admin(account)
        return json_response(accounts.sessions())

    @router.delete("/sessions/{name}", tags=["accounts"], response_model=dict[str, int])
    def end_sessions(name: AccountName, account: Me) -> Response:
        """End every session of a name, and its login links."""
        require_admin(account)
        return json_response({"ended": accounts.end_sessions(name)})

    @router.delete("/tokens/{name}", tags=["accounts"], status_code=204)
    def revoke_token(name: AccountName, account: Me) -> Response:
        """Revoke a token and end its sessions."""
        require_admin(account)
        accounts.revoke(name)
        return Response(status_code=204)
