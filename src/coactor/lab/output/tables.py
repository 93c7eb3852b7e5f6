"""Results as CSV, JSON and Markdown: the rows of each file, and their text."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Sequence
from typing import Any

from coactor.lab.paper.results import PanelResult


def number(value: float) -> str:
    """The shortest text that reads back as the same number; integers without a decimal point."""
    return str(int(value)) if float(value).is_integer() else repr(float(value))


def runs_csv(results: Sequence[PanelResult]) -> str:
    """Every cost of every run."""
    return to_csv(
        {"panel": result.panel.name, "learner": name, "run": run, "example": t, "cost": cost}
        for result in results
        for name, costs in result.costs.items()
        for run, row in enumerate(costs.tolist())
        for t, cost in enumerate(row)
    )


def to_csv(rows: Iterable[dict[str, Any]]) -> str:
    """Rows with the same columns as CSV; None is an empty cell."""
    text, writer = io.StringIO(), None
    for row in rows:
        if writer is None:
            writer = csv.DictWriter(text, list(row), lineterminator="\n")
            writer.writeheader()
        writer.writerow({key: number(v) if isinstance(v, float) else v for key, v in row.items()})
    return text.getvalue()


def to_json(data: Any) -> str:
    """Indented JSON."""
    return json.dumps(data, indent=2, ensure_ascii=False, allow_nan=False) + "\n"
