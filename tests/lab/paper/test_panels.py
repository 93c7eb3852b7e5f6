from __future__ import annotations

from pathlib import Path

import pytest

from coactor.lab.paper.data.files import open_data, read_queries
from coactor.lab.paper.panels import PANELS, find_panel, use_data


def test_find_panel_makes_a_panel_of_a_domain_of_the_user() -> None:
    panel = find_panel("tests.lab.helpers:Bits")
    assert panel.make_domain().dim == 5
    assert (panel.title, panel.log) == ("Bits", False)
    with pytest.raises(ValueError, match=r"no sample\(rng, n\)"):
        find_panel("tests.lab.helpers:NoProblems")
    with pytest.raises(ValueError, match="Did you mean tsp-clean"):
        find_panel("tsp-claen")


def test_use_data_puts_the_ranking_panels_on_the_file(tmp_path: Path) -> None:
    path = tmp_path / "train.txt"
    path.write_text("2 qid:1 1:0.5\n0 qid:1 2:1\n")
    tour, ranking = use_data([PANELS["tsp-clean"], PANELS["rank-budget"]], [path])
    assert tour == PANELS["tsp-clean"]
    assert ranking.problems == "data"
    assert ranking.make_domain().dim == 2
    with pytest.raises(ValueError, match="no ranking panel is run"):
        use_data([PANELS["tsp-clean"]], [path])


def test_data_files_are_widened_to_the_widest(tmp_path: Path) -> None:
    paths = [tmp_path / "a.txt", tmp_path / "b.txt"]
    paths[0].write_text("2 qid:1 1:0.5\n0 qid:1 2:1\n")
    paths[1].write_text("1 qid:1 1:0.5\n0 qid:1 7:1\n")
    queries = read_queries(open_data(paths))
    assert [query.documents.shape for query in queries] == [(2, 7), (2, 7)]
    assert [query.rows()[1, -1] for query in queries] == [0.0, 1.0]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "no rows"),
        ("2 qid:1 1:x\n", "line 1"),
        ("0 qid:1 1:2\n0 qid:1 1:1\n", "every label is 0"),
        ("good qid:1 1:1\n", "line 1"),
    ],
)
def test_open_data_names_file_and_line_of_an_error(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "bad.txt"
    path.write_text(text)
    with pytest.raises(ValueError, match=rf"bad\.txt.*{message}"):
        open_data([path])
    with pytest.raises(ValueError, match=r"There is no data file .*nowhere"):
        open_data([tmp_path / "nowhere"])
