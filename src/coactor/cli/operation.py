"""How a server is operated: its settings from a file, and its log."""

from __future__ import annotations

import json
import logging
import time
import tomllib
import traceback
from typing import Any

import click


def read_config(context: click.Context, _: click.Parameter, path: str | None) -> None:
    """Take the options of a TOML file as defaults. Raises BadParameter if the file is not valid."""
    if path is None:
        return
    try:
        with open(path, "rb") as file:
            given = tomllib.load(file)
    except (tomllib.TOMLDecodeError, OSError, UnicodeDecodeError) as error:
        raise click.BadParameter(f"{path} is not a TOML file: {error}.") from error
    options = {
        option.removeprefix("--"): parameter.name
        for parameter in context.command.params
        for option in parameter.opts
    }
    unknown = [key for key in given if key not in options]
    if unknown:
        raise click.BadParameter(f"{path} has {unknown[0]!r}, which is not an option of this command.")
    context.default_map = {options[key]: value for key, value in given.items()}


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
