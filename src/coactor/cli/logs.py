"""The log of a server."""

from __future__ import annotations

import json
import logging
import time
import traceback
from typing import Any


class JsonFormatter(logging.Formatter):
    """One JSON object a line: time in UTC, level, logger, message, the request's id and the traceback."""

    def format(self, record: logging.LogRecord) -> str:
        """Return a record as JSON."""
        seconds = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(record.created))
        data: dict[str, Any] = {
            "time": f"{seconds}.{int(record.msecs):03d}Z",
            "level": record.levelname,
            "logger": record.name,
            "message": record.getMessage(),
        }
        if hasattr(record, "request"):
            data["request"] = record.request
        if record.exc_info:
            data["error"] = "".join(traceback.format_exception(*record.exc_info))
        return json.dumps(data, ensure_ascii=False)


def start_logging(level: int, as_json: bool) -> None:
    """Log to standard error, as lines of text or of JSON; times are in UTC."""
    formatter: logging.Formatter = JsonFormatter()
    if not as_json:
        formatter = logging.Formatter("%(asctime)sZ %(levelname)s %(name)s %(message)s", "%Y-%m-%dT%H:%M:%S")
        formatter.converter = time.gmtime
    handler = logging.StreamHandler()
    handler.setFormatter(formatter)
    logging.basicConfig(level=level, handlers=[handler])
