"""Mutation testing: which small changes of the code does no test notice?

    python benchmarks/mutants.py                     every target, every mutant
    python benchmarks/mutants.py bounds --most 40    one target, at most 40 mutants of each file
    python benchmarks/mutants.py experiments         the settings of the paper's experiments, one by one

Each mutant changes one operator, comparison, number, condition or default of a file. The tests of the target
run in a forked process that imports the changed source; a mutant survives if all of them pass. Survivors are
printed with their line, and with the reason if they are in ACCEPTED. Unix only; takes minutes.
"""

from __future__ import annotations

import argparse
import ast
import importlib.abc
import importlib.util
import os
import random
import resource
import sys
from collections.abc import Iterator
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src" / "coactor"
RUNS, PANELS, EXPERIMENT, REPRODUCTION, THEOREM = (
    f"lab/paper/{name}.py" for name in ("runs", "panels", "experiment", "reproduction", "theorem")
)
TOURS, FLEETS, CUBES = (f"domains/{name}.py" for name in ("tours", "fleets", "hypercube"))
COMMANDS = "cli/paper.py"
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
        [
            "tests/lab/paper/test_panels.py",
            "tests/lab/paper/test_experiments.py",
            "tests/lab/paper/test_runs.py",
            "tests/lab/paper/test_choices.py",
            "tests/lab/paper/test_robustness.py",
            "tests/lab/test_people.py",
        ],
    ),
}
SECONDS = 60  # of processor time, after which a mutant counts as noticed: it probably loops
EXPERIMENTS = "experiments"
EXPERIMENT_TESTS = ["tests/lab/paper/test_experiments.py"]
SETTINGS = (  # what is changed, file, text, the text in its place
    ("hidden weights are 0", RUNS, ".random(length)", ".random(length) * (np.arange(length) < domain.dim)"),
    ("weights on [-1, 1]", RUNS, ".random(length)", ".uniform(-1, 1, length)"),
    ("one expert for all runs", RUNS, "unit.run, purpose", "0, purpose"),
    ("the expert line sees the solver's start", RUNS, "expert.weights[: domain.dim]", "start"),
    ("rankings by the first feature", RUNS, "weights[-1] = 1.0", "weights[0] = 1.0"),
    ("data in the order of the file", RUNS, "rng.permutation(len(queries))", "np.arange(len(queries))"),
    ("kappa 0.2", PANELS, "kappa: float = 0.1", "kappa: float = 0.2"),
    ("rankings: kappa 1", PANELS, "kappa=2.0", "kappa=1.0"),
    ("budget 5 to 10", PANELS, '15", (5, 15)', '15", (5, 10)'),
    ("budget 1 to 15", PANELS, '15", (5, 15)', '15", (1, 15)'),
    ("a budget without a limit", PANELS, 'unlimited", None', 'unlimited", (5, 15)'),
    ("linear axes", PANELS, "log: bool = True", "log: bool = False"),
    ("rankings: a logarithmic axis", PANELS, "log=False,\n        expert", "log=True,\n        expert"),
    (
        "no noise in paths",
        PANELS,
        '"Path planning, noise", _CUBE, (("hidden", 1)',
        '"", _CUBE, (("hidden", 0)',
    ),
    ("2 hidden features in paths", PANELS, 'noise", _CUBE, (("hidden", 1)', 'noise", _CUBE, (("hidden", 2)'),
    ("9 hidden features in tours", PANELS, '(("hidden", 10)', '(("hidden", 9)'),
    ("no noise in fleets", PANELS, 'noise", _FLEET, (("hidden", 1)', 'noise", _FLEET, (("hidden", 0)'),
    ("699 features of documents", PANELS, "RANKING_FEATURES = 700", "RANKING_FEATURES = 699"),
    ("each ranking panel has its own problems", PANELS, 'stream="rank"', 'stream=""'),
    ("the best improvement", PANELS, 'policy: Policy = "first"', 'policy: Policy = "best"'),
    ("the candidate of Assumption 3", PANELS, 'Candidate = "final"', 'Candidate = "disagreement"'),
    ("random ties", PANELS, 'ties: Ties = "lowest"', 'ties: Ties = "random"'),
    ("9 runs", COMMANDS, 'FULL = {"runs": 10', 'FULL = {"runs": 9'),
    (
        "9 runs from Python",
        REPRODUCTION,
        "runs: int = 10,\n    examples: int | Lit",
        "runs: int = 9,\n    examples: int | Lit",
    ),
    ("900 examples", EXPERIMENT, "GENERATED = 1000", "GENERATED = 900"),
    ("data are cut", REPRODUCTION, 'return "all" if data', "return GENERATED if data"),
    ("quick: 5 runs", COMMANDS, 'QUICK = {"runs": 3', 'QUICK = {"runs": 5'),
    ("19 points", TOURS, "points: int = 20", "points: int = 19"),
    ("tours: 99 features", TOURS, "features: int = 100", "features: int = 99"),
    ("39 points of a fleet", FLEETS, "points: int = 40", "points: int = 39"),
    ("3 salespeople", FLEETS, "vehicles: int = 4", "vehicles: int = 3"),
    ("fleets: 9 features", FLEETS, "features: int = 10", "features: int = 9"),
    ("a cube of 6 dimensions", CUBES, "dimension: int = 7", "dimension: int = 6"),
    ("cubes: 9 features", CUBES, "features: int = 10", "features: int = 9"),
)
# (file, the line of the source, the change) -> why no test can or need notice it
ROUNDING = "equivalent: which rounding errors are allowed for"
STREAM = "equivalent in distribution: which random numbers are drawn is arbitrary"
ACCEPTED = {  # file, line, change -> why no test can notice it
    ("learners/coactive.py", "if tells(delta, feedback.path[0]):", "0 -> 1"): (
        "equivalent: the ends differ by delta, which is rounding where the comparison matters"
    ),
    ("bounds.py", "_check(learner, 1, radius, norm, kappa)", "1 -> 2"): (
        "equivalent: any n above 0 will do where the bound has none"
    ),
    (
        "search.py",
        "self, y: Solution, *, kappa: float = 0.0, best: bool = False, limit: int = -1",
        "1 -> 2",
    ): "equivalent: every negative limit is none",
    ("experts.py", "self._limit = self.budget if isinstance(self.budget, int) else -1", "1 -> 2"): (
        "equivalent: every negative limit is none"
    ),
    ("experts.py", "return bool(self._landscape.climb(y, kappa=self.kappa, limit=1)[1])", "1 -> 2"): (
        "equivalent: a second move tells no more than the first"
    ),
    ("experts.py", "if self.slips and rng.random() < self.slips:", "Lt -> LtE"): STREAM,
    ("experts.py", "for gain, move in zip(gains.tolist(), options, strict=True):", "True -> False"): (
        "not reached: every landscape has one gain for each move"
    ),
    ("experts.py", "if gain >= self.kappa and gain > most + 1e-12:", "Gt -> GtE"): ROUNDING,
    ("experts.py", 'solution_key(y), digest_size=8, key=self._salt.to_bytes(8, "little")', "8 -> 9"): STREAM,
    (
        "experts.py",
        'u = ((int.from_bytes(digest, "little") >> 11) + 0.5) / 2**53  # never 0 or 1',
        "0.5 -> 1.5",
    ): ROUNDING,
    (
        "experts.py",
        'u = ((int.from_bytes(digest, "little") >> 11) + 0.5) / 2**53  # never 0 or 1',
        "Add -> Sub",
    ): ROUNDING,
    (THEOREM, "slack = _ROUNDING * (1.0 + float(np.abs(w).sum()))", "Add -> Sub"): ROUNDING,
    (
        THEOREM,
        "self._local &= bool((search.landscape(self._domain, x, w).gains(y) <= slack).all())",
        "LtE -> Lt",
    ): ROUNDING,
    (THEOREM, "self._disagreed &= float(w @ delta) <= slack", "LtE -> Lt"): ROUNDING,
    (THEOREM, "if round.cost > 0:", "Gt -> GtE"): "equivalent: without a cost delta is 0",
    (RUNS, "panel, more = unit.panel, (1,) if changed else ()", "1 -> 2"): STREAM,
    (
        RUNS,
        "weights = stream(unit, _WEIGHTS, *((1,) if changed else ())).random(length)",
        "branches exchanged",
    ): STREAM,
    (
        RUNS,
        "seed = int(stream(unit, _CONTENDER, zlib.crc32(text.encode())).integers(2**31))",
        "Pow -> Mult",
    ): STREAM,
}

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

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.AST:
        node.body = [self.visit(statement) for statement in node.body]  # not whether it is frozen
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


def named_mutants(file: str) -> Iterator[tuple[ast.Module, int, str]]:
    """The mutants of EXPERIMENTS in a file."""
    text = (SOURCE / file).read_text(encoding="utf-8")
    for words, where, before, after in SETTINGS:
        if where == file:
            if text.count(before) != 1:
                sys.exit(f"{file} has {before!r} {text.count(before)} times; expected once.")
            line = text[: text.index(before)].count("\n") + 1
            yield ast.parse(text.replace(before, after)), line, words


def run_tests(tests: list[str]) -> int:
    """The exit status of pytest, with nothing printed."""
    import pytest

    options = ["-q", "-x", "-p", "no:cacheprovider", "-m", "not slow", "--hypothesis-seed=0"]
    with open(os.devnull, "w") as null, redirect_stdout(null), redirect_stderr(null):
        return int(pytest.main([*options, *tests]))


def survives(file: str, tree: ast.Module, tests: list[str]) -> bool:
    """Whether all tests pass with the mutant."""
    child = os.fork()
    if child == 0:
        os.setpgid(0, 0)
        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, 1)
        os.dup2(null, 2)
        resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))
        # The tests have been run in the parent. For a module of the lab the compiled kernels stay.
        again = ("coactor.lab", "coactor.cli", "tests") if file.startswith("lab/") else ("coactor", "tests")
        for name in list(sys.modules):
            if any(name == first or name.startswith(f"{first}.") for first in again):
                del sys.modules[name]
        name = ".".join(("coactor", *Path(file).with_suffix("").parts))
        sys.meta_path.insert(0, _Finder(name, SOURCE / file, tree))
        os._exit(run_tests(tests))
    _, status = os.waitpid(child, 0)
    return status == 0


def examine(file: str, tests: list[str], chosen: list[tuple[ast.Module, int, str]]) -> int:
    """Print the mutants that survive; returns their number."""
    source = (SOURCE / file).read_text(encoding="utf-8")
    if not survives(file, ast.parse(source), tests):
        sys.exit(f"The tests of {file} fail without a mutant.")
    left = [(line, text) for tree, line, text in chosen if survives(file, tree, tests)]
    print(f"{file}: {len(left)} of {len(chosen)} survive", flush=True)
    for line, text in sorted(left):
        code = source.splitlines()[line - 1].strip()
        reason = ACCEPTED.get((file, code, text), "NO TEST NOTICES IT")
        print(f"    line {line}, {text}: {code}\n        {reason}", flush=True)
    return len(left)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    known = [*TARGETS, EXPERIMENTS]
    parser.add_argument("targets", nargs="*", default=known, metavar="TARGET", help=", ".join(known))
    parser.add_argument("--most", type=int, help="mutants of each file, drawn at random; by default all")
    args = parser.parse_args()
    os.chdir(ROOT)
    sys.path.insert(0, str(ROOT))
    total = alive = 0
    for target in args.targets:
        named = target == EXPERIMENTS
        files, tests = (
            (list(dict.fromkeys(row[1] for row in SETTINGS)), EXPERIMENT_TESTS) if named else TARGETS[target]
        )
        if run_tests(tests):
            sys.exit(f"The tests of {target} fail.")
        for file in files:
            chosen = list(named_mutants(file) if named else mutants(SOURCE / file))
            if args.most and len(chosen) > args.most:
                chosen = random.Random(file).sample(chosen, args.most)
            total, alive = total + len(chosen), alive + examine(file, tests, chosen)
    print(f"{alive} of {total} survive: {alive / max(1, total):.1%}")


if __name__ == "__main__":
    main()
