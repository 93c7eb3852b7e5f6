"""The report: one HTML file with everything in it, readable offline, on screen and in print."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from html import escape
from importlib.resources import files as resources

from coactor.lab.engine.contenders import EXPERT
from coactor.lab.engine.statistics import Pair
from coactor.lab.output import sections
from coactor.lab.output.markup import fixed, rounded, span, table
from coactor.lab.paper.claims import ABSENT, CLOSE, FAILS, HOLDS, Claim
from coactor.lab.paper.results import PanelResult, Row
from coactor.lab.paper.robustness import Cell
from coactor.lab.paper.theorem import THEOREM_EXAMPLES, TheoremRow

_MARK = {HOLDS: ("yes", "✓"), FAILS: ("no", "✗"), CLOSE: ("open", "≈"), ABSENT: ("absent", "–")}

_PROBLEMS = {
    "twin": "On a generated twin of a ranking data set, not on the paper's data.",
    "data": "On the data file; each run is a random permutation of its queries.",
}
_PLURAL = {HOLDS: "hold", FAILS: "do not hold", CLOSE: "too close to call", ABSENT: "not run"}


def render(
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
    """The whole page."""
    rows = [row for result in results for row in result.rows()]
    theorem = [row for result in results for row in result.theorem]
    counts = {verdict: sum(c.verdict == verdict for c in claims) for verdict in _MARK}
    said = ", ".join(f"{count} {_PLURAL[verdict]}" for verdict, count in counts.items() if count)
    ours = {
        "ours": sections.ours(results),
        "calibration": sections.calibration(results),
        "robustness": sections.robustness(cells),
    }
    size = f"{results[0].runs} runs of {_examples(results)} examples"
    caption = (
        "Average effort of the expert per example so far, against examples: mean of the runs with a 95 % "
        "bootstrap band. Dashed grey: what is left when the solver knows the true visible weights, where "
        "that is above zero. Vertical axes are logarithmic except for ranking."
    )
    body = [
        "<header><h1>Coactive learning for locally optimal problem solving, reproduced</h1>",
        f'<p class="lead">{escape(size)}; of the paper\'s {len(claims)} claims: {escape(said)}.</p>',
        _navigation([key for key, text in ours.items() if text], bool(theorem)),
        "</header><main>",
        '<h2 id="figure">The figure</h2>',
        f"<figure>{_inline(svg)}<figcaption>{caption}</figcaption></figure>",
        '<h2 id="claims">The claims</h2>',
        "<p>Each sentence of the paper's experiments section, asked of these runs. An answer counts when the "
        "whole 95 % interval of the paired difference lies on one side of zero.</p>",
        _claims(claims),
        '<h2 id="tables">Effort, panel by panel</h2>',
        "<p>Total effort is the number of edits the expert made over all examples, mean of the runs. Final "
        "utility is the expert's own utility of the solution he ended with, mean per example; higher is "
        "better. Differences are paired: both learners saw the same problems and the same expert.</p>",
        *(_panel(result, rows) for result in results),
    ]
    body += [text for text in ours.values() if text]
    if theorem:
        body += ['<h2 id="bounds">Theorem 1 against measured effort</h2>', _bounds(theorem)]
    body += [
        '<h2 id="how">How these numbers were made</h2>',
        f"<pre><code>{escape(command)}</code></pre>",
        _definitions(settings),
        "<h3>Environment</h3>",
        _definitions(environment),
        "<h3>Files</h3>",
        f"<p>Beside this page: {', '.join(f'<code>{escape(name)}</code>' for name in files)}. "
        "<code>coactor reproduce --verify manifest.json</code> runs everything again and compares.</p>",
        "</main>",
    ]
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>coactor: the paper, reproduced</title><style>{_style()}</style></head>\n<body>"
        + "\n".join(body)
        + "</body></html>\n"
    )


def _style() -> str:
    return (resources("coactor.lab.output") / "templates" / "report.css").read_text()


def _examples(results: Sequence[PanelResult]) -> str:
    sizes = sorted({result.examples for result in results})
    return f"{sizes[0]}" if len(sizes) == 1 else f"{sizes[0]} to {sizes[-1]}"


def _navigation(ours: Sequence[str], theorem: bool) -> str:
    links = [("figure", "Figure"), ("claims", "Claims"), ("tables", "Tables")]
    links += [(key, sections.TITLES[key][0]) for key in ours]
    links += [("bounds", "Theorem 1")] if theorem else []
    links += [("how", "How it was made")]
    return "<nav>" + "".join(f'<a href="#{key}">{name}</a>' for key, name in links) + "</nav>"


def _inline(svg: str) -> str:
    """The figure as part of the page: no prolog, no fixed size, a name for those who cannot see it."""
    start = svg.index("<svg")
    text = re.sub(r'(<svg\b[^>]*?) width="[^"]*"', r"\1", svg[start:], count=1)
    text = re.sub(r'(<svg\b[^>]*?) height="[^"]*"', r"\1", text, count=1)
    label = "Average effort against examples for every panel; the tables below give the numbers"
    return text.replace("<svg", f'<svg role="img" aria-label="{label}"', 1)


def _verdict(verdict: str) -> str:
    kind, mark = _MARK[verdict]
    return f'<span class="verdict {kind}">{mark} {escape(verdict)}</span>'


def _claims(claims: Sequence[Claim]) -> str:
    def cell(claim: Claim) -> str:
        text = f"{escape(claim.sentence)}<br><small>Taken to mean: {escape(claim.meaning)}</small>"
        if claim.note:
            text += f"<br><small>{escape(claim.note)}</small>"
        if claim.answers:
            inner = table(
                [("above 0 supports the claim", False), ("value and 95 % interval", True), ("", False)],
                [("", (escape(a.question), span(a.value), _verdict(a.verdict))) for a in claim.answers],
            )
            text += f"<details><summary>{len(claim.answers)} number{'s' * (len(claim.answers) > 1)}</summary>"
            text += f"{inner}</details>"
        return text

    return table(
        [("", True), ("claim", False), ("verdict", False)],
        [("", (str(claim.number), cell(claim), _verdict(claim.verdict))) for claim in claims],
    )


def _panel(result: PanelResult, rows: Sequence[Row]) -> str:
    mine = [row for row in rows if row.panel == result.panel.name]
    learners = [row for row in mine if row.learner != EXPERT]
    least = min((row.total.value for row in learners), default=0.0)

    def kind(row: Row) -> str:
        if row.learner == EXPERT:
            return "reference"
        return "best" if row.total.value == least else ""

    head = [("learner", False), ("total effort", True)]
    has_expert = any(row.above_expert for row in mine)
    head += [("above expert", True)] if has_expert else []
    head += [("final utility", True)]
    totals = table(
        head,
        [
            (
                kind(row),
                [
                    escape(row.learner) + (" line" if row.learner == EXPERT else ""),
                    span(row.total),
                    *([span(row.above_expert)] if has_expert else []),
                    fixed(row.final_utility.value),
                ],
            )
            for row in mine
        ],
        f"Totals over {result.examples} examples, mean of {result.runs} runs",
    )
    title = f'<h3 id="{escape(result.panel.name)}">{escape(result.panel.title)} '
    title += f"<small>({escape(result.panel.name)})</small></h3>"
    if result.panel.problems != "sample":
        title += f'<p class="soft">{_PROBLEMS[result.panel.problems]}</p>'
    pairs = result.pairs()
    return f'{title}<div class="two">{totals}{_pairs(pairs) if pairs else ""}</div>'


def _pairs(pairs: Sequence[Pair]) -> str:
    return table(
        [("A against B", False), ("effort A minus B", True), ("A beats B", True)],
        [("", (f"{escape(p.a)} – {escape(p.b)}", span(p.difference), f"{p.wins.value:.0%}")) for p in pairs],
        "Paired differences, and in how many runs A wins",
    )


def _bounds(rows: Sequence[TheoremRow]) -> str:
    text = (
        "<p>The theorem speaks of noise-free runs that learn from the last candidate the learner disagreed "
        "with (Assumption 3), so it is checked by learners of its own, on the first "
        f"{THEOREM_EXAMPLES} examples of each run above. R is the largest norm among the solutions compared. "
        "The refined bound does not depend on the number of examples: the proof holds with the number of "
        "updates in its place. Where the paper's solver ignores the expert's operators (path planning) it is "
        "polished here, as Assumption 1 demands. Assumptions are checked on every example.</p>"
    )
    groups: dict[tuple[str, str], list[TheoremRow]] = {}
    for row in rows:
        groups.setdefault((row.panel, row.learner), []).append(row)
    cells = []
    for (panel, learner), group in groups.items():
        met = [row for row in group if row.assumptions_met]
        worst = max(group, key=lambda row: row.measured / row.bound)
        below = all(row.held for row in met)
        verdict = (
            _verdict(HOLDS if below else FAILS) if met else '<span class="soft">assumptions not met</span>'
        )
        cells.append(
            (
                "",
                (
                    escape(panel),
                    escape(learner),
                    "C²" if worst.squared else "C",
                    f"{len(met)} of {len(group)}",
                    rounded(worst.measured),
                    rounded(worst.bound),
                    rounded(worst.refined),
                    verdict,
                ),
            )
        )
    return text + table(
        [
            ("panel", False),
            ("learner", False),
            ("average of", False),
            ("runs that qualify", True),
            ("measured, worst run", True),
            ("printed bound", True),
            ("refined bound", True),
            ("", False),
        ],
        cells,
    )


def _definitions(items: Mapping[str, str]) -> str:
    return "<dl>" + "".join(f"<dt>{escape(k)}</dt><dd>{escape(v)}</dd>" for k, v in items.items()) + "</dl>"
