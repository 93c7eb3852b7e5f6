"""Choices of people in the long format: one line for each alternative of each choice.

The columns of Biogeme, mlogit and xlogit are known (`COLUMNS`): the person, the choice it belongs to, the
alternative and whether it was chosen. Every other column is a feature. If alternatives have names and not
numbers, each one but the first has a feature of its own: how much it is liked for what no column says.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from coactor.domains import Alternatives, Situation
from coactor.loaders.tables import Row, csv_lines, existing_file, read_table
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


def read_choices(path: str | Path) -> tuple[Alternatives, list[Chosen]]:
    """Read choices in the long format, in the order of the file, and the domain that they belong to.

    Raises FileNotFoundError if there is no such file, and ValueError with the file, the line and what was
    expected if it is not valid.
    """
    path = Path(path)
    rows = list(read_table(path, COLUMNS | {name: (name,) for name in _features(path)}))
    if not rows:
        raise ValueError(f"{path} has no choices; expected one line for each alternative.")
    features = [name for name in rows[0].cells if name not in COLUMNS]
    names = list(dict.fromkeys(row.text("alternative") for row in rows))
    own = [] if all(_is_number(name) for name in names) else names[1:]
    if not features and not own:
        raise ValueError(f"{path}, line 1: there is no column with a feature of the alternatives.")
    groups: dict[tuple[str, str], list[Row]] = {}
    for row in rows:
        groups.setdefault((_person(row), row.text("situation")), []).append(row)
    choices = [_choice(person, group, features, own) for (person, _), group in groups.items()]
    return Alternatives(len(features) + len(own), [*features, *own]), choices


def _features(path: Path) -> list[str]:
    """The names of the columns with features. Raises ValueError if two columns have the same meaning."""
    header = [name.strip() for name in next(csv_lines(existing_file(path)), (1, []))[1]]
    taken: set[str] = set()
    for name, aliases in COLUMNS.items():
        taken.update(aliases)
        given = [alias for alias in aliases if alias in header]
        if len(given) > 1:
            columns = " and ".join(map(repr, given))
            raise Row(path, 1, {}).fail(f"the columns {columns} are both the {name}; keep one of them.")
    return [name for name in header if name and name not in taken]


def _person(row: Row) -> str:
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


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True
