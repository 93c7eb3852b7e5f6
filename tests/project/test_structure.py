"""Rules about the shape of the source tree, checked on every file."""

from __future__ import annotations

import ast
import os
import re
import runpy
import sys
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from types import FrameType

import grimp
import pytest

from coactor.studies import open_study
from tests.studies.stubs import tours

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "src" / "coactor"
LINES, FILES = 400, 15


def source_files(*suffixes: str, under: Path = SOURCE) -> list[Path]:
    return sorted(p for p in under.rglob("*") if p.suffix in suffixes and "__pycache__" not in p.parts)


def relative(paths: Iterable[Path]) -> list[str]:
    return [str(p.relative_to(ROOT)) for p in paths]


@pytest.fixture(scope="module")
def graph() -> grimp.ImportGraph:
    """Every import between our modules, the lazy ones and those for type checkers included."""
    return grimp.build_graph("coactor", exclude_type_checking_imports=False, cache_dir=None)


@pytest.mark.parametrize("tree", [SOURCE, ROOT / "tests", ROOT / "benchmarks", ROOT / "docs"])
def test_files_are_short(tree: Path) -> None:
    files = source_files(".py", ".js", under=tree)
    long = [p for p in files if len(p.read_text(encoding="utf-8").splitlines()) > LINES]
    assert relative(long) == []


@pytest.mark.parametrize("tree", ["src", "tests"])
def test_folders_are_small(tree: str) -> None:
    folders = Counter(
        p.parent
        for p in (ROOT / tree).rglob("*")
        if p.is_file() and not any(part == "__pycache__" or part.endswith(".egg-info") for part in p.parts)
    )
    assert relative(p for p, count in folders.items() if count > FILES) == []


def public_classes(tree: ast.Module) -> Iterator[str]:
    return (n.name for n in tree.body if isinstance(n, ast.ClassDef) and not n.name.startswith("_"))


def test_public_class_names_are_unique() -> None:
    homes: dict[str, list[Path]] = defaultdict(list)
    for path in source_files(".py"):
        for name in public_classes(ast.parse(path.read_text(encoding="utf-8"))):
            homes[name].append(path)
    shared = {name: relative(paths) for name, paths in homes.items() if len(paths) > 1}
    assert shared == {}


def cycles(graph: grimp.ImportGraph) -> list[list[str]]:
    """Groups of modules that import each other in a circle (Tarjan's strongly connected components)."""
    index: dict[str, int] = {}
    low: dict[str, int] = {}
    stack: list[str] = []
    components: list[list[str]] = []

    def visit(module: str) -> None:
        index[module] = low[module] = len(index)
        stack.append(module)
        for other in sorted(graph.find_modules_directly_imported_by(module)):
            if other not in index:
                visit(other)
            if other in stack:
                low[module] = min(low[module], low[other])
        if low[module] == index[module]:
            start = stack.index(module)
            components.append(sorted(stack[start:]))
            del stack[start:]

    for module in sorted(graph.modules):
        if module not in index:
            visit(module)
    return [c for c in components if len(c) > 1]


def test_modules_import_each_other_in_no_circle(graph: grimp.ImportGraph) -> None:
    assert cycles(graph) == []


def test_production_server_does_not_import_the_demo(graph: grimp.ImportGraph) -> None:
    """`coactor serve --try` loads it by name, inside the command; nothing else may."""
    demo = {m for m in graph.modules if m.startswith("coactor.web.demo")}
    importers = {i for m in demo for i in graph.find_modules_that_directly_import(m)} - demo
    assert demo
    assert importers == {"coactor.cli.serve"}


def test_only_rounds_updates_a_learner() -> None:
    """But for the checks, which try a learner, and learners that contain one."""
    callers = {
        path.relative_to(SOURCE).as_posix()
        for path in source_files(".py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr == "update"
        and ast.unparse(node.func.value).endswith("learner")
    }
    assert callers == {"rounds.py", "checks/learners.py", "learners/wrappers.py"}


def test_formatter_has_no_exemptions() -> None:
    marks = ("fmt" + ": skip", "fmt" + ": off", "prettier" + "-ignore")
    files = source_files(".py", ".js") + source_files(".py", under=ROOT / "tests")
    assert relative(p for p in files if any(m in p.read_text(encoding="utf-8") for m in marks)) == []


# -- the walk of one correction ----------------------------------------------------------------------------


def calls_between_modules(action: Callable[[], object]) -> list[tuple[str, str]]:
    """Every call from one of our modules into another, in order, as (caller, called)."""
    calls: list[tuple[str, str]] = []
    home = f"{SOURCE}{os.sep}"

    def note(frame: FrameType, event: str, arg: object) -> None:
        called = frame.f_code.co_filename
        if event != "call" or not called.startswith(home):
            return
        caller = frame.f_back
        while caller is not None and not caller.f_code.co_filename.startswith(home):
            caller = caller.f_back
        if caller is not None and caller.f_code.co_filename != called:
            pair = (caller.f_code.co_filename, called)
            calls.append((pair[0].removeprefix(home), pair[1].removeprefix(home)))

    before = sys.getprofile()
    sys.setprofile(note)
    try:
        action()
    finally:
        sys.setprofile(before)
    return calls


@pytest.mark.parametrize("habits", [False, True])
def test_the_walk_of_one_correction_is_as_contributing_says(tmp_path: Path, habits: bool) -> None:
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    section = text.partition("## The walk of one correction")[2].partition("\n## ")[0]
    walk = re.findall(r"^\| `([\w/]+\.py)` \|", section, flags=re.MULTILINE)
    assert len(walk) <= 8
    domain, (x, y) = tours(2)
    with open_study(f"sqlite:///{tmp_path}/desk.db", "desk", domain, create=True, habits=habits) as study:
        study.tell(study.ask(x), moves=[{"op": "reverse", "args": [1, 3]}], actor="ana")
        shown = study.ask(y)
        move = {"op": "reverse", "args": [2, 4]}
        calls = calls_between_modules(lambda: study.tell(shown, moves=[move], actor="ana"))
    assert {called for _, called in calls} >= set(walk[1:])
    upwards = {
        (caller, called)
        for caller, called in calls
        if called in walk and (caller not in walk or walk.index(caller) >= walk.index(called))
    }
    assert upwards == set()


def test_mutants_name_lines_that_exist() -> None:
    """The changes of the settings, and the mutants that are known to be equivalent."""
    mutants = runpy.run_path(str(ROOT / "benchmarks" / "mutants.py"))
    for words, file, before, _ in mutants["SETTINGS"]:
        assert (SOURCE / file).read_text().count(before) == 1, words
    for file, line, _ in mutants["ACCEPTED"]:
        assert line in map(str.strip, (SOURCE / file).read_text().splitlines()), line
