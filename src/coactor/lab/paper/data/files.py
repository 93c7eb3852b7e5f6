"""Ranking data files for the panels."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path

from coactor import loaders
from coactor.domains import Query, SparseRows
from coactor.lab.engine.cache import data_digest


@dataclass(frozen=True, slots=True)
class DataFile:
    """A ranking data set on disk.

    Attributes
    ----------
    paths
        Its files, in order.
    digest
        A hash of their content.
    """

    paths: tuple[str, ...]
    digest: str


def open_data(paths: Sequence[str | Path]) -> DataFile:
    """Read LETOR/SVMlight files now, so that errors in them are reported before any work.

    Raises ValueError if a file is missing or not valid, or if no document is relevant.
    """
    for path in paths:
        if not Path(path).is_file():
            raise ValueError(f"There is no data file {path}. Give the path of a LETOR/SVMlight file.")
    files = [Path(path) for path in paths]
    data = DataFile(tuple(str(file.resolve()) for file in files), data_digest(files))
    if not any((query.labels > 0).any() for query in read_queries(data)):
        raise ValueError(
            f"{paths[0]}: every label is 0; expected judgements from 0 to 4 in the first column."
        )
    return data


@lru_cache(maxsize=1)
def read_queries(data: DataFile) -> list[Query]:
    """The queries of all files of a data set, each with as many features as the widest file."""
    queries = [query for path in data.paths for query in loaders.read_letor(path)]
    features = max(query.documents.shape[1] for query in queries)
    return [_widened(query, features) for query in queries]


def _widened(query: Query, features: int) -> Query:
    documents = query.documents
    assert isinstance(documents, SparseRows)
    return replace(query, documents=replace(documents, shape=(documents.shape[0], features)))
