from __future__ import annotations

import xml.etree.ElementTree as ET
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from coactor.lab.output import figure
from tests.lab.helpers import made_up, made_up_results


@given(st.lists(st.floats(0, 1), max_size=9), st.floats(0.01, 0.2))
def test_spread_keeps_the_order_and_the_gap(heights, gap):
    places = figure.spread(heights, gap)
    order = sorted(range(len(heights)), key=lambda i: (heights[i], i))
    for low, high in pairwise(order):
        assert places[high] - places[low] >= gap - 1e-9
    if len(heights) == 1:
        assert places == heights


@pytest.fixture(scope="module")
def drawn():
    return figure.draw(made_up_results())


def test_draw_returns_png_and_svg(drawn):
    png, svg = drawn
    assert png.startswith(b"\x89PNG")
    root = ET.fromstring(svg)
    assert root.tag.endswith("svg")


def test_draw_is_deterministic(drawn):
    again = figure.draw(made_up_results())
    assert again == drawn


def test_draw_one_panel_with_a_single_run_and_no_cost():
    png, svg = figure.draw([made_up("tsp-clean", {"PER": [0.0]}, examples=3)])
    assert png.startswith(b"\x89PNG")
    assert "<svg" in svg


def test_short_drops_the_module():
    assert figure.short("my.things:Learner") == "Learner"
    assert figure.short("default+paper") == "default+paper"
