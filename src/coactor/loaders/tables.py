"""CSV files and data frames row by row, with errors that name the file and the line."""

from __future__ import annotations

import csv
import json
import math
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any

from coactor import frames

LONGEST = 120  # characters of either end of a message


def existing_file(path: str | Path) -> Path:
    """The path of a file. Raises FileNotFoundError if there is none."""
    path = Path(path)
    if path.is_dir() or not path.exists():  # a pipe is good
        raise FileNotFoundError(f"There is no file {path}.")
    return path


def read_json(path: str | Path) -> Any:
    """The content of a JSON file. Raises ValueError if it is not JSON."""
    try:
        return json.loads(existing_file(path).read_text(encoding="utf-8-sig"))
    except (json.JSONDecodeError, UnicodeDecodeError) as error:
        raise ValueError(f"{path} is not JSON ({error}). Is the file cut?") from None


@dataclass(frozen=True, slots=True)
class Row:
    """One line of a table, by column name."""

    path: str | Path
    line: int
    cells: dict[str, str]

    def fail(self, message: str) -> ValueError:
        """The error to raise, with the file and the line."""
        return ValueError(f"{self.path}, line {self.line}: {shortened(message)}")

    def text(self, column: str) -> str:
        """The text of a cell. Raises ValueError if it is empty."""
        value = self.cells[column].strip()
        if not value:
            raise self.fail(f"column {column!r} is empty.")
        return value

    def number(self, column: str, most: float = sys.float_info.max) -> float:
        """The number in a cell. Raises ValueError unless it is finite, and from -`most` to `most`."""
        text = self.text(column)
        value = to_number(text)
        if value is None or abs(value) > most:
            limits = f" from {-most:g} to {most:g}" * (most < sys.float_info.max)
            raise self.fail(f"{column} is {text!r}; expected a number{limits}.")
        return value


def to_number(value: Any) -> float | None:
    """The value as a finite float, or None."""
    try:
        number = float(value)
    except (TypeError, ValueError, OverflowError):
        return None
    return number if math.isfinite(number) and not isinstance(value, bool) else None


def shortened(message: str) -> str:
    """A message without the middle of a value of thousands of characters."""
    return message if len(message) <= 2 * LONGEST else f"{message[:LONGEST]} … {message[-LONGEST:]}"


def read_table(
    source: Any, columns: Mapping[str, Sequence[str]], optional: Sequence[str] = ()
) -> Iterator[Row]:
    """The rows of a CSV file with a header line, or of a data frame.

    Parameters
    ----------
    source
        The file, or a data frame of pandas or polars.
    columns
        The name of each column in the result, and the names it may have in the file, by precedence.
    optional
        The columns that may be missing.

    Raises
    ------
    ValueError
        With the file, the line and what was expected.
    """
    path, reader = named_lines(source)
    header = [name.strip() for name in next(reader, (1, []))[1]]
    places = {}
    for name, aliases in columns.items():
        for alias in aliases:
            if header.count(alias) > 1:
                raise Row(path, 1, {}).fail(f"there are {header.count(alias)} columns {alias!r}; keep one.")
        matches = [header.index(alias) for alias in aliases if alias in header]
        if matches:
            places[name] = matches[0]
        elif name not in optional:
            expected = " or ".join(map(repr, aliases))
            raise Row(path, 1, {}).fail(f"there is no column {expected}; the columns are {header}.")
    for line, cells in reader:
        if not cells:
            continue
        row = Row(path, line, {})
        if len(cells) != len(header):
            raise row.fail(
                f"got {len(cells)} values, expected {len(header)} as in the header. Is the file cut?"
            )
        row.cells.update((name, cells[place]) for name, place in places.items())
        yield row


def named_lines(source: Any) -> tuple[str | Path, Iterator[tuple[int, list[str]]]]:
    """What to call a CSV file or a data frame, and its lines with their numbers: the names come first."""
    if isinstance(source, str | Path):
        return source, csv_lines(existing_file(source))
    return "the data frame", enumerate(frames.text_rows(source))


def csv_lines(path: Path) -> Iterator[tuple[int, list[str]]]:
    """The lines of a CSV file with their numbers. Raises ValueError if it is not text or not CSV."""
    with path.open(newline="", encoding="utf-8-sig") as file:
        try:
            first = file.readline()
            reader = csv.reader(chain([first], file), delimiter=max(",;\t", key=first.count))
            for cells in reader:
                yield reader.line_num, cells
        except UnicodeDecodeError as error:
            raise ValueError(f"{path} is not text in UTF-8; convert it, or choose another file.") from error
        except csv.Error as error:
            raise Row(path, reader.line_num, {}).fail(f"this is not CSV ({error}).") from error
