"""Markup in every text that people or machines can send stays text."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any
from urllib.parse import quote

import numpy as np
import pytest

from coactor.archives import open_archive
from coactor.domains import Day, Graph, Plans, Query, Ranking, Roads, Tour, Trip
from coactor.grids import GridModel
from coactor.protocol import Domain, Work
from coactor.studies import Store, open_study
from coactor.web.app import create_app
from coactor.web.ground import Ground
from tests.domains.roads.networks import grid
from tests.page.actions import console_errors, submit
from tests.page.conftest import Site, check_log
from tests.web.conftest import serving

pytestmark = pytest.mark.browser

EVIL = "<img src=x onerror=alert(1)><script>alert(2)</script>\"'><svg/onload=alert(3)>${alert(4)}</title>"
OTHER = "javascript:alert(5)//</style><iframe srcdoc='<script>alert(6)</script>'>"
PLACES = np.array(
    [[13.40, 52.50], [13.42, 52.50], [13.42, 52.52], [13.40, 52.52], [13.41, 52.53], [13.43, 52.51]]
)
TEXTS = "input[type=text]:visible:enabled, input[type=search]:visible:enabled, textarea:visible:enabled"
ROLES = ("viewer", "expert", "solver", "lead", "admin")


def problems(folder: Path) -> dict[str, tuple[Domain, Any]]:
    """A domain and a problem of each kind; every name in them is markup."""
    rng = np.random.default_rng(1)
    names = [f"{EVIL} {k}" for k in range(3)]
    stops = [f"{EVIL} {k}" for k in range(6)]
    model = GridModel(
        over={EVIL: [EVIL, OTHER], f"{EVIL} day": [EVIL, OTHER]}, choose={f"{OTHER} x": names[:2]}
    )
    model.rule(names[0], model.has(names[1]).at(**{f"{EVIL} day": EVIL}))
    model.wish(names[1], model.has(names[1]).at(**{f"{EVIL} day": OTHER}))
    model.wish(names[2], model.has(names[0]).at(**{EVIL: EVIL}))
    city = grid(4, rng)
    links = range(len(city.ids))
    city = replace(
        city, streets=[f"{EVIL} {k % 5}" for k in links], kinds=[f"{OTHER} {k % 3}" for k in links]
    )
    rows = [
        f'2026-11-{day},"{quoted(name)}",{k},"{quoted(stop)}",{lat},{lon}'
        for day, name in ((2, EVIL), (3, OTHER))
        for k, (stop, (lon, lat)) in enumerate(zip(["depot", *stops[:4]], PLACES, strict=False))
    ]
    (folder / "routes.csv").write_text("\n".join(["date,vehicle,sequence,stop,lat,lon", *rows]))
    with pytest.warns(UserWarning, match="as the crow flies"):
        archive = open_archive(folder / "routes.csv")
    for study in ("tour", "plan"):
        line = {"type": "LineString", "coordinates": PLACES.tolist()}
        feature = {
            "type": "Feature",
            "id": EVIL,
            "properties": {"name": EVIL, OTHER: OTHER},
            "geometry": line,
        }
        (folder / f"{study}.geojson").write_text(json.dumps(feature))
    load = [0, 1, 1, 1, 1, 1]
    return {
        "tour": (Tour(6, 3, names=names), Graph.of(6, rng.random((15, 3)), coordinates=PLACES, names=stops)),
        "plan": (
            Plans(3, names=names),
            Day.of(rng.random((6, 6, 3)), load, [4, 4], stops, PLACES, vehicles=[EVIL, OTHER]),
        ),
        "ranking": (Ranking(3, names=names), Query.of(rng.random((6, 3)), names=stops)),
        "ward": (model, model.problem({})),
        "roads": (Roads(city), Trip(0, 15)),
        "imported": (archive.domain, archive.cases[-1].problem),
    }


def quoted(text: str) -> str:
    return text.replace('"', '""')


@pytest.fixture
def hostile(tmp_path: Path, browser: Any) -> Iterator[Site]:
    """A server with a study of each kind in which somebody has filled every text field with markup."""
    made = problems(tmp_path)
    with Store(f"sqlite:///{tmp_path}/desk.db") as store:
        for name, (domain, problem) in made.items():
            with open_study(store, name, domain, "default", create=True, actor=EVIL) as study:
                for k, actor in enumerate((EVIL, OTHER) * 2):
                    proposal = study.ask(problem, key=f"{EVIL} {k}", label=EVIL, actor=actor, asked_for=actor)
                    if k < 2:
                        move = next(iter(domain.moves(problem, proposal.solution)))
                        anyway = {"anyway": EVIL} if name == "ward" else {}
                        work = Work(seconds=60.0, note=OTHER if k else EVIL)
                        study.tell(proposal, moves=[{**move, **anyway}], actor=actor, work=work)
                study.rollback(1, EVIL, actor=EVIL)
        domains = {name: domain for name, (domain, _) in made.items()}
        ground = Ground("https://tiles.example/{z}/{x}/{y}.png", EVIL, tmp_path)
        app = create_app(store, domains=domains, ground=ground)
        with serving(app) as address:
            site = Site(store, address, browser, app)
            yield site
            site.close()


@pytest.mark.slow
def test_markup_in_every_text_field_stays_text_on_every_page_for_every_role(hostile):
    """Scripts that ran would open a dialog; what the policy had to stop would be an error in the console."""
    for role in ROLES:
        page = hostile.log_in(f"{EVIL[:60]} {role}", role)
        page.context.route("https://tiles.example/**", lambda route: route.fulfill(status=204))
        assert_plain(hostile.open(page, "/"))
        for name in hostile.app.state.studies.names() if role == "lead" else ("tour",):
            for path in ("", "/p/1", "/p/3", "/report", "/wants") if name == "tour" else ("/p/1", "/p/3"):
                hostile.open(page, f"/s/{name}{path}")
                assert EVIL in page.content().replace("&lt;", "<").replace("&gt;", ">").replace("&quot;", '"')
                for place in page.locator(TEXTS).all():
                    place.fill(EVIL[:90])
                assert_plain(page)
            if (role, name) == ("lead", "tour"):
                hostile.open(page, f"/s/{name}/p/4")
                page.locator("#note").fill(EVIL)
                submit(page)
                hostile.open(page, f"/s/{name}/report")
                page.get_by_role("button", name="Preview version 0").click()
                page.locator("#reason").fill(OTHER)
                page.locator("#rollback").click()
                page.locator("#message", has_text="version 0 again").wait_for()
                said = page.locator(".log").inner_text()
                assert min(said.count(EVIL), said.count(OTHER)) >= 2  # actors, notes, reasons
                assert_plain(page)
    for path in (f"/s/{quote(EVIL)}", f"/s/tour?search={quote(EVIL)}", f"/s/tour#{EVIL}", f"/{quote(OTHER)}"):
        page.goto(hostile.address + path)
        page.locator("h1").first.wait_for()
        assert_plain(page)
    hostile.log.addresses = [one for one in hostile.log.addresses if "tiles.example" not in one]
    hostile.log.errors = [one for one in hostile.log.errors if "404" not in one]  # of two of the paths
    check_log(hostile)
    page = hostile.open(hostile.log_in(), "/")
    with console_errors(hostile, "Content Security Policy", "404"):  # what this test looks for is seen
        page.evaluate("text => document.body.insertAdjacentHTML('beforeend', text)", EVIL)
        page.wait_for_function("() => document.querySelector('body > img').complete")
        assert any("Content Security Policy" in one for one in hostile.log.errors)


def assert_plain(page) -> None:
    """Fail if a text has become an element: such as an image, a script or a frame of nobody's."""
    assert page.locator("img:not([src$='/icon.svg']), main script, iframe, [onerror], [onload]").count() == 0
    assert page.locator("[href^='javascript:'], [src^='javascript:']").count() == 0


def test_a_used_link_says_so(site):
    page = site.new_context().new_page()
    answer = page.goto(f"{site.address}/login?code=used")
    assert answer.status == 401
    assert "works once" in page.locator("#message").inner_text()
    page.get_by_label("Your token").fill("coactor_wrong_wrong")
    page.get_by_role("button", name="Log in").click()
    page.locator("#message", has_text="does not work").wait_for()
