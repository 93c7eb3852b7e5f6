"""Results as CSV, JSON and Markdown: the rows of each file, and their text."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator, Sequence
from typing import Any

from coactor.lab.engine.statistics import Interval, Pair, interval_fields
from coactor.lab.output.rendering import render
from coactor.lab.paper.claims import Claim
from coactor.lab.paper.results import PanelResult, SummaryRow
from coactor.lab.paper.theorem import TheoremRow
from coactor.lab.paper.versus_paper import Margin
from coactor.proposals.calibration import Bin


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


def summary_row(row: SummaryRow) -> dict[str, Any]:
    """One row of summary.csv."""
    return {
        "panel": row.panel,
        "learner": row.learner,
        "runs": row.runs,
        "examples": row.examples,
        **interval_fields("total", row.total),
        "standard_error": row.standard_error if row.runs > 1 else None,
        **interval_fields("above_expert", row.above_expert),
        **interval_fields("final_utility", row.final_utility),
    }


def pair_row(panel: str, pair: Pair) -> dict[str, Any]:
    """One row of pairs.csv."""
    return {"panel": panel, **pair.fields()}


def margin_row(margin: Margin) -> dict[str, Any]:
    """One row of margins.csv: a learner against the best of the paper's four."""
    return {
        "panel": margin.panel,
        "learner": margin.learner,
        **interval_fields("effort", margin.effort),
        **interval_fields("best_of_four", margin.best),
        **interval_fields("ratio", margin.ratio),
        **interval_fields("ratio_of_totals", margin.ratio_of_totals),
        "wins": margin.wins,
        "best_on_average": margin.rival,
        **interval_fields("above_best_on_average", margin.against_rival),
        **interval_fields("above_expert", margin.above_expert),
        **interval_fields("utility_above_best", margin.utility),
    }


def bin_row(panel: str, learner: str, bin: Bin) -> dict[str, Any]:
    """One row of calibration.csv: proposals with a predicted chance in one range."""
    return {
        "panel": panel,
        "learner": learner,
        "from": bin.low,
        "to": bin.high,
        "proposals": bin.proposals,
        "predicted": bin.predicted,
        **interval_fields("observed", Interval(bin.observed, bin.least, bin.most)),
    }


def theorem_row(row: TheoremRow) -> dict[str, Any]:
    """One row of bounds.csv."""
    return {
        "statement": row.statement,
        "panel": row.panel,
        "learner": row.learner,
        "run": row.run,
        "examples": row.examples,
        "updates": row.updates,
        "R": row.R,
        "W": row.W,
        "kappa": row.kappa,
        "bounded": "average of C squared" if row.squared else "average of C",
        "misjudged": row.misjudged,
        "measured": row.measured,
        "bound": row.bound,
        "refined_bound": row.refined,
        "assumption_1": row.local,
        "assumption_2": row.gained,
        "assumption_3": row.disagreed,
    }


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


def claim_data(claim: Claim) -> dict[str, Any]:
    """One claim as JSON-able data."""
    return {
        "number": claim.number,
        "claim": claim.sentence,
        "meaning": claim.meaning,
        "verdict": claim.verdict,
        "note": claim.note,
        "numbers": [
            {
                "question": answer.question,
                "value": answer.value.value,
                "low": answer.value.low,
                "high": answer.value.high,
                "verdict": answer.verdict,
            }
            for answer in claim.answers
        ],
    }


def claims_markdown(claims: Sequence[Claim], preface: str) -> str:
    """The claims as a page of text."""
    return render("claims.md", claims=claims, preface=preface)
