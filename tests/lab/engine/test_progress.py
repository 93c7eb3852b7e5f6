from __future__ import annotations

import io

from coactor.lab.engine.progress import Progress


def test_a_log_has_plain_lines_and_not_too_many() -> None:
    stream = io.StringIO()
    progress = Progress(1000, stream=stream)
    for _ in range(1000):
        progress.step("x")
    progress.close()
    lines = stream.getvalue().splitlines()
    assert 15 <= len(lines) <= 22
    assert lines[0] == "1000 tasks to do"
    assert lines[1].startswith("50/1000 done, ")
    assert lines[-1].startswith("1000/1000 done, 00:00 left (x)")
    assert "\r" not in stream.getvalue()
