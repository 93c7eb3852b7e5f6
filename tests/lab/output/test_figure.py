from __future__ import annotations

import xml.etree.ElementTree as ET

import pytest
from matplotlib.figure import Figure

from coactor.lab.output import figure
from tests.lab.helpers import made_up, made_up_results

SHOWN = ["PER", "CSPER", "my.<b>:Learner", "expert"]


@pytest.fixture(scope="module")
def drawn():
    return figure.draw(made_up_results(), SHOWN)


def test_draw_returns_png_and_svg(drawn):
    png, svg = drawn
    assert png.startswith(b"\x89PNG")
    root = ET.fromstring(svg)
    assert root.tag.endswith("svg")


def test_draw_one_panel_with_a_single_run_and_no_cost():
    png, svg = figure.draw([made_up("tsp-clean", {"PER": [0.0]}, examples=3)], ["PER"])
    assert png.startswith(b"\x89PNG")
    assert "<svg" in svg


def test_the_legend_names_each_contender_that_is_shown_once(monkeypatch):
    legends = []
    monkeypatch.setattr(Figure, "legend", lambda self, handles, **_: legends.append(handles))
    figure.draw(made_up_results(), ["CSPER", "PER", "expert"])
    assert [line.get_label() for line in legends[0]] == ["CSPER", "PER", "expert line"]
    figure.draw([made_up("tsp-clean", {"PER": [3.0], "expert": [0.0]})], ["PER", "expert"])
    assert [line.get_label() for line in legends[1]] == ["PER"]  # true weights leave nothing to edit
