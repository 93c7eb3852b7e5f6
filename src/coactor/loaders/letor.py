"""Learning-to-rank files: LETOR / SVMlight rows with a qid, or with the group file of LightGBM."""

from __future__ import annotations

import gzip
import re
from pathlib import Path
from typing import BinaryIO

import numpy as np

from coactor.domains import Query, SparseRows
from coactor.loaders.tables import existing_file, shortened
from coactor.protocol import Indices, Matrix, Vector

_NUMBER = rb"[-+]?[\d.]+(e[-+]?\d+)?"
_ROW = re.compile(rb"\s*(%b(\s+qid:\d+)?(\s+\d+:%b)*\s*)?(#.*)?" % (_NUMBER, _NUMBER), re.IGNORECASE)


def read_letor(
    path: str | Path, groups: str | Path | None = None, *, features: int | None = None
) -> list[Query]:
    """Read the queries of a learning-to-rank file, plain or gzipped, by scikit-learn.

    A row is ``label qid:7 1:0.5 3:0.25 # comment``. Without the qid column a group file holds the number of
    rows of each query, in order; by default ``<file>.query`` or ``<file>.group`` beside the file.

    Parameters
    ----------
    path
        The file; decompressed if its name ends in ``.gz``.
    groups
        The group file, if it lies elsewhere or takes precedence over the qid column.
    features
        The number of features; by default the largest feature number in the file. Give it if several files
        must agree.

    Raises
    ------
    ValueError
        With the file, the line if it is known, and what was expected.
    """
    path = Path(path)
    rows, labels, qids = _read_rows(path)
    bounds = _bounds(path, None if groups is None else Path(groups), qids, len(labels))

    smallest = int(rows.indices.min()) if len(rows.indices) else 1
    base = int(smallest > 0)  # numbers start at 0 if there is a 0, else at 1
    width = int(rows.indices.max()) + 1 - base if len(rows.indices) else 0
    if features is not None and width > features:
        raise ValueError(
            f"{path} has a feature number {width - 1 + base}; expected at most {features} features."
        )
    indices = rows.indices - base
    shape = (width if features is None else features,)

    queries = []
    for a, b in zip(bounds[:-1].tolist(), bounds[1:].tolist(), strict=True):
        lo, hi = int(rows.indptr[a]), int(rows.indptr[b])
        own = SparseRows(rows.indptr[a : b + 1] - lo, indices[lo:hi], rows.values[lo:hi], (b - a, *shape))
        queries.append(Query(own, labels[a:b]))
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


def _bounds(path: Path, groups: Path | None, qids: Indices, rows: int) -> Indices:
    """The first row of each query, and the number of rows."""
    if groups is None and len(qids):
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


def _read_rows(path: Path) -> tuple[SparseRows, Vector, Indices]:
    """The rows as they stand in the file, their labels, and their qids; none if no row has one."""
    try:
        from sklearn.datasets import load_svmlight_file
    except ImportError:
        raise ImportError(
            "Reading learning-to-rank files needs scikit-learn: pip install 'coactor[data]'."
        ) from None
    existing_file(path)
    try:
        table, labels, qids = load_svmlight_file(str(path), query_id=True, zero_based=True)
    except (EOFError, gzip.BadGzipFile) as error:
        raise ValueError(f"{path} is truncated or is not a gzip file ({error}).") from error
    except (ValueError, OverflowError) as error:
        raise ValueError(shortened(f"{path}{_wrong_line(path)} ({error}).")) from error
    if not len(labels):
        raise ValueError(f"{path} has no rows; expected rows like '2 qid:1 1:0.5 3:0.25'.")
    if len(qids) not in (0, len(labels)):
        raise ValueError(f"{path} has {len(labels)} rows and {len(qids)} qids; expected one each, or none.")
    if not (np.isfinite(labels).all() and np.isfinite(table.data).all()):
        raise ValueError(f"{path}{_wrong_line(path)}.")
    indptr, indices = table.indptr.astype(np.int64), table.indices.astype(np.int64)
    values: Matrix = table.data
    return SparseRows(indptr, indices, values, table.shape), labels, qids


def _wrong_line(path: Path) -> str:
    """Where the first row is that cannot be read, and what it should look like."""
    with _open(path) as file:
        place = next((f", line {k}" for k, line in enumerate(file, 1) if not _is_row(line)), "")
    return f"{place}: expected rows like '2 qid:1 1:0.5 3:0.25', with increasing feature numbers"


def _is_row(line: bytes) -> bool:
    numbers = [int(number) for number in re.findall(rb"\s(\d+):", line.partition(b"#")[0])]
    return _ROW.fullmatch(line.rstrip()) is not None and numbers == sorted(set(numbers))


def _open(path: Path) -> BinaryIO | gzip.GzipFile:
    existing_file(path)
    return gzip.open(path, "rb") if path.suffix == ".gz" else path.open("rb")
