"""Choices of people, from a CSV file or a data frame, long or wide.

Long: one line for each alternative of each choice. The columns of Biogeme, mlogit and xlogit are known
(`COLUMNS`): the person, the choice it belongs to, the alternative and whether it was chosen. Every other
column is a feature. Wide, which has no column of alternatives: one line for each choice, the name of the
chosen alternative, and a column for each feature of each alternative, such as ``price_bus``; an alternative
whose columns are empty was not on offer. The person may be left out, and in a wide table the choice.

If alternatives have names and not numbers, each one but the first has a feature of its own: how much it is
liked for what no column says.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np

from coactor.domains import Alternatives, Situation
from coactor.loaders.tables import Row, named_lines, read_table, to_number
from coactor.validation import recorded_person

COLUMNS = {
    "person": ("person", "person_id", "id"),
    "situation": ("situation", "choice_id", "chid"),
    "alternative": ("alternative", "alt"),
    "chosen": ("chosen", "choice"),
}
_TRUTH = {"true": True, "yes": True, "false": False, "no": False}  # R writes TRUE


@dataclass(frozen=True, slots=True, eq=False)
class Chosen:
    """One choice of one person."""

    person: str
    problem: Situation
    choice: int


def read_choices(source: Any) -> tuple[Alternatives, list[Chosen]]:
    """Read choices in their order, and the domain that they belong to.

    Parameters
    ----------
    source
        The path of a CSV file, or a data frame of pandas or polars.

    Raises
    ------
    FileNotFoundError
        If there is no such file.
    ValueError
        With the file, the line and what was expected if it is not valid.
    """
    where, lines = named_lines(source)
    header = [name.strip() for name in next(lines, (1, []))[1]]
    others, wide = _features(where, header), not set(COLUMNS["alternative"]) & set(header)
    columns = COLUMNS | {name: (name,) for name in others}
    missing = ("person", "situation", "alternative") if wide else ("person",)
    rows = list(read_table(source, columns, missing))
    if not rows:
        raise ValueError(f"{where} has no choices; expected a line for each alternative or for each choice.")
    if wide:
        rows, others = _long(rows, others)
    names = list(dict.fromkeys(row.text("alternative") for row in rows))
    own = [] if all(to_number(name) is not None for name in names) else names[1:]
    if not others and not own:
        raise ValueError(f"{where}, line 1: there is no column with a feature of the alternatives.")
    groups: dict[tuple[str, str], list[Row]] = {}
    for row in rows:
        groups.setdefault((_person(row), row.text("situation")), []).append(row)
    choices = [_choice(person, group, others, own) for (person, _), group in groups.items()]
    return Alternatives(len(others) + len(own), [*others, *own]), choices


def _features(where: str | Path, header: list[str]) -> list[str]:
    """The names of the columns with features. Raises ValueError if two columns have the same meaning."""
    taken: set[str] = set()
    for name, aliases in COLUMNS.items():
        taken.update(aliases)
        given = [alias for alias in aliases if alias in header]
        if len(given) > 1:
            columns = " and ".join(map(repr, given))
            raise Row(where, 1, {}).fail(f"the columns {columns} are both the {name}; keep one of them.")
    return [name for name in header if name and name not in taken]


def _long(rows: list[Row], columns: list[str]) -> tuple[list[Row], list[str]]:
    """The lines of a wide table as one line for each alternative, and the names of its features."""
    chosen = {row.text("chosen") for row in rows}
    for mark, last in product("_.: ", (True, False)):
        parts = {name: name.rpartition(mark)[::2] if last else name.partition(mark)[::-2] for name in columns}
        of: dict[str, dict[str, str]] = {}  # alternative -> feature -> column
        for name, (feature, alternative) in parts.items():
            of.setdefault(alternative, {})[feature] = name
        if chosen <= of.keys():
            break
    else:
        raise rows[0].fail(
            f"no column belongs to the chosen alternative {min(chosen)!r}; expected a column with the "
            "alternatives, one line for each, or columns such as 'price_bus', one line for each choice."
        )
    features = list(dict.fromkeys(name for one in chosen for name in of[one]))
    for alternative, own in of.items():
        if stray := [column for feature, column in own.items() if feature not in features or not alternative]:
            raise rows[0].fail(f"the column {stray[0]!r} belongs to no alternative; leave it out.")
    features = [name for name in dict.fromkeys(parts[name][0] for name in columns) if name in features]
    lines = []
    for row in rows:
        for alternative, own in of.items():
            if not any(row.cells[column].strip() for column in own.values()):
                continue
            cells = {name: row.cells[own[name]] if name in own else "0" for name in features}
            cells |= {"alternative": alternative, "chosen": str(int(row.text("chosen") == alternative))}
            cells |= {"situation": str(row.line)} | {
                name: row.cells[name] for name in ("person", "situation") if name in row.cells
            }
            lines.append(Row(row.path, row.line, cells))
    return lines, features


def _person(row: Row) -> str:
    if "person" not in row.cells:
        return ""
    try:
        return recorded_person(row.text("person"))
    except ValueError as error:
        raise row.fail(str(error)) from None


def _choice(person: str, rows: list[Row], features: list[str], own: list[str]) -> Chosen:
    chosen = [k for k, row in enumerate(rows) if _is_chosen(row)]
    if len(chosen) != 1:
        raise rows[0].fail(
            f"person {person!r} chose {len(chosen)} of {len(rows)} alternatives here; expected a 1 in one of "
            "the lines and 0 in the others."
        )
    labels = tuple(row.text("alternative") for row in rows)
    if len(set(labels)) < len(labels):
        raise rows[0].fail(f"person {person!r} has an alternative twice in one choice.")
    values = [
        [*(row.number(name) for name in features), *(float(row.text("alternative") == name) for name in own)]
        for row in rows
    ]
    return Chosen(person, Situation(np.array(values), labels), chosen[0])


def _is_chosen(row: Row) -> bool:
    text = row.text("chosen")
    if text.lower() in _TRUTH:
        return _TRUTH[text.lower()]
    if (value := row.number("chosen")) not in (0.0, 1.0):
        raise row.fail(f"chosen is {text!r}; expected 1 or 0.")
    return bool(value)
