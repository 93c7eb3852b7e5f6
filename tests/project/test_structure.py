"""Rules about what may depend on what. The layers are a contract of import-linter, in pyproject.toml."""

from __future__ import annotations

import ast
from graphlib import TopologicalSorter
from pathlib import Path

import grimp
import pytest

SOURCE = Path(__file__).parents[2] / "src" / "coactor"


@pytest.fixture(scope="module")
def graph() -> grimp.ImportGraph:
    """Every import between our modules, the lazy ones and those for type checkers included."""
    return grimp.build_graph("coactor", exclude_type_checking_imports=False, cache_dir=None)


def test_modules_import_each_other_in_no_circle(graph: grimp.ImportGraph) -> None:
    imports = {module: graph.find_modules_directly_imported_by(module) for module in graph.modules}
    TopologicalSorter(imports).prepare()  # raises CycleError, which names the circle


def test_production_server_does_not_import_the_demo(graph: grimp.ImportGraph) -> None:
    """`coactor serve --try` loads it by name, inside the command; nothing else may."""
    demo = {m for m in graph.modules if m.startswith("coactor.web.demo")}
    importers = {i for m in demo for i in graph.find_modules_that_directly_import(m)} - demo
    assert demo
    assert importers == {"coactor.cli.serve"}


def test_only_rounds_updates_a_learner() -> None:
    """But for the checks, which try a learner."""
    callers = {
        path.relative_to(SOURCE).as_posix()
        for path in SOURCE.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr == "update"
        and ast.unparse(node.func.value).endswith("learner")
    }
    assert callers == {"rounds.py", "checks/learners.py"}
