"""Objects that show themselves, data frames and pictures."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import matplotlib as mpl
import numpy as np
import pandas as pd
import polars as pl
import pytest
from matplotlib.figure import Figure

import coactor
from coactor import display, domains, explanations, lab
from coactor.protocol.views import check_views
from tests.archives.samples import write_trips
from tests.grids.cases import tutorial

BUILT_IN = [
    domains.Tour(points=8, features=3),
    domains.Fleet(points=10, vehicles=2, features=3),
    domains.Hypercube(dimension=4, features=2),
    domains.Ranking(features=3, documents=5),
    domains.Plans(features=2),
    domains.Alternatives(features=3),
]
EVIL = "<script>alert('x')</script>&"


class Balanced(HTMLParser):
    """Fails if elements are not closed in order; collects the text and the names of elements."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: list[str] = []
        self.text = ""
        self.feed(text)
        assert not self.open

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        self.open.append(tag)
        self.tags.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data


def learned(rounds: int = 12) -> coactor.Session:
    domain = domains.Tour(points=8, features=3, names=["distance (km)", "toll", EVIL])
    expert = coactor.SimulatedExpert(domain, weights=np.array([1.0, 0.2, 0.5]), kappa=0.1)
    session = coactor.Session(domain, "default")
    for x in domain.sample(np.random.default_rng(3), n=rounds):
        proposal = session.ask(x, actor="ana")
        session.tell(proposal, expert(x, proposal.solution), actor="ana")
    return session


@pytest.fixture(scope="module")
def session() -> coactor.Session:
    return learned()


@pytest.fixture(scope="module")
def study(tmp_path_factory: pytest.TempPathFactory) -> Iterator[coactor.Study]:
    url = f"sqlite:///{tmp_path_factory.mktemp('store')}/desk.db"
    with coactor.open_study(url, "desk", domains.Tour(points=8, features=3), create=True) as study:
        for x in study.domain.sample(np.random.default_rng(3), n=3):
            study.tell(study.ask(x), moves=[{"op": "reverse", "args": [2, 4]}], actor="ana")
        yield study


@pytest.mark.parametrize("domain", BUILT_IN, ids=lambda domain: type(domain).__name__)
def test_a_proposal_shows_itself_in_a_line_and_as_html(domain: Any) -> None:
    session = coactor.Session(domain, "PER")
    proposal = session.ask(next(domain.sample(np.random.default_rng(1), 1)))
    views = domain.show if isinstance(domain, domains.Alternatives) else domain.draw
    check_views(views(proposal.problem, proposal.solution))
    assert len(repr(proposal)) < 300
    shown = Balanced(proposal._repr_html_())
    assert {"table", "ol", "svg"} & {*shown.tags}


def test_a_roster_shows_itself_in_a_line_and_as_a_grid() -> None:
    model = tutorial().roster
    session = coactor.Session(model, "default")
    problem = next(model.sample(np.random.default_rng(0), 1))
    proposal = session.ask(problem)
    assert "\n" not in repr(proposal)
    assert max(len(repr(proposal)), len(repr(session.domain)), len(repr(proposal.problem))) < 300
    shown = Balanced(proposal._repr_html_())
    assert all(name in shown.text for axis in model.schema.over for name in problem.positions[axis])
    assert shown.tags.count("td") == proposal.solution.size


def test_routes_are_drawn_where_there_are_coordinates() -> None:
    rng = np.random.default_rng(0)
    places = rng.random((6, 2))
    distances = np.linalg.norm(places[:, None] - places, axis=2)
    graph = domains.Graph.from_matrices(distances, places)
    proposal = coactor.Session(domains.Tour(6, 1), "PER").ask(graph)
    shown = Balanced(proposal._repr_html_())
    assert shown.tags.count("circle") == 6
    assert shown.tags.count("polyline") == 1


def test_html_escapes_what_people_and_domains_write() -> None:
    views = [
        {"kind": "text", "title": EVIL, "text": EVIL},
        {"kind": "list", "items": [EVIL, 1.5, None]},
        {"kind": "table", "head": [EVIL], "rows": [[EVIL]]},
        {
            "kind": "drawing",
            "size": [10, 10],
            "shapes": [
                {"shape": "text", "at": [1, 1], "text": EVIL, "colour": '"><script>'},
                {"shape": "box", "at": [1, 1], "size": [2, 2], "title": EVIL},
                {"shape": "polygon", "points": [[0, 0], [1, 0], [0, 1]]},
            ],
        },
        {
            "kind": "grid",
            "over": ["who", "day"],
            "choose": ["shift"],
            "names": {"who": [EVIL], "day": ["mon"], "shift": [EVIL]},
            "cells": [0],
            "colours": {"shift": {EVIL: '"><script>'}},
        },
    ]
    shown = Balanced(display.html(views))
    assert "script" not in shown.tags
    assert shown.text.count(EVIL) == 9


def test_session_and_round_show_what_was_learned(session: coactor.Session) -> None:
    shown = Balanced(session._repr_html_())
    assert EVIL in shown.text
    assert "svg" in shown.tags
    assert "script" not in shown.tags
    first = session.effort()[0]
    assert "\n" not in repr(first)
    assert first.lesson in Balanced(first._repr_html_()).text
    assert Balanced(coactor.Session(domains.Tour(5, 2), "PER")._repr_html_()).tags.count("tr") == 3


def test_tables_say_how_many_rows_they_leave_out() -> None:
    shown = Balanced(display.table(["k"], [[k] for k in range(100)]))
    assert "The last 60 of 100 rows." in shown.text
    assert shown.tags.count("tr") == 61


@pytest.mark.parametrize(("backend", "kind"), [(None, pd.DataFrame), ("polars", pl.DataFrame)])
def test_session_is_a_data_frame(session: coactor.Session, backend: Any, kind: type) -> None:
    rounds, weights = session.to_frame(backend=backend), session.to_frame("weights", backend=backend)
    assert isinstance(rounds, kind)
    assert [*rounds["effort"]] == session.efforts
    assert {*rounds["actor"]} == {"ana"}
    assert np.allclose(weights["weight"], session.weights())
    assert (np.array(weights["deviation"]) > 0).all()


def test_empty_session_is_an_empty_data_frame() -> None:
    empty = coactor.Session(domains.Tour(5, 2), "PER")
    assert len(empty.to_frame()) == 0
    told = coactor.Session(domains.Tour(5, 2), "PER")
    told.tell(told.ask(next(told.domain.sample(np.random.default_rng(0), 1))), moves=[])
    assert [*empty.to_frame().columns] == [*told.to_frame().columns]
    assert "effort" in empty.to_frame(backend="polars").columns
    assert "Work(" not in told.effort()[0]._repr_html_()
    assert len(empty.to_frame("weights")) == 2


def test_to_frame_refuses_what_is_not_there(session: coactor.Session) -> None:
    with pytest.raises(coactor.Invalid, match="no table 'log' here; expected 'rounds'"):
        session.to_frame("log")
    with pytest.raises(ValueError, match="There is no backend 'arrow'; expected 'pandas' or 'polars'"):
        session.to_frame(backend="arrow")


def test_study_is_a_data_frame_and_so_is_its_log(study: coactor.Study) -> None:
    assert [*study.to_frame()["effort"]] == [1.0, 1.0, 1.0]
    log = study.to_frame("log")
    assert [*log["kind"]].count("told") == 3
    assert [*log["seq"]] == [*range(1, len(log) + 1)]
    known = explanations.beliefs(study.config["features"], study.signs, study.learner())
    assert [one.words for one in study.beliefs()] == [one.words for one in known]
    assert study.beliefs(0) != study.beliefs()
    assert Balanced(study._repr_html_()).tags.count("tr") == 4


def test_plots_take_axes_and_return_them(session: coactor.Session, study: coactor.Study) -> None:
    for shown in (session, study):
        axes = Figure().add_subplot()
        assert shown.plot(axes) is axes
        dots, mean = axes.lines
        assert dots.get_ydata().tolist() == shown.efforts
        assert mean.get_ydata()[-1] == pytest.approx(np.mean(shown.efforts[-10:]))
        assert len(axes.collections) == 1


def test_plot_without_axes_makes_a_figure(session: coactor.Session) -> None:
    mpl.use("Agg")
    from matplotlib import pyplot

    axes = session.plot()
    assert axes.figure.number in pyplot.get_fignums()
    pyplot.close(axes.figure)


def test_comparison_is_shown_as_a_frame_and_as_curves() -> None:
    result = lab.compare(["PER", "CSPER"], panel="path-clean", runs=2, examples=10, jobs=1)
    assert re.fullmatch(r"<PanelResult of path-clean: 2 runs of 10 examples, PER, CSPER>", repr(result))
    assert [*result.to_frame()["learner"]] == ["PER", "CSPER"]
    assert Balanced(result._repr_html_()).tags.count("tr") == 3
    axes = Figure().add_subplot()
    assert result.plot(axes) is axes
    assert [line.get_label() for line in axes.lines] == ["PER", "CSPER"]


def test_evaluation_is_shown_as_a_frame_and_as_curves(tmp_path: Path) -> None:
    archive = coactor.archives.open_archive(write_trips(tmp_path, trips=12))
    result = coactor.archives.evaluate(archive, ["PER"], orders=2, jobs=1)
    assert len(repr(archive)) + len(repr(result)) < 200
    assert [*result.to_frame()["learner"]] == ["start", "PER"]
    assert Balanced(result._repr_html_()).tags.count("tr") == 3
    axes = Figure().add_subplot()
    assert result.plot(axes) is axes
    assert len(axes.lines) == len(axes.collections) == 2
    proposal = coactor.Session(archive.domain, "PER").ask(next(archive.replay([0])).problem)
    assert Balanced(proposal._repr_html_()).tags.count("polyline") == 1
