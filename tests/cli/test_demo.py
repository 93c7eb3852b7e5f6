from __future__ import annotations

import io

import numpy as np

from coactor.lab import demo


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_show_prints_that_effort_falls():
    stream = io.StringIO()
    result = demo.show(0, "CSPER", stream)
    assert result["first"] > 3 * result["last"]
    assert result["total"] == sum(result["costs"])
    assert result["sentence"] in stream.getvalue()
    assert "\x1b" not in stream.getvalue()
    assert "coactor reproduce" in stream.getvalue()


def test_show_redraws_the_chart_on_a_terminal(monkeypatch):
    monkeypatch.setattr(demo, "SECONDS", 0.0)
    stream = Terminal()
    demo.show(0, "PER", stream, examples=40)
    frames = stream.getvalue().count("\x1b[12A")  # back to the top of the chart
    assert frames == 9


def test_chart_shows_the_mean_of_the_last_costs():
    lines = demo.chart(np.array([8.0] * 20 + [0.0] * 20), examples=40)
    assert lines[0].startswith("  8.8 │")
    assert lines[8].count("█") > lines[1].count("█")
    assert "now 0.0" in lines[-1]
