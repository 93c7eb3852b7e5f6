"""What a domain shows of a solution: a list of views, each a dictionary of JSON-able data.

    {"kind": "text", "text": "Two nurses are free on Monday."}
    {"kind": "list", "items": ["cut", "weld", "paint"]}
    {"kind": "table", "head": ["job", "hours"], "rows": [["cut", 3], ["weld", None]]}
    {"kind": "drawing", "size": [100, 60], "shapes": [
        {"shape": "line", "points": [[0, 0], [100, 60]], "colour": "#0f6b5c"},
        {"shape": "polygon", "points": [[0, 0], [20, 0], [0, 20]]},
        {"shape": "circle", "at": [50, 30], "radius": 4, "title": "cut, 3 hours"},
        {"shape": "box", "at": [10, 10], "size": [20, 8]},
        {"shape": "text", "at": [50, 30], "text": "cut"}]}

Each may have a "title". Every string is shown as text and never read as HTML. A "grid" is what
`coactor.grids.GridModel` shows, and "routes" are what `coactor.domains.Plans` shows.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

_PARTS = {"text": ("text",), "list": ("items",), "table": ("head", "rows"), "drawing": ("size", "shapes")}
_SHAPES = {
    "line": ("points",),
    "polygon": ("points",),
    "circle": ("at", "radius"),
    "box": ("at", "size"),
    "text": ("at", "text"),
}


def check_views(views: Any) -> None:
    """Raise ValueError unless these are views that the page can draw.

    Examples
    --------
    >>> check_views([{"kind": "list", "items": ["cut", "weld"]}])
    """
    if not isinstance(views, Sequence) or isinstance(views, str):
        raise ValueError(f"show returned {type(views).__name__}; expected a list of views.")
    for view in views:
        _check(view, "kind", _PARTS | {"grid": (), "routes": ()}, "A view")
        for shape in view["shapes"] if view["kind"] == "drawing" else ():
            _check(shape, "shape", _SHAPES, "A shape")
        if view["kind"] == "table" and any(len(row) != len(view["head"]) for row in view["rows"]):
            raise ValueError("A row of a table must have as many entries as its head.")
    try:
        json.dumps(views, allow_nan=False)
    except (TypeError, ValueError) as error:
        raise ValueError(f"A view is not JSON-able data: {error}.") from error


def _check(part: Any, key: str, kinds: Mapping[str, tuple[str, ...]], what: str) -> None:
    kind = part.get(key) if isinstance(part, Mapping) else None
    if not isinstance(kind, str) or kind not in kinds:
        raise ValueError(f"{what} has the {key} {kind!r}; expected one of {', '.join(kinds)}.")
    missing = [name for name in kinds[kind] if name not in part]
    if missing:
        raise ValueError(f"{what} of {key} {kind!r} has no {' and no '.join(missing)}.")
