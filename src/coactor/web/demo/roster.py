"""The model of a demo study: a week on a ward."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from coactor.grids import GridModel, pattern

NURSES = ("Ana", "Ben", "Cleo", "Dov", "Eva", "Finn", "Gus", "Hana", "Ivo", "Jill")
DAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
SHIFTS = {"off": "#e4e8e6", "early": "#ffd166", "late": "#ef8354", "night": "#4f5d95"}
STEPS = 60  # of the search, for each cell: quick, and good enough to try


@cache
def roster() -> GridModel:
    """Return the model of a week on a ward: who works which shift."""
    model = GridModel(
        over={"nurse": NURSES, "day": DAYS},
        choose={"shift": SHIFTS},
        data={
            "need": "day shift",
            "leave": "nurse day",
            "asked off": "nurse day",
            "dislike": "nurse shift",
            "last": "nurse -> shift",
            "senior": "nurse",
        },
        sample=week,
        steps=STEPS,
    )
    working = ["early", "late", "night"]
    chosen, work = model.chosen.at(shift=working), model.has(*working)
    off, early, late, night = (model.has(name) for name in SHIFTS)
    staff, days = chosen.per("day", "shift") - "need", work.per("nurse")
    weekend = work.window("day", 2).at(day="Sun")
    before: dict[str, Any] = {"along": "day", "past": "last"}
    model.rule("Enough staff", staff.below())
    model.rule("At most five days", days.above(5))
    model.rule("No early shift after a night", pattern(night, early, **before))
    model.rule("Leave", work.times("leave"))
    model.wish("disliked shifts", chosen.times("dislike"), unit="points")
    model.wish("refused days off", work.times("asked off"), unit="days")
    model.wish("split weekends", weekend.any() - weekend.above(1), unit="weekends")
    model.wish("single nights", pattern(~night, night, ~night, **before), unit="nights")
    model.wish("early shifts after late ones", pattern(late, early, **before), unit="times")
    model.wish("single days off", pattern(work, off, work, **before), unit="days")
    model.wish("uneven days", days.spread("nurse"), unit="days")
    model.wish("shifts without a senior", chosen.times("senior").per("day", "shift").below(1), unit="shifts")
    model.wish("staff above the need", staff.above(), unit="shifts")
    model.margin("days", days)
    model.margin("staff", chosen.per("day", "shift"), need="need")
    for data, symbol in (("leave", "✈"), ("asked off", "○"), ("dislike", "–"), ("senior", "★")):
        model.mark(data, symbol)
    return model


def week(rng: np.random.Generator) -> dict[str, Any]:
    """Draw a week: who is on leave, who asks for a day off, who dislikes what."""
    n, days = len(NURSES), len(DAYS)
    leave = rng.random((n, days)) < 0.05
    return {
        "need": [[0, 3, 2, 1]] * 5 + [[0, 2, 1, 1]] * 2,
        "leave": leave,
        "asked off": (rng.random((n, days)) < 0.25) & ~leave,
        "dislike": rng.integers(0, 3, (n, len(SHIFTS))) * [0, 1, 1, 1],
        "last": rng.choice(["off", "off", "early", "late", "night"], n).tolist(),
        "senior": [1] * 4 + [0] * 6,
    }
