"""In continuous integration a test that is left out is a failure."""

from __future__ import annotations

import pytest

from tests.conftest import fail_if_left_out


@pytest.mark.parametrize(("ci", "outcome"), [("", "skipped"), ("1", "failed")])
def test_skip_is_a_failure_where_ci_is_set(monkeypatch: pytest.MonkeyPatch, ci: str, outcome: str) -> None:
    monkeypatch.setenv("CI", ci)
    place = ("tests/page/test_x.py", 7, "test_x")
    skipped = (place[0], place[1], "Skipped: There is no Chromium")
    report = pytest.TestReport(place[0], place, {}, "skipped", skipped, "call")
    fail_if_left_out(report)
    assert report.outcome == outcome
