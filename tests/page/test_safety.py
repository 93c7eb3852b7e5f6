"""Markup in every text that people or machines can send stays text."""

from __future__ import annotations

import numpy as np
import pytest

from coactor.domains import Cube, Day, Graph, Hypercube, Plans, Query, Ranking, Tour
from coactor.studies import open_study
from tests.page.actions import submit

pytestmark = pytest.mark.browser

EVIL = "<img src=x onerror=alert(1)><script>alert(2)</script>\"'><svg/onload=alert(3)>${alert(4)}</title>"


def studies(store) -> dict[str, object]:
    """A study of each kind whose every name is markup."""
    rng = np.random.default_rng(1)
    names = [f"{EVIL} {k}" for k in range(3)]
    places = rng.random((6, 2))
    stops = [f"{EVIL} {k}" for k in range(6)]
    cube = Hypercube(4, 3, names=names)
    made = {
        "tour": (Tour(6, 3, names=names), Graph.of(6, rng.random((15, 3)), coordinates=places, names=stops)),
        "plan": (
            Plans(3, names=names),
            Day.of(rng.random((6, 6, 3)), [0, 1, 1, 1, 1, 1], [4, 4], stops, places),
        ),
        "ranking": (Ranking(3, names=names), Query.of(rng.random((6, 3)), names=stops)),
        "steps": (
            cube,
            Cube(rng.random((cube.edge_count, 3)), np.empty((cube.edge_count, 0)), tuple(stops[:4])),
        ),
    }
    for name, (domain, problem) in made.items():
        with open_study(store, name, domain, "default", create=True, actor=EVIL) as study:
            study.ask(problem, key=EVIL, label=EVIL, actor=EVIL)
            study.ask(problem, label=EVIL, actor=EVIL)
    return made


def test_markup_stays_text(site):
    page = site.log_in(EVIL, "admin")
    for name in studies(site.store):
        site.open(page, f"/s/{name}")
        assert EVIL in page.locator(".ticket").first.inner_text()
        site.open(page, f"/s/{name}/p/1")
        assert page.locator("h1").inner_text() == EVIL
        assert EVIL in page.locator(".called").nth(1).inner_text()
        page.locator("#note").fill(EVIL)
        submit(page)
        site.open(page, f"/s/{name}/report")
        page.get_by_role("button", name="Preview version 0").click()
        page.locator("#reason").fill(EVIL)
        page.locator("#rollback").click()
        page.locator("#message", has_text="version 0 again").wait_for()
        assert page.locator(".log").inner_text().count(EVIL) >= 3  # the actor, the note, the reason
        assert page.locator("img:not([src$='/icon.svg'])").count() == 0
        assert page.locator("main script").count() == 0
        assert page.locator(".who span").inner_text() == EVIL
    site.open(page, "/")


def test_a_used_link_says_so(site):
    page = site.new_context().new_page()
    answer = page.goto(f"{site.address}/login?code=used")
    assert answer.status == 401
    assert "works once" in page.locator("#message").inner_text()
    page.get_by_label("Your token").fill("coactor_wrong_wrong")
    page.get_by_role("button", name="Log in").click()
    page.locator("#message", has_text="does not work").wait_for()
