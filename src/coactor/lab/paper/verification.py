"""Verify published numbers: run the experiment of a manifest again, and compare."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from itertools import zip_longest
from pathlib import Path
from typing import Any

from coactor.lab.engine import atomic_files
from coactor.lab.paper.experiment import Experiment
from coactor.lab.paper.reproduction import environment, experiment_of, numbers, robustness_of, write_numbers

_GIVE = "Give the manifest.json of a results folder."


@dataclass(frozen=True, slots=True)
class Verification:
    """The result of `verify`.

    Attributes
    ----------
    same
        Whether the files match the manifest, and the new run made the same numbers.
    findings
        One sentence for each difference, and for each changed version that may explain it.
    checked
        The files that were made again and compared byte by byte.
    """

    same: bool
    findings: Sequence[str]
    checked: Sequence[str]


def read_manifest(path: Path) -> dict[str, Any]:
    """Read a manifest. Raises ValueError if it is not one."""
    try:
        manifest = json.loads(path.read_text())
    except OSError as error:
        raise ValueError(f"{path} cannot be read ({error.strerror}). {_GIVE}") from error
    except ValueError as error:
        raise ValueError(f"{path} is not JSON ({error}). {_GIVE}") from error
    wanted = {"parameters": dict, "outputs": dict, "environment": dict}
    if not isinstance(manifest, dict) or not all(isinstance(manifest.get(k), t) for k, t in wanted.items()):
        raise ValueError(f"{path} is not a manifest of coactor reproduce; expected {', '.join(wanted)}.")
    return manifest


def verify(
    path: str | Path,
    *,
    data: Sequence[str] = (),
    jobs: int | None = None,
    cluster: str | None = None,
    silent: bool = True,
) -> Verification:
    """Run the experiment of a manifest again, without the cache, and compare every number.

    Parameters
    ----------
    path
        The manifest.
    data
        The data files, if they were moved.
    jobs, cluster, silent
        As in `reproduce`.
    """
    path = Path(path)
    manifest = read_manifest(path)
    chosen = dict(manifest["parameters"])
    if data:
        chosen["data"] = [str(name) for name in data]
    try:
        experiment = experiment_of(chosen)
    except (KeyError, TypeError) as error:
        raise ValueError(f"{path} does not say what to run: {error} is missing. {_GIVE}") from error
    findings = _folder(path.parent, manifest["outputs"])
    digests = {panel.data.digest for panel in experiment.panels if panel.data}
    recorded = {panel["data"]["digest"] for panel in manifest.get("panels", []) if panel.get("data")}
    if digests != recorded:
        findings.append("The data files are not those of the manifest.")
    with tempfile.TemporaryDirectory() as scratch:
        measure = partial(Experiment.measure, jobs=jobs, cluster=cluster, silent=silent)
        results, cells = measure(experiment), robustness_of(chosen, measure)
        checked = numbers(bool(cells))
        # The files contain the command, with the paths of the data in the manifest.
        write_numbers(Path(scratch), manifest["parameters"], results, cells)
        for name in checked:
            if atomic_files.digest(Path(scratch) / name) != manifest["outputs"].get(name):
                findings.append(_difference(path.parent / name, Path(scratch) / name))
    same = not findings
    if not same:
        now = environment()
        findings += [
            f"{key} was {was} in the manifest and is {now.get(key)} now."
            for key, was in manifest["environment"].items()
            if now.get(key) != was
        ]
    return Verification(same, findings, checked)


def _folder(folder: Path, outputs: dict[str, str]) -> list[str]:
    """Files that were changed or deleted after the manifest was written."""
    findings = []
    for name, recorded in outputs.items():
        file = folder / Path(name).name
        if not file.is_file():
            findings.append(f"{name} is missing from {folder}.")
        elif atomic_files.digest(file) != recorded:
            findings.append(f"{name} in {folder} was changed after the manifest was written.")
    return findings


def _difference(old: Path, new: Path) -> str:
    """The first difference of two text files."""
    if not old.is_file():
        return f"{old.name} differs."
    with old.open(errors="replace") as a, new.open(errors="replace") as b:
        for number, (was, now) in enumerate(zip_longest(a, b, fillvalue="(end of file)"), start=1):
            if was != now:
                return f"{old.name} differs from line {number} on: was {was.strip()!r}, now {now.strip()!r}."
    return f"{old.name} is the same as in the folder, but not as recorded in the manifest."
