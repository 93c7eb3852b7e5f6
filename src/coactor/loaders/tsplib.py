"""TSPLIB tours, and the format that VRPLIB shares with it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from coactor.domains import Graph
from coactor.loaders.tables import existing_file, shortened
from coactor.protocol import Indices, Matrix, Vector

RADIUS = 6378.388  # of the earth in km, as TSPLIB defines it
FORMATS = ("FULL_MATRIX", "UPPER_ROW", "LOWER_ROW", "UPPER_DIAG_ROW", "LOWER_DIAG_ROW")


@contextmanager
def explained(path: str | Path) -> Iterator[None]:
    """Let a reader raise ValueError that names the file, whatever is wrong in it."""
    try:
        yield
    except (ValueError, KeyError, IndexError, TypeError, OverflowError) as error:
        text = str(error)
        other = f"{path} is not a TSPLIB or VRPLIB file, or is truncated."
        raise ValueError(shortened(text) if text.startswith(str(path)) else other) from error


def read_tsplib(path: str | Path) -> Graph:
    """Read a TSPLIB instance: a graph whose only feature is the distance, rounded as TSPLIB defines.

    Weight types: EUC_2D, CEIL_2D, ATT, GEO and EXPLICIT matrices.
    """
    with explained(path):
        file = read_file(path)
        return Graph.from_matrices(distances(file), file.points("NODE_COORD", "DISPLAY_DATA"))


def read_tour(path: str | Path) -> Indices:
    """Read the tour of a TSPLIB ``.opt.tour`` file, numbered from 0."""
    with explained(path):
        order = np.array(read_file(path).sections.get("TOUR", []))
        if not (order == -1).any():
            raise ValueError(f"{path} has no complete TOUR_SECTION: expected -1 after the last point.")
        return order[: int((order == -1).argmax())].astype(np.int64) - 1


@dataclass(frozen=True, slots=True)
class File:
    """A file: what its header says, and the numbers of each section."""

    path: str
    header: dict[str, str]
    sections: dict[str, list[float]]

    def points(self, *names: str) -> Matrix | None:
        """The coordinates in the first of these sections that there is."""
        numbers = next((self.sections[name] for name in names if name in self.sections), None)
        if numbers is None:
            return None
        count = len(numbers) // 3
        if count != int(self.header["DIMENSION"]):
            said = self.header["DIMENSION"]
            raise ValueError(f"{self.path} has {count} points; its header says {said}. Is it cut?")
        places: Matrix = np.reshape(numbers, (count, 3))[:, 1:]
        if not (np.abs(places) < 1e150).all():  # their squares are finite
            raise ValueError(f"{self.path} has coordinates that are not finite, or too large.")
        return places


def read_file(path: str | Path) -> File:
    file, numbers = File(str(path), {}, {}), list[float]()
    for k, line in enumerate(existing_file(path).read_text(errors="replace").splitlines(), 1):
        word, colon, value = map(str.strip, line.partition(":"))
        if colon:
            file.header[word] = value
        elif word.endswith("_SECTION"):
            numbers = file.sections.setdefault(word.removesuffix("_SECTION"), [])
        elif word != "EOF":
            try:
                numbers += map(float, word.split())
            except ValueError:
                raise ValueError(f"{path}, line {k}: got {word[:60]!r}, expected numbers.") from None
    return file


def distances(file: File) -> Matrix:
    kind = file.header.get("EDGE_WEIGHT_TYPE")
    if kind == "EXPLICIT":
        return _explicit(file)
    places = file.points("NODE_COORD")
    if places is None:
        raise ValueError(f"{file.path} has neither coordinates nor edge weights.")
    if kind == "GEO":
        return _geographical(places)
    gaps = places[:, None, :] - places[None, :, :]
    squared: Matrix = (gaps**2).sum(axis=2)
    if kind == "EUC_2D":
        return np.floor(np.sqrt(squared) + 0.5)
    if kind == "CEIL_2D":
        return np.ceil(np.sqrt(squared))
    if kind == "ATT":
        return np.ceil(np.sqrt(squared / 10.0) - 1e-12)
    raise ValueError(
        f"{file.path} has edge weights of type {kind}; expected EUC_2D, CEIL_2D, ATT, GEO or EXPLICIT."
    )


def _explicit(file: File) -> Matrix:
    """The table of edge weights: all of it, or a triangle with or without the diagonal."""
    n, shape = int(file.header["DIMENSION"]), file.header.get("EDGE_WEIGHT_FORMAT")
    if shape not in FORMATS:
        raise ValueError(f"{file.path} has the format {shape}; expected one of {', '.join(FORMATS)}.")
    full, off = shape == "FULL_MATRIX", 0 if "DIAG" in shape else 1
    weights = np.array(file.sections.get("EDGE_WEIGHT", []))
    needed = n * n if full else n * (n + 1 - 2 * off) // 2
    if len(weights) != needed:  # before anything of that size is allocated
        raise ValueError(
            f"{file.path} has {len(weights)} edge weights; {n} points need {needed} numbers. Is it cut?"
        )
    if full:
        return weights.reshape(n, n)
    table = np.zeros((n, n))
    rows, columns = np.triu_indices(n, off) if shape.startswith("UPPER") else np.tril_indices(n, -off)
    table[rows, columns] = table[columns, rows] = weights
    return table


def _geographical(places: Matrix) -> Matrix:
    """Great-circle distances, with the value of pi and the degrees.minutes notation of TSPLIB."""
    degrees = np.trunc(places)
    radians: Matrix = 3.141592 * (degrees + 5.0 * (places - degrees) / 3.0) / 180.0
    latitude: Vector = radians[:, 0]
    longitude: Vector = radians[:, 1]
    q1 = np.cos(longitude[:, None] - longitude)
    q2 = np.cos(latitude[:, None] - latitude)
    q3 = np.cos(latitude[:, None] + latitude)
    table: Matrix = np.floor(RADIUS * np.arccos(np.clip(0.5 * ((1 + q1) * q2 - (1 - q1) * q3), -1, 1)) + 1.0)
    np.fill_diagonal(table, 0.0)
    return table
