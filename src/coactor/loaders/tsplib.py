"""TSPLIB tours and VRPLIB days, parsed by vrplib."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from coactor.domains import Day, Graph
from coactor.loaders.tables import existing_file, shortened
from coactor.protocol import Indices, Matrix, Vector

RADIUS = 6378.388  # of the earth in km, as TSPLIB defines it

NOT_READABLE = "is not a TSPLIB or VRPLIB file, or is truncated"


@contextmanager
def _explained(path: str | Path) -> Iterator[None]:
    """Let a reader raise ValueError that names the file, whatever is wrong in it."""
    try:
        yield
    except (ValueError, KeyError, IndexError, TypeError, OverflowError) as error:
        text = str(error)
        about = shortened(text) if text.startswith(str(path)) else f"{path} {NOT_READABLE}."
        raise ValueError(about) from error


def read_tsplib(path: str | Path) -> Graph:
    """Read a TSPLIB instance: a graph whose only feature is the distance, rounded as TSPLIB defines.

    Weight types: EUC_2D, CEIL_2D, ATT, GEO and EXPLICIT matrices.
    """
    with _explained(path):
        data = _read(Path(path))
        coordinates = data.get("node_coord", data.get("display_data"))
        return Graph.from_matrices(
            _distances(Path(path), data), None if coordinates is None else coordinates[:, :2]
        )


def read_tour(path: str | Path) -> Indices:
    """Read the tour of a TSPLIB ``.opt.tour`` file, numbered from 0."""
    with _explained(path):
        return _tour(existing_file(path))


def _tour(path: Path) -> Indices:
    order: list[int] = []
    inside = False
    for number, line in enumerate(path.read_text().splitlines(), 1):
        if inside:
            for token in line.split():
                if token in ("-1", "EOF"):
                    return np.array(order, dtype=np.int64)
                if not token.isdigit() or int(token) < 1:
                    raise ValueError(
                        f"{path}, line {number}: got {token!r}, expected a point from 1 upwards."
                    )
                order.append(int(token) - 1)
        inside = inside or line.startswith("TOUR_SECTION")
    raise ValueError(f"{path} has no complete TOUR_SECTION: expected -1 after the last point.")


def read_vrplib(path: str | Path, vehicles: int | None = None) -> Day:
    """Read a capacitated VRPLIB instance as a day whose only arc feature is the distance.

    Parameters
    ----------
    path
        The file; one depot, numbered 1.
    vehicles
        The number of vehicles; by default the ``-k`` number in the file's name, else one for each stop.
    """
    with _explained(path):
        return _day(Path(path), vehicles)


def _day(path: Path, vehicles: int | None) -> Day:
    data = _read(path)
    for key in ("capacity", "demand"):
        if key not in data:
            raise ValueError(f"{path} has no {key.upper()}; expected a capacitated instance.")
    if list(np.atleast_1d(data.get("depot", 0))) != [0]:
        raise ValueError(f"{path} has its depot at {data['depot']}; expected one depot, point 1.")
    distances = _distances(path, data)
    if vehicles is None:
        tail = path.stem.rpartition("-k")[2]
        vehicles = int(tail) if tail.isdigit() else len(distances) - 1
    try:
        return Day.of(distances, data["demand"], np.full(vehicles, float(data["capacity"])))
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from None


def _read(path: Path) -> dict[str, Any]:
    existing_file(path)
    triangle = _triangle(path)
    if triangle is not None:
        return triangle
    try:
        import vrplib
    except ImportError:
        raise ImportError("Reading TSPLIB and VRPLIB needs vrplib: pip install 'coactor[data]'.") from None
    try:
        data: dict[str, Any] = vrplib.read_instance(path, compute_edge_weights=False)
    except Exception as error:  # vrplib raises errors of many types
        raise ValueError(f"{path} {NOT_READABLE}.") from error
    count = len(data.get("node_coord", data.get("edge_weight", [])))
    if "dimension" not in data or (count and "node_coord" in data and count != data["dimension"]):
        raise ValueError(f"{path} has {count} points; its header says {data.get('dimension')}. Is it cut?")
    return data


def _triangle(path: Path) -> dict[str, Any] | None:
    """The triangular edge weights that vrplib does not parse; None for all other files."""
    header: dict[str, str] = {}
    tokens: list[str] = []
    inside = False
    for line in path.read_text(errors="replace").splitlines():
        word, colon, rest = line.partition(":")
        if colon:
            header[word.strip()] = rest.strip()
        elif line.strip().endswith("SECTION") or line.strip() == "EOF":
            inside = line.strip() == "EDGE_WEIGHT_SECTION"
        elif inside:
            tokens += line.split()
    shape = header.get("EDGE_WEIGHT_FORMAT", "")
    if shape not in ("UPPER_ROW", "UPPER_DIAG_ROW", "LOWER_DIAG_ROW"):
        return None
    n = int(header["DIMENSION"]) if header.get("DIMENSION", "").isdigit() else 0
    needed = n * (n - 1) // 2 if shape == "UPPER_ROW" else n * (n + 1) // 2
    if not n or len(tokens) != needed:  # before anything of that size is allocated
        raise ValueError(
            f"{path} has {len(tokens)} edge weights; {n} points need {needed} numbers. Is it cut?"
        )
    weights = np.array(tokens, dtype=np.float64)
    rows, columns = np.triu_indices(n, 1 if shape == "UPPER_ROW" else 0)
    if shape == "LOWER_DIAG_ROW":
        rows, columns = np.tril_indices(n)
    table = np.zeros((n, n))
    table[rows, columns] = weights
    table[columns, rows] = weights
    return {"dimension": n, "edge_weight_type": "EXPLICIT", "edge_weight": table}


def _distances(path: Path, data: dict[str, Any]) -> Matrix:
    kind = data.get("edge_weight_type")
    if kind == "EXPLICIT":
        table = np.asarray(data["edge_weight"], dtype=np.float64)
        if table.shape != (data["dimension"], data["dimension"]):
            raise ValueError(f"{path} has an edge weight table of shape {table.shape}. Is it cut?")
        return table
    places = data.get("node_coord")
    if places is None:
        raise ValueError(f"{path} has neither coordinates nor edge weights.")
    places = np.asarray(places, dtype=np.float64)
    if not (np.abs(places) < 1e150).all():  # their squares are finite
        raise ValueError(f"{path} has coordinates that are not finite, or too large.")
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
        f"{path} has edge weights of type {kind}; expected EUC_2D, CEIL_2D, ATT, GEO or EXPLICIT."
    )


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
