from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from coactor.lab.engine import atomic_files


def test_a_file_appears_whole_or_not_at_all(tmp_path):
    target = tmp_path / "runs.csv"
    atomic_files.write(target, "old\n")

    def pieces():
        yield "new\n"
        raise RuntimeError("the power went off")

    with pytest.raises(RuntimeError):
        atomic_files.write(target, pieces())
    assert target.read_text() == "old\n"
    assert os.listdir(tmp_path) == ["runs.csv"]  # and nothing is left lying about


def test_written_files_are_readable_like_any_other(tmp_path):
    atomic_files.write(tmp_path / "a", "x")
    (tmp_path / "b").write_text("x")
    assert (tmp_path / "a").stat().st_mode == (tmp_path / "b").stat().st_mode


def test_a_folder_that_cannot_be_made(tmp_path):
    (tmp_path / "file").write_text("in the way")
    for folder in (tmp_path / "file", tmp_path / "file" / "deeper"):
        with pytest.raises(atomic_files.CannotWriteError, match=r"not a folder.*--out"):
            atomic_files.prepare(folder, 1)


def test_a_folder_that_refuses_writing():
    # The kernel's own tables can be read by all and written by nobody, the superuser included.
    with pytest.raises(atomic_files.CannotWriteError, match=r"/proc/.*cannot be written to.*--out"):
        atomic_files.prepare(Path("/proc/coactor-results"), 1)


def test_a_disk_too_small_is_told_before_the_work(tmp_path):
    with pytest.raises(atomic_files.CannotWriteError, match="MB left and this needs about"):
        atomic_files.prepare(tmp_path, 10**18)
    assert os.listdir(tmp_path) == []


@pytest.fixture
def tiny_disk(tmp_path):
    """A real file system of 256 kB, where we are allowed to mount one."""
    place = tmp_path / "tiny"
    place.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", "size=256k", "tmpfs", str(place)]
    if os.geteuid() != 0 or subprocess.run(command, capture_output=True).returncode != 0:
        pytest.skip("mounting a small file system is not allowed here")
    yield place
    subprocess.run(["umount", str(place)], check=True)


def test_a_disk_that_fills_up_leaves_no_half_file(tiny_disk):
    atomic_files.write(tiny_disk / "report.html", "before")
    with pytest.raises(atomic_files.CannotWriteError, match=r"full.*--out"):
        atomic_files.write(tiny_disk / "report.html", b"x" * 10**6)
    assert (tiny_disk / "report.html").read_text() == "before"
    assert os.listdir(tiny_disk) == ["report.html"]


def test_digest(tmp_path):
    atomic_files.write(tmp_path / "a", b"abc")
    assert atomic_files.digest(tmp_path / "a").startswith("ba7816bf")
