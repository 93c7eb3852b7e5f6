from __future__ import annotations

import json

import numpy as np
import pytest
from click.testing import CliRunner

from coactor import SimulatedExpert, domains
from coactor.cli import main, serve
from coactor.protocol import Work
from coactor.studies import Forbidden, Store, open_study
from coactor.web.open_studies import OpenStudies
from tests.studies.stubs import Switches, tours

CREATE = ("--domain", "tour", "--parameters", '{"features": 3}')
MOVE = {"op": "reverse", "args": [2, 4]}


@pytest.fixture
def run(sqlite_url):
    domain, problems = tours(3)
    with open_study(sqlite_url, "tours", domain, "CSPER", create=True) as study:
        for x in problems:
            study.ask(x)
        study.tell(1, moves=[MOVE], actor="ana", work=Work(note="n"))
        study.tell(2, moves=[])

    def call(*args, ok=True):
        result = CliRunner().invoke(main, [*args, "--store", sqlite_url])
        assert (result.exit_code == 0) == ok, result.output
        assert "Traceback" not in result.output
        return result.output

    return call


def test_every_command_answers_in_text_and_in_json(run, tmp_path):
    assert json.loads(run("study", "list", "--json"))[0]["facts"] == 6
    assert "tours  6 facts" in run("study", "list")
    about = json.loads(run("study", "show", "tours", "--json"))
    assert (about["version"], about["told"], about["open"], about["effort"]) == (2, 2, 1, 1.0)
    shown = run("study", "show", "tours")
    assert "proposals  3 asked, 2 done (1 unchanged, 0.5 edits per proposal), 1 open" in shown
    assert "domain     tour (features 3, habits False, hidden 0, points 8)" in shown
    assert not set("{}[]'") & set(shown)
    assert len(shown.splitlines()) == 7 + 3  # a line for each weight
    assert [fact["kind"] for fact in json.loads(run("study", "log", "tours", "--after", "4", "--json"))] == [
        "told"
    ] * 2
    assert " UTC  ana  told proposal 1" in run("study", "log", "tours")
    assert json.loads(run("study", "explain", "tours", "1", "--json"))["edits"][0]["move"] == MOVE
    assert "edit 'reverse 2, 4': gains" in run("study", "explain", "tours", "1")
    rolled = json.loads(run("study", "rollback", "tours", "0", "--reason", "r", "--actor", "lea", "--json"))
    assert (rolled["version"], rolled["to"], rolled["actor"]) == (3, 0, "lea")
    good = json.loads(run("study", "verify", "--json"))[0]
    assert good["facts"] == 7
    assert "good" in run("study", "verify", "tours", "--hash", good["hash"])
    assert "not the log that was noted" in run("study", "verify", "tours", "--hash", "00", ok=False)
    file = tmp_path / "tours.jsonl"
    run("study", "export", "tours", "--out", str(file))
    assert run("study", "export", "tours") == file.read_text()
    assert json.loads(run("study", "import", str(file), "--name", "again", "--json")) == {"name": "again"}
    assert "already a study" in run("study", "import", str(file), ok=False)
    assert json.loads(run("study", "backup", str(tmp_path / "b.db"), "--json"))["studies"] == [
        "again",
        "tours",
    ]
    assert json.loads(run("study", "copy", f"sqlite:///{tmp_path}/c.db", "tours", "--json")) == {
        "studies": ["tours"],
        "left_out": {},
    }
    made = run("study", "create", "new", "--domain", "ranking", "--parameters", '{"features": 3}', "--json")
    assert json.loads(made)["facts"] == 1
    assert len(json.loads(run("study", "verify", "--json"))) == 3


def test_mistakes_are_reported_without_a_traceback(run, tmp_path):
    (tmp_path / "x.jsonl").write_text("nonsense\n")
    (tmp_path / "there.jsonl").touch()
    exits = tmp_path / "exits.py"
    exits.write_text("import sys\nsys.exit(3)\n")
    five = tmp_path / "five.py"
    five.write_text("X = 5\n")
    for args, message in (
        (("study", "export", "tours", "--out", str(tmp_path / "there.jsonl")), "already a file"),
        (("study", "export", "tours", "--out", str(tmp_path)), "is a directory"),
        (("study", "export", "tours", "--out", str(tmp_path / "no" / "x.jsonl")), "There is no folder"),
        (("study", "log", "tours", "--limit", "-1"), "is not in the range"),
        (("study", "log", "tours", "--after", "-5"), "is not in the range"),
        (("study", "create", "n", "--domain", "tour", "--start", str(tmp_path)), "There is no file"),
        (("serve", "--solver", "nope:f"), "Cannot import 'nope'"),
        (("serve", "--webhook", "http://localhost"), "COACTOR_WEBHOOK_SECRET is not set"),
        (("serve", "--study", f"x={five}:X"), "5 is not a domain"),
        (("study", "show", "nothing"), "no study"),
        (("study", "explain", "tours", "99"), "no proposal"),
        (("study", "explain", "tours", "9" * 20), "is not in the range"),
        (
            ("study", "create", "n", "--domain", "tour", "--parameters", '{"features": 99999999999}'),
            "go up to",
        ),
        (("study", "create", "n", "--domain", f"{exits}:x"), "cannot be imported: SystemExit"),
        (("token", "create", "ana", "--study", "*", "--role", "lead", "--days", "1e300"), "cannot last"),
        (("study", "rollback", "tours", "99", "--reason", "r"), "versions 0 to 2"),
        (("study", "import", str(tmp_path / "x.jsonl")), "not valid JSON"),
        (("study", "create", "tours", "--domain", "tour"), "already a study"),
        (("study", "create", "n", "--domain", "os.system"), "no domain"),
        (("study", "create", "n", "--domain", "tour", "--parameters", "[]"), "JSON object"),
        (("study", "create", "n", "--domain", "tour", "--parameters", "{"), "not valid JSON"),
        (("token", "revoke", "unknown"), "no token"),
        (("serve", "--host", "0.0.0.0"), "--allow-host"),
    ):
        text = run(*args, ok=False)
        assert message in text, args
        assert "Log in" not in text


@pytest.mark.parametrize("command", ["list", "verify", "show tours", "backup copy.db"])
def test_commands_that_read_create_no_store(tmp_path, monkeypatch, command):
    monkeypatch.chdir(tmp_path)
    result = CliRunner().invoke(main, ["study", *command.split(), "--store", "sqlite:///desk.db"])
    assert result.exit_code == 1
    assert "There is no store sqlite:///desk.db" in result.output
    assert not list(tmp_path.iterdir())


def test_tokens_are_created_listed_and_revoked(run):
    missing = run("token", "create", "ana", "--study", "tuors", "--role", "expert", ok=False)
    assert "There is no study 'tuors'" in missing
    token = run("token", "create", "ana", "--study", "tours", "--role", "expert").strip()
    assert token.startswith("coactor_")
    listed = run("token", "list", "--json")
    assert json.loads(listed)[0]["name"] == "ana"
    assert token.split("_", 2)[2] not in listed
    assert "already a token" in run("token", "create", "ana", "--study", "*", "--role", "lead", ok=False)
    assert run("token", "list").strip().endswith(" UTC")
    assert json.loads(run("token", "sessions", "--json")) == []
    assert run("token", "sessions", "--end", "ana").strip() == "Ended 0 sessions of ana."
    run("token", "revoke", "ana")
    assert json.loads(run("token", "list", "--json")) == []


def test_create_and_configure_take_settings(run):
    run("study", "create", "own", *CREATE, "--budget", "inf", "--cost", "reverse=2", "--proposals", "polish")
    settings = json.loads(run("study", "configure", "own", "--json"))
    expected = {"proposals": "polish", "budget": None, "costs": {"reverse": 2.0}, "grace": 600.0}
    assert settings == expected | {"control": 0.0}
    assert "budget: 0.5" in run("study", "configure", "own", "--budget", "0.5", "--grace", "60")
    assert "configured  budget 0.5, grace 60.0" in run("study", "log", "own")
    assert "There are no proposals 'x'" in run("study", "configure", "own", "--proposals", "x", ok=False)
    assert "expected an operator and a number" in run("study", "configure", "own", "--cost", "a", ok=False)


def test_serve_takes_a_study_with_a_domain_from_a_file(tmp_path, sqlite_url):
    (tmp_path / "jobs.py").write_text(
        "from coactor.grids import GridModel\n"
        "jobs = GridModel(over={'job': ['cut', 'weld']}, choose={'machine': ['A', 'B']})\n"
        "jobs.wish('On A', jobs.has('A'))\n",
        encoding="utf-8",
    )
    with Store(sqlite_url) as store:
        for _ in range(2):  # the second time it exists already
            name, domain = serve.domain_of(f"shop={tmp_path}/jobs.py:jobs", store, None)
            with pytest.raises(Forbidden, match="coactor serve --study shop="):
                OpenStudies(store).study("shop")
            study = OpenStudies(store, domains={name: domain}).study("shop")
            assert study.ask(domain.problem({})).solution.shape == (2,)
        study.tell(1, moves=[next(iter(domain.moves(domain.problem({}), study.proposal(1).solution)))])
        words = CliRunner().invoke(
            main,
            ["study", "explain", "shop", "1", "--domain", f"{tmp_path}/jobs.py:jobs", "--store", sqlite_url],
        )
        assert "edit 'cut: " in words.output
        for command, answer in (
            ("study extend shop --name shop-2", "Created shop-2"),
            ("features shop", "1 of 20 finished proposals"),
            ("study configure shop --grace 60", "grace: 60"),
            ("study rollback shop 0 --reason again", "the weights of version 0"),
        ):
            given = [*command.split(), "--store", sqlite_url]
            refused = CliRunner().invoke(main, given)
            assert "Error: Study 'shop'" in refused.output
            assert "--domain FILE.py:DOMAIN" in refused.output
            assert answer in CliRunner().invoke(main, [*given, "--domain", f"{tmp_path}/jobs.py:jobs"]).output
        missing = CliRunner().invoke(main, ["features", "shed", "--store", sqlite_url])
        assert "Error: There is no study 'shed'" in missing.output
        for text, message in (("shop", "expected NAME=FILE.py:DOMAIN"), ("shop=no.py:jobs", "Cannot import")):
            with pytest.raises(ValueError, match=message):
                serve.domain_of(text, store, None)
        assert "new" not in OpenStudies(store).names()


def test_costs_are_those_of_the_day_of_a_proposal(run, sqlite_url):
    plans = domains.Plans(1, soft=("lateness",))
    with open_study(sqlite_url, "vans", plans, create=True, start=[2.0, 1.0]) as study:
        x = next(plans.sample(np.random.default_rng(0), 1))
        study.ask(x)
    factors = json.loads(run("study", "costs", "vans", "1"))
    a_minute = factors["prices"]["lateness"] / factors["scale"]
    more = np.array(factors["arcs"])[0] / factors["scale"] - 2 * a_minute * x.arcs[:, :, 0]
    assert np.ptp(more[1:, 1:][~np.eye(x.size, dtype=bool)]) < 1e-6  # the same on every way to a stop
    assert "has no plans of vehicles" in run("study", "costs", "tours", "1", ok=False)


def test_export_of_a_missing_study_leaves_no_file(run, tmp_path):
    assert "no study 'x'" in run("study", "export", "x", "--out", f"{tmp_path}/x.jsonl", ok=False)
    assert not (tmp_path / "x.jsonl").exists()


def test_delete_and_erase_ask_first(run):
    assert "Aborted" in run("study", "erase", "tours", "ana", ok=False)
    assert run("study", "erase", "tours", "ana", "--yes").startswith("In tours it is now erased-")
    assert "ana" not in run("study", "log", "tours")
    assert "good" in run("study", "verify", "tours")
    assert "Nobody" in run("study", "erase", "tours", "ana", "--yes", ok=False)
    assert "Aborted" in run("study", "delete", "tours", ok=False)
    assert run("study", "delete", "tours", "--yes") == "Deleted tours.\n"
    assert "There is no study" in run("study", "delete", "tours", "--yes", ok=False)


def test_extend_creates_a_study_with_habits(run):
    assert "Created more; ask there from now on." in run("study", "extend", "tours", "--name", "more")
    about = json.loads(run("study", "show", "more", "--json"))
    assert about["features"][-1] == "unusual in similar cases"
    assert "already a study" in run("study", "extend", "tours", "--name", "more", ok=False)
    assert "has habits already" in run("study", "extend", "more", "--name", "other", ok=False)


def test_log_says_for_whom_on_one_line_each(sqlite_url):
    with open_study(sqlite_url, "desk", Switches(), create=True) as study:
        study.tell(study.ask([1.0, 1.0, 1.0]), moves=[], actor="ana")
        study.tell(
            study.ask([1.0, 1.0, 1.0]),
            moves=[],
            actor="ana",
            learned_for="depot-7",
            work=Work(note="two\nlines"),
        )
        study.rollback(1, "a reason", learned_for="ana", actor="lea")
        study.rollback(1, "a reason", actor="lea")
    output = CliRunner().invoke(main, ["study", "log", "desk", "--store", sqlite_url]).output
    told, _, other, one, everybody = output.splitlines()[2:]
    assert "  ana  told proposal 1  " in told
    assert "  ana  told proposal 2 for depot-7  " in other
    assert other.endswith("note two lines")
    assert "  lea  rolled back ana to version 1  version 3, reason a reason" in one
    assert "  lea  rolled back to version 1  version 4, reason a reason" in everybody


def test_rollback_of_one_person_and_people(sqlite_url):
    def call(*args):
        return CliRunner().invoke(main, ["study", *args, "--store", sqlite_url]).output

    domain, problems = tours(16)
    cares = {"ana": [1.0, 0.0, 0.0], "ben": [0.0, 1.0, 1.0]}
    experts = {name: SimulatedExpert(domain, weights=w, kappa=0.05) for name, w in cares.items()}
    with open_study(sqlite_url, "desk", domain, create=True) as study:
        assert "one expert at most" in call("people", "desk")
        for k, x in enumerate(problems):
            name = ("ana", "ben")[k % 2]
            p = study.ask(x, actor=name)
            study.tell(p, experts[name](x, p.solution), actor=name)
        view = study.people()
    shown = call("people", "desk").splitlines()
    assert {*view.shared, *view.people[0].words, *view.people[1].words} <= {*shown}
    assert any("ana " in line for line in shown)
    rows = json.loads(call("people", "desk", "--json"))["people"]
    assert [row["name"] for row in rows] == ["ana", "ben"]
    refused = call("rollback", "desk", "0", "--reason", "r", "--expert", "")
    assert refused == "Error: The name of the expert is empty; name one, or leave it out to set all back.\n"
    done = call("rollback", "desk", "0", "--reason", "r", "--expert", "ana")
    assert done == "Version 17 has ana as of version 0, and the others as they were.\n"
    with open_study(sqlite_url, "desk") as study:
        assert study.learner().people == ("ben",)
        assert study.versions()[-1].learned_for == "ana"


def test_say_is_learned_for_an_expert(sqlite_url):
    domain, problems = tours(2)
    with open_study(sqlite_url, "desk", domain, create=True) as study:
        for x in problems:
            p = study.ask(x)
            study.tell(p, moves=[next(iter(domain.moves(x, p.solution)))], actor="ana")
    said = ["study", "say", "desk", "feature 1", "less", "--expert", "ana", "--store", sqlite_url]
    assert CliRunner().invoke(main, said).output == "Learned as version 3.\n"
    log = CliRunner().invoke(main, ["study", "log", "desk", "--store", sqlite_url]).output
    assert "operator  said less feature 1  version 3" in log.splitlines()[-1]
