"""Documentation that runs: examples in docstrings, in the README, and the example to copy."""

from __future__ import annotations

import doctest
import importlib
import pkgutil
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import coactor

ROOT = Path(__file__).parents[2]
CORE = (
    "protocol",
    "kernels",
    "learners",
    "search",
    "experts",
    "domains",
    "proposals",
    "explanations",
    "bounds",
    "checks",
    "session",
)


def core_modules() -> list[str]:
    names = []
    for info in pkgutil.walk_packages(coactor.__path__, "coactor."):
        if info.name.split(".")[1] in CORE:
            names.append(info.name)
    return names


@pytest.mark.parametrize("name", core_modules())
def test_examples_in_docstrings_run(name: str) -> None:
    result = doctest.testmod(importlib.import_module(name), optionflags=doctest.FAIL_FAST)
    assert result.failed == 0


def test_there_are_examples_on_the_public_classes() -> None:
    finder = doctest.DocTestFinder()
    for thing in (
        coactor.Session,
        coactor.SimulatedExpert,
        coactor.correct,
        coactor.polish,
        coactor.check_domain,
        coactor.check_learner,
        coactor.check_expert,
        coactor.domains.Tour,
        coactor.domains.Fleet,
        coactor.domains.Hypercube,
        coactor.domains.Ranking,
        coactor.learners.PER,
        coactor.learners.CSPER,
        coactor.learners.PA,
        coactor.learners.make,
    ):
        found: Any = thing
        assert any(test.examples for test in finder.find(found, found.__name__)), (
            f"{found.__name__} has no example"
        )


def blocks(text: str) -> list[str]:
    return re.findall(r"^```python\n(.*?)^```", text, flags=re.DOTALL | re.MULTILINE)


def test_the_readme_runs(capsys: pytest.CaptureFixture[str]) -> None:
    code = blocks((ROOT / "README.md").read_text(encoding="utf-8"))
    assert len(code) == 2
    names: dict[str, Any] = {}
    for number, block in enumerate(code):
        exec(compile(block, f"README.md block {number}", "exec"), names)
    told = capsys.readouterr().out
    efforts = names["session"].efforts
    first, last = sum(efforts[:30]), sum(efforts[-30:])
    assert told.startswith(f"{first} edits in the first 30 tours, {last}")
    assert last < first / 2


def test_the_readme_names_what_exists() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    for path in re.findall(r"\]\(([\w/.]+)\)", text):
        assert (ROOT / path).exists(), path
    for path in re.findall(r"`((?:\w+/)*\w+\.py)`", text):
        base = ROOT / "src" / "coactor"
        assert (base / path).exists() or (base / "learners" / path).exists(), path
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    for target in re.findall(r"^    make (\w+)", text, flags=re.MULTILINE):
        assert re.search(rf"^{target}:", makefile, flags=re.MULTILINE), target


def test_the_example_of_ones_own_domain_runs(tmp_path: Path) -> None:
    picture = tmp_path / "curves.png"
    code = f"import own_domain; own_domain.main({str(picture)!r}, weeks=30)"
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", code],
        cwd=ROOT / "examples",
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "Shifts keeps the promises of a domain." in done.stdout
    for name in ("PER", "CSPER", "default"):
        match = re.search(
            rf"^{name} +effort a week: +([\d.]+) in the first 3, +([\d.]+)", done.stdout, re.MULTILINE
        )
        assert match
        assert float(match[2]) <= float(match[1])
    assert picture.read_bytes().startswith(b"\x89PNG")
