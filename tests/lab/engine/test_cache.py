from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from coactor.lab.engine import cache as module
from coactor.lab.engine.cache import Cache, code_digest, data_digest, source_digests


class Task:
    """A task that depends on one number."""

    def __init__(self, number: int) -> None:
        self.number = number

    def __str__(self) -> str:
        return f"task {self.number}/ä, of 3"


@pytest.fixture
def cache(tmp_path: Path) -> Cache[Task, Any]:
    return Cache(
        tmp_path,
        lambda task: {"number": task.number},
        lambda task, data: np.array(data) if len(data) == task.number else None,
    )


def test_results_come_back_bit_for_bit(cache: Cache[Task, Any]) -> None:
    values = np.array([0.1, np.nextafter(1.0, 2.0), np.nan])
    assert cache.load(Task(3)) is None
    cache.save(Task(3), values)
    assert cache.load(Task(3)).tobytes() == values.tobytes()
    assert cache.load(Task(2)) is None


def test_corrupt_files_are_not_loaded(cache: Cache[Task, Any]) -> None:
    cache.save(Task(2), np.ones(2))
    path = cache.path(Task(2))
    whole = path.read_bytes()
    for content in (b"", whole[: len(whole) // 2], b"something else"):
        path.write_bytes(content)
        assert cache.load(Task(2)) is None
    for place in range(0, len(whole), 23):
        path.write_bytes(bytes([*whole[:place], whole[place] ^ 255, *whole[place + 1 :]]))
        assert cache.load(Task(2)) is None
    path.write_bytes(whole)
    assert cache.load(Task(2)) is not None


def test_key_depends_on_the_code_and_its_versions(
    cache: Cache[Task, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    real, keys = module.version, {cache.path(Task(1))}
    for package in ("numpy", "numba"):
        monkeypatch.setattr(module, "version", lambda name, p=package: "0.1" if name == p else real(name))
        code_digest.cache_clear()
        keys.add(cache.path(Task(1)))
    monkeypatch.setattr(module, "code_digest", lambda: "other")
    assert len({*keys, cache.path(Task(1))}) == 4
    code_digest.cache_clear()


def test_code_digest_covers_new_modules_and_not_those_without_effect(tmp_path: Path) -> None:
    (tmp_path / "search.py").write_text("a = 1")
    before = code_digest(tmp_path)
    for name in ("web/app.py", "lab/output/report.py", "cli/main.py", "client.py"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("b = 2")
        code_digest.cache_clear()
        assert code_digest(tmp_path) == before, name
    for name in ("rounds.py", "grids/new.py", "lab/engine/tasks.py"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("c = 3")
        code_digest.cache_clear()
        after = code_digest(tmp_path)
        assert after != before, name
        before = after
    code_digest.cache_clear()


def test_data_digest_covers_the_group_file(tmp_path: Path) -> None:
    rows = tmp_path / "rank.train.gz"
    rows.write_text("1 1:2\n")
    digests = {data_digest([rows])}
    (tmp_path / "rank.train.query").write_text("1\n")
    digests.add(data_digest([rows]))
    rows.write_text("2 1:2\n")
    digests.add(data_digest([rows]))
    assert len(digests) == 3


def test_source_digests_are_those_of_foreign_classes() -> None:
    (digest,) = source_digests(["tests.lab.helpers:Slow", "coactor.domains:Tour", "PER"])
    assert len(digest) == 64
