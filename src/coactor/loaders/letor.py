"""Learning-to-rank files: LETOR / SVMlight rows with a qid, or with the group file of LightGBM."""

from __future__ import annotations

import gzip
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

import numpy as np
from numpy.typing import NDArray

from coactor.domains import Query, SparseRows
from coactor.loaders import svmlight as kernel
from coactor.loaders.tables import existing_file
from coactor.protocol import Indices, Vector

_CHUNK = 1 << 23
_EXPECTED = {
    kernel.BAD_PAIR: "expected 'index:value'",
    kernel.BAD_INDEX: "expected a feature number from 0 upwards before the colon",
    kernel.NOT_INCREASING: "expected feature numbers that increase along the row",
    kernel.BAD_QID: "expected a whole number after 'qid:'",
}


def read_letor(
    path: str | Path,
    groups: str | Path | None = None,
    *,
    features: int | None = None,
    zero_based: bool | None = None,
) -> list[Query]:
    """Read the queries of a learning-to-rank file, plain or gzipped.

    A row is ``label qid:7 1:0.5 3:0.25 # comment``. Without the qid column a group file holds the number of
    rows of each query, in order; by default ``<file>.query`` or ``<file>.group`` beside the file. The file is
    read in chunks, so that memory holds the numbers and one chunk of text.

    Parameters
    ----------
    path
        The file; decompressed if its name ends in ``.gz``.
    groups
        The group file, if it lies elsewhere or takes precedence over the qid column.
    features
        The number of features; by default the largest feature number in the file. Give it if several files
        must agree.
    zero_based
        Whether feature numbers start at 0; by default they do if the file has a 0, else they start at 1.

    Raises
    ------
    ValueError
        With the file, the line and what was expected.
    """
    path = Path(path)
    labels, qids, pointers, indices, values = _read_rows(path)
    if not len(labels):
        raise ValueError(f"{path} has no rows; expected rows like '2 qid:1 1:0.5 3:0.25'.")
    bounds = _bounds(path, None if groups is None else Path(groups), qids)

    smallest = int(indices.min()) if len(indices) else 1
    base = int(smallest > 0) if zero_based is None else int(not zero_based)
    if base > smallest:
        raise ValueError(f"{path} has a feature number 0, but zero_based=False requires numbers from 1.")
    indices -= base
    width = int(indices.max()) + 1 if len(indices) else 0
    if features is not None and width > features:
        raise ValueError(
            f"{path} has a feature number {width - 1 + base}; expected at most {features} features."
        )
    width = width if features is None else features

    queries = []
    for a, b in zip(bounds[:-1].tolist(), bounds[1:].tolist(), strict=True):
        lo, hi = int(pointers[a]), int(pointers[b])
        rows = SparseRows(
            indptr=pointers[a : b + 1] - lo,
            indices=indices[lo:hi],
            values=values[lo:hi],
            shape=(b - a, width),
        )
        queries.append(Query(rows, labels[a:b]))
    return queries


def read_groups(path: str | Path) -> Indices:
    """Read a group file: the number of rows of each query, one whole number per line."""
    path = Path(path)
    sizes = []
    with _open(path) as file:
        for number, line in enumerate(file, 1):
            text = line.strip()
            if text:
                if not text.isdigit() or int(text) == 0:
                    shown = text.decode("utf-8", "replace")
                    raise ValueError(
                        f"{path}, line {number}: got {shown!r}, expected the number of rows of a query."
                    )
                sizes.append(int(text))
    return np.array(sizes, dtype=np.int64)


def _bounds(path: Path, groups: Path | None, qids: Indices) -> Indices:
    """The first row of each query, and the number of rows."""
    rows = len(qids)
    if groups is None and qids[0] != kernel.NO_QID:
        starts = np.concatenate([[0], np.flatnonzero(np.diff(qids)) + 1, [rows]]).astype(np.int64)
        order = qids[starts[:-1]]
        unique, first = np.unique(order, return_index=True)
        if len(unique) < len(order):
            repeated = int(np.setdiff1d(np.arange(len(order)), first)[0])
            raise ValueError(
                f"{path}, row {starts[repeated] + 1}: query {order[repeated]} appears twice; expected "
                f"the rows of a query to be consecutive. Sort the file by qid."
            )
        return starts
    if groups is None:
        beside = [path, path.with_suffix("")] if path.suffix == ".gz" else [path]
        names = [Path(f"{name}{end}") for name in beside for end in (".query", ".group")]
        groups = next((name for name in names if name.is_file()), None)
        if groups is None:
            raise ValueError(
                f"{path} has no qid column and there is no {names[0].name} or {names[1].name} beside it; "
                f"give the group file."
            )
    bounds = np.concatenate([[0], np.cumsum(read_groups(groups))]).astype(np.int64)
    if bounds[-1] != rows:
        raise ValueError(
            f"{groups} counts {bounds[-1]} rows, but {path} has {rows}; they do not belong together."
        )
    return bounds


class _Rows:
    """Arrays that grow in place, by an eighth at a time, so that memory never holds the data twice."""

    def __init__(self) -> None:
        self.rows = self.stored = self.lines = 0
        self.labels, self.qids = np.empty(0), np.empty(0, dtype=np.int64)
        self.pointers = np.zeros(1, dtype=np.int64)
        self.indices, self.values = np.empty(0, dtype=np.int64), np.empty(0)

    def resize(self, rows: int, stored: int) -> None:
        # No other object refers to these arrays, so the reference check is not needed.
        for array in (self.labels, self.qids):
            array.resize(rows, refcheck=False)
        self.pointers.resize(rows + 1, refcheck=False)
        for array in (self.indices, self.values):
            array.resize(stored, refcheck=False)

    def parse(self, path: Path, text: NDArray[np.uint8]) -> None:
        """Add one chunk of whole lines."""
        lines, pairs = kernel.count(text)
        rows, stored = self.rows + lines, self.stored + pairs
        if rows > len(self.labels) or stored > len(self.values):
            self.resize(max(rows, 9 * len(self.labels) // 8), max(stored, 9 * len(self.values) // 8))
        r, k = self.rows, self.stored
        labels, values = self.labels[r:], self.values[k:]
        ends = self.pointers[r + 1 :]
        slow = np.empty((lines + pairs, 3), dtype=np.int64)
        rows, pairs, count, error, at = kernel.parse(
            text, labels, self.qids[r:], ends, self.indices[k:], values, slow
        )
        for start, end, place in slow[:count].tolist():
            value = _float(text[start:end].tobytes())
            if value is None:
                what = "a number" if place >= 0 else "a number as the label"
                raise ValueError(_message(path, text, self.lines, start, f"expected {what}"))
            if place >= 0:
                values[place] = value
            else:
                labels[-1 - place] = value
        if error != kernel.OK:
            raise ValueError(_message(path, text, self.lines, at, _EXPECTED[error]))
        ends[:rows] += k
        self.rows, self.stored, self.lines = r + rows, k + pairs, self.lines + lines


def _read_rows(path: Path) -> tuple[Vector, Indices, Indices, Indices, Vector]:
    """Labels, qids, row pointers, feature numbers and values of the whole file."""
    table = _Rows()
    for text in _chunks(path):
        table.parse(path, text)
    table.resize(table.rows, table.stored)
    without = table.qids == kernel.NO_QID
    if without.any() and not without.all():
        row = int(np.flatnonzero(without != without[0])[0])
        has = "no qid" if without[row] else "a qid"
        raise ValueError(
            f"{path}, row {row + 1}: this row has {has}, unlike the first; expected all rows or none."
        )
    return table.labels, table.qids, table.pointers, table.indices, table.values


def _float(token: bytes) -> float | None:
    if b"_" in token:  # Python accepts 1_000, the format does not
        return None
    try:
        value = float(token)
    except ValueError:
        return None
    return value if np.isfinite(value) else None


def _message(path: Path, text: NDArray[np.uint8], lines: int, at: int, expected: str) -> str:
    line = lines + int(np.count_nonzero(text[:at] == 10)) + 1
    token = text[at : at + 40].tobytes().split(b"\n")[0].split()
    shown = token[0].decode("utf-8", "replace") if token else "nothing"
    return f"{path}, line {line}: got {shown!r}, {expected}."


def _chunks(path: Path) -> Iterator[NDArray[np.uint8]]:
    """The file in chunks of whole lines."""
    rest = b""
    with _open(path) as file:
        try:
            while block := file.read(_CHUNK):
                cut = block.rfind(b"\n") + 1
                if not cut:
                    rest += block
                    continue
                yield np.frombuffer(rest + block[:cut], dtype=np.uint8)
                rest = block[cut:]
        except (EOFError, gzip.BadGzipFile) as error:
            raise ValueError(f"{path} is truncated or is not a gzip file ({error}).") from error
    if rest:
        yield np.frombuffer(rest + b"\n", dtype=np.uint8)


def _open(path: Path) -> BinaryIO | gzip.GzipFile:
    existing_file(path)
    return gzip.open(path, "rb") if path.suffix == ".gz" else path.open("rb")
