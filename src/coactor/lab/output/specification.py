"""The claims under all settings: a dot matrix, a table in Markdown, and a page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from coactor.lab.output.plotting import encode, new_figure
from coactor.lab.output.rendering import render
from coactor.lab.paper.claims import CLOSE, EQUAL, FAILS, HOLDS
from coactor.lab.paper.specification import SETTINGS, VALUES, ClaimTable

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# The signs tell the verdicts apart in grey print.
MARKS = {HOLDS: ("#0072B2", "+"), FAILS: ("#D55E00", "–"), EQUAL: ("#8C8C8C", "="), CLOSE: ("#DDDDDD", "")}
_CELL = 0.21  # inches
_SHADES = ("#FFFFFF", "#9A9A9A", "#333333")


def draw(tables: Sequence[ClaimTable]) -> tuple[bytes, str]:
    """One column per setting, one row per claim; below, the value of each choice in the setting."""
    left, top = 3.9, 0.4
    width = left + len(SETTINGS) * _CELL + 0.2
    height = top + (len(tables) + len(VALUES)) * _CELL + 0.75
    with new_figure(figsize=(width, height)) as figure:
        axes = figure.add_axes((0, 0, 1, 1))
        axes.set_xlim(0, width)
        axes.set_ylim(height, 0)
        axes.axis("off")
        axes.text(0.1, 0.2, "Claim", fontsize=8.5, fontweight="bold", va="center")
        axes.text(left, 0.2, "Verdict under each setting", fontsize=8.5, fontweight="bold", va="center")
        for r, table in enumerate(tables):
            y = top + r * _CELL
            axes.text(0.1, y + _CELL / 2, _short(table), fontsize=7, va="center")
            for k, verdict in enumerate(table.verdicts):
                _cell(axes, left + k * _CELL, y, *MARKS[verdict])
        below = top + len(tables) * _CELL + 0.2
        for r, (name, values) in enumerate(VALUES.items()):
            y = below + r * _CELL
            words = ", ".join(str(value) for value in values)
            axes.text(0.1, y + _CELL / 2, f"{name}: {words}", fontsize=7, va="center")
            shades = dict(zip(values, (_SHADES[0], *_SHADES[-len(values) + 1 :]), strict=True))
            for k, setting in enumerate(SETTINGS):
                _cell(axes, left + k * _CELL, y, shades[getattr(setting, name)])
        for k, (verdict, mark) in enumerate(MARKS.items()):
            x, y = 0.1 + 1.45 * k, height - 0.3
            _cell(axes, x, y, *mark)
            axes.text(x + _CELL * 1.2, y + _CELL * 0.45, verdict, fontsize=7.5, va="center")
        legend = "choices: white, grey and black are the values in the order shown"
        axes.text(0.4 + 1.45 * len(MARKS), height - 0.2, legend, fontsize=7, va="center")
        return encode(figure)


def _cell(axes: Axes, x: float, y: float, colour: str, mark: str = "") -> None:
    from matplotlib.patches import Rectangle

    side = _CELL * 0.9
    edge = "#666666" if colour in _SHADES else colour
    axes.add_patch(Rectangle((x, y), side, side, facecolor=colour, edgecolor=edge, linewidth=0.4))
    axes.text(x + side / 2, y + side / 2, mark, color="white", fontsize=6, ha="center", va="center")


def _short(table: ClaimTable) -> str:
    text = f"{table.number}  {table.sentence.rstrip('.')}"
    return text if len(text) <= 68 else text[:66].rsplit(" ", 1)[0] + " ..."


def markdown(tables: Sequence[ClaimTable], command: str, size: str) -> str:
    """The conclusions as a table."""
    return render("choices.md", tables=tables, command=command, size=size, settings=len(SETTINGS))


def page(
    tables: Sequence[ClaimTable], svg: str, *, command: str, size: str, environment: Mapping[str, str]
) -> str:
    """The HTML page."""
    return render(
        "choices.html",
        tables=tables,
        svg=svg,
        command=command,
        size=size,
        settings=SETTINGS,
        choices=VALUES,
        environment=environment,
    )
