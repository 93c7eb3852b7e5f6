"""Pieces of HTML that the report is put together from."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from coactor.lab.engine.statistics import Interval


def table(
    head: Sequence[tuple[str, bool]], rows: Iterable[tuple[str, Sequence[str]]], caption: str = ""
) -> str:
    """A table from escaped cells; `head` says which columns are numbers."""
    parts = ['<div class="scroll"><table>']
    if caption:
        parts.append(f"<caption>{caption}</caption>")
    numeric = [' class="n"' if is_number else "" for _, is_number in head]
    cells = "".join(f'<th scope="col"{n}>{text}</th>' for (text, _), n in zip(head, numeric, strict=True))
    parts.append(f"<thead><tr>{cells}</tr></thead><tbody>")
    for kind, row in rows:
        cells = "".join(f"<td{n}>{text}</td>" for text, n in zip(row, numeric, strict=True))
        parts.append(f'<tr class="{kind}">{cells}</tr>' if kind else f"<tr>{cells}</tr>")
    parts.append("</tbody></table></div>")
    return "".join(parts)


def rounded(value: float) -> str:
    """Three or four digits are all that ten runs can tell."""
    if value == 0:
        return "0"
    if abs(value) >= 1e6:
        return f"{value:.1e}".replace("e+0", "e").replace("e+", "e")
    if abs(value) >= 1000:
        return f"{value:.0f}"
    return f"{value:.1f}" if abs(value) >= 10 else f"{value:.3g}"


def fixed(value: float) -> str:
    """Utilities differ in the last places, so all have the same number of them."""
    return f"{value:.3f}" if abs(value) < 100 else f"{value:.2f}"


def span(found: Interval | None) -> str:
    if found is None:
        return "–"
    return f'{rounded(found.value)} <span class="soft">[{rounded(found.low)}, {rounded(found.high)}]</span>'
