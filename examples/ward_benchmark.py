"""A public benchmark, 24 nurse rosters by T. Curtois and R. Qu: python ward_benchmark.py FILE SECONDS."""

import sys
from pathlib import Path

import numpy as np

from coactor.grids import GridModel, pattern


def ward(path):
    """The model and the problem of an instance. Every wish has the weight 1."""
    file = {"SHIFT_ON_REQUESTS": [], "SHIFT_OFF_REQUESTS": [], "DAYS_OFF": []}  # may be missing
    for line in filter(None, map(str.strip, Path(path).read_text().splitlines())):
        if line.startswith("SECTION_"):
            rows = file[line[8:]] = []
        elif not line.startswith("#"):
            rows.append([entry.strip() for entry in line.split(",")])
    nurses, shifts = ([row[0] for row in file[name]] for name in ("STAFF", "SHIFTS"))
    days = [f"{'MTWTFSS'[d % 7]} {d + 1}" for d in range(int(file["HORIZON"][0][0]))]
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
    per_nurse = {"longest": longest, "least": least, "weekends": weekends}
    per_nurse |= {f"run {k}": runs == k for k in set(runs)}  # who may work so many days in a row, at most
    per_nurse |= {f"short {s} {k}": short[s] > k for s in (0, 1) for k in range(1, max(short[s]))}
    data = {"on": on, "off": off, "leave": leave, **dict(zip(["need", "under", "over"], cover, strict=True))}
    data["most"] = [[len(days), *(int(cap.get(shift, len(days))) for shift in shifts)] for cap in caps]
    data["minutes"] = [0, *(int(row[1]) for row in file["SHIFTS"])]
    axes = {"on": "nurse day shift", "off": "nurse day shift", "leave": "nurse day", "most": "nurse shift"}
    axes |= dict.fromkeys(["need", "under", "over"], "day shift") | {"minutes": "shift"}
    axes |= dict.fromkeys(per_nurse, "nurse")
    model = GridModel(over={"nurse": None, "day": days}, choose={"shift": ["off", *shifts]}, data=axes)
    chosen, free, work = model.chosen, model.has("off"), model.has(*shifts)
    staff, minutes = chosen.per("day", "shift") - "need", chosen.times("minutes").per("nurse")
    for shift, _, after in (row for row in file["SHIFTS"] if any(row[2:])):
        model.rule(f"After {shift}", pattern(model.has(shift), model.has(*after.split("|")), along="day"))
    for k in set(runs):
        model.rule(f"At most {k} in a row", (work.window("day", k + 1) - k).above().times(f"run {k}"))
    for s, inside, outside in ((0, work, free), (1, free, work)):
        for k in range(1, max(short[s])):
            run = pattern(outside, *[inside] * k, outside, along="day").times(f"short {s} {k}")
            model.rule(f"Only {k} {['working', 'free'][s]}", run)
    model.rule("Most shifts", chosen.per("nurse", "shift") - "most")
    model.rule("Most minutes", minutes - "longest")
    model.rule("Least minutes", -minutes + "least")
    model.rule("Weekends", work.window("day", 2).at(day=days[6::7]).any().per("nurse") - "weekends")
    model.rule("Leave", work.times("leave"))
    model.wish("Asked shift refused", (1 - chosen).times("on"))
    model.wish("Disliked shift", chosen.times("off"))
    model.wish("Too few", staff.below().times("under"))
    model.wish("Too many", staff.above().times("over"))
    return model, model.problem({"nurse": nurses, **data, **per_nurse})


if __name__ == "__main__":
    try:
        model, x = ward(sys.argv[1])
    except ValueError as error:  # such as a ward that is too large
        sys.exit(str(error))
    y = model.solve(x, np.ones(len(model.wishes)), seconds=float(sys.argv[2]))
    print(f"cost {-model.features(x, y)[: len(model.wishes)].sum():g}", *model.broken(x, y), sep="\n")
