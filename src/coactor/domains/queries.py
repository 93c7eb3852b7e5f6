"""Queries and the feature rows of their documents: the problem of rankings."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from coactor import display, validation
from coactor.kernels import rankings
from coactor.protocol import Indices, Matrix, Vector


@dataclass(frozen=True, slots=True, eq=False)
class SparseRows:
    """A sparse matrix in compressed sparse row (CSR) format.

    Attributes
    ----------
    indptr, indices, values
        Row r has values[indptr[r] : indptr[r + 1]] in the columns indices[indptr[r] : indptr[r + 1]].
    shape
        (rows, columns).
    """

    indptr: Indices
    indices: Indices
    values: Vector
    shape: tuple[int, int]

    __repr__ = display.brief("shape", "values")

    @staticmethod
    def of(indptr: Any, indices: Any, values: Any, shape: tuple[int, int]) -> SparseRows:
        """Validated rows."""
        starts, columns = validation.integers(indptr, "indptr"), validation.integers(indices, "indices")
        numbers = validation.vector(values, "document features")
        ends = starts.size == shape[0] + 1 and starts[0] == 0 and starts[-1] == columns.size
        if not ends or (np.diff(starts) < 0).any():
            raise ValueError(f"indptr does not describe {shape[0]} rows with {columns.size} entries in all.")
        if numbers.size != columns.size or (columns < 0).any() or (columns >= shape[1]).any():
            raise ValueError(f"Each value needs a column from 0 to {shape[1] - 1}.")
        return SparseRows(starts, columns, numbers, shape)

    def dense(self) -> Matrix:
        """The same rows as a dense matrix."""
        return rankings.sparse_dense(self.indptr, self.indices, self.values, self.shape[1])


Documents: TypeAlias = Matrix | SparseRows


@dataclass(frozen=True, slots=True, eq=False)
class Query:
    """The documents of a query, and their relevance.

    Attributes
    ----------
    documents
        Feature rows, dense or sparse.
    labels
        Relevance, 0 to 4, which only the expert sees; all 0 if unknown.
    names
        Of the documents; optional.
    """

    documents: Documents
    labels: Vector
    names: tuple[str, ...] | None = None

    __repr__ = display.brief("documents", "labels")

    @property
    def size(self) -> int:
        """The number of documents."""
        return int(self.documents.shape[0])

    def title(self, document: int) -> str:
        """The name of a document, or its number."""
        return str(document) if self.names is None else self.names[document]

    @staticmethod
    def of(documents: Any, labels: Any = None, names: Any = None, *, features: int | None = None) -> Query:
        """A validated query."""
        if isinstance(documents, SparseRows):
            if features is not None and documents.shape[1] != features:
                raise ValueError(f"Documents have {documents.shape[1]} features; expected {features}.")
            rows: Documents = documents
        else:
            rows = validation.matrix(documents, "document features", None, features)
        n = int(rows.shape[0])
        if n < 1:
            raise ValueError("The query has no documents; give at least one.")
        relevance = np.zeros(n) if labels is None else validation.vector(labels, "labels")
        if relevance.shape != (n,):
            raise ValueError(f"{relevance.size} labels were given for {n} documents; give one each.")
        return Query(rows, relevance, validation.titles(names, n, "documents"))

    def scores(self, w: Vector) -> Vector:
        """w . f(document) for each document."""
        rows = self.documents
        if w.size != rows.shape[1]:
            raise ValueError(f"The documents have {rows.shape[1]} features; the domain expects {w.size}.")
        if isinstance(rows, SparseRows):
            scores: Vector = rankings.sparse_scores(rows.indptr, rows.indices, rows.values, w)
        else:
            scores = rows @ w
        if not math.isfinite(float(scores.sum())) and not np.isfinite(scores).all():
            raise ValueError(
                "Document scores are NaN or infinite; every weight and every feature must be finite."
            )
        return scores

    def weighted_sum(self, share: Vector) -> Vector:
        """The sum of all document rows, each times its share."""
        rows = self.documents
        if isinstance(rows, SparseRows):
            return rankings.sparse_sum(rows.indptr, rows.indices, rows.values, share, rows.shape[1])
        return share @ rows

    def rows(self) -> Matrix:
        """All document rows, dense."""
        return self.documents.dense() if isinstance(self.documents, SparseRows) else self.documents
