"""Classes of the user: by entry point, as module:Class and as file.py:Class."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from coactor.plugins import announced, load, load_class, unknown


def test_load_imports_from_the_current_folder_and_restores_the_path(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "own_things_a.py").write_text("class Mine: ...\nlimit = 3\n")
    monkeypatch.chdir(tmp_path)
    before = list(sys.path)
    assert load_class("own_things_a:Mine", "domain").__name__ == "Mine"
    assert load("own_things_a:limit")[1] == 3
    assert sys.path == before
    with pytest.raises(ValueError, match=r"The domain 'own_things_a:limit' cannot be called\."):
        load_class("own_things_a:limit", "domain")
    with pytest.raises(ValueError, match="has no 'Mien'; it has Mine"):
        load("own_things_a:Mien")


def test_load_imports_a_file_and_its_neighbours_and_restores_the_path(tmp_path: Path) -> None:
    (tmp_path / "own_things_b.py").write_text("value = 7\n")
    (tmp_path / "own_things_c.py").write_text("from own_things_b import value\n")
    before = list(sys.path)
    assert load(f"{tmp_path / 'own_things_c.py'}:value")[1] == 7
    assert sys.path == before


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("Mine", "not of the form module:Class"),
        (":Mine", "not of the form module:Class"),
        ("nowhere.at.all:Mine", "Cannot import 'nowhere.at.all'"),
        ("/nowhere/at/all.py:Mine", "Cannot import '/nowhere/at/all.py'"),
    ],
)
def test_load_raises_if_nothing_is_found(text: str, message: str) -> None:
    before = list(sys.path)
    with pytest.raises(ValueError, match=message):
        load(text)
    assert sys.path == before


def test_a_file_that_fails_leaves_no_module(tmp_path: Path) -> None:
    file = tmp_path / "own_things_d.py"
    file.write_text("raise ImportError('a part is missing')\n")
    with pytest.raises(ValueError, match="a part is missing"):
        load(f"{file}:Mine")
    assert "own_things_d" not in sys.modules


def test_unknown_suggests_the_nearest_names() -> None:
    error = unknown("learner", "cspr", ["PER", "CSPER"])
    assert str(error) == "Unknown learner 'cspr'. Did you mean CSPER or PER? Known are PER, CSPER."


def test_announced_lists_a_group_without_importing_it() -> None:
    assert announced("coactor.no-such-group") == {}
    assert "pytest" in announced("console_scripts")
