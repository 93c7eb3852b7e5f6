"""Prometheus metrics; each app has a registry of its own."""

from __future__ import annotations

import math
from collections.abc import Mapping

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest

METHODS = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS")
BUCKETS = (0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.25, 1, 5, 30, 120)
TOTALS = {
    "facts": "Facts in the log",
    "open": "Proposals not done",
    "told": "Proposals done",
    "effort": "Effort so far",
    "version": "Version of the weights",
    "solve_seconds": "Time of the last solving in this process",
}


class Metrics:
    """The metrics of one app."""

    def __init__(self) -> None:
        self._registry = registry = CollectorRegistry()
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

    def request(self, method: str, route: str, status: int, seconds: float) -> None:
        """Count a request."""
        method = method if method in METHODS else "other"
        self._requests.labels(method, route, str(status)).inc()
        self._seconds.labels(method, route).observe(seconds)

    def text(self, studies: Mapping[str, Mapping[str, float]]) -> bytes:
        """Return all metrics in the Prometheus text format; `studies` are the totals of each study."""
        registry = CollectorRegistry()
        for name, meaning in TOTALS.items():
            gauge = Gauge(f"coactor_{name}", meaning, ("study",), registry=registry)
            for study, totals in studies.items():
                if math.isfinite(totals.get(name, math.inf)):  # it is known here
                    gauge.labels(study).set(totals[name])
        return generate_latest(self._registry) + generate_latest(registry)
