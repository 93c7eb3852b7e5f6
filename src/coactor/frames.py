"""Data frames and axes of the caller's libraries: pandas or polars through narwhals, and matplotlib."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from importlib.util import find_spec
from typing import Any, Literal, TypeAlias

Backend: TypeAlias = Literal["pandas", "polars"]
_MISSING = ("None", "nan", "<NA>", "NaT")
_NEEDED = "Data frames need narwhals; install it with: pip install 'coactor[frames]'"


def to_frame(rows: Sequence[Any], backend: Backend | None = None, names: Iterable[str] = ()) -> Any:
    """Rows of the same names as a data frame.

    Parameters
    ----------
    rows
        What the columns are called, and the values.
    backend
        "pandas" or "polars"; by default whichever is installed, pandas if both are.
    names
        The columns if there are no rows.
    """
    narwhals = _narwhals()
    backend = backend or ("pandas" if find_spec("pandas") else "polars")
    if backend not in ("pandas", "polars"):
        raise ValueError(f"There is no backend {backend!r}; expected 'pandas' or 'polars'.")
    if not find_spec(backend):
        raise ImportError(f"{backend} is not installed; install it with: pip install {backend}")
    columns = {name: [row[name] for row in rows] for name in (rows[0] if rows else names)}
    return narwhals.from_dict(columns, backend=backend).to_native()


def text_rows(frame: Any) -> list[list[str]]:
    """The names of the columns of a data frame, then its rows as text; a missing value is empty.

    Raises TypeError if it is no data frame of pandas or polars.
    """
    narwhals = _narwhals()
    try:
        data = narwhals.from_native(frame, eager_only=True)
    except TypeError:
        kind = type(frame).__name__
        raise TypeError(
            f"Expected the path of a file, or a data frame of pandas or polars; got {kind}."
        ) from None
    rows = [["" if str(value) in _MISSING else str(value) for value in row] for row in data.iter_rows()]
    return [list(data.columns), *rows]


def _narwhals() -> Any:
    try:
        import narwhals
    except ImportError as error:
        raise ImportError(_NEEDED) from error
    return narwhals


def axes_of(ax: Any = None) -> Any:
    """The axes to draw on: those that were given, or those of a new figure of matplotlib."""
    if ax is not None:
        return ax
    from matplotlib import pyplot

    return pyplot.subplots(layout="constrained")[1]
