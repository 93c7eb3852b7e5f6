from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

from coactor.lab.engine import atomic_files


def test_write_is_atomic(tmp_path, monkeypatch):
    target = tmp_path / "runs.csv"
    atomic_files.write(target, "old\n")

    def interrupted(_):
        raise RuntimeError

    monkeypatch.setattr(os, "fsync", interrupted)
    with pytest.raises(RuntimeError):
        atomic_files.write(target, "new\n")
    assert target.read_text() == "old\n"
    assert os.listdir(tmp_path) == ["runs.csv"]  # no temporary file is left


def test_prepare_raises_where_nothing_can_be_written(tmp_path):
    (tmp_path / "file").write_text("in the way")
    # Not even the superuser can write to the kernel's tables.
    for folder in (tmp_path / "file", tmp_path / "file" / "deeper", Path("/proc/coactor-results")):
        with pytest.raises(OSError, match=re.escape(str(folder).partition("/deeper")[0])):
            atomic_files.prepare(folder)
