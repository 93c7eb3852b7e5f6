from __future__ import annotations

from collections import Counter
from html.parser import HTMLParser

import pytest

from coactor.lab.engine.statistics import Interval
from coactor.lab.output.rendering import render, texts
from coactor.lab.paper.panels import PANELS
from coactor.lab.paper.sentences import judge_paper
from tests.lab.helpers import made_up, made_up_results


class Page(HTMLParser):
    """Collects the text, checks that tags are closed, and lists what the page would load."""

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


def page_of(html: str) -> Page:
    page = Page()
    page.feed(html)
    assert page.open == []
    assert page.loads == []  # it needs no other file and no network
    return page


MADE = {"bounds": [], "theorem_examples": 100, "settings": {"seed": "0"}, "environment": {}, "files": []}


def test_report_has_everything_in_one_file() -> None:
    results = made_up_results()
    claims = judge_paper({result.panel.name: result.costs for result in results}, [])
    html = render(
        "paper.html",
        **MADE,
        results=results,
        claims=claims,
        verdicts=Counter(claim.verdict for claim in claims),
        svg="<?xml version='1.0'?><svg width='1pt' height=\"1pt\"></svg>",
        shown=["PER", "CSPER", "my.<b>:Learner", "expert"],
        command="coactor reproduce --seed 0 <&>",
    )
    page = page_of(html)
    for claim in claims:
        assert claim.sentence in page.text
    for panel in PANELS.values():
        assert panel.title in page.text
    assert "coactor reproduce --seed 0 <&>" in page.text
    assert "my.<b>:Learner – CSPER" not in page.text
    assert "CSPER – my.<b>:Learner" in page.text  # escaped
    assert "<b>" not in html


def test_report_without_claims_theorem_or_pairs() -> None:
    results = [made_up("rank-budget", {"PER": [0.0]}, examples=3)]
    shown = {"claims": [], "verdicts": Counter(), "svg": "<svg></svg>", "shown": ["PER"], "command": ""}
    html = render("paper.html", **MADE, results=results, **shown)
    text = page_of(html).text
    assert "1 runs of 3 examples" in text
    assert "On a synthetic ranking data set" in text
    assert "Theorem 1" not in text


@pytest.mark.parametrize(
    ("interval", "expected"),
    [
        (Interval(8.67, 7.0, 10.0), ("8.7", "7.0", "10.0")),
        (Interval(-0.333, -72.0, 37.0), ("-0.3", "-72.0", "37.0")),
        (Interval(1234.5, 99.9, 2000.0), ("1234", "100", "2000")),
        (Interval(0.5, 0.25, 0.75), ("0.500", "0.250", "0.750")),
        (Interval(2.5e7, 1e6, 3e8), ("2.5e+07", "1e+06", "3e+08")),
    ],
)
def test_texts_of_an_interval_have_the_same_decimals(
    interval: Interval, expected: tuple[str, str, str]
) -> None:
    assert texts(interval) == expected
