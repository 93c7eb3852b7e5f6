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

    A row is ``label qid:7 1:0.5 3:0.25 # anything``. Without the qid column a group file tells how many rows
    each query has, in order; it is looked for beside the file as ``<file>.query`` or ``<file>.group``.
    Memory holds the numbers and one chunk of the text.

    Parameters
    ----------
    path
        The file; a name that ends in ``.gz`` is unpacked on the way.
    groups
        The group file, when it stands elsewhere or should overrule the qid column.
    features
        The number of features; by default the largest feature number found. Give it when several files
        must agree.
    zero_based
        Whether feature numbers start at 0; by default they do if a 0 is found, else they start at 1.

    Raises
    ------
    ValueError
        With file, line and what was expected. Nothing is returned half loaded.
    """
    path = Path(path)
    labels, qids, pointers, indices, values = _read_rows(path)
    if not len(labels):
        raise ValueError(f"{path} has no rows; expected rows like '2 qid:1 1:0.5 3:0.25'.")
    bounds = _bounds(path, None if groups is None else Path(groups), qids)

    smallest = int(indices.min()) if len(indices) else 1
    base = int(smallest > 0) if zero_based is None else int(not zero_based)
    if base > smallest:
        raise ValueError(f"{path} has a feature number 0, but zero_based=False says that they start at 1.")
    indices -= base
    found = int(indices.max()) + 1 if len(indices) else 0
    if features is not None and found > features:
        raise ValueError(
            f"{path} has a feature number {found - 1 + base}, beyond the {features} features expected."
        )
    width = found if features is None else features

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
                        f"{path}, line {number}: found {shown!r}, expected the number of rows of a query."
                    )
                sizes.append(int(text))
    return np.array(sizes, dtype=np.int64)


def _bounds(path: Path, groups: Path | None, qids: Indices) -> Indices:
    """Where each query's rows start, and the number of rows."""
    rows = len(qids)
    if groups is None and qids[0] != kernel.NO_QID:
        starts = np.concatenate([[0], np.flatnonzero(np.diff(qids)) + 1, [rows]]).astype(np.int64)
        order = qids[starts[:-1]]
        unique, first = np.unique(order, return_index=True)
        if len(unique) < len(order):
            again = int(np.setdiff1d(np.arange(len(order)), first)[0])
            raise ValueError(
                f"{path}, row {starts[again] + 1}: query {order[again]} appears twice; expected the rows "
                f"of a query to stand together, so sort the file by qid."
            )
        return starts
    if groups is None:
        beside = [path, path.with_suffix("")] if path.suffix == ".gz" else [path]
        names = [Path(f"{name}{end}") for name in beside for end in (".query", ".group")]
        groups = next((name for name in names if name.is_file()), None)
        if groups is None:
            raise ValueError(
                f"{path} has no qid column and there is no {names[0].name} or {names[1].name} beside it; add "
                f"one, or name the group file."
            )
    bounds = np.concatenate([[0], np.cumsum(read_groups(groups))]).astype(np.int64)
    if bounds[-1] != rows:
        raise ValueError(
            f"{groups} counts {bounds[-1]} rows, but {path} has {rows}; one of them is cut or foreign."
        )
    return bounds


class _Rows:
    """Arrays that grow in place, an eighth at a time: the data is never held twice."""

    def __init__(self) -> None:
        self.rows = self.stored = self.lines = 0
        self.labels, self.qids = np.empty(0), np.empty(0, dtype=np.int64)
        self.pointers = np.zeros(1, dtype=np.int64)
        self.indices, self.values = np.empty(0, dtype=np.int64), np.empty(0)

    def resize(self, rows: int, stored: int) -> None:
        # Nobody else holds these arrays, so numpy need not look for references before it moves them.
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
        odd = np.empty((lines + pairs, 3), dtype=np.int64)
        rows, pairs, strange, wrong, at = kernel.parse(
            text, labels, self.qids[r:], ends, self.indices[k:], values, odd
        )
        for start, end, place in odd[:strange].tolist():
            value = _float(text[start:end].tobytes())
            if value is None:
                what = "a number" if place >= 0 else "a number as the label"
                raise ValueError(_sentence(path, text, self.lines, start, f"expected {what}"))
            if place >= 0:
                values[place] = value
            else:
                labels[-1 - place] = value
        if wrong != kernel.FINE:
            raise ValueError(_sentence(path, text, self.lines, at, _EXPECTED[wrong]))
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
        bare = int(np.flatnonzero(without != without[0])[0])
        has = "no qid" if without[bare] else "a qid"
        raise ValueError(
            f"{path}, row {bare + 1}: this row has {has}, the first differs; expected all or none."
        )
    return table.labels, table.qids, table.pointers, table.indices, table.values


def _float(token: bytes) -> float | None:
    if b"_" in token:  # Python reads 1_000; a data file that has it is broken.
        return None
    try:
        value = float(token)
    except ValueError:
        return None
    return value if np.isfinite(value) else None


def _sentence(path: Path, text: NDArray[np.uint8], lines: int, at: int, expected: str) -> str:
    line = lines + int(np.count_nonzero(text[:at] == 10)) + 1
    token = text[at : at + 40].tobytes().split(b"\n")[0].split()
    found = token[0].decode("utf-8", "replace") if token else "nothing"
    return f"{path}, line {line}: found {found!r}, {expected}."


def _chunks(path: Path) -> Iterator[NDArray[np.uint8]]:
    """The file in pieces that end where a line ends."""
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
            raise ValueError(f"{path} is cut short or is not a gzip file ({error}); get it again.") from error
    if rest:
        yield np.frombuffer(rest + b"\n", dtype=np.uint8)


def _open(path: Path) -> BinaryIO | gzip.GzipFile:
    if not path.is_file():
        raise FileNotFoundError(f"There is no file {path}.")
    return gzip.open(path, "rb") if path.suffix == ".gz" else path.open("rb")
