"""Write the tables of the results pages from the files that our commands write.

    python docs/tables.py paper results            a folder of `coactor reproduce`
    python docs/tables.py claims results           only the verdicts of that folder
    python docs/tables.py choices results          a folder of `coactor reproduce --choices`
    python docs/tables.py people results           a folder of `coactor reproduce --people`
    python docs/tables.py drivers evaluation       a folder of `coactor evaluate`; also planner, rankings, ...
    python benchmarks/peers.py | python docs/tables.py peers      a table that a benchmark prints

Each table ends with the command that made it and the date. Do not edit tables by hand.
"""

from __future__ import annotations

import csv
import json
import re
import sys
from collections.abc import Iterable, Sequence
from datetime import date
from pathlib import Path

TABLES = Path(__file__).parent / "results" / "tables"
FOUR = ("PER", "CSPER", "PA", "CSPA")
SHARING = "pooled-default,separate-default,default"
PANELS = {  # in README
    "path-clean": "path",
    "path-noise": "path, noise",
    "tsp-clean": "TSP",
    "tsp-noise": "TSP, noise",
    "mtsp-clean": "multi-TSP",
    "mtsp-noise": "multi-TSP, noise",
}
Row = dict[str, str]

# name -> (command, what an effort is called)
ARCHIVES = {
    "drivers": ("coactor evaluate shanghai_taxi_paths", "via-points a trip"),
    "planner": ("coactor evaluate planner_routes", "moves a day"),
    "planner-true-order": ("coactor evaluate planner_routes --true-order", "moves a day"),
    "rankings": ("coactor evaluate rank.train", "exchanges a query"),
    "electricity": (f"coactor evaluate electricity_long.csv --learners {SHARING} --orders 1", "corrections"),
    "yogurt": (f"coactor evaluate yogurt_long.csv --learners {SHARING} --orders 3", "corrections"),
    "rankings-budget": ("coactor evaluate rank.train --budget 5,15", "exchanges a query"),
}
PRINTED = {
    "core": "python benchmarks/core.py",
    "core-growth": "python benchmarks/core.py --only growth",
    "default-learner": "python benchmarks/default_learner.py",
    "default-ranking": "python benchmarks/default_learner.py --data rank.train rank.test",
    "never-worse": "python benchmarks/never_worse.py ARCHIVE ...",
    "page": "python benchmarks/page.py",
    "page-grid": "python benchmarks/page.py --grid",
    "page-large": "python benchmarks/page.py --large",
    "peers": "python benchmarks/peers.py",
    "people-bounds": "python benchmarks/people.py --bounds CELL,...",
    "people-cost": "python benchmarks/people.py --rounds 40 --tells 20000",
    "rankings-generated": "python benchmarks/rankings.py --data rank.train",
    "roads-speed": "python benchmarks/roads.py",
    "roster": "python benchmarks/roster.py --runs 10",
    "solvers": "python benchmarks/solvers.py --seconds 2 --tsplib tsplib",
    "soak": "python benchmarks/soak.py",
    "studies": "python benchmarks/studies.py",
    "updates": "python benchmarks/updates.py",
}


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [f"| {' | '.join(head)} |", "|---" * len(head) + "|"]
    return "\n".join([*lines, *(f"| {' | '.join(row)} |" for row in rows)])


def save(name: str, text: str, command: str) -> None:
    path = TABLES / f"{name}.md"
    path.write_text(f"{text.strip()}\n\nMade with `{command}`, {date.today()}.\n", encoding="utf-8")
    print(path)


def read(path: Path) -> list[Row]:
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def spread(row: Row, name: str, digits: int = 0) -> str:
    """A mean with its interval; the interval is left out where it is a point."""
    if not row.get(name):
        return ""
    mean, low, high = (f"{float(row[key]):.{digits}f}" for key in (name, f"{name}_low", f"{name}_high"))
    return mean if low == high else f"{mean} [{low}, {high}]"


# -- the paper -----------------------------------------------------------------------------------------


def paper(folder: Path) -> None:
    manifest = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))
    command, examples = manifest["command"], manifest["parameters"]["examples"]
    totals = {(row["panel"], row["learner"]): row for row in read(folder / "summary.csv")}
    panels = list(dict.fromkeys(panel for panel, _ in totals))
    lines = [*FOUR, "expert", "default"]
    rows = ([p, *(spread(totals[p, n], "total") if (p, n) in totals else "" for n in lines)] for p in panels)
    save("paper-effort", table(["panel", *FOUR, "expert line", "default"], rows), command)
    shown = [p for p in panels if (p, "expert") in totals and (p, "default") in totals]
    effort = {key: float(row["total"]) for key, row in totals.items()}
    best = [f"{min(effort[p, n] for n in FOUR):.0f}" for p in shown]
    truth, ours = ([f"{effort[p, n]:.0f}" for p in shown] for n in ("expert", "default"))
    short = [
        ["best of the paper's four", *best],
        ["true weights, the paper's solver", *truth],
        ["**default**", *(f"**{cell}**" for cell in ours)],
    ]
    titles = [PANELS.get(panel, panel) for panel in shown]
    save("paper-default", table([f"edits in {examples} examples", *titles], short), command)
    claims(folder)
    if (folder / "robustness.csv").exists():
        robustness(read(folder / "robustness.csv"), command)


def claims(folder: Path) -> None:
    """The verdicts on the paper's sentences."""
    command = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))["command"]
    verdicts = json.loads((folder / "claims.json").read_text(encoding="utf-8"))
    cells = ([str(c["number"]), c["claim"], c["verdict"], c["note"]] for c in verdicts)
    save("paper-claims", table(["", "claim", "verdict", "note"], cells), command)


def choices(folder: Path) -> None:
    """The verdicts under all settings, and their picture."""
    (verdicts,), command = page(folder, "choices")
    save("choices", verdicts, command)


def people(folder: Path) -> None:
    """The cells with several people, their newcomers, and the picture."""
    (cells, newcomers), command = page(folder, "people")
    save("people", cells, command)
    save("people-newcomers", newcomers, command)


def page(folder: Path, name: str) -> tuple[list[str], str]:
    """The tables of a Markdown page and the command that made it; its picture becomes one of the site."""
    image = TABLES.parent.parent / "images" / f"{name}.png"
    image.write_bytes((folder / f"{name}.png").read_bytes())
    print(image)
    text = (folder / f"{name}.md").read_text(encoding="utf-8")
    return markdown_tables(text), re.findall(r"Made by `(.*)`", text)[0]


def markdown_tables(text: str) -> list[str]:
    return re.findall(r"(?:^\|.*\n?)+", text, flags=re.MULTILINE)


def robustness(rows: list[Row], command: str) -> None:
    """The default learner's effort over that of the best of the four."""
    ratios = {(r["variation"], r["panel"]): spread(r, "ratio", 2) for r in rows if r["learner"] == "default"}
    panels = list(dict.fromkeys(panel for _, panel in ratios))
    settings = list(dict.fromkeys(setting for setting, _ in ratios))
    cells = ([setting, *(ratios.get((setting, panel), "") for panel in panels)] for setting in settings)
    save("robustness", table(["setting", *panels], cells), command)


# -- archives of past decisions ----------------------------------------------------------------------------


def contender(name: str) -> str:
    """The name of a line in words."""
    fixed = {
        "start": "the start weights, never learning (`start`)",
        "copy": "the most similar earlier case (`copy`)",
        "alike": "every feature counts 1 (`alike`)",
        "default": "**the default learner**",
        "pooled-default": "one default learner for all (`pooled-default`)",
        "separate-default": "one default learner each (`separate-default`)",
        "hindsight": "the best fixed weights, in hindsight",
    }
    base, _, start = name.partition("@")
    words = fixed.get(base, base)
    factor = start.partition("*")[2]
    return words if not start else f"{words}, from {factor + ' x ' if factor else ''}the start weights"


def archive(name: str, folder: Path) -> None:
    command, effort = ARCHIVES[name]
    rows = read(folder / "table.csv")
    quality = any(row["quality"] not in ("", "nan") for row in rows)
    newcomers = any(row.get("newcomers") for row in rows)
    head = ["what proposes", effort, "saved", "untouched", "first sixth", "last sixth"]
    cells = [
        [
            contender(row["learner"]),
            spread(row, "effort", 2),
            f"{float(row['saved_percent']):.1f} %" if row["learner"] != "start" else "",
            f"{100 * float(row['untouched']):.1f} %",
            f"{float(row['first_sixth']):.2f}",
            f"{float(row['last_sixth']):.2f}",
            *([f"{float(row['newcomers']):.2f}"] if newcomers else []),
            *([f"{float(row['quality']):.3f}"] if quality else []),
        ]
        for row in rows
    ]
    head += (["first 5 of a person"] if newcomers else []) + (["NDCG"] if quality else [])
    save(name, table(head, cells), command)


# -- what benchmarks print -----------------------------------------------------------------------------------


def printed(name: str, text: str) -> None:
    """Keep the Markdown tables of the output; without one, all of it as it is."""
    body = "\n\n".join(t.strip() for t in markdown_tables(text)) or f"```text\n{text.strip()}\n```"
    save(name, body, PRINTED[name])


def main(name: str = "", folder: str = "") -> None:
    folders = {"paper": paper, "claims": claims, "choices": choices, "people": people}
    if name in folders and folder:
        folders[name](Path(folder))
    elif name in ARCHIVES and folder:
        archive(name, Path(folder))
    elif name in PRINTED and not folder:
        printed(name, sys.stdin.read())
    else:
        sys.exit(f"{__doc__}\nTables: {', '.join([*folders, *ARCHIVES, *PRINTED])}.")


if __name__ == "__main__":
    main(*sys.argv[1:3])
