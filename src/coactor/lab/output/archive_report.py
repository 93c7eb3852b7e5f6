"""Files of an evaluation: tables, picture, report; each number beside the command that makes it."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import Any

from coactor.lab.archives.archives import Archive
from coactor.lab.archives.contenders import START
from coactor.lab.archives.evaluation import Evaluation
from coactor.lab.archives.explain import in_words
from coactor.lab.engine.atomic_files import prepare, write
from coactor.lab.output.archive_figure import draw


def write_report(folder: Path, archive: Archive, found: Evaluation, command: str, told: str) -> list[str]:
    """Write everything; returns the names of the files.

    Parameters
    ----------
    folder
        Made if it is missing.
    archive, found
        What was evaluated, and the outcome.
    command
        The command that makes these files.
    told
        The line whose weights are put in words.
    """
    prepare(folder, 1 << 22)
    png, svg = draw(found)
    texts: dict[str, str | bytes] = {
        "table.csv": _table(found),
        "orders.csv": _orders(found),
        "weights.json": json.dumps(_weights(archive, found), indent=1),
        "report.md": report(archive, found, command, told),
        "effort.png": png,
        "effort.svg": svg,
    }
    for name, content in texts.items():
        write(folder / name, content)
    return list(texts)


def report(archive: Archive, found: Evaluation, command: str, told: str) -> str:
    """The outcome as a page."""
    ranked = found.kind == "queries"
    lines = [
        f"# {found.cases} {found.kind}, {_orders_text(found)}",
        "",
        f"Effort is the number of {found.effort_name} a case needs to turn the proposal into what the "
        f"person did.",
        f"Intervals are 95 % bootstrap intervals over {'orders' if found.orders > 1 else 'cases'}.",
        "",
        f"| line | {found.effort_name} a case | saved against {START} | untouched | first sixth | last "
        f"sixth |" + (" NDCG |" if ranked else ""),
        "|---|---|---|---|---|---|" + ("---|" if ranked else ""),
    ]
    for row in found.rows():
        effort = f"{row['effort']:.3f} [{row['effort_low']:.3f}, {row['effort_high']:.3f}]"
        saved = f"{row['saved']:.3f} [{row['saved_low']:.3f}, {row['saved_high']:.3f}]"
        lines.append(
            f"| {row['line']} | {effort} | {row['saved_percent']:.1f} % ({saved}) | "
            f"{100 * float(row['untouched']):.1f} % | {row['first_sixth']:.3f} | {row['last_sixth']:.3f} |"
            + (f" {row['quality']:.3f} |" if ranked else "")
        )
    lines += ["", "![effort](effort.png)", "", f"## What {told} learned", ""]
    lines += [f"- {sentence}" for sentence in in_words(archive, found.weights[told].mean(axis=0))]
    lines += ["", "## Made by", "", f"    {command}", ""]
    return "\n".join(lines)


def _orders_text(found: Evaluation) -> str:
    return "in their true order" if found.true_order else f"{found.orders} random orders"


def _table(found: Evaluation) -> str:
    rows: list[dict[str, Any]] = [dict(row) for row in found.rows()]
    return _csv(list(rows[0]), [list(row.values()) for row in rows])


def _orders(found: Evaluation) -> str:
    rows = [
        [line, order, float(efforts.mean()), float((efforts == 0).mean())]
        for line, matrix in found.efforts.items()
        for order, efforts in enumerate(matrix)
    ]
    return _csv(["line", "order", "effort", "untouched"], rows)


def _csv(header: list[str], rows: list[list[Any]]) -> str:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(header)
    writer.writerows(rows)
    return text.getvalue()


def _weights(archive: Archive, found: Evaluation) -> dict[str, Any]:
    names = getattr(archive.domain, "feature_names", [str(k) for k in range(archive.domain.dim)])
    means = {line: matrix.mean(axis=0).tolist() for line, matrix in found.weights.items()}
    return {"features": list(names), "weights": means}
