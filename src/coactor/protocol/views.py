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
`coactor.grids.GridModel` shows.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol, TypeAlias, runtime_checkable

from coactor.protocol.interfaces import Domain
from coactor.protocol.values import Move, Problem, Solution, Vector

View: TypeAlias = Mapping[str, Any]
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
        _check(view, "kind", _PARTS | {"grid": ()}, "A view")
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


# -- abilities of domains ----------------------------------------------------------------------


@runtime_checkable
class Shows(Protocol):
    """Shows a solution: as text, lists, tables and drawings that a page draws."""

    def show(self, x: Problem, y: Solution, /) -> Sequence[View]:
        """The solution as JSON-able data; see `coactor.protocol.views`. Text is never read as HTML."""


@runtime_checkable
class Describes(Protocol):
    """Says what a move does."""

    def describe(self, x: Problem, move: Move, /) -> str:
        """The move in words, such as "Ana, Monday: night"."""


@runtime_checkable
class DescribesEdits(Protocol):
    """Says what a move does to a solution; used in place of `Describes` where a domain has both."""

    def describe_edit(self, x: Problem, y: Solution, move: Move, /) -> str:
        """The edit in words, such as "Ana takes the night on Monday from Bo"; y is as it was before."""


def edit_text(domain: Domain, x: Problem, y: Solution, move: Move) -> str:
    """A move that is applied to y, in words; its operator and its numbers if the domain has no words."""
    # isinstance of a protocol takes longer than the words, and a search needs the words of every move.
    if (describe_edit := getattr(domain, "describe_edit", None)) is not None:
        return str(describe_edit(x, y, move))
    if (describe := getattr(domain, "describe", None)) is not None:
        return str(describe(x, move))
    return f"{move['op']} {', '.join(map(str, move['args']))}"


@runtime_checkable
class OffersEdits(Protocol):
    """Lists the edits of one part of a solution, such as a cell of a grid; also those that a rule forbids."""

    def edits_of(self, x: Problem, y: Solution, part: int, /) -> Sequence[tuple[Move, Vector, str]]:
        """Moves, the change in phi by each, and the rules it would break, in words; "" if it is allowed.

        Raises ValueError if there is no such part.
        """


@runtime_checkable
class HasEditor(Protocol):
    """Has an editor of its own on the page."""

    @property
    def editor(self) -> str | Path:
        """The path of an ES module that exports `mount`, or the name of one of the page's editors."""
