from __future__ import annotations

from coactor.studies import open_study
from tests.web.conftest import PROPOSALS


def test_an_admin_creates_lists_and_revokes_tokens(admin, server):
    body = {"name": "ana", "study": "tours", "role": "viewer", "seconds": 3600.0}
    made = admin.post("/api/tokens", json=body | {"name": "ana "})
    assert made.json()["name"] == "ana"
    assert made.status_code == 201
    ana = server.client(Authorization=f"Bearer {made.json()['token']}")
    assert ana.get(PROPOSALS).status_code == 200
    rows = {row["name"]: row for row in admin.get("/api/tokens").json()}
    assert rows["ana"] == {
        "name": "ana",
        "studies": {"tours": "viewer"},
        "created": server.clock.now,
        "expires": server.clock.now + 3600,
    }
    assert made.json()["token"].split("_", 2)[2] not in admin.get("/api/tokens").text
    assert admin.post("/api/tokens", json=body).status_code == 409
    assert admin.delete("/api/tokens/ana").status_code == 204
    assert admin.delete("/api/tokens/ana").status_code == 404
    for wrong in ({"study": "nowhere"}, {"role": "king"}, {"name": ""}, {"seconds": 0}, {"study": "a b"}):
        assert admin.post("/api/tokens", json=body | wrong).status_code in (404, 422), wrong


def test_one_person_works_on_two_studies_with_one_token(admin, server, store):
    open_study(store, "south", server.domain, "CSPER", create=True).close()
    body = {"name": "ana", "study": "tours", "role": "expert"}
    token = admin.post("/api/tokens", json=body).json()["token"]
    assert admin.patch("/api/tokens/ana", json={"study": "south", "role": "viewer"}).status_code == 204
    ana = server.client(Authorization=f"Bearer {token}")
    assert [row["name"] for row in ana.get("/api/studies").json()] == ["south", "tours"]
    assert ana.post(f"{PROPOSALS}/1/claim").json()["holder"] == "ana"
    assert ana.post("/api/studies/south/queue/next").status_code == 403  # a viewer there
    assert admin.patch("/api/tokens/ana", json={"study": "nowhere", "role": "viewer"}).status_code == 404


def test_an_admin_ends_the_sessions_of_a_link(admin, server):
    browser = server.client()
    browser.get("/login", params={"code": server.accounts.login_link("eve")})
    assert browser.get("/api/me").status_code == 200
    assert [row["name"] for row in admin.get("/api/sessions").json()] == ["eve"]
    assert admin.delete("/api/sessions/eve").json() == {"ended": 1}
    assert browser.get("/api/me").status_code == 401
    lead = server.client("lead")
    assert (lead.get("/api/sessions").status_code, lead.delete("/api/sessions/x").status_code) == (403, 403)
