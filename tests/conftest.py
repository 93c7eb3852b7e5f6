"""The profiles of the property tests, and a rule for continuous integration: nothing is left out."""

import os
from collections.abc import Generator

import pytest
from hypothesis import HealthCheck, settings

settings.register_profile(
    "coactor",
    max_examples=30,
    deadline=None,  # the first call of a kernel compiles it
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.register_profile("many", settings.get_profile("coactor"), max_examples=10_000)
settings.load_profile("coactor")


def fail_if_left_out(report: pytest.TestReport | pytest.CollectReport) -> None:
    """Where `CI` is set, a skipped test is a failure: Chromium, PostgreSQL, Node or a package is missing."""
    if os.environ.get("CI") and report.skipped and not hasattr(report, "wasxfail"):
        reason = str(report.longrepr[2] if isinstance(report.longrepr, tuple) else report.longrepr)
        report.outcome = "failed"
        report.longrepr = f"In continuous integration nothing is skipped. {reason}"


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport() -> Generator[None, pytest.TestReport, pytest.TestReport]:
    report = yield
    fail_if_left_out(report)
    return report


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report() -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    report = yield
    fail_if_left_out(report)
    return report
