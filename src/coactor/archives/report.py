"""The files of an evaluation: tables, figure and report."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from coactor.archives.evaluation import Evaluation
from coactor.archives.explain import describe_weights
from coactor.lab.engine import atomic_files
from coactor.lab.engine.contenders import OURS
from coactor.lab.output.plotting import encode, new_figure
from coactor.lab.output.rendering import render
from coactor.lab.output.tables import to_csv, to_json
from coactor.protocol import feature_names


def write_report(folder: Path, evaluation: Evaluation, command: str) -> list[str]:
    """Write every file into a folder; returns their names.

    Parameters
    ----------
    evaluation
        The result of `evaluate`.
    command
        The command that makes these files.
    """
    with new_figure(figsize=(8.2, 4.6), layout="constrained") as figure:
        evaluation.plot(figure.add_subplot())
        png, svg = encode(figure)
    context = _context(evaluation, command)
    files: dict[str, str | bytes] = {
        "table.csv": to_csv(evaluation.rows()),
        "weights.json": to_json(_weights(evaluation)),
        "report.md": render("archive.md", **context),
        "report.html": render("archive.html", svg=svg, **context),
        "effort.png": png,
        "effort.svg": svg,
    }
    for name, content in files.items():
        atomic_files.write(folder / name, content)
    return list(files)


def _context(evaluation: Evaluation, command: str) -> dict[str, Any]:
    explained = OURS if OURS in evaluation.weights else list(evaluation.weights)[-1]
    return {
        "evaluation": evaluation,
        "rows": evaluation.rows(),
        "with_quality": evaluation.archive.kind == "queries",
        "explained": explained,
        "sentences": describe_weights(evaluation.archive, evaluation.weights[explained].mean(axis=0)),
        "command": command,
    }


def _weights(evaluation: Evaluation) -> dict[str, Any]:
    means = {name: matrix.mean(axis=0).tolist() for name, matrix in evaluation.weights.items()}
    return {"features": feature_names(evaluation.archive.domain), "weights": means}
