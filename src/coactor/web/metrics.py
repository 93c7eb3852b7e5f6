"""Prometheus metrics; each app has a registry of its own."""

from __future__ import annotations

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest

METHODS = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS")
BUCKETS = (0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.25, 1, 5)


class Metrics:
    """The metrics of one app."""

    def __init__(self) -> None:
        self.registry = registry = CollectorRegistry()
        self._requests = Counter(
            "coactor_requests", "Requests answered", ("method", "route", "status"), registry=registry
        )
        self._seconds = Histogram(
            "coactor_request_seconds",
            "Time to answer",
            ("method", "route"),
            registry=registry,
            buckets=BUCKETS,
        )
        self._facts = Gauge("coactor_facts", "Facts in the log", ("study",), registry=registry)
        self._open = Gauge("coactor_open", "Proposals not done", ("study",), registry=registry)
        self._told = Gauge("coactor_told", "Proposals done", ("study",), registry=registry)
        self._effort = Gauge("coactor_effort", "Effort so far", ("study",), registry=registry)
        self._version = Gauge("coactor_version", "Version of the weights", ("study",), registry=registry)

    def request(self, method: str, route: str, status: int, seconds: float) -> None:
        """Count a request."""
        method = method if method in METHODS else "other"
        self._requests.labels(method, route, str(status)).inc()
        self._seconds.labels(method, route).observe(seconds)

    def facts(self, study: str, facts: int) -> None:
        """Record the length of a study's log."""
        self._facts.labels(study).set(facts)

    def totals(self, study: str, *, open: int, told: int, effort: float, version: int) -> None:
        """Record the totals of a study."""
        self._open.labels(study).set(open)
        self._told.labels(study).set(told)
        self._effort.labels(study).set(effort)
        self._version.labels(study).set(version)

    def text(self) -> bytes:
        """Return all metrics in the Prometheus text format."""
        return generate_latest(self.registry)
