from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

from coactor.loaders import read_tour, read_tsplib, read_vrplib

HEAD = "NAME : small\nTYPE : TSP\nDIMENSION : 3\nEDGE_WEIGHT_TYPE : {}\n"
PLACES = "NODE_COORD_SECTION\n1 0 0\n2 3 4\n3 0 8\nEOF\n"


def write(folder: Path, text: str, name: str = "small.tsp") -> Path:
    path = folder / name
    path.write_text(text)
    return path


def table(path: Path) -> list[list[float]]:
    return read_tsplib(path).costs(np.ones(1)).tolist()


@pytest.mark.parametrize(("kind", "first"), [("EUC_2D", 5), ("CEIL_2D", 5), ("ATT", 2)])
def test_read_tsplib_computes_distances_from_coordinates(tmp_path: Path, kind: str, first: float) -> None:
    rows = table(write(tmp_path, HEAD.format(kind) + PLACES))
    assert rows[0][1] == rows[1][0] == first
    assert rows[0][0] == 0


@pytest.mark.parametrize(
    ("shape", "weights"),
    [
        ("FULL_MATRIX", "0 1 2\n1 0 3\n2 3 0"),
        ("UPPER_ROW", "1 2\n3"),
        ("UPPER_DIAG_ROW", "0 1 2 0 3 0"),
        ("LOWER_DIAG_ROW", "0\n1 0\n2 3 0"),
        ("LOWER_ROW", "1\n2 3"),
    ],
)
def test_read_tsplib_reads_explicit_tables_of_every_format(tmp_path: Path, shape: str, weights: str) -> None:
    text = HEAD.format("EXPLICIT") + f"EDGE_WEIGHT_FORMAT : {shape}\nEDGE_WEIGHT_SECTION\n{weights}\nEOF\n"
    assert table(write(tmp_path, text)) == [[0, 1, 2], [1, 0, 3], [2, 3, 0]]


def test_read_tour_numbers_points_from_zero(tmp_path: Path) -> None:
    text = "NAME : small\nTYPE : TOUR\nDIMENSION : 3\nTOUR_SECTION\n2\n1\n3\n-1\nEOF\n"
    assert read_tour(write(tmp_path, text)).tolist() == [1, 0, 2]
    with pytest.raises(ValueError, match="has no complete TOUR_SECTION"):
        read_tour(write(tmp_path, text[:-9]))
    with pytest.raises(ValueError, match="line 6: got 'x', expected numbers"):
        read_tour(write(tmp_path, text.replace("1\n3", "x\n3")))


def test_read_vrplib_reads_demands_and_capacities(tmp_path: Path) -> None:
    text = HEAD.format("EUC_2D").replace("TSP", "CVRP") + "CAPACITY : 10\n" + PLACES.replace("EOF\n", "")
    text += "DEMAND_SECTION\n1 0\n2 4\n3 6\nDEPOT_SECTION\n1\n-1\nEOF\n"
    day = read_vrplib(write(tmp_path, text, "small-n3-k2.vrp"))
    assert day.demand.tolist() == [0, 4, 6]
    assert day.capacity.tolist() == [10, 10]
    assert day.arcs[0, 1, 0] == 5
    with pytest.raises(ValueError, match="Stop 1 has demand 44; the largest vehicle holds 10"):
        read_vrplib(write(tmp_path, text.replace("2 4\n3", "2 44\n3"), "small-n3-k2.vrp"))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (HEAD.format("EUC_2D") + "NODE_COORD_SECTION\n1 0 0\n2 3 4\n", "has 2 points; its header says 3"),
        (
            HEAD.format("EXPLICIT") + "EDGE_WEIGHT_FORMAT : UPPER_ROW\nEDGE_WEIGHT_SECTION\n1 2\n",
            "has 2 edge weights",
        ),
        (HEAD.format("XRAY1") + PLACES, "edge weights of type XRAY1"),
        ("hello\n", "line 1: got 'hello', expected numbers"),
    ],
)
def test_read_tsplib_raises_value_error_for_malformed_files(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        read_tsplib(write(tmp_path, text))


def test_damaged_files_are_refused_in_one_sentence_that_names_the_file(tmp_path):
    good = HEAD.format("EUC_2D") + PLACES
    triangle = HEAD.format("EXPLICIT") + "EDGE_WEIGHT_FORMAT : UPPER_ROW\nEDGE_WEIGHT_SECTION\n1 2\n3\nEOF\n"
    for number, text in enumerate(
        (
            good.replace("2 3 4", "2 3"),
            good.replace("2 3 4", "2 x 4"),
            good.replace("2 3 4", "2 1e999 4"),
            good.replace("EUC_2D", "EXPLICIT"),
            good.replace(": 3", ": " + "9" * 5000),
            triangle.replace(": 3", ": 99999999"),
            triangle.replace("\n3\nEOF", "\nx\nEOF"),
            "]",
        )
    ):
        path = tmp_path / f"{number}.vrp"
        path.write_text(text)
        for read in (read_tsplib, read_vrplib):
            with pytest.raises(ValueError, match=rf"^{re.escape(str(path))}[ ,].{{20,400}}[.?]$"):
                read(path)
    path.write_text("TOUR_SECTION\n" + "9" * 5000)
    with pytest.raises(ValueError, match=re.escape(str(path))):
        read_tour(path)
