from __future__ import annotations

import io
import json

import numpy as np
from click.testing import CliRunner

from coactor.cli import main
from coactor.lab import demo


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_effort_falls_and_the_demo_says_so():
    stream = io.StringIO()
    told = demo.show(0, "CSPER", stream)
    assert told["first"] > 3 * told["last"]
    assert told["total"] == sum(told["costs"])
    assert told["sentence"] in stream.getvalue()
    assert "\x1b" not in stream.getvalue()
    assert "coactor reproduce" in stream.getvalue()


def test_on_a_terminal_the_curve_is_drawn_live(monkeypatch):
    monkeypatch.setattr(demo, "SECONDS", 0.0)
    stream = Terminal()
    demo.show(0, "PER", stream, examples=40)
    frames = stream.getvalue().count("\x1b[12A")  # back to the top of the picture
    assert frames == 9


def test_the_picture_is_the_numbers():
    lines = demo.picture(np.array([8.0] * 20 + [0.0] * 20), examples=40)
    assert lines[0].startswith("  8.8 │")
    assert lines[8].count("█") > lines[1].count("█")
    assert "now 0.0" in lines[-1]


def test_demo_on_the_command_line():
    told = json.loads(CliRunner().invoke(main, ["demo", "--json"]).stdout)
    assert told["learner"] == "CSPER"
    found = CliRunner().invoke(main, ["demo", "--learner", "CSPR"])
    assert found.exit_code == 1
    assert "did you mean CSPER" in found.stderr
