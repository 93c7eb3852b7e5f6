"""The numbers as plain files: CSV and JSON that open anywhere and differ only when the numbers do."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator, Sequence
from typing import Any

from coactor.lab.engine.statistics import Interval, Pair
from coactor.lab.output.calibration import Bin
from coactor.lab.paper.claims import Claim
from coactor.lab.paper.results import PanelResult, Row
from coactor.lab.paper.theorem import TheoremRow
from coactor.lab.paper.versus_paper import Margin


def number(value: float) -> str:
    """Shortest text that reads back as the same number; whole numbers without a point."""
    return str(int(value)) if float(value).is_integer() else repr(float(value))


def runs_csv(results: Sequence[PanelResult]) -> Iterator[str]:
    """Every cost of every run, one piece of text a run."""
    yield "panel,learner,run,example,cost\n"
    for result in results:
        for line, costs in result.costs.items():
            for run, row in enumerate(costs):
                head = f"{result.panel.name},{_cell(line)},{run},"
                text = {cost: number(cost) for cost in set(row.tolist())}  # few costs, many rows
                yield "".join([f"{head}{t},{text[cost]}\n" for t, cost in enumerate(row.tolist())])


def _cell(text: str) -> str:
    return '"' + text.replace('"', '""') + '"' if any(c in text for c in ',"\n') else text


def _ends(name: str, interval: Interval | None) -> dict[str, float | None]:
    if interval is None:
        return {name: None, f"{name}_low": None, f"{name}_high": None}
    return {name: interval.value, f"{name}_low": interval.low, f"{name}_high": interval.high}


def summary_row(row: Row) -> dict[str, Any]:
    """One line of summary.csv."""
    return {
        "panel": row.panel,
        "learner": row.learner,
        "runs": row.runs,
        "examples": row.examples,
        **_ends("total", row.total),
        "standard_error": row.standard_error if row.runs > 1 else None,
        **_ends("above_expert", row.above_expert),
        **_ends("final_utility", row.final_utility),
    }


def pair_row(panel: str, pair: Pair) -> dict[str, Any]:
    """One line of pairs.csv."""
    return {
        "panel": panel,
        "a": pair.a,
        "b": pair.b,
        **_ends("difference", pair.difference),
        **_ends("a_beats_b", pair.wins),
    }


def margin_row(margin: Margin) -> dict[str, Any]:
    """One line of margins.csv: a learner against the best of the paper's four."""
    return {
        "panel": margin.panel,
        "learner": margin.line,
        **_ends("effort", margin.effort),
        **_ends("best_of_four", margin.best),
        **_ends("ratio", margin.ratio),
        **_ends("ratio_of_totals", margin.ratio_of_totals),
        "wins": margin.wins,
        "best_on_average": margin.rival,
        **_ends("above_best_on_average", margin.against_rival),
        **_ends("above_expert", margin.above_expert),
        **_ends("utility_above_best", margin.utility),
    }


def bin_row(found: Bin) -> dict[str, Any]:
    """One line of calibration.csv: proposals said to be about equally likely to be accepted."""
    return {
        "panel": found.panel,
        "learner": found.line,
        "from": found.low,
        "to": found.high,
        "proposals": found.proposals,
        "predicted": found.predicted,
        **_ends("observed", found.observed),
    }


def theorem_row(row: TheoremRow) -> dict[str, Any]:
    """One line of bounds.csv."""
    return {
        "panel": row.panel,
        "learner": row.learner,
        "run": row.run,
        "examples": row.examples,
        "updates": row.updates,
        "R": row.R,
        "W": row.W,
        "kappa": row.kappa,
        "bounded": "average of C squared" if row.squared else "average of C",
        "measured": row.measured,
        "bound": row.bound,
        "refined_bound": row.refined,
        "assumption_1": row.local,
        "assumption_2": row.gained,
        "assumption_3": row.disagreed,
    }


def to_csv(rows: Sequence[dict[str, Any]]) -> str:
    """Rows of one shape as CSV; None is an empty cell."""
    if not rows:
        return ""
    text = io.StringIO()
    writer = csv.DictWriter(text, list(rows[0]), lineterminator="\n")
    writer.writeheader()
    for row in rows:
        writer.writerow({key: number(v) if isinstance(v, float) else v for key, v in row.items()})
    return text.getvalue()


def to_json(data: Any) -> str:
    """JSON for people and programs."""
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
    parts = ["# The paper's claims, asked of these numbers\n", preface + "\n"]
    parts.append("| | claim | verdict |\n|---|---|---|")
    parts += [f"| {c.number} | {c.sentence} | **{c.verdict}** |" for c in claims]
    for claim in claims:
        parts.append(f"\n## {claim.number}. {claim.sentence}\n")
        parts.append(f"**{claim.verdict}**. Taken to mean: {claim.meaning}\n")
        if claim.note:
            parts.append(f"{claim.note}\n")
        if claim.answers:
            parts.append(
                "| number (above 0 supports the claim) | value | 95 % interval | |\n|---|---|---|---|"
            )
            parts += [
                f"| {a.question} | {a.value.value:.4g} | {a.value.low:.4g} to {a.value.high:.4g} "
                f"| {a.verdict} |"
                for a in claim.answers
            ]
    return "\n".join(parts) + "\n"
