"""Whether published numbers can be made again: re-run what a manifest describes, and compare."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path
from typing import Any

from coactor.lab.engine import atomic_files
from coactor.lab.paper.reproduction import (
    cores,
    environment,
    experiment_of,
    numbers,
    robustness_of,
    write_numbers,
)

_GIVE = "give the manifest.json of a results folder"


@dataclass(frozen=True, slots=True)
class Verification:
    """What was compared.

    Attributes
    ----------
    same
        Whether the folder is as the manifest left it, and the re-run made the same numbers.
    findings
        One sentence for each thing that is not the same, or that may explain it.
    checked
        The files that were made again and compared byte by byte.
    """

    same: bool
    findings: Sequence[str]
    checked: Sequence[str]


def read_manifest(path: Path) -> dict[str, Any]:
    """A manifest, or a sentence about why it is none."""
    try:
        manifest = json.loads(path.read_text())
    except OSError as error:
        raise ValueError(f"{path} cannot be read ({error.strerror}); {_GIVE}") from error
    except ValueError as error:
        raise ValueError(f"{path} is not JSON ({error}); {_GIVE}") from error
    wanted = {"parameters": dict, "outputs": dict, "environment": dict}
    if not isinstance(manifest, dict) or not all(isinstance(manifest.get(k), t) for k, t in wanted.items()):
        raise ValueError(f"{path} is not a manifest of coactor reproduce; it lacks {', '.join(wanted)}")
    return manifest


def verify(
    path: str | Path,
    *,
    data: Sequence[str] = (),
    jobs: int | None = None,
    cluster: str | None = None,
    silent: bool = True,
) -> Verification:
    """Run a manifest's experiment again, from nothing, and compare every number.

    Parameters
    ----------
    path
        The manifest.
    data
        Where the data files are now, when they were moved.
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
        raise ValueError(f"{path} does not say what to run (it lacks {error}); {_GIVE}") from error
    findings = _folder(path.parent, manifest["outputs"])
    digests = {panel.data.digest for panel in experiment.panels if panel.data}
    recorded = {panel["data"]["digest"] for panel in manifest.get("panels", []) if panel.get("data")}
    if digests != recorded:
        findings.append("the data files are not the ones the manifest was made from")
    with tempfile.TemporaryDirectory() as scratch:
        results = experiment.measure(jobs=jobs or cores(), cluster=cluster, silent=silent)
        cells = robustness_of(chosen, folder=None, jobs=jobs or cores(), cluster=cluster, silent=silent)
        checked = numbers(bool(cells))
        # The command inside the files names the data as the manifest did.
        write_numbers(Path(scratch), manifest["parameters"], results, cells)
        for name in checked:
            if atomic_files.digest(Path(scratch) / name) != manifest["outputs"].get(name):
                findings.append(_difference(path.parent / name, Path(scratch) / name))
    same = not findings
    if not same:
        now = environment()
        findings += [
            f"{key} was {was} then and is {now.get(key)} now"
            for key, was in manifest["environment"].items()
            if now.get(key) != was
        ]
    return Verification(same, findings, checked)


def _folder(folder: Path, outputs: dict[str, str]) -> list[str]:
    """Files that were changed or lost after the manifest was written."""
    found = []
    for name, recorded in outputs.items():
        file = folder / Path(name).name
        if not file.is_file():
            found.append(f"{name} is missing from {folder}")
        elif atomic_files.digest(file) != recorded:
            found.append(f"{name} in {folder} was changed after the manifest was written")
    return found


def _difference(old: Path, new: Path) -> str:
    """Where two text files part."""
    if not old.is_file():
        return f"{old.name} came out differently"
    with old.open(errors="replace") as a, new.open(errors="replace") as b:
        for number, (was, now) in enumerate(zip_longest(a, b, fillvalue="(end of file)"), start=1):
            if was != now:
                return (
                    f"{old.name} came out differently from line {number} on: {was.strip()}, now {now.strip()}"
                )
    return f"{old.name} is the same as in the folder, but not as the manifest recorded it"
