"""Models of the demo studies: a ward's roster, and a school's timetable."""

from __future__ import annotations

from typing import Any

import numpy as np

from coactor.grids import GridModel, pattern

NURSES = ("Ana", "Ben", "Cleo", "Dov", "Eva", "Finn", "Gus", "Hana", "Ivo", "Jill")
DAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
SHIFTS = {"off": "#e4e8e6", "early": "#ffd166", "late": "#ef8354", "night": "#4f5d95"}
STEPS = 60  # of the search, for each cell: quick, and good enough to try


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
    model.margin("staff", chosen.per("day", "shift"))
    return model


def week(rng: np.random.Generator) -> dict[str, Any]:
    """Draw a week: who is on leave, who asks for a day off, who dislikes what."""
    n, days = len(NURSES), len(DAYS)
    leave = rng.random((n, days)) < 0.05
    return {
        "need": [[0, 3, 2, 1]] * 5 + [[0, 2, 1, 1]] * 2,
        "leave": leave,
        "asked off": (rng.random((n, days)) < 0.25) & ~leave,
        "dislike": rng.integers(0, 3, (n, len(SHIFTS))),
        "last": rng.choice(["off", "off", "early", "late", "night"], n).tolist(),
        "senior": [1] * 4 + [0] * 6,
    }


HOURS = tuple(f"{day} {hour}" for day in ("Mon", "Tue") for hour in (8, 9, 10, 11, 12))
ROOMS = ("Room 1", "Room 2", "Lab")
SUBJECTS = {"Maths": "Ms Abel", "Physics": "Mr Bolt", "French": "Ms Cato", "Chemistry": "Mr Dunn"}
CLASSES = ("5a", "5b", "6a")


def timetable() -> GridModel:
    """Return the model of two days at a school: which lesson is where and when."""
    lessons = tuple(f"{subject} {name}" for subject in SUBJECTS for name in CLASSES)
    model = GridModel(
        over={"lesson": lessons},
        choose={"room": ROOMS, "hour": HOURS},
        axes={"teacher": tuple(SUBJECTS.values()), "class": CLASSES, "day": ("Mon", "Tue")},
        data={
            "teaches": "teacher lesson",
            "attends": "class lesson",
            "pupils": "lesson",
            "seats": "room",
            "needs lab": "lesson",
            "late hour": "hour",
            "on day": "hour day",
            "away": "teacher hour",
        },
        sample=school,
        steps=STEPS,
    )
    chosen = model.chosen
    busy = chosen.times("teaches").per("teacher", "hour")
    taught = chosen.times("attends").per("class", "hour")
    model.rule("One lesson in a room", chosen.per("room", "hour").above(1))
    model.rule("One lesson of a teacher at a time", busy.above(1))
    model.rule("One lesson of a class at a time", taught.above(1))
    model.rule("The teacher is there", busy.times("away"))
    model.wish("free hours of classes", pattern(taught, 1 - taught, taught, along="hour"), unit="hours")
    model.wish("free hours of teachers", pattern(busy, 1 - busy, busy, along="hour"), unit="hours")
    model.wish("late lessons", chosen.times("late hour"), unit="lessons")
    seated = chosen.times("pupils").per("lesson", "room") - "seats"
    model.wish("pupils without a seat", seated.above(), unit="pupils")
    model.wish("science outside the lab", chosen.times("needs lab").at(room=list(ROOMS[:2])), unit="lessons")
    model.wish("teachers' days at school", busy.times("on day").per("teacher", "day").any(), unit="days")
    model.margin("lessons in a room", chosen.per("room"))
    model.margin("lessons at an hour", chosen.per("hour"))
    return model


def school(rng: np.random.Generator) -> dict[str, Any]:
    """Draw the sizes of the classes and the hours at which teachers are away."""
    teachers, classes = len(SUBJECTS), len(CLASSES)
    each = np.arange(teachers * classes)
    science = np.isin(each // classes, (1, 3))
    return {
        "teaches": np.eye(teachers)[:, each // classes],
        "attends": np.eye(classes)[:, each % classes],
        "pupils": rng.integers(14, 31, classes)[each % classes],
        "seats": [30, 20, 24],
        "needs lab": science,
        "late hour": [hour.endswith(("11", "12")) for hour in HOURS],
        "on day": [[hour.startswith(day) for day in ("Mon", "Tue")] for hour in HOURS],
        "away": rng.random((teachers, len(HOURS))) < 0.15,
    }
