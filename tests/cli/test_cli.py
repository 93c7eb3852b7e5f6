"""The command line starts fast and lists its commands."""

from __future__ import annotations

import subprocess
import sys

import pytest
from click.testing import CliRunner

from coactor.cli import COMMANDS, main

HEAVY = {"matplotlib", "joblib", "distributed", "dask", "scipy", "pandas", "sklearn", "networkx", "ortools"}
HEAVY |= {"pyvrp", "sqlalchemy", "orjson", "psycopg", "fastapi", "uvicorn", "starlette", "httpx"}


def imported_by(code: str) -> set[str]:
    """The packages that some code imports in a new Python process."""
    report = "\nimport sys; print('\\n' + ' '.join(sorted({name.partition('.')[0] for name in sys.modules})))"
    done = subprocess.run([sys.executable, "-c", code + report], capture_output=True, text=True, check=True)
    return set(done.stdout.splitlines()[-1].split())


def test_import_coactor_imports_nothing_heavy() -> None:
    loaded = imported_by("import coactor")
    assert not loaded & (HEAVY | {"numba"})


def test_core_imports_numpy_and_numba_only() -> None:
    loaded = imported_by(
        "import coactor\n"
        "for name in ('bounds', 'checks', 'explanations', 'proposals', 'rounds'): getattr(coactor, name)\n"
        "coactor.SimulatedExpert, coactor.polish, coactor.check_domain\n"
        "domain = coactor.domains.Tour(points=4, features=2)\n"
        "coactor.Session(domain, coactor.learners.make('default', 2))\n"
    )
    assert {"numpy", "numba"} <= loaded
    assert not loaded & (HEAVY - {"scipy"} | {"click"})  # numba itself looks for scipy


@pytest.mark.parametrize("command", ["", "reproduce", "compare", "evaluate", "learn", "check"])
def test_help_imports_nothing_heavy(command: str) -> None:
    loaded = imported_by(
        f"from coactor.cli import main\ntry: main('{command} --help'.split())\n"
        "except SystemExit as end: assert end.code == 0"
    )
    assert not loaded & (HEAVY | {"numpy", "numba", "jinja2"})


def test_help_lists_every_command() -> None:
    shown = CliRunner().invoke(main, ["--help"])
    assert shown.exit_code == 0
    for name, (_, _, line) in COMMANDS.items():
        assert name in shown.output
        assert line.split(",")[0].split(":")[0] in shown.output
    assert CliRunner().invoke(main, ["nonsense"]).exit_code == 2
