"""Settings, log and address of a server."""

from __future__ import annotations

import json
import logging
import sys
from pathlib import Path

import numba
import pytest
from click.testing import CliRunner
from numba.core.event import install_listener

from coactor.cli import main
from coactor.cli.logs import JsonFormatter
from coactor.cli.serve import Compiling, public_address


@pytest.mark.parametrize(("options", "host"), [([], "0.0.0.0"), (["--host", "10.0.0.1"], "10.0.0.1")])
def test_options_win_over_variables(options: list[str], host: str) -> None:
    result = CliRunner().invoke(main, ["serve", *options], env={"COACTOR_HOST": "0.0.0.0"})
    assert f"Listening on {host} needs a host name" in result.output


@pytest.mark.parametrize("option", ["--webhook", "--oidc"])
@pytest.mark.parametrize(
    "address", ["erp.example/done", "ftp://erp.example", "https://", "http://[", "https://a b"]
)
def test_serve_refuses_addresses_that_are_not_of_the_web(option: str, address: str) -> None:
    names = ("WEBHOOK_SECRET", "OIDC_CLIENT", "OIDC_SECRET")
    result = CliRunner().invoke(
        main,
        ["serve", option, address, "--solver", "no:solver"],
        env={f"COACTOR_{name}": "s" for name in names},
    )
    assert f"{option} is {address!r}; expected an address such as https://" in result.output


def test_serve_says_where_it_cannot_listen(tmp_path: Path) -> None:
    options = [
        "--host",
        "203.0.113.7",
        "--allow-host",
        "plan.example",
        "--store",
        f"sqlite:///{tmp_path}/desk.db",
    ]
    result = CliRunner().invoke(main, ["serve", *options])
    assert result.exit_code == 1
    assert "Cannot listen on 203.0.113.7: " in result.output


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


@pytest.mark.skipif(numba.config.DISABLE_JIT, reason="nothing is compiled")
def test_compiling_is_said_once(capsys: pytest.CaptureFixture[str]) -> None:
    with install_listener("numba:compile", Compiling()):
        for step in (1, 2):
            assert numba.njit(lambda x, step=step: x + step)(3) == 3 + step
    assert capsys.readouterr().err == "Compiling for this machine, once …\n"
