"""Mutation testing: which small changes of the code does no test notice?

    python benchmarks/mutants.py                     every target, every mutant
    python benchmarks/mutants.py bounds --most 40    one target, at most 40 mutants of each file

Each mutant changes one operator, comparison, number, condition or default of a file. The tests of the target
run in a forked process that imports the changed source; a mutant survives if all of them pass. Survivors are
printed with their line. Unix only; takes minutes.
"""

from __future__ import annotations

import argparse
import ast
import importlib.abc
import importlib.util
import os
import random
import signal
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src" / "coactor"
TARGETS = {  # target -> files, tests
    "learners": (
        ["learners/coactive.py", "learners/perceptrons.py", "learners/passive_aggressive.py"],
        ["tests/learners/test_formulas.py", "tests/learners/test_learners.py"],
    ),
    "bounds": (["bounds.py"], ["tests/test_bounds.py"]),
    "search": (["search.py"], ["tests/test_search.py", "tests/domains/test_domains.py"]),
    "experts": (["experts.py"], ["tests/test_experts.py"]),
    "statistics": (
        ["lab/engine/statistics.py", "lab/paper/claims.py"],
        ["tests/lab/engine/test_statistics.py", "tests/lab/paper/test_claims.py"],
    ),
    "settings": (
        ["lab/paper/panels.py", "lab/paper/choices.py", "lab/paper/runs.py", "lab/paper/theorem.py"],
        ["tests/lab/paper/test_panels.py", "tests/lab/paper/test_choices.py", "tests/lab/paper/test_runs.py"],
    ),
}
SECONDS = 120  # after which a mutant counts as noticed: it probably loops

_COMPARISONS = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
}
_OPERATORS = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Div,
    ast.Div: ast.Mult,
    ast.FloorDiv: ast.Mult,
    ast.Mod: ast.Mult,
    ast.Pow: ast.Mult,
    ast.And: ast.Or,
    ast.Or: ast.And,
    ast.BitAnd: ast.BitOr,
    ast.BitOr: ast.BitAnd,
}


class _Mutator(ast.NodeTransformer):
    """Applies the change number `wanted`, and counts all changes."""

    def __init__(self, wanted: int) -> None:
        self.wanted, self.count, self.line, self.text = wanted, 0, 0, ""

    def _change(self, node: ast.AST, text: str) -> bool:
        self.count += 1
        if self.count - 1 != self.wanted:
            return False
        self.line, self.text = getattr(node, "lineno", 0), text
        return True

    def visit_Compare(self, node: ast.Compare) -> ast.AST:
        self.generic_visit(node)
        for k, op in enumerate(node.ops):
            new = _COMPARISONS[type(op)]
            if self._change(node, f"{type(op).__name__} -> {new.__name__}"):
                node.ops[k] = new()
        return node

    def visit_BinOp(self, node: ast.BinOp) -> ast.AST:
        self.generic_visit(node)
        new = _OPERATORS.get(type(node.op))
        if new and self._change(node, f"{type(node.op).__name__} -> {new.__name__}"):
            node.op = new()
        return node

    def visit_BoolOp(self, node: ast.BoolOp) -> ast.AST:
        self.generic_visit(node)
        new = _OPERATORS[type(node.op)]
        if self._change(node, f"{type(node.op).__name__} -> {new.__name__}"):
            node.op = new()
        return node

    def visit_UnaryOp(self, node: ast.UnaryOp) -> ast.AST:
        self.generic_visit(node)
        if isinstance(node.op, ast.Not | ast.USub) and self._change(node, f"drop {type(node.op).__name__}"):
            return node.operand
        return node

    def visit_If(self, node: ast.If) -> ast.AST:
        if _is_type_checking(node.test):
            return node
        self.generic_visit(node)
        if self._change(node, "condition negated"):
            node.test = ast.UnaryOp(ast.Not(), node.test)
        return node

    def visit_IfExp(self, node: ast.IfExp) -> ast.AST:
        self.generic_visit(node)
        if self._change(node, "branches exchanged"):
            node.body, node.orelse = node.orelse, node.body
        return node

    def visit_Constant(self, node: ast.Constant) -> ast.AST:
        if isinstance(node.value, bool):
            if self._change(node, f"{node.value} -> {not node.value}"):
                return ast.Constant(not node.value)
        elif isinstance(node.value, int | float) and self._change(node, f"{node.value} -> {node.value + 1}"):
            return ast.Constant(node.value + 1)
        return node

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.AST:
        if node.value is not None:
            node.value = self.visit(node.value)
        return node

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        if node.name == "__repr__":
            return node
        node.args = self.visit(node.args)
        node.body = [self.visit(statement) for statement in node.body]
        return node

    def visit_Raise(self, node: ast.Raise) -> ast.AST:
        return node  # tests read the first words of a message only

    def visit_arg(self, node: ast.arg) -> ast.AST:
        return node


def _is_type_checking(test: ast.expr) -> bool:
    return isinstance(test, ast.Name) and test.id == "TYPE_CHECKING"


class _Finder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Imports one module from a changed syntax tree."""

    def __init__(self, name: str, path: Path, tree: ast.Module) -> None:
        self.name, self.path, self.tree = name, path, tree

    def find_spec(self, name: str, path: object, target: object = None) -> object:
        return (
            importlib.util.spec_from_loader(name, self, origin=str(self.path)) if name == self.name else None
        )

    def exec_module(self, module: object) -> None:
        vars(module)["__file__"] = str(self.path)
        exec(compile(self.tree, str(self.path), "exec"), vars(module))


def mutants(path: Path) -> Iterator[tuple[ast.Module, int, str]]:
    """Every mutant of a file: the tree, the line, and what changed."""
    text = path.read_text(encoding="utf-8")
    counter = _Mutator(-1)
    counter.visit(ast.parse(text))
    for k in range(counter.count):
        mutator = _Mutator(k)
        tree = mutator.visit(ast.parse(text))
        yield ast.fix_missing_locations(tree), mutator.line, mutator.text


def survives(name: str, path: Path, tree: ast.Module, tests: list[str]) -> bool:
    """Whether all tests pass with the mutant."""
    child = os.fork()
    if child == 0:
        os.setpgid(0, 0)
        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, 1)
        os.dup2(null, 2)
        signal.alarm(SECONDS)
        sys.meta_path.insert(0, _Finder(name, path, tree))
        import pytest

        options = ["-q", "-x", "-p", "no:cacheprovider", "-m", "not slow", "--hypothesis-seed=0"]
        os._exit(int(pytest.main([*options, *tests])))
    _, status = os.waitpid(child, 0)
    return status == 0


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "targets", nargs="*", default=list(TARGETS), metavar="TARGET", help=", ".join(TARGETS)
    )
    parser.add_argument("--most", type=int, help="mutants of each file, drawn at random; by default all")
    args = parser.parse_args()
    os.chdir(ROOT)
    sys.path.insert(0, str(ROOT))
    import hypothesis  # noqa: F401  imported once, before the forks
    import numba  # noqa: F401
    import numpy  # noqa: F401

    total = alive = 0
    for target in args.targets:
        files, tests = TARGETS[target]
        for file in files:
            path = SOURCE / file
            name = ".".join(("coactor", *Path(file).with_suffix("").parts))
            chosen = list(mutants(path))
            if args.most and len(chosen) > args.most:
                chosen = random.Random(file).sample(chosen, args.most)
            left = [(line, text) for tree, line, text in chosen if survives(name, path, tree, tests)]
            total, alive = total + len(chosen), alive + len(left)
            print(f"{file}: {len(left)} of {len(chosen)} survive", flush=True)
            for line, text in sorted(left):
                print(f"    line {line}: {text}", flush=True)
    print(f"{alive} of {total} survive: {alive / max(1, total):.1%}")


if __name__ == "__main__":
    main()
