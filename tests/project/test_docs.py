"""Documentation that runs: docstrings, README, every page of the site, and the example to copy."""

from __future__ import annotations

import doctest
import importlib
import inspect
import pkgutil
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import coactor
from tests.archives import samples as archives
from tests.project.documents import ROOT, Runner, blocks, pages, unknown_words

# Added to a shown command so that it takes seconds; the last value of an option counts.
SHORTER = [
    (r"^coactor (reproduce|open-choices)", "--quick --runs 2 --jobs 1 --panels path-clean"),
    (r"^coactor compare", "--runs 2 --examples 4 --jobs 1"),
    (r"^coactor evaluate", "--orders 2 --cases 6 --jobs 1"),
    (r"^coactor check \S+:roster", "--problems 2"),
]
NEEDS_CLUSTER = "needs a Dask scheduler on another machine; tests/lab runs it on a local one"
NEEDS_POSTGRES = "needs a PostgreSQL server of that name; tests/studies runs it on one of its own"
NOT_RUN = {
    "coactor bench shrinking:Shrinking --quick": "takes a minute; tests/bench runs it on small panels",
    "coactor bench default+paper --archive rank.train": "takes half an hour",
    "coactor study copy postgresql://desk@db/coactor --store sqlite:///coactor.db": NEEDS_POSTGRES,
    "coactor serve --store postgresql://desk@db/coactor": NEEDS_POSTGRES,
    "dask scheduler": NEEDS_CLUSTER,
    "dask worker tcp://host:8786": NEEDS_CLUSTER,
}


def names(paths: list[Path]) -> list[str]:
    return [str(p.relative_to(ROOT)) for p in paths]


# -- docstrings ------------------------------------------------------------------------------------------


def modules() -> list[str]:
    return [info.name for info in pkgutil.walk_packages(coactor.__path__, "coactor.")]


@pytest.mark.parametrize("name", modules())
def test_examples_in_docstrings_run(name: str) -> None:
    result = doctest.testmod(importlib.import_module(name), optionflags=doctest.FAIL_FAST)
    assert result.failed == 0


def test_public_classes_and_functions_have_examples() -> None:
    values = {"Basis", "Correction", "Feedback", "Move", "Proposal", "Round", "Work"}
    roles = {"Domain", "Expert", "Learner", "Outlook", "Strategy"}
    opened = {"Study", "RemoteStudy"}  # their examples are those of open_study and connect
    finder = doctest.DocTestFinder()
    for name in set(coactor.__all__) - values - roles - opened:
        thing: Any = getattr(coactor, name)
        error = inspect.isclass(thing) and issubclass(thing, Exception)
        if (inspect.isclass(thing) or inspect.isfunction(thing)) and not error:
            assert any(test.examples for test in finder.find(thing, name)), f"{name} has no example"


# -- pages -----------------------------------------------------------------------------------------------


@pytest.fixture
def runner(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Runner]:
    page = Runner(monkeypatch, tmp_path, SHORTER, set(NOT_RUN))
    yield page
    page.close()


def write_archives(folder: Path) -> None:
    """Small archives under the names that the pages use."""
    archives.write_trips(folder / "shanghai_taxi_paths")
    archives.write_trips(folder / "city")
    archives.write_plans(folder / "planner_routes")
    archives.write_queries(folder / "rank.train")
    rows = [
        f"{who},{case},{way},{int(way == case % 2)},{way + case}"
        for who in "ab"
        for case in range(4)
        for way in (0, 1)
    ]
    for name in ("electricity_long.csv", "yogurt_long.csv"):
        (folder / name).write_text("\n".join(["id,chid,alt,choice,price", *rows]), encoding="utf-8")


@pytest.mark.parametrize("page", pages(), ids=names(pages()))
def test_page_runs(page: Path, runner: Runner) -> None:
    text = page.read_text(encoding="utf-8")
    if re.search(r"^\$ coactor (evaluate|learn|reproduce|features|.* --network)", text, re.MULTILINE):
        write_archives(runner.folder)
    for block in blocks(page):
        runner.run(block)


def shown_commands() -> list[tuple[str, str]]:
    """Every command of a page, in a block or within a sentence, with its page."""
    shown = []
    for page in pages():
        if "tables" in page.parts:  # what made a table, when it was made
            continue
        place = str(page.relative_to(ROOT))
        console = [block for block in blocks(page) if block.words == "console"]
        shown += [(block.place, command) for block in console for command, _ in block.commands()]
        text = re.sub(r"^```.*?^```", "", page.read_text(encoding="utf-8"), flags=re.DOTALL | re.MULTILINE)
        inline = re.findall(r"`((?:coactor|make|python) [^`]+)`", text)
        shown += [(place, " ".join(c.split())) for c in inline if "|" not in c]
    return shown


def test_shown_commands_exist() -> None:
    """With their options, extras, targets and scripts; also those that are not run."""
    wrong = {f"{place}: {command}": unknown_words(command) for place, command in shown_commands()}
    assert {command: words for command, words in wrong.items() if words} == {}


@pytest.mark.parametrize("page", ["README.md", "CONTRIBUTING.md"])
def test_files_that_are_named_exist(page: str) -> None:
    text = (ROOT / page).read_text(encoding="utf-8")
    homes = [ROOT, ROOT / "src/coactor", ROOT / "src/coactor/learners", ROOT / "benchmarks"]
    for path in re.findall(r"`((?:[\w.]+/)*[\w.]+(?:\.py|\.toml|\.txt|\.md)|(?:\w+/)+)`", text):
        assert any((home / path).exists() for home in homes), path


def test_readme_table_is_the_generated_one() -> None:
    table = (ROOT / "docs/results/tables/paper-default.md").read_text(encoding="utf-8").partition("\n\n")[0]
    assert table in (ROOT / "README.md").read_text(encoding="utf-8")


def test_planner_is_said_once() -> None:
    """The number of the planner's days on every page is that of the table."""
    table = (ROOT / "docs/results/tables/planner-true-order.md").read_text(encoding="utf-8")
    saved = re.search(r"^\| \*\*the default learner\*\* \|.*?\| ([\d.]+) % \|", table, flags=re.MULTILINE)
    assert saved
    for page in ("README.md", "docs/index.md", "docs/results/data.md"):
        text = " ".join((ROOT / page).read_text(encoding="utf-8").split())
        said = re.findall(r"remembering habits saves (\d+) % of the moves", text)
        assert said, page
        assert all(abs(int(number) - float(saved[1])) <= 0.5 for number in said), page


def test_tables_name_their_command() -> None:
    for table in (ROOT / "docs/results/tables").glob("*.md"):
        last = table.read_text(encoding="utf-8").rstrip().rpartition("\n")[2]
        made = re.fullmatch(r"Made with `(.+)`, \d{4}-\d\d-\d\d\.", last)
        assert made or last.startswith("Typed in"), f"{table.name} does not name its command"
        if made and made[1].startswith("python "):
            assert (ROOT / shlex.split(made[1])[1]).exists(), made[1]


# -- the example to copy -----------------------------------------------------------------------------------


def test_example_of_own_domain_runs(tmp_path: Path) -> None:
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
    for name in ("PER", "CSPER", "default"):
        match = re.search(
            rf"^{name} +effort a week: +([\d.]+) in the first 3, +([\d.]+)", done.stdout, re.MULTILINE
        )
        assert match
        assert float(match[2]) <= float(match[1])
    assert picture.read_bytes().startswith(b"\x89PNG")


def test_example_of_a_ward_refuses_what_is_too_large_in_a_sentence(tmp_path: Path) -> None:
    days, shifts, nurses = range(364), [f"s{k}" for k in range(32)], [f"n{k}" for k in range(100)]
    sections = {
        "HORIZON": [str(len(days))],
        "SHIFTS": [f"{shift},480," for shift in shifts],
        "STAFF": [f"{nurse},s0=9,90000,0,5,2,2,26" for nurse in nurses],
        "COVER": [f"{day},{shift},2,100,1" for day in days for shift in shifts],
    }
    lines = [line for name, rows in sections.items() for line in (f"SECTION_{name}", *rows)]
    (tmp_path / "large.txt").write_text("\n".join(lines), "utf-8")
    done = subprocess.run(
        [sys.executable, ROOT / "examples" / "ward_benchmark.py", tmp_path / "large.txt", "1"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1
    assert re.fullmatch(r"The grid has more than \d+ pairs of a cell and a choice\.\n", done.stderr)
