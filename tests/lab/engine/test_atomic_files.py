from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

import pytest

from coactor.lab.engine import atomic_files


def test_write_is_atomic(tmp_path):
    target = tmp_path / "runs.csv"
    atomic_files.write(target, "old\n")

    def pieces():
        yield "new\n"
        raise RuntimeError("interrupted")

    with pytest.raises(RuntimeError):
        atomic_files.write(target, pieces())
    assert target.read_text() == "old\n"
    assert os.listdir(tmp_path) == ["runs.csv"]  # no temporary file is left


def test_prepare_raises_where_nothing_can_be_written(tmp_path):
    (tmp_path / "file").write_text("in the way")
    # Not even the superuser can write to the kernel's tables.
    for folder in (tmp_path / "file", tmp_path / "file" / "deeper", Path("/proc/coactor-results")):
        with pytest.raises(OSError, match=re.escape(str(folder).partition("/deeper")[0])):
            atomic_files.prepare(folder)


@pytest.fixture
def tiny_disk(tmp_path):
    """A file system of 256 kB; skips where mounting is not allowed."""
    place = tmp_path / "tiny"
    place.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", "size=256k", "tmpfs", str(place)]
    if os.geteuid() != 0 or subprocess.run(command, capture_output=True).returncode != 0:
        pytest.skip("mounting a small file system is not allowed here")
    yield place
    subprocess.run(["umount", str(place)], check=True)


def test_write_to_a_full_disk_keeps_the_old_file(tiny_disk):
    atomic_files.write(tiny_disk / "report.html", "before")
    with pytest.raises(OSError, match="No space left"):
        atomic_files.write(tiny_disk / "report.html", b"x" * 10**6)
    assert (tiny_disk / "report.html").read_text() == "before"
    assert os.listdir(tiny_disk) == ["report.html"]
