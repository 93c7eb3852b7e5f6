"""In continuous integration a test that is left out is a failure."""

from __future__ import annotations

import pytest

from tests.conftest import ALLOWED, fail_if_left_out


@pytest.mark.parametrize(
    ("ci", "reason", "outcome"),
    [
        ("", "There is no Chromium", "skipped"),
        ("1", "There is no Chromium", "failed"),
        ("1", ALLOWED[0], "skipped"),
    ],
)
def test_skip_is_a_failure_where_ci_is_set(
    monkeypatch: pytest.MonkeyPatch, ci: str, reason: str, outcome: str
) -> None:
    monkeypatch.setenv("CI", ci)
    place = ("tests/page/test_x.py", 7, "test_x")
    skipped = (place[0], place[1], f"Skipped: {reason}")
    report = pytest.TestReport(place[0], place, {}, "skipped", skipped, "call")
    fail_if_left_out(report)
    assert report.outcome == outcome
