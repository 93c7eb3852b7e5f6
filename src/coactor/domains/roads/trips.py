"""The problem and the solution of the roads domain: a trip and a route."""

from __future__ import annotations

from dataclasses import dataclass

from coactor import display
from coactor.protocol import Indices, Matrix, Vector


@dataclass(frozen=True, slots=True, eq=False)
class Trip:
    """From one link to another.

    Attributes
    ----------
    origin, destination
        Link numbers of the network.
    habits
        How unusual each turn is, one column for each kind of habit; None if nothing was recalled.
    """

    origin: int
    destination: int
    habits: Matrix | None = None

    __repr__ = display.brief("origin", "destination", "habits")


@dataclass(frozen=True, slots=True, eq=False)
class Route:
    """A path and the router settings that drew it.

    Attributes
    ----------
    links
        The links driven, origin first, destination last.
    vias
        The via-points: links that the router was told to pass, in order.
    weights
        The weights the router draws with, so that an edit is routed like the proposal it edits.
    """

    links: Indices
    vias: tuple[int, ...]
    weights: Vector

    __repr__ = display.brief("links", "vias")
