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
    archive, weights = evaluation.archive, evaluation.weights
    means = {name: matrix.mean(axis=0) for name, matrix in weights.items()}
    explained = OURS if OURS in weights else list(weights)[-1]
    context: dict[str, Any] = {
        "evaluation": evaluation,
        "rows": evaluation.rows(),
        "with_quality": archive.kind == "queries",
        "explained": explained,
        "sentences": describe_weights(archive, means[explained]),
        "command": command,
    }
    plain = {name: mean.tolist() for name, mean in means.items()}
    files: dict[str, str | bytes] = {
        "table.csv": to_csv(evaluation.rows()),
        "weights.json": to_json({"features": feature_names(archive.domain), "weights": plain}),
        "report.md": render("archive.md", **context),
        "report.html": render("archive.html", svg=svg, **context),
        "effort.png": png,
        "effort.svg": svg,
    }
    for name, content in files.items():
        atomic_files.write(folder / name, content)
    return list(files)
