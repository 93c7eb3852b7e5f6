"""The report of a reproduction: one HTML file that needs no other file and no network."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from coactor.lab.output.rendering import render
from coactor.lab.paper.claims import FAILS, HOLDS, Claim
from coactor.lab.paper.results import PanelResult
from coactor.lab.paper.theorem import MARGIN, THEOREM_EXAMPLES, TheoremRow


def report(
    results: Sequence[PanelResult],
    claims: Sequence[Claim],
    svg: str,
    shown: Sequence[str],
    *,
    command: str,
    settings: Mapping[str, str],
    environment: Mapping[str, str],
    files: Sequence[str],
) -> str:
    """The HTML page. Pairs are compared among the contenders that are to be shown."""
    return render(
        "paper.html",
        results=results,
        claims=claims,
        verdicts=Counter(claim.verdict for claim in claims),
        svg=svg,
        shown=shown,
        bounds=_bounds([row for result in results for row in result.theorem]),
        theorem_examples=THEOREM_EXAMPLES,
        command=command,
        settings=settings,
        environment=environment,
        files=files,
    )


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
