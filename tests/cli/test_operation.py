"""Settings from a file, and the log of a server."""

from __future__ import annotations

import json
import logging
import sys

import click
import pytest
from click.testing import CliRunner

from coactor.cli.operation import JsonFormatter, read_config
from coactor.cli.serve import public_address


@click.command()
@click.option("--port", default=1, envvar="TEST_PORT")
@click.option("--allow-host", "hosts", multiple=True)
@click.option("--config", is_eager=True, expose_value=False, callback=read_config)
def command(port: int, hosts: tuple[str, ...]) -> None:
    click.echo(f"{port} {' '.join(hosts)}")


def test_options_win_over_variables_and_variables_over_the_file(tmp_path):
    file = tmp_path / "serve.toml"
    file.write_text('port = 2\nallow-host = ["a", "b"]\n')

    def run(*more, **env):
        return CliRunner().invoke(command, ["--config", str(file), *more], env=env).output

    assert run() == "2 a b\n"
    assert run(TEST_PORT="3") == "3 a b\n"
    assert run("--port", "4", "--allow-host", "c", TEST_PORT="3") == "4 c\n"


@pytest.mark.parametrize(("text", "message"), [("port = ", "not a TOML file"), ("colour = 1", "'colour'")])
def test_read_config_refuses_an_invalid_file(tmp_path, text, message):
    (tmp_path / "wrong.toml").write_text(text)
    result = CliRunner().invoke(command, ["--config", f"{tmp_path}/wrong.toml"])
    assert result.exit_code == 2
    assert message in result.output


def test_json_log_has_level_zone_request_and_traceback():
    try:
        raise ValueError("why")
    except ValueError:
        record = logging.LogRecord("coactor.web", logging.ERROR, "", 1, "no %s", ("way",), sys.exc_info())
    record.created, record.msecs, record.request = 0.25, 250.0, "r1"
    line = json.loads(JsonFormatter().format(record))
    assert line.pop("error").endswith("ValueError: why\n")
    assert line == {
        "time": "1970-01-01T00:00:00.250Z",
        "level": "ERROR",
        "logger": "coactor.web",
        "message": "no way",
        "request": "r1",
    }


@pytest.mark.parametrize(
    ("host", "secure", "address"),
    [
        ("127.0.0.1", False, "http://127.0.0.1:8765"),
        ("::1", False, "http://[::1]:8765"),
        ("plan.example", True, "https://plan.example"),
    ],
)
def test_login_link_leads_to_the_proxy_where_it_serves_https(host: str, secure: bool, address: str) -> None:
    assert public_address(host, 8765, secure) == address
