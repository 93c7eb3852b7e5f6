"""A public benchmark of nurse rosters (24 instances by T. Curtois and R. Qu) as a GridModel.

python examples/ward_benchmark.py Instance1.txt --seconds 60
"""

import argparse
from pathlib import Path

import numpy as np

from coactor.grids import GridModel, pattern


def ward(path):
    """The model and the problem of an instance. Every wish has the weight 1."""
    file = {}
    for line in filter(None, map(str.strip, Path(path).read_text().splitlines())):
        if line.startswith("SECTION_"):
            rows = file[line[8:]] = []
        elif not line.startswith("#"):
            rows.append(line.split(","))
    nurses, shifts = ([row[0] for row in file[name]] for name in ("STAFF", "SHIFTS"))
    week = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"]
    days = [f"{week[d % 7]} {d + 1}" for d in range(int(file["HORIZON"][0][0]))]
    caps = [dict(cap.split("=") for cap in row[1].split("|")) for row in file["STAFF"]]
    longest, least, runs, *short, weekends = np.array([row[2:] for row in file["STAFF"]], dtype=int).T
    on, off = np.zeros((2, len(nurses), len(days), len(shifts) + 1))
    for wishes, section in ((on, "SHIFT_ON_REQUESTS"), (off, "SHIFT_OFF_REQUESTS")):
        for nurse, day, shift, weight in file[section]:
            wishes[nurses.index(nurse), int(day), 1 + shifts.index(shift)] += int(weight)
    cover, leave = np.zeros((3, len(days), len(shifts) + 1)), np.zeros((len(nurses), len(days)))
    for day, shift, *numbers in file["COVER"]:
        cover[:, int(day), 1 + shifts.index(shift)] = [int(number) for number in numbers]
    for nurse, *absent in file["DAYS_OFF"]:
        leave[nurses.index(nurse), [int(day) for day in absent]] = 1
    tables = {  # data, by their axes
        "nurse day shift": {"on": on, "off": off},
        "day shift": dict(zip(["need", "under", "over"], cover, strict=True)),
        "nurse shift": {"most": [[len(days), *(int(cap[shift]) for shift in shifts)] for cap in caps]},
        "nurse": {"longest": longest, "least": least, "weekends": weekends}
        | {f"run {k}": runs == k for k in set(runs)}  # who may work that many days in a row
        | {f"short {what} {k}": short[what] > k for what in (0, 1) for k in range(1, max(short[what]))},
        "nurse day": {"leave": leave},
        "shift": {"minutes": [0, *(int(row[1]) for row in file["SHIFTS"])]},
    }
    axes = {name: over for over, table in tables.items() for name in table}
    model = GridModel(over={"nurse": None, "day": days}, choose={"shift": ["off", *shifts]}, data=axes)
    chosen, free, work = model.chosen, model.has("off"), model.has(*shifts)
    staff, minutes = chosen.per("day", "shift") - "need", chosen.times("minutes").per("nurse")
    for shift, _, *after in file["SHIFTS"]:
        if any(after):
            then = model.has(*after[0].split("|"))
            model.rule(f"What follows {shift}", pattern(model.has(shift), then, along="day"))
    for k in set(runs):
        model.rule(f"At most {k} in a row", (work.window("day", k + 1) - k).above().times(f"run {k}"))
    for what, name, inside, outside in ((0, "working", work, free), (1, "free", free, work)):
        for k in range(1, max(short[what])):
            run = pattern(outside, *[inside] * k, outside, along="day")
            model.rule(f"Only {k} {name}", run.times(f"short {what} {k}"))
    model.rule("Most shifts", (chosen.per("nurse", "shift") - "most").above())
    model.rule("Most minutes", minutes.above("longest"))
    model.rule("Least minutes", minutes.below("least"))
    weekend = work.window("day", 2).at(day=[day for day in days if "Sun" in day]).any()
    model.rule("Weekends", weekend.per("nurse").above("weekends"))
    model.rule("Leave", work.times("leave"))
    model.wish("Asked shift refused", (1 - chosen).times("on"))
    model.wish("Disliked shift", chosen.times("off"))
    model.wish("Too few", staff.below().times("under"))
    model.wish("Too many", staff.above().times("over"))
    data = {name: value for table in tables.values() for name, value in table.items()}
    return model, model.problem(data | {"nurse": nurses})


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("path", help="the instance")
    parser.add_argument("--seconds", type=float)
    args = parser.parse_args()
    model, problem = ward(args.path)
    w = np.ones(model.dim)
    roster = model.solve(problem, w, seconds=args.seconds)
    print(f"cost {-w @ model.features(problem, roster):g}", *model.broken(problem, roster), sep="\n")
