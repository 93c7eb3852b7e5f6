"""Verify published numbers: run the experiment of a manifest again, and compare."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest
from pathlib import Path
from typing import Any

from coactor.lab.engine import atomic_files
from coactor.lab.engine.parallel import Jobs
from coactor.lab.paper.experiment import Settings, measure
from coactor.lab.paper.reproduction import NUMBERS, environment, write_numbers

_GIVE = "Give the manifest.json of a results folder."


@dataclass(frozen=True, slots=True)
class Verification:
    """The result of `verify`.

    Attributes
    ----------
    findings
        One sentence for each difference, and for each changed version that may explain it.
    checked
        The files that were made again and compared byte by byte.
    """

    findings: Sequence[str]
    checked: Sequence[str] = NUMBERS

    @property
    def same(self) -> bool:
        """Whether the files match the manifest, and the new run made the same numbers."""
        return not self.findings


def read_manifest(path: Path) -> tuple[dict[str, Any], Settings]:
    """A manifest, and the settings in it. Raises ValueError if it is not one."""
    try:
        manifest = json.loads(path.read_text())
        settings = Settings.of(manifest["settings"])
        _ = manifest["outputs"], manifest["environment"]
    except (OSError, ValueError) as error:
        raise ValueError(f"{path} cannot be read as JSON ({error}). {_GIVE}") from error
    except (KeyError, TypeError) as error:
        raise ValueError(f"{path} is not a manifest, {error} is missing. {_GIVE}") from error
    return manifest, settings


def verify(
    path: str | Path, *, data: Sequence[str] = (), jobs: Jobs = None, silent: bool = True
) -> Verification:
    """Run the experiment of a manifest again, without the cache, and compare every number.

    Parameters
    ----------
    path
        The manifest.
    data
        The data files, if they were moved.
    jobs, silent
        As in `reproduce`.
    """
    path = Path(path)
    manifest, settings = read_manifest(path)
    outputs = manifest["outputs"]
    here = replace(settings, data=data or settings.data)
    findings = _folder(path.parent, outputs)
    if {panel.data.digest for panel in here.make_panels() if panel.data} != {manifest["data"]} - {None}:
        findings.append("The data files are not those of the manifest.")
    results = measure(here, theorem=True, jobs=jobs, silent=silent)
    with tempfile.TemporaryDirectory() as scratch:
        # The files contain the command, with the paths of the data in the manifest.
        write_numbers(Path(scratch), settings, results)
        for name in NUMBERS:
            if atomic_files.digest(Path(scratch) / name) != outputs.get(name):
                findings.append(_difference(path.parent / name, Path(scratch) / name))
    if findings:
        now = environment()
        findings += [
            f"{key} was {was} in the manifest and is {now.get(key)} now."
            for key, was in manifest["environment"].items()
            if now.get(key) != was
        ]
    return Verification(findings)


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
