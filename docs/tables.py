"""Write the tables of the results pages from the files that our commands write.

    python docs/tables.py paper results            a folder of `coactor reproduce`
    python docs/tables.py claims results           only the verdicts of that folder
    python docs/tables.py open-choices results     a folder of `coactor open-choices`
    python docs/tables.py drivers evaluation       a folder of `coactor evaluate`; also planner, rankings, ...
    coactor bench default+paper --archive rank.train | python docs/tables.py bench
    python benchmarks/people.py | python docs/tables.py people    a table that a benchmark prints

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

from coactor.lab.paper.experiment import GENERATED

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
}
PRINTED = {
    "core": "python benchmarks/core.py",
    "disruptions": "python benchmarks/disruptions.py",
    "never-worse": "python benchmarks/never_worse.py ARCHIVE ...",
    "ordinary": "python benchmarks/disruptions.py --ordinary",
    "page": "python benchmarks/page.py",
    "page-large": "python benchmarks/page.py --large",
    "people": "python benchmarks/people.py",
    "replans": "python benchmarks/replans.py",
    "roster": "python benchmarks/roster.py --runs 10",
    "solvers": "python benchmarks/solvers.py --seconds 2",
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
    command = manifest["command"]
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
    examples = manifest["settings"]["examples"] or GENERATED
    save("paper-default", table([f"edits in {examples} examples", *titles], short), command)
    claims(folder)


def claims(folder: Path) -> None:
    """The verdicts on the paper's sentences."""
    command = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))["command"]
    verdicts = json.loads((folder / "claims.json").read_text(encoding="utf-8"))
    rows = []
    for claim in verdicts:
        runs = claim["deciding_runs"]
        note = [claim["note"], f"about {runs} runs would decide" if runs else ""]
        rows.append(
            [str(claim["number"]), claim["sentence"], claim["verdict"], "; ".join(filter(None, note))]
        )
    save("paper-claims", table(["", "claim", "verdict", "note"], rows), command)


def open_choices(folder: Path) -> None:
    """The verdicts with each open choice made otherwise."""
    text = (folder / "open-choices.md").read_text(encoding="utf-8")
    save("choices", markdown_tables(text)[0], "coactor open-choices")


def markdown_tables(text: str) -> list[str]:
    return re.findall(r"(?:^\|.*\n?)+", text, flags=re.MULTILINE)


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


def bench(text: str) -> None:
    """A row for each setting of `coactor bench`: efforts, and the differences to the default."""
    of: dict[str, dict[str, tuple[str, str]]] = {}
    for line in text.splitlines():
        if line.count("  ") == 4:
            setting, learner, effort, over, _ = line.split("  ")
            of.setdefault(setting, {})[learner] = effort.partition(" ")[0], over
    others = ["default+paper", "", *(n for n in next(iter(of.values())) if n not in (*FOUR, "default"))]
    others = list(dict.fromkeys(others))
    rows = []
    for setting, efforts in of.items():
        best = min(FOUR, key=lambda name: float(efforts[name][0]))
        cells = [f"{efforts[name or best][0]}; {efforts[name or best][1]}" for name in others]
        cells[1] = f"{best} {cells[1]}"
        rows.append([setting, efforts["default"][0], *cells])
    head = ["", "default", *(name or "best of the paper's four" for name in others)]
    save("bench", table(head, rows), "coactor bench default+paper --archive rank.train")


def printed(name: str, text: str) -> None:
    """Keep the Markdown tables of the output; without one, all of it as it is."""
    body = "\n\n".join(t.strip() for t in markdown_tables(text)) or f"```text\n{text.strip()}\n```"
    save(name, body, PRINTED[name])


def main(name: str = "", folder: str = "") -> None:
    folders = {"paper": paper, "claims": claims, "open-choices": open_choices}
    if name in folders and folder:
        folders[name](Path(folder))
    elif name in ARCHIVES and folder:
        archive(name, Path(folder))
    elif name == "bench":
        bench(sys.stdin.read())
    elif name in PRINTED and not folder:
        printed(name, sys.stdin.read())
    else:
        sys.exit(f"{__doc__}\nTables: {', '.join([*folders, 'bench', *ARCHIVES, *PRINTED])}.")


if __name__ == "__main__":
    main(*sys.argv[1:3])
