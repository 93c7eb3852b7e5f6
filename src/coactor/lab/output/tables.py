"""Results as CSV, JSON and Markdown: the rows of each file, and their text."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator, Sequence
from typing import Any

from coactor.lab.output.rendering import render
from coactor.lab.paper.claims import Claim
from coactor.lab.paper.results import PanelResult


def number(value: float) -> str:
    """The shortest text that reads back as the same number; integers without a decimal point."""
    return str(int(value)) if float(value).is_integer() else repr(float(value))


def runs_csv(results: Sequence[PanelResult]) -> Iterator[str]:
    """Every cost of every run; yields the text of one run at a time."""
    yield "panel,learner,run,example,cost\n"
    for result in results:
        for name, costs in result.costs.items():
            for run, row in enumerate(costs):
                head = f"{_cell(result.panel.name)},{_cell(name)},{run},"
                text = {cost: number(cost) for cost in set(row.tolist())}  # few costs, many rows
                yield "".join([f"{head}{t},{text[cost]}\n" for t, cost in enumerate(row.tolist())])


def _cell(text: str) -> str:
    return '"' + text.replace('"', '""') + '"' if any(c in text for c in ',"\n') else text


def to_csv(rows: Sequence[dict[str, Any]]) -> str:
    """Rows with the same columns as CSV; None is an empty cell."""
    if not rows:
        return ""
    text = io.StringIO()
    writer = csv.DictWriter(text, list(rows[0]), lineterminator="\n")
    writer.writeheader()
    for row in rows:
        writer.writerow({key: number(v) if isinstance(v, float) else v for key, v in row.items()})
    return text.getvalue()


def to_json(data: Any) -> str:
    """Indented JSON."""
    return json.dumps(data, indent=2, ensure_ascii=False, allow_nan=False) + "\n"


def claims_markdown(claims: Sequence[Claim], preface: str) -> str:
    """The claims as a page of text."""
    return render("claims.md", claims=claims, preface=preface)
