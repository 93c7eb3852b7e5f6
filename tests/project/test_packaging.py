"""The sdist and the wheel, built from this tree and tried where nothing else of ours is installed."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
import venv
import zipfile
from collections.abc import Iterator
from importlib import metadata
from pathlib import Path

import pytest
from packaging.requirements import Requirement

from coactor.version import __version__

ROOT = Path(__file__).parents[2]
LEFT_OUT = shutil.ignore_patterns(
    ".*", "__pycache__", "*.egg-info", "build", "dist", "results", "node_modules", "generated", "*.db"
)


@pytest.fixture(scope="module")
def dist(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the sdist of this tree, and the wheel made from that sdist."""
    tree = tmp_path_factory.mktemp("source") / "coactor"
    shutil.copytree(ROOT, tree, ignore=LEFT_OUT)
    shutil.copy(ROOT / ".pre-commit-config.yaml", tree)
    out = tmp_path_factory.mktemp("dist")
    command = [sys.executable, "-m", "build", "--no-isolation", "--outdir", str(out), str(tree)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=clean_environment())
    assert done.returncode == 0, done.stdout + done.stderr
    return out


def clean_environment() -> dict[str, str]:
    """Ours without what would let this tree in. Kernels run uncompiled, which is quicker here."""
    variables = {
        k: v for k, v in os.environ.items() if not k.startswith(("PYTHON", "COACTOR", "COV", "PYTEST"))
    }
    return {**variables, "NUMBA_DISABLE_JIT": "1", "MPLBACKEND": "Agg"}


def source_files() -> set[str]:
    base = ROOT / "src"
    return {
        str(p.relative_to(base))
        for p in (base / "coactor").rglob("*")
        if p.is_file() and "__pycache__" not in p.parts and p.suffix != ".nbi"
    }


def test_wheel_has_every_file_of_the_package(dist: Path) -> None:
    with zipfile.ZipFile(next(dist.glob("*.whl"))) as wheel:
        names = set(wheel.namelist())
    assert source_files() - names == set()
    assert not [n for n in names if not n.startswith(("coactor/", "coactor-"))]


def test_sdist_has_what_a_contributor_needs(dist: Path) -> None:
    with tarfile.open(next(dist.glob("*.tar.gz"))) as sdist:
        names = {n.partition("/")[2] for n in sdist.getnames()}
    needed = {"Makefile", "constraints.txt", "CHANGELOG.md", "CONTRIBUTING.md", "LICENSE", "docs/conf.py"}
    assert needed - names == set()
    tests = {str(p.relative_to(ROOT)) for p in (ROOT / "tests").rglob("*.py")}
    assert tests - names == set()


# -- installed alone ---------------------------------------------------------------------------------


def requirements(wheel: Path, extras: tuple[str, ...]) -> Iterator[str]:
    """Names of every distribution that pip would install with the wheel, dependencies of those included."""
    info = next(p for p in zipfile.Path(wheel).iterdir() if p.name.endswith(".dist-info"))
    waiting, done = [("coactor", frozenset(extras))], set()
    while waiting:
        name, wanted = waiting.pop()
        about = metadata.PathDistribution(info) if name == "coactor" else metadata.distribution(name)
        for line in about.requires or ():
            need = Requirement(line)
            if need.marker and not any(need.marker.evaluate({"extra": e}) for e in (*wanted, "")):
                continue
            item = (re.sub(r"[-_.]+", "-", need.name).lower(), frozenset(need.extras))
            if item not in done:
                done.add(item)
                waiting.append(item)
    return iter({name for name, _ in done} - {"coactor"})


def install(wheel: Path, folder: Path, *extras: str) -> Path:
    """Make a virtual environment with the wheel and links to its dependencies; return its bin folder."""
    venv.create(folder, with_pip=False, symlinks=True)
    site = next((folder / "lib").glob("python*/site-packages"))
    for name in requirements(wheel, extras):
        for file in metadata.distribution(name).files or ():
            top = file.parts[0]
            target = Path(str(metadata.distribution(name).locate_file(top)))
            if top not in ("..", "__pycache__") and not (site / top).exists() and target.exists():
                (site / top).symlink_to(target)
    pip = [sys.executable, "-m", "pip", "--python", str(folder / "bin" / "python"), "install", "--quiet"]
    subprocess.run(
        [*pip, "--no-deps", "--no-index", "--no-compile", "--disable-pip-version-check", str(wheel)],
        check=True,
        env=clean_environment(),
    )
    return folder / "bin"


def run(program: Path, *words: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [str(program), *words],
        cwd=cwd,
        env=clean_environment(),
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )


@pytest.fixture(scope="module")
def bare(dist: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return install(next(dist.glob("*.whl")), tmp_path_factory.mktemp("bare"))


@pytest.fixture(scope="module")
def served(dist: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return install(next(dist.glob("*.whl")), tmp_path_factory.mktemp("served"), "serve")


def test_bare_install_begins_says_its_version_and_compares(bare: Path, tmp_path: Path) -> None:
    begun = run(bare / "coactor", cwd=tmp_path)
    assert begun.returncode == 0, begun.stderr
    assert "coactor compare" in begun.stdout
    assert len(begun.stdout.splitlines()) <= 40
    version = run(bare / "coactor", "--version", cwd=tmp_path)
    assert version.returncode == 0
    assert version.stdout.startswith(f"coactor {__version__}, Python"), version.stderr
    few = ("--panel", "path-clean", "--runs", "1", "--examples", "5", "--jobs", "1", "--json")
    compared = run(bare / "coactor", "compare", "PER", *few, cwd=tmp_path)
    assert compared.returncode == 0, compared.stderr
    assert json.loads(compared.stdout)["totals"][0]["learner"] == "PER"


def test_bare_install_is_the_installed_package(bare: Path, tmp_path: Path) -> None:
    where = run(bare / "python", "-c", "import coactor; print(coactor.__file__)", cwd=tmp_path).stdout
    assert str(bare.parent) in where


@pytest.mark.parametrize("command", ["serve", "study list", "token list"])
def test_bare_install_names_the_missing_extra(bare: Path, tmp_path: Path, command: str) -> None:
    done = run(bare / "coactor", *command.split(), cwd=tmp_path)
    assert done.returncode != 0
    assert "Traceback" not in done.stderr
    assert "pip install 'coactor[" in done.stderr


def test_served_install_serves_pages_and_static_files(served: Path, tmp_path: Path) -> None:
    code = """
        from fastapi.testclient import TestClient
        from coactor.studies import Store
        from coactor.web.app import create_app
        with TestClient(create_app(Store("sqlite:///try.db")), base_url="http://localhost") as http:
            page = http.get("/login")
            assert page.status_code == 200, page.text
            import re
            files = re.findall(r'(?:href|src)="(/static/[^"]+)"', page.text)
            assert files
            assert [f for f in files if http.get(f).status_code != 200] == []
            assert http.get("/health").json()["status"] == "ok"
        print("served")
    """
    done = run(served / "python", "-c", re.sub(r"^        ", "", code, flags=re.MULTILINE), cwd=tmp_path)
    assert done.stdout == "served\n", done.stderr
