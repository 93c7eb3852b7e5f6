"""Finished units on disk: one file each, found again by a hash of everything that went into it."""

from __future__ import annotations

import hashlib
import io
import json
from dataclasses import asdict
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

import coactor
from coactor.lab.engine import atomic_files
from coactor.lab.engine.plugins import load_class, source_of
from coactor.lab.paper.runs import Unit, UnitResult
from coactor.lab.paper.theorem import TheoremRow

_ROOT = Path(coactor.__file__).parent
# What a run's numbers can depend on. Pictures, pages and the service may change without redoing the work.
_SOURCES = (
    "protocol.py",
    "kernels",
    "learners",
    "search.py",
    "experts.py",
    "domains",
    "loaders",
    "proposals",
    "validation.py",
    "session.py",
    "lab/paper",
    "lab/engine/contenders.py",
    "bounds.py",
)


@lru_cache(maxsize=1)
def code_digest() -> str:
    """A hash of the code that makes the numbers."""
    total = hashlib.sha256()
    for name in _SOURCES:
        place = _ROOT / name
        for file in sorted(place.rglob("*.py")) if place.is_dir() else [place]:
            if file.is_file():
                total.update(file.relative_to(_ROOT).as_posix().encode())
                total.update(file.read_bytes())
    return total.hexdigest()[:16]


def key(unit: Unit) -> str:
    """Everything the unit's numbers depend on, as one hash."""
    own = [text for text in (unit.panel.domain, *(line.learner for line in unit.lines)) if ":" in text]
    foreign = [text for text in own if not text.startswith("coactor.")]
    plain: dict[str, Any] = {
        "unit": asdict(unit),
        "code": code_digest(),
        "numpy": np.__version__,
        "own": [hashlib.sha256(source_of(load_class(text, "class"))).hexdigest() for text in foreign],
    }
    if unit.panel.data is not None:
        plain["unit"]["panel"]["data"] = unit.panel.data.digest  # what the file says, not where it lies
    text = json.dumps(plain, sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()[:20]


def place(folder: Path, unit: Unit) -> Path:
    """Where the unit's result is kept."""
    name = "".join(c if c.isalnum() or c in "-." else "_" for c in unit.panel.name)
    return folder / "units" / f"{name}-run{unit.run}-{key(unit)}.unit"


def save(folder: Path, unit: Unit, result: UnitResult) -> None:
    """Keep a finished unit."""
    path = place(folder, unit)
    with atomic_files.saying_why(folder):
        path.parent.mkdir(parents=True, exist_ok=True)
    rows = json.dumps([asdict(row) for row in result.theorem]).encode()
    content = io.BytesIO()
    np.savez_compressed(
        content,
        costs=result.costs,
        utilities=result.utilities,
        chances=result.chances,
        theorem=np.frombuffer(rows, dtype=np.uint8),
    )
    # The digest in front tells a spoilt file from a good one, whatever was spoilt.
    atomic_files.write(path, hashlib.sha256(content.getvalue()).digest() + content.getvalue())


def load(folder: Path, unit: Unit) -> UnitResult | None:
    """A finished unit, or None when there is none that can be believed."""
    shape = (len(unit.lines), unit.examples)
    try:
        content = place(folder, unit).read_bytes()
    except OSError:
        return None
    if hashlib.sha256(content[32:]).digest() != content[:32]:
        return None
    with np.load(io.BytesIO(content[32:]), allow_pickle=False) as kept:
        costs, utilities, chances = kept["costs"], kept["utilities"], kept["chances"]
        rows = [TheoremRow(**row) for row in json.loads(kept["theorem"].tobytes())]
    if not costs.shape == utilities.shape == chances.shape == shape:
        return None
    return UnitResult(costs, utilities, chances, rows)
