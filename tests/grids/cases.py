"""Small models, and their wishes counted in plain Python."""

from __future__ import annotations

import importlib.util
from itertools import pairwise
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

from coactor.grids import GridModel, Instance, pattern

OFF, MORNING, EVENING, NIGHT = range(4)


def tutorial() -> ModuleType:
    """The tutorial roster of examples/roster.py, read afresh."""
    path = Path(__file__).parents[2] / "examples" / "roster.py"
    spec = importlib.util.spec_from_file_location("roster_example", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def count_roster(x: Instance, y: Any) -> list[float]:
    """The wishes of the tutorial roster, one loop each, in the order of their definition."""
    d = x.data
    n, days = y.shape
    people, week, shifts = range(n), range(days), (MORNING, EVENING, NIGHT)
    rows = [[int(d["last"][p]), *map(int, y[p])] for p in people]  # the day before, then the week

    def runs(p: int, *steps: tuple[int, ...]) -> int:
        """How often the steps follow each other, the day before included."""
        return sum(
            all(rows[p][i + j] in step for j, step in enumerate(steps))
            for i in range(len(rows[p]) - len(steps) + 1)
        )

    worked = [sum(c > 0 for c in y[p]) for p in people]
    nights = [sum(c == NIGHT for c in y[p]) for p in people]
    staff = [[sum(y[p, k] == s for p in people) for s in shifts] for k in week]
    need = d["need"]
    return [
        sum(d["dislike"][p, k, y[p, k]] for p in people for k in week if y[p, k]),
        sum(d["asked off"][p, k] for p in people for k in week if y[p, k]),
        sum((y[p, 5] > 0) != (y[p, 6] > 0) for p in people),
        sum(d["worked weekend"][p] for p in people if y[p, 5] or y[p, 6]),
        sum(runs(p, (OFF, MORNING, EVENING), (NIGHT,), (OFF, MORNING, EVENING)) for p in people),
        sum(runs(p, (NIGHT,), (NIGHT,), (NIGHT,)) for p in people),
        sum(runs(p, (EVENING,), (MORNING,)) for p in people),
        sum(runs(p, shifts, (OFF,), shifts) for p in people),
        sum(runs(p, *[shifts] * 5) for p in people),
        sum(max(0.0, worked[p] - d["contract"][p]) for p in people),
        sum(max(0.0, d["contract"][p] - worked[p]) for p in people),
        max(nights) - min(nights),
        sum(not any(d["senior"][p] and y[p, k] == s for p in people) for k in week for s in shifts),
        sum(
            y[p, k] > 0 and y[p, k] != y[d["mentor"][p], k]
            for p in people
            for k in week
            if d["mentor"][p] >= 0
        ),
        sum(max(0.0, staff[k][s - 1] - need[k, s]) for k in week for s in shifts),
    ]


def broken_in_roster(x: Instance, y: Any) -> set[tuple[str, str]]:
    """The rules of the tutorial roster that a roster breaks, and where."""
    out = set()
    names, days, shifts = x.positions["nurse"], x.positions["day"], x.positions["shift"]
    for k, day in enumerate(days):
        for s in (MORNING, EVENING, NIGHT):
            spare = int((y[:, k] == s).sum()) - x.data["need"][k, s]
            if spare < 0:
                out.add(("Enough nurses", f"{day}, {shifts[s]}"))
            if spare > 1:
                out.add(("At most one too many", f"{day}, {shifts[s]}"))
    for p, name in enumerate(names):
        if (y[p] > 0).sum() > 5:
            out.add(("At most five days", name))
        for k, (before, now) in enumerate(pairwise([x.data["last"][p], *y[p]])):
            if before == NIGHT and now == MORNING:
                out.add(("No morning after a night", f"{name}, {days[k]}"))
            if now and x.data["leave"][p, k]:
                out.add(("Leave", f"{name}, {days[k]}"))
    return out


def timetable() -> GridModel:
    """Lessons in rooms at hours: two axes of choices, an axis that only data have, decimals, a plan."""
    model = GridModel(
        over={"lesson": None},
        choose={"room": ["lab", "hall"], "hour": ["Mon 8", "Mon 9", "Tue 8"]},
        axes={"teacher": None, "day": ["Mon", "Tue"]},
        data={
            "teaches": "teacher lesson",
            "pupils": "lesson",
            "seats": "room",
            "on day": "hour day",
            "plan": "lesson -> room hour",
            "after": "lesson -> lesson",
        },
    )
    chosen = model.chosen
    busy = chosen.times("teaches").per("teacher", "hour")
    model.rule("One lesson in a room", chosen.per("room", "hour").above(1))
    model.rule("One lesson a teacher", busy.above(1))
    model.wish(
        "Crowded", (chosen.times("pupils").per("lesson", "room").times(0.5) - "seats").above(), unit="pupils"
    )
    model.wish("Changed", model.changed("plan"), unit="lessons")
    model.wish("Days at school", busy.times("on day").per("teacher", "day").any(), unit="days")
    model.wish("Gap", pattern(busy, 1 - busy, busy, along="hour"), unit="hours")
    model.wish(
        "With its partner", -(chosen - chosen.lookup(lesson="after")).above() + 1, unit="lessons", more=True
    )
    model.wish("Uneven hours", chosen.per("hour", "room").spread("hour").spread("room"), unit="lessons")
    model.margin("free", 1 - chosen.per("room", "hour").at(room="lab"))
    return model


def lessons(rng: np.random.Generator, n: int) -> dict[str, Any]:
    """A random timetable's data."""
    names = [f"L{k}" for k in range(n)]
    return {
        "lesson": names,
        "teacher": ["Tom", "Una"],
        "teaches": np.eye(2)[:, np.arange(n) % 2],
        "pupils": np.round(rng.random(n) * 30, 1),
        "seats": [4.5, 12],
        "on day": [[1, 0], [1, 0], [0, 1]],
        "plan": [None if rng.random() < 0.3 else int(k) for k in rng.integers(6, size=n)],
        "after": [None if rng.random() < 0.5 else names[k] for k in rng.integers(n, size=n)],
    }


def count_timetable(x: Instance, y: Any) -> list[float]:
    """The wishes of the timetable, counted one by one."""
    d, n = x.data, len(y)
    room, hour = y // 3, y % 3
    busy = [[int(d["teaches"][t] @ (hour == h)) for h in range(3)] for t in range(2)]
    seated = [[0.5 * d["pupils"][i] * (room[i] == r) - d["seats"][r] for r in range(2)] for i in range(n)]
    day = [[busy[t][0] + busy[t][1], busy[t][2]] for t in range(2)]
    per = [[int(((room == r) & (hour == h)).sum()) for h in range(3)] for r in range(2)]
    spreads = [max(row) - min(row) for row in per]
    return [
        sum(max(0.0, s) for row in seated for s in row),
        sum(d["plan"][i] not in (-1, y[i]) for i in range(n)),
        sum(k > 0 for row in day for k in row),
        sum(max(0, b[0] + 1 - b[1] + b[2] - 2) for b in busy),
        6 * n - sum(d["after"][i] >= 0 and y[i] != y[d["after"][i]] for i in range(n)),
        max(spreads) - min(spreads),
    ]
