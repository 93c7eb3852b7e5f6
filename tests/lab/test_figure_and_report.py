from __future__ import annotations

import xml.etree.ElementTree as ET
from html.parser import HTMLParser
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from coactor.lab.output import figure, report
from coactor.lab.paper.claims import judge
from coactor.lab.paper.panels import PANELS
from tests.lab.helpers import made_up


@given(st.lists(st.floats(0, 1), max_size=9), st.floats(0.01, 0.2))
def test_labels_move_apart_and_keep_their_order(heights, gap):
    places = figure.spread(heights, gap)
    order = sorted(range(len(heights)), key=lambda i: (heights[i], i))
    for low, high in pairwise(order):
        assert places[high] - places[low] >= gap - 1e-9
    if len(heights) == 1:
        assert places == heights


def results():
    base = {
        "PER": [120.0, 140.0, 130.0],
        "CSPER": [100.0, 90.0, 95.0],
        "my.things:Learner": [80.0, 85.0, 90.0],
    }
    out = []
    for name in PANELS:
        lines = dict(base)
        if PANELS[name].expert_line:
            lines["expert"] = [0.0, 0.0, 0.0] if name == "tsp-clean" else [40.0, 41.0, 42.0]
        out.append(made_up(name, lines, noise=0.3))
    return out


@pytest.fixture(scope="module")
def drawn():
    return figure.draw(results())


def test_a_picture_and_a_drawing(drawn):
    png, svg = drawn
    assert png.startswith(b"\x89PNG")
    root = ET.fromstring(svg)
    assert root.tag.endswith("svg")


def test_the_same_numbers_give_the_same_bytes(drawn):
    again = figure.draw(results())
    assert again == drawn


def test_one_panel_with_a_single_run_and_a_zero_cost(drawn):
    png, svg = figure.draw([made_up("tsp-clean", {"PER": [0.0]}, examples=3)])
    assert png.startswith(b"\x89PNG")
    assert "<svg" in svg


class Page(HTMLParser):
    """Collects the text, checks that tags close, and lists what the page would load from elsewhere."""

    VOID = frozenset({"meta", "br", "link", "img", "input", "hr", "use", "path", "rect", "circle", "line"})

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.loads: list[str] = []
        self.text = ""

    def handle_starttag(self, tag, attrs):
        if tag not in self.VOID:
            self.open.append(tag)
        self.loads += [
            value for key, value in attrs if key in ("src", "href", "xlink:href") and value[0] != "#"
        ]
        assert tag not in ("script", "iframe", "link")

    def handle_startendtag(self, tag, attrs):
        self.handle_starttag(tag, attrs)
        if tag not in self.VOID:
            self.open.pop()

    def handle_endtag(self, tag):
        if tag not in self.VOID:
            assert self.open.pop() == tag

    def handle_data(self, data):
        self.text += data


def test_the_report_stands_alone_and_says_everything(drawn):
    found = results()
    claims = judge({r.panel.name: r.totals() for r in found}, [], 0)
    html = report.render(
        found,
        claims,
        drawn[1],
        command="coactor reproduce --seed 0 <&>",
        settings={"seed": "0"},
        environment={"python": "3"},
        files=["runs.csv"],
    )
    page = Page()
    page.feed(html)
    assert page.open == []
    assert page.loads == []  # nothing comes from elsewhere
    for claim in claims:
        assert claim.sentence in page.text
    for panel in PANELS.values():
        assert panel.title in page.text
    assert "coactor reproduce --seed 0 <&>" in page.text
    assert "my.things:Learner – CSPER" not in page.text
    assert "CSPER – my.things:Learner" in page.text
    assert np.isclose(found[0].rows()[0].total.value, found[0].costs["PER"].sum(axis=1).mean())


def test_short_names():
    assert figure.short("my.things:Learner") == "Learner"
    assert figure.short("default+paper") == "default+paper"
