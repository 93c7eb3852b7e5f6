"""`coactor bench`: the rows, the page, and learners of other libraries and of one's own."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner
from matplotlib.figure import Figure

from coactor import lab
from coactor.bench import Bench, bench, peers, running
from coactor.bench.people import Cell
from coactor.cli import main
from coactor.lab.engine.statistics import interval
from coactor.protocol import Feedback
from tests.archives.samples import write_trips

MINE = '''
import numpy as np

class Slow:
    """PER with a step that decays."""

    name, reads = "slow", "ends"

    def __init__(self, dim):
        self.weights, self.rounds = np.zeros(dim), 0

    def update(self, feedback):
        self.rounds += 1
        self.weights = self.weights + feedback.delta / self.rounds**0.5

    def state(self):
        return {"weights": self.weights.tolist(), "rounds": self.rounds}

    def restore(self, state):
        self.weights, self.rounds = np.array(state["weights"]), state["rounds"]
'''
ALL = ["Slow", "default", "PER", "CSPER", "PA", "CSPA"]


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Two panels, few examples, no peers, and a learner of one's own."""
    monkeypatch.setattr(running, "QUICK", (2, 4))
    monkeypatch.setattr(running, "PANELS", ("path-clean", "mtsp-noise"))
    monkeypatch.setattr(running, "PEOPLE", (Cell("path-clean", "similar", 5),))
    monkeypatch.setattr(peers, "PEERS", {})
    (tmp_path / "mine.py").write_text(MINE)
    monkeypatch.syspath_prepend(str(tmp_path))


@pytest.fixture
def result(small: None, tmp_path: Path) -> Bench:
    archive = write_trips(tmp_path / "trips", trips=12)
    return bench(["mine:Slow"], archives=[archive], quick=True, jobs=1)


def test_bench_has_all_learners_in_each_setting_paired_with_the_default(
    result: Bench, tmp_path: Path
) -> None:
    settings = ["path-clean", "mtsp-noise", "path-clean-similar-5", "trips"]
    rows = result.rows
    assert [(row["setting"], row["learner"]) for row in rows] == [(s, name) for s in settings for name in ALL]
    for row in rows:
        assert row["effort_low"] <= row["effort"] <= row["effort_high"]
        if row["learner"] == "default":
            assert (row["difference_low"], row["difference_high"], row["verdict"]) == (0.0, 0.0, "level")
    alone = lab.compare(["PER", "default"], panel="path-clean", runs=2, examples=4, jobs=1).totals()
    per, apart = rows[2], interval(alone["PER"] - alone["default"])
    assert per["effort"] == alone["PER"].mean()  # the other learners change nothing
    assert (per["difference"], per["difference_low"]) == (apart.value, apart.low)
    default, per = rows[-5], rows[-4]
    assert per["difference"] == pytest.approx(per["effort"] - default["effort"])
    assert [*result.to_frame()["verdict"]] == [row["verdict"] for row in rows]
    axes = Figure().add_subplot()
    assert result.plot(axes) is axes
    assert [label.get_text() for label in axes.get_yticklabels()] == settings
    page = result.write(tmp_path / "out").read_text()
    assert page.count("<tr>") == len(rows) + 1
    assert "<svg" in page


def test_bench_command_writes_the_page_and_says_where(small: None, tmp_path: Path) -> None:
    words = ["bench", "mine:Slow", "--quick", "--jobs", "1", "--out", str(tmp_path / "page")]
    done = CliRunner().invoke(main, words)
    assert done.exit_code == 0, done.output
    assert (tmp_path / "page" / "bench.html").is_file()
    assert f"The page is {tmp_path / 'page' / 'bench.html'}." in done.output
    assert CliRunner().invoke(main, ["bench", "PERR", "--quick"]).exit_code == 1


@pytest.mark.parametrize(
    ("option", "message"),
    [
        (["--archive", "nowhere"], "There is no file or folder nowhere"),
        (["--archive", "{file}"], "expected rows like"),
        (["--out", "{file}"], "is a file; name a folder"),
    ],
)
def test_bench_refuses_before_it_measures(
    option: list[str], message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(running, "measure", lambda *_, **__: pytest.fail("it measured"))
    file = tmp_path / "t.txt"
    file.write_text("hello")
    words = ["--out", str(tmp_path / "page"), *(word.format(file=file) for word in option)]
    done = CliRunner().invoke(main, ["bench", "PER", "--quick", *words])
    assert (done.exit_code, message in done.output) == (1, True), done.output


def test_peers_are_contenders_if_they_are_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    known = {"vw": ("numpy", "0.2/all"), "invopt": ("no_such_library", "0.1/constant/plain")}
    monkeypatch.setattr(peers, "PEERS", known)
    assert peers.installed() == ["coactor.bench.peers:vw"]
    with pytest.raises(AttributeError):
        getattr(peers, "word2vec")  # noqa: B009
    assert peers.invopt(3).weights.tolist() == [0.0, 0.0, 0.0]


def test_peers_get_the_rows_that_the_default_learner_gets() -> None:
    feedback = Feedback(np.array([[0.0, 0.0], [1.0, 0.0], [1.0, 2.0]]), 2.0, np.array([[-1.0, -1.0]]))
    rows, labels = peers.rows_of(feedback, "all")
    assert rows.tolist() == [[1.0, 0.0], [0.0, 2.0], [-1.0, -1.0]]
    assert labels.tolist() == [True, True, False]
    assert len(peers.rows_of(feedback, "steps")[0]) == 2
