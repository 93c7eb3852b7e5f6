"""Days from routing files of any kind."""

from __future__ import annotations

from pathlib import Path

from coactor.domains import Day
from coactor.loaders.vroom import SOFT, read_vroom
from coactor.loaders.vrplib import read_vrplib


def read_routing(path: str | Path) -> tuple[Day, tuple[str, ...], list[float]]:
    """Read VRPLIB, or VROOM's JSON: the day, what is soft in it, and the weights that its costs have."""
    path = Path(path)
    if path.suffix == ".json":
        x, weights = read_vroom(path)
        return x, SOFT, weights
    x = read_vrplib(path)
    fixed = x.shifts is not None and x.shifts.fixed is not None and any(x.shifts.fixed)
    soft = ("vehicles",) if fixed else ()
    return x, soft, [1.0] * (1 + len(soft))
