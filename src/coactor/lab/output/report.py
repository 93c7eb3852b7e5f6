"""The report of a reproduction: one HTML file that needs no other file and no network."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from coactor.lab.output.calibration import calibrations
from coactor.lab.output.rendering import render
from coactor.lab.paper.claims import ABSENT, CLOSE, EQUAL, FAILS, HOLDS, Claim
from coactor.lab.paper.results import PanelResult
from coactor.lab.paper.robustness import Cell
from coactor.lab.paper.theorem import MARGIN, THEOREM_EXAMPLES, TheoremRow
from coactor.lab.paper.versus_paper import margins

_VERBS = {  # verdict -> singular and plural
    HOLDS: ("holds", "hold"),
    FAILS: ("does not hold", "do not hold"),
    EQUAL: ("is level within 5 %", "are level within 5 %"),
    CLOSE: ("is too close to call", "are too close to call"),
    ABSENT: ("was not run", "were not run"),
}


def report(
    results: Sequence[PanelResult],
    claims: Sequence[Claim],
    svg: str,
    *,
    command: str,
    settings: Mapping[str, str],
    environment: Mapping[str, str],
    files: Sequence[str],
    cells: Sequence[Cell] = (),
) -> str:
    """The HTML page."""
    return render(
        "paper.html",
        results=results,
        claims=claims,
        verdicts=_count_verdicts(claims),
        svg=svg,
        margins=[margin for result in results for margin in margins(result)],
        calibrations=calibrations(results),
        robustness=_robustness(cells),
        bounds=_bounds([row for result in results for row in result.theorem]),
        theorem_examples=THEOREM_EXAMPLES,
        command=command,
        settings=settings,
        environment=environment,
        files=files,
    )


def _count_verdicts(claims: Sequence[Claim]) -> str:
    counts = {verdict: sum(claim.verdict == verdict for claim in claims) for verdict in _VERBS}
    return ", ".join(f"{n} {_VERBS[verdict][n > 1]}" for verdict, n in counts.items() if n)


def _robustness(cells: Sequence[Cell]) -> dict[str, Any]:
    """One table per learner: a row per variation, a column per panel."""
    panels = list(dict.fromkeys(cell.margin.panel for cell in cells))
    tables: dict[str, dict[str, dict[str, Cell]]] = {}
    for cell in cells:
        rows = tables.setdefault(cell.margin.learner, {})
        rows.setdefault(cell.variation, {})[cell.margin.panel] = cell
    worse = sum(cell.worse for cell in cells)
    return {"panels": panels, "tables": tables, "worse": worse, "cells": len(cells)}


def _bounds(rows: Sequence[TheoremRow]) -> list[dict[str, Any]]:
    """One row per panel and learner: the run that is nearest to its bound."""
    groups: dict[tuple[str, str], list[TheoremRow]] = {}
    for row in rows:
        if row.statement == MARGIN:
            continue
        groups.setdefault((row.panel, row.learner), []).append(row)
    table = []
    for group in groups.values():
        met = [row for row in group if row.assumptions_met]
        verdict = (HOLDS if all(row.held for row in met) else FAILS) if met else ""
        worst = max(group, key=lambda row: row.measured / row.bound)
        table.append({"worst": worst, "met": len(met), "runs": len(group), "verdict": verdict})
    return table
