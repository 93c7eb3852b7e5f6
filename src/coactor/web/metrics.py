"""What the server counts, for Prometheus. Each app has its own registry; nothing is global."""

from __future__ import annotations

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest


class Metrics:
    """Counters of one app."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        labels = ("method", "route", "status")
        self._requests = Counter("coactor_requests", "Requests answered", labels, registry=self.registry)
        self._seconds = Histogram(
            "coactor_request_seconds",
            "Time to answer",
            ("method", "route"),
            registry=self.registry,
            buckets=(0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.25, 1, 5),
        )
        self._facts = Gauge("coactor_facts", "Facts in the log", ("study",), registry=self.registry)
        self._waiting = Gauge("coactor_open", "Proposals not done", ("study",), registry=self.registry)
        self._told = Gauge("coactor_told", "Proposals done", ("study",), registry=self.registry)
        self._effort = Gauge("coactor_effort", "Effort so far", ("study",), registry=self.registry)
        self._version = Gauge("coactor_version", "Version of the weights", ("study",), registry=self.registry)

    def request(self, method: str, route: str, status: int, seconds: float) -> None:
        """One request was answered."""
        method = method if method in ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS") else "other"
        self._requests.labels(method, route, str(status)).inc()
        self._seconds.labels(method, route).observe(seconds)

    def study(self, name: str, facts: int, waiting: int, told: int, effort: float, version: int) -> None:
        """Where a study stands."""
        for gauge, value in (
            (self._facts, facts),
            (self._waiting, waiting),
            (self._told, told),
            (self._effort, effort),
            (self._version, version),
        ):
            gauge.labels(name).set(value)

    def text(self) -> bytes:
        """Everything, in Prometheus' words."""
        return generate_latest(self.registry)
