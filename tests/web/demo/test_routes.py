from __future__ import annotations


def test_other_studies_have_no_demo_routes(admin):
    assert admin.get("/api/try").json() == []
    for verb, path in (("GET", "taste"), ("POST", "fill"), ("POST", "play")):
        answer = admin.request(verb, f"/api/try/tours/{path}", json={} if path == "play" else None)
        assert answer.status_code == 404, path
