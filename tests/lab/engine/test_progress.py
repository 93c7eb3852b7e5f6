from __future__ import annotations

import pytest

from coactor.lab.engine.progress import progress


def test_a_log_has_plain_lines_and_not_too_many(capsys: pytest.CaptureFixture[str]) -> None:
    with progress(1000) as step:
        for _ in range(1000):
            step("x")
    lines = capsys.readouterr().err.splitlines()
    assert 15 <= len(lines) <= 22
    assert lines[0] == "1000 tasks to do"
    assert lines[1].startswith("50/1000 done")
    assert lines[-1].startswith("1000/1000 done")
    assert lines[-1].endswith("(x)")
    with progress(10, 10), progress(10, silent=True) as step:
        step("x")
    assert not capsys.readouterr().err
