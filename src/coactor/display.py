"""How objects show themselves: a short `repr`, and HTML for notebooks. Every value is escaped."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from html import escape as escape
from itertools import product
from typing import Any

import numpy as np

MOST_ROWS = 60  # of a table in a notebook
_COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#5B3A8C", "#8C6D00", "#56B4E9", "#A03030")
_DRAWN = 100.0  # the longer side of a drawing, in its own unit


def brief(*names: str) -> Callable[[Any], str]:
    """A `__repr__` of one line: the type, and the attributes of these names that are not empty."""

    def __repr__(self: Any) -> str:  # noqa: N807
        values = {name: getattr(self, name) for name in names}
        given = [f"{name}={one_line(value)}" for name, value in values.items() if not _empty(value)]
        return f"<{' '.join([type(self).__name__, *given])}>"

    return __repr__


def one_line(value: Any, length: int = 60) -> str:
    """A value as text of one line; of a long collection only its length."""
    if isinstance(value, np.ndarray) and value.ndim > 1:
        return f"array of {' x '.join(map(str, value.shape))}"
    if isinstance(value, Sequence | np.ndarray) and not isinstance(value, str) and len(value) > 20:
        return f"{len(value)} values"
    if isinstance(value, Mapping) and len(value) > 8:
        return f"{len(value)} entries"
    text = " ".join(repr(value.tolist() if isinstance(value, np.ndarray) else value).split())
    return text if len(text) <= length else f"{text[: length - 1]}…"


def _empty(value: Any) -> bool:
    return value is None or (hasattr(value, "__len__") and len(value) == 0)


# -- HTML ----------------------------------------------------------------------------------------------------


def html(views: Iterable[Mapping[str, Any]]) -> str:
    """The views of a solution, see `coactor.protocol.views`, as HTML."""
    return "".join(
        (f"<h4>{escape(str(view['title']))}</h4>" if "title" in view else "") + _VIEWS[view["kind"]](view)
        for view in views
    )


def table(head: Sequence[str], rows: Sequence[Sequence[Any]], most: int = MOST_ROWS) -> str:
    """A table as HTML; numbers have four digits, and of many rows the last `most` are shown."""
    names = "".join(f"<th>{escape(str(name))}</th>" for name in head)
    cells = ["".join(f"<td>{_cell(value)}</td>" for value in row) for row in rows[-most:]]
    body = "".join(f"<tr>{row}</tr>" for row in cells)
    left = len(rows) - len(cells)
    note = f"<p>The last {len(cells)} of {len(rows)} rows.</p>" if left > 0 else ""
    return f"<table><thead><tr>{names}</tr></thead><tbody>{body}</tbody></table>{note}"


def _cell(value: Any) -> str:
    if value is None:
        return "–"
    if isinstance(value, float | np.floating):
        return f"{float(value):.4g}"
    return escape(value if isinstance(value, str) else one_line(value))


def _list(view: Mapping[str, Any]) -> str:
    return f"<ol>{''.join(f'<li>{_cell(item)}</li>' for item in view['items'])}</ol>"


def _grid(view: Mapping[str, Any]) -> str:
    """A grid as a table: its first axis downwards, the others across."""
    names, (first, *others) = view["names"], view["over"]
    across = [" ".join(place) for place in product(*(names[axis] for axis in others))]
    choices = [" ".join(choice) for choice in product(*(names[axis] for axis in view["choose"]))]
    colours = view.get("colours", {}).get(view["choose"][0], {})
    cells = np.asarray(view["cells"]).reshape(len(names[first]), -1)
    rows = []
    for name, row in zip(names[first], cells.tolist(), strict=True):
        texts = [(choices[k], colours.get(choices[k], "")) for k in row]
        drawn = "".join(
            f"<td{f' style=background:{escape(colour)};color:#000' if colour else ''}>{escape(text)}</td>"
            for text, colour in texts
        )
        rows.append(f"<tr><th>{escape(name)}</th>{drawn}</tr>")
    head = "".join(f"<th>{escape(name)}</th>" for name in ["", *across])
    return f"<table><thead><tr>{head}</tr></thead><tbody>{''.join(rows)}</tbody></table>"


def _drawing(view: Mapping[str, Any]) -> str:
    width, height = view["size"]
    shapes = "".join(map(_shape, view["shapes"]))
    size = f'viewBox="0 0 {width:g} {height:g}" font-size="{max(width, height) / 40:g}"'
    return f'<svg {size} style="max-width:480px;display:block" stroke-width="0.6" role="img">{shapes}</svg>'


_SHAPES = {
    "line": '<polyline points="{points}" fill="none" stroke="{colour}">{title}</polyline>',
    "polygon": '<polygon points="{points}" fill="none" stroke="{colour}">{title}</polygon>',
    "circle": '<circle cx="{x}" cy="{y}" r="{radius}" fill="{colour}">{title}</circle>',
    "box": '<rect x="{x}" y="{y}" width="{width}" height="{height}" fill="none" stroke="{colour}">'
    "{title}</rect>",
    "text": '<text x="{x}" y="{y}" fill="{colour}">{text}</text>',
}


def _shape(shape: Mapping[str, Any]) -> str:
    given = {"colour": "currentColor", "text": "", "radius": 0, **shape}
    values = {name: escape(str(value)) for name, value in given.items()}
    (x, y), (width, height) = shape.get("at", (0, 0)), shape.get("size", (0, 0))
    values |= {"x": x, "y": y, "width": width, "height": height}
    values["points"] = " ".join(f"{a:.6g},{b:.6g}" for a, b in shape.get("points", ()))
    values["title"] = f"<title>{values['title']}</title>" if "title" in shape else ""
    return _SHAPES[shape["shape"]].format(**values)


_VIEWS: dict[str, Callable[[Mapping[str, Any]], str]] = {
    "text": lambda view: f"<p>{_cell(view['text'])}</p>",
    "list": _list,
    "table": lambda view: table(view["head"], view["rows"]),
    "drawing": _drawing,
    "grid": _grid,
}


# -- views that several domains have --------------------------------------------------------------------


def routes(
    lines: Sequence[Sequence[int]], names: Sequence[str], coordinates: Any, vehicles: Sequence[str] = ()
) -> list[dict[str, Any]]:
    """Routes as a drawing, if there are coordinates, and as a table of stops."""
    titles = [vehicles[k] if vehicles else f"route {k + 1}" for k in range(len(lines))]
    stops = [[title, " → ".join(names[k] for k in line)] for title, line in zip(titles, lines, strict=True)]
    views: list[dict[str, Any]] = [{"kind": "table", "head": ["route", "stops"], "rows": stops}]
    if coordinates is None:
        return views
    at = np.asarray(coordinates, np.float64)
    low, spread = at.min(axis=0), max(float(np.ptp(at, axis=0).max()), 1e-12)
    at = (at - low) * (_DRAWN - 6.0) / spread + 3.0
    height = float(at[:, 1].max()) + 3.0
    at[:, 1] = height - at[:, 1]  # north is up
    places = np.round(at, 3).tolist()
    shapes: list[dict[str, Any]] = [
        {
            "shape": "line",
            "points": [places[k] for k in line],
            "title": title,
            "colour": _COLOURS[number % len(_COLOURS)],
        }
        for number, (title, line) in enumerate(zip(titles, lines, strict=True))
    ]
    seen = sorted({k for line in lines for k in line})
    shapes += [{"shape": "circle", "at": places[k], "radius": 0.8, "title": names[k]} for k in seen]
    return [{"kind": "drawing", "size": [_DRAWN, round(height, 3)], "shapes": shapes}, *views]
