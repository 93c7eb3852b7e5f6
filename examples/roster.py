"""A weekly nurse roster: decisions, rules and wishes, said once. The weights of the wishes are learned.

coactor check examples/roster.py:roster
"""

from coactor.grids import GridModel, pattern

WORK = ["morning", "evening", "night"]
NURSES = ["Ana", "Ben", "Cleo", "Dov", "Eva", "Finn", "Gus", "Hana", "Ivo", "Jill", "Kaan", "Lea"]


def week(rng):
    """A random week, for checks and simulations; real ones come from your own system."""
    leave = rng.random((12, 7)) < 0.04
    return {
        "nurse": NURSES,
        "need": [[0, 3, 2, 2]] * 5 + [[0, 2, 2, 1]] * 2,
        "leave": leave,
        "asked off": (rng.random((12, 7)) < 0.1) & ~leave,
        "dislike": rng.choice([0, 0, 0, 1, 2], size=(12, 7, 4)) * [0, 1, 1, 1],
        "last": rng.choice(["off", "off", "morning", "evening", "night"], 12).tolist(),
        "worked weekend": rng.random(12) < 0.4,
        "senior": [1] * 5 + [0] * 7,
        "mentor": [None] * 10 + ["Ana", "Ben"],
        "contract": [4] * 9 + [3] * 3,
    }


roster = GridModel(
    over={"nurse": None, "day": ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"]},
    choose={"shift": {"off": "#eeeeee", "morning": "#ffd166", "evening": "#ef8354", "night": "#4f5d95"}},
    data={
        "need": "day shift",
        "leave": "nurse day",
        "asked off": "nurse day",
        "dislike": "nurse day shift",
        "last": "nurse -> shift",
        "worked weekend": "nurse",
        "senior": "nurse",
        "mentor": "nurse -> nurse",
        "contract": "nurse",
    },
    sample=week,
)
chosen, work = roster.chosen.at(shift=WORK), roster.has(*WORK)
off, morning, evening, night = (roster.has(name) for name in ["off", *WORK])
staff, days = chosen.per("day", "shift") - "need", work.per("nurse")
weekend = work.window("day", 2).at(day="Sun")
last = {"along": "day", "past": "last"}

roster.rule("Enough nurses", staff.below())
roster.rule("At most one too many", staff.above(1))
roster.rule("At most five days", days.above(5))
roster.rule("No morning after a night", pattern(night, morning, **last))
roster.rule("Leave", work.times("leave"))

roster.wish("Unwished shift", chosen.times("dislike"), unit="points")
roster.wish("Refused day off", work.times("asked off"), unit="days")
roster.wish("Split weekend", weekend.any() - weekend.above(1), unit="weekends")
roster.wish("Second weekend", weekend.any().per("nurse").times("worked weekend"), unit="weekends")
roster.wish("Single night", pattern(~night, night, ~night, **last), unit="nights")
roster.wish("Third night in a row", pattern(night, night, night, **last), unit="nights")
roster.wish("Evening then morning", pattern(evening, morning, **last), unit="times")
roster.wish("Single day off", pattern(work, off, work, **last), unit="days")
roster.wish("Fifth day in a row", pattern(*[work] * 5, **last), unit="days")
roster.wish("Days over contract", (days - "contract").above(), unit="days")
roster.wish("Days under contract", (days - "contract").below(), unit="days")
roster.wish("Uneven nights", night.per("nurse").spread("nurse"), unit="nights")
roster.wish("Shift without senior", chosen.times("senior").per("day", "shift").below(1), unit="shifts")
roster.wish("Trainee without mentor", (chosen - chosen.lookup(nurse="mentor")).above(), unit="shifts")
roster.wish("One too many", staff.above(), unit="nurses")
roster.margin("days", days)
roster.margin("staff", chosen.per("day", "shift"), need="need")
for data, symbol in (("leave", "✈"), ("asked off", "○"), ("dislike", "–"), ("senior", "★")):
    roster.mark(data, symbol)
