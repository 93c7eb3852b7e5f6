"""The editor of roads in a real browser: by pointing, by pulling, by keyboard alone, by name, by touch."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from coactor.domains import Network, Roads, Trip
from coactor.studies import open_study
from tests.domains.roads.networks import grid
from tests.page.actions import submit
from tests.page.test_safety import EVIL

pytestmark = pytest.mark.browser

PATH = "/s/try-roads/p/1"


def moves(site) -> list:
    return site.moves("try-roads")


def open_roads(site, page) -> Any:
    site.open(page, PATH)
    page.locator(".choice").first.wait_for(state="attached")
    return page


def names(network: Network, links) -> list[str]:
    """A route as streets."""
    said = [network.streets[k] for k in links]
    return [name for i, name in enumerate(said) if i == 0 or said[i - 1] != name]


def listed(page) -> list[str]:
    """The streets of the list, without those struck out."""
    said = page.locator(".streets .stop:not(.gone):not(.whole) .called").all_inner_texts()
    plain = [text.removeprefix("new:").strip() for text in said]
    return [name for i, name in enumerate(plain) if i == 0 or plain[i - 1] != name]


def now(site) -> tuple[Network, Any, Any]:
    """The network, the proposal, and the draft as the server has it."""
    study = site.study("try-roads")
    x, y = study.proposal(1).problem, study.proposal(1).solution
    z = y
    for move in study.desk().view(1).moves:
        z = study.domain.apply(x, z, move)
    return study.domain.network, y, z


def spot(page, network: Network, link: int) -> tuple[float, float]:
    """Where the middle of a link is on the screen."""
    low, high = network.places.min(axis=0), network.places.max(axis=0)
    unit = 1000 / (high - low).max()
    x, y = network.places[network.ends[link]].mean(axis=0)
    matrix = page.locator(".world").get_attribute("transform").removeprefix("matrix(").rstrip(")").split()
    k, _, _, _, left, top = map(float, matrix)
    box = page.locator(".roadmap").bounding_box()
    return box["x"] + k * (x - low[0]) * unit + left, box["y"] + k * (high[1] - y) * unit + top


def far_link(page, network: Network, taken) -> int:
    """A link in view that is no part of what is drawn, with nothing else near its middle."""
    middle = network.places[network.ends].mean(axis=1)
    near = np.min(np.hypot(*(middle[:, None] - middle[taken][None]).transpose(2, 0, 1)), axis=1)
    box = page.locator(".roadmap").bounding_box()
    for link in [int(link) for link in np.argsort(-near) if near[link] < 1.5]:
        x, y = spot(page, network, link)
        inside = box["x"] + 60 < x < box["x"] + box["width"] - 60
        if inside and box["y"] + 60 < y < box["y"] + box["height"] - 60:
            return link
    raise AssertionError("no link is in view")


def drawn(page) -> bool:
    """Whether parts of the proposal that the route has left are drawn."""
    return page.locator(".ghost path").get_attribute("d") != ""


def test_by_keyboard_alone(site, revision):
    page = open_roads(site, site.log_in())
    ways = page.locator(".way")
    assert all(way.bounding_box()["height"] < 44 for way in ways.all())  # one line until it is looked at
    page.set_viewport_size({"width": 1280, "height": 800})
    last, panel = ways.last.bounding_box(), page.locator(".panel.grows .panel-body").first.bounding_box()
    assert ways.count() == 5
    assert last["y"] + last["height"] <= panel["y"] + panel["height"]
    ways.nth(0).hover()
    assert ways.nth(0).locator(".facts").is_visible()
    page.mouse.move(300, 300)
    for _ in range(40):
        page.keyboard.press("Tab")
        if page.evaluate("() => document.activeElement.getAttribute('role')") == "option":
            break
    assert not drawn(page)
    for _ in range(3):
        page.keyboard.press("ArrowDown")
    page.locator("#stretch", has_text="Instead of").wait_for()
    page.locator(".choice").nth(1).wait_for()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    page.locator(".choice.chosen .number", has_text="2").wait_for()  # looked at, not taken
    assert page.locator(".preview .coming").count() == 1
    assert "Enter takes it" in page.locator("#gesture").inner_text()
    assert moves(site) == []
    page.keyboard.press("Escape")
    assert page.locator(".preview path").count() == 0
    page.keyboard.press("ArrowRight")
    page.locator(".choice.chosen").wait_for()
    page.locator("#submit[data-armed]").wait_for()  # an Enter just after opening is not obeyed
    page.keyboard.press("Enter")  # takes what is shown; it does not submit
    revision(page, 1)
    network, y, z = now(site)
    assert listed(page) == names(network, z.links)
    assert page.locator(".streets .gone").count() > 0  # old streets, struck out
    assert page.locator(".streets .moved").count() > 0
    assert drawn(page)
    assert page.locator(".badge.via").count() == 1
    assert page.locator(".effort strong").inner_text() == "1"
    assert page.locator(".changes tr.moved").count() > 0
    assert page.evaluate("() => document.activeElement.getAttribute('role')") == "option"

    page.keyboard.press("Home")
    page.locator("#stretch", has_text="whole way").wait_for()
    page.locator(".choice").nth(1).wait_for()
    page.locator(".choice").first.focus()  # among the ways themselves, what is looked at has the focus
    page.keyboard.press("ArrowRight")
    page.locator(".choice.chosen .number", has_text="2").wait_for()
    assert page.evaluate("() => document.activeElement.querySelector('.number').textContent") == "2"
    page.keyboard.press("1")  # and by number
    revision(page, 2)
    page.keyboard.press("Control+z")
    revision(page, 3)
    page.reload()  # in the middle
    page.locator(".choice").first.wait_for()
    assert page.locator(".effort strong").inner_text() == "1"
    assert listed(page) == names(network, z.links)
    page.keyboard.press("Control+z")
    revision(page, 4)
    assert listed(page) == names(network, y.links)
    assert (drawn(page), page.locator(".streets .gone").count()) == (False, 0)
    page.keyboard.press("Control+y")
    revision(page, 5)
    submit(page)
    study = site.study("try-roads")
    assert (study.version, study.effort()[0].effort) == (1, 1)
    page.get_by_role("link", name="View").click()
    page.get_by_role("button", name="Undo and edit again").click()
    page.locator(".choice").first.wait_for()
    assert len(moves(site)) == 1


def test_several_streets_at_once(site):
    page = open_roads(site, site.log_in())
    page.locator(".streets .stop").nth(2).click()
    page.keyboard.press("Shift+ArrowDown")
    page.keyboard.press("Shift+ArrowDown")
    assert page.locator(".streets .stop.chosen").count() == 3
    assert page.locator(".chosenway path").count() == 1
    page.locator(".choice").first.wait_for()
    page.keyboard.press("Escape")
    page.locator("#stretch", has_text="For the whole way").wait_for()
    assert page.locator(".chosenway path").count() == 0


def test_by_pulling_the_route_and_by_pointing(site, revision):
    page = open_roads(site, site.log_in())
    network, y, _ = now(site)
    target = far_link(page, network, y.links)
    page.mouse.move(*spot(page, network, int(y.links[len(y.links) // 2])))
    page.mouse.down()
    page.mouse.move(*spot(page, network, target), steps=8)
    page.locator("#gesture", has_text="Let go to take it").wait_for()
    assert page.locator(".preview .coming").count() == 1
    page.mouse.up()
    revision(page, 1)
    (move,) = moves(site)
    ends = network.ends[target]
    assert sorted(network.ends[move["args"][0]]) == sorted(ends)  # that piece of road, one way or the other
    _, _, z = now(site)
    assert listed(page) == names(network, z.links)

    page.locator(".choice").first.wait_for()
    other = far_link(page, network, np.concatenate([y.links, z.links]))
    page.mouse.click(*spot(page, network, other))  # shown
    page.locator(".choice.chosen .number", has_text="•").wait_for()
    assert len(moves(site)) == 1
    page.locator("#submit[data-armed]").wait_for()
    page.keyboard.press("Enter")  # taken, not submitted; a second click would do the same
    revision(page, 2)
    assert sorted(network.ends[moves(site)[1]["args"][0]]) == sorted(network.ends[other])

    position = page.locator(".choice").first  # a place on the route chooses the street there
    position.wait_for()
    _, _, z = now(site)
    page.mouse.click(*spot(page, network, int(z.links[-6])))
    page.locator("#stretch", has_text="Instead of").wait_for()
    chosen = page.locator(".streets .stop.chosen .called").first.inner_text()
    assert network.streets[z.links[-6]] in chosen


def test_a_line_on_the_map_is_tapped(site, revision):
    page = open_roads(site, site.log_in(viewport={"width": 390, "height": 844}, has_touch=True))
    page.locator(".badge.w1").wait_for()
    shown = page.locator(".choice").nth(1).locator("b").text_content()
    for expected in ("looked at", "taken"):
        box = page.locator(".badge.w1 circle").bounding_box()
        page.touchscreen.tap(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
        if expected == "looked at":
            page.locator(".choice.chosen b", has_text=shown).wait_for(state="attached")
            assert moves(site) == []
    revision(page, 1)
    page.get_by_role("button", name="Other ways").tap()  # the sheet
    page.locator(".choice").nth(1).tap()
    revision(page, 2)
    page.get_by_role("button", name="Undo").tap()
    revision(page, 3)
    assert len(moves(site)) == 1


def test_any_street_by_its_name(site, revision):
    page = open_roads(site, site.log_in())
    network, y, _ = now(site)
    wanted = sorted(set(network.streets) - set(names(network, y.links)))[5]
    page.get_by_label("Go via").fill("No Such Street")
    page.keyboard.press("Enter")
    page.locator("#gesture", has_text="There is no street called No Such Street").wait_for()
    page.get_by_label("Go via").fill(wanted.lower())
    page.keyboard.press("Enter")
    page.locator(".preview .coming").wait_for(state="attached")
    assert moves(site) == []
    page.keyboard.press("Enter")
    revision(page, 1)
    assert network.streets[moves(site)[0]["args"][0]] == wanted


def test_roads_without_a_map_and_with_any_name(site, revision):
    """No coordinates: the list and the other ways do it alone. Markup in a name stays text."""
    rng = np.random.default_rng(2)
    city = grid(5, rng)
    named = [f"{EVIL} {k % 7}" for k in range(city.size)]
    network = Network.of(city.ends[:, 0], city.ends[:, 1], rng.uniform(50, 150, city.size), streets=named)
    with open_study(site.store, "plain", Roads(network), "default", create=True) as study:
        study.ask(Trip(0, city.size - 1), label=EVIL)
    page = site.open(site.log_in(), "/s/plain/p/1")
    page.locator(".choice").first.wait_for()
    assert page.locator(".roadmap").count() == 0
    assert EVIL in page.locator(".called").nth(1).inner_text()
    page.locator(".streets .stop").nth(1).focus()
    page.locator(".choice, .choices p").first.wait_for()
    page.keyboard.press("Escape")
    page.locator(".choice").first.wait_for()
    page.keyboard.press("1")
    revision(page, 1)
    assert " m" in page.locator(".changes td.num").first.inner_text()  # in metres, not in mean links
    submit(page)
    assert page.locator("main script").count() == 0
