from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from coactor import Session, learners
from coactor.archives import evaluate, learn_archive, open_archive
from coactor.archives.evaluation import EARLY
from coactor.archives.explain import describe_weights
from coactor.archives.reconstructed_edits import towards
from coactor.archives.recorded_cases import read_cases
from coactor.domains import Plans, Roads, Tour, Trip
from coactor.grids import GridModel
from coactor.protocol import Matrix, Move, Vector
from tests.domains.roads.networks import grid


class Packs:
    """Without JSON methods: a problem is an array and a solution a tuple."""

    dim, feature_signs = 2, (1, -1)

    def sample(self, rng: np.random.Generator, n: int) -> Iterator[Matrix]:
        return iter([rng.random((4, 2)) for _ in range(n)])

    def features(self, x: Matrix, y: tuple[int, ...]) -> Vector:
        return (x * np.array(y)[:, None]).sum(axis=0)

    def solve(self, x: Matrix, w: Vector) -> tuple[int, ...]:
        return tuple((x @ w > 0).astype(int).tolist())

    def moves(self, x: Matrix, y: tuple[int, ...]) -> list[Move]:
        return [{"op": "turn", "args": [k]} for k in range(len(y))]

    def apply(self, x: Matrix, y: tuple[int, ...], move: Move) -> tuple[int, ...]:
        k = move["args"][0]
        return (*y[:k], 1 - y[k], *y[k + 1 :])


@pytest.fixture
def tours(tmp_path: Path) -> Path:
    """Tours of people who like one feature; the file is not in the order of time."""
    tour, rng = Tour(points=6, features=3), np.random.default_rng(0)
    lines = []
    for time, x in enumerate(tour.sample(rng, 12)):
        y = tour.solve(x, np.array([0.0, 1.0, 0.0]))
        case: dict[str, Any] = {"problem": tour.encode_problem(x), "solution": y.tolist(), "time": time}
        if time % 2:
            case |= {"proposed": list(range(6)), "person": "ana"}
        lines.append(json.dumps(case))
    path = tmp_path / "tours.jsonl"
    path.write_text("\n".join(lines[::-1]) + "\n")
    return path


def test_json_lines_of_an_installed_domain_can_be_evaluated(tours: Path) -> None:
    archive = open_archive(tours, domain="tour", parameters={"points": 6, "features": 3})
    assert (archive.kind, archive.size, archive.domain.dim) == ("cases", 12, 4)
    assert [case.person for case in archive.replay(range(3))] == ["", "ana", ""]
    result = evaluate(archive, ["default", "hindsight"], orders=1, jobs=1)
    assert result.efforts["default"].mean() < result.efforts["start"].mean()
    plain = open_archive(tours, domain="tour", parameters={"points": 6, "features": 3}, habits=False)
    assert plain.domain.dim == 3
    assert plain.digest != archive.digest


def test_rules_that_recorded_rosters_break_are_counted_named_and_learned_from(tmp_path: Path) -> None:
    model = GridModel(over={"nurse": ["Ana", "Ben"], "day": ["Mon", "Tue"]}, choose={"shift": ["off", "on"]})
    model.rule("Somebody on Mon", (model.has("on").per("day") - 1).below().at(day="Mon"))
    model.rule("Ben is off", model.has("on").at(nurse="Ben"))
    model.wish("Work", model.has("on"), more=True)
    path = tmp_path / "weeks.jsonl"
    finals = [[[1, 1], [0, 0]]] * 4 + [[[0, 0], [1, 1]], [[0, 0], [0, 0]]]
    path.write_text("\n".join(json.dumps({"problem": {}, "solution": y}) for y in finals))
    counted = "2 of 6 solutions break rules: 'Ben is off' 2 times, 'Somebody on Mon' 1 time."
    with pytest.warns(UserWarning, match=counted):
        archive = read_cases(path, model, {}, habits=False)
    result = evaluate(archive, ["default"], orders=1, jobs=1)
    assert result.efforts["default"].shape == (1, 6)
    state, _ = learn_archive(archive, "default")
    learned = learners.from_state(state["learner"]).weights
    assert learned[model.feature_names.index("broken: Ben is off")] != 0.0


def test_broken_rules_are_noted_with_their_lines(tmp_path: Path) -> None:
    model = GridModel(over={"job": ["cut", "weld"]}, choose={"machine": ["A", "B"]})
    model.rule("Nothing on B", model.has("B"))
    model.wish("Anything on A", model.has("A"))
    rows = [{"problem": {}, "solution": y} for y in ([0, 0], [1, 0], [0, 0], [1, 1])]
    file = tmp_path / "past.jsonl"
    file.write_text("\n".join(map(json.dumps, rows)))
    with pytest.warns(UserWarning, match=r"2 of 4 solutions break rules: .*; see line 2, 4\."):
        open_archive(file, domain=model)


def test_learn_archive_learns_from_recorded_corrections_and_fills_the_memory(tours: Path) -> None:
    archive = open_archive(tours, domain=Tour(points=6, features=3))
    state, _ = learn_archive(archive, "PER")
    session = Session(archive.domain, learners.PER(archive.domain.dim), proposals="paper")
    for k, case in enumerate(archive.replay(range(archive.size))):
        proposal = session.ask(case.problem)
        if k % 2:  # the proposal that was shown was another one
            session.strategy = lambda *_, shown=case.proposed: shown
            proposal = session.ask(case.problem)
            session.strategy = lambda x, outlook, _: archive.domain.solve(x, outlook.weights)
        session.tell(proposal, case.expert(proposal.problem, proposal.solution))
    assert state["learner"] == session.learner.state()
    assert len(state["memory"]["cases"]) == 12
    assert state["habits"] is True


def test_towards_tells_the_steps_where_the_domain_can() -> None:
    plans, rng = Plans(), np.random.default_rng(0)
    x = next(plans.sample(rng, 1))
    y, goal = (
        plans.solve(x.__class__.of(rng.random((9, 9)), x.demand, x.capacity), np.ones(1)) for _ in "ab"
    )
    steps = towards(plans, x, y, goal)
    assert len(steps.path) == len(steps.moves) + 1
    roads = Roads(grid(4, rng))
    trip = Trip(0, 7)
    route, other = (roads.solve(trip, rng.random(roads.dim)) for _ in "ab")
    assert towards(roads, trip, route, other).final.links.tolist() == other.links.tolist()


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("[1]", "line 1: expected an object with 'problem' and 'solution'"),
        ('{"format": "coactor study 1"}', "this is an exported study, which `coactor study import` reads"),
        ("{", "line 1: "),
        ('{"problem": [1, 0, 1], "solution": [1, 0, 1], "moves": []}', "line 1: 'moves' must be a list"),
        ('{"problem": [1, 0, 1], "solution": [1, 0, 1], "time": "now"}', "line 1: 'time' is 'now'"),
        (
            '{"problem": [1, 0, 1], "solution": [1, 0, 1], "person": ["a"]}',
            "line 1: .*person must be text of at most 100 characters; found .*'a'",
        ),
        (f'{{"problem": [1], "solution": [1], "person": "{"a" * 101}"}}', "text of at most 100 characters"),
        ("", "has no cases"),
    ],
)
def test_read_cases_refuses_invalid_lines(tmp_path: Path, line: str, message: str) -> None:
    path = tmp_path / "cases.jsonl"
    path.write_text(line)
    with pytest.raises(ValueError, match=message):
        read_cases(path, "tests.studies.stubs:Switches", {})


def test_read_cases_takes_natural_json_and_names_the_line_of_what_it_cannot_read(tmp_path: Path) -> None:
    path = tmp_path / "cases.jsonl"
    path.write_text('{"problem": [[1, 2], [3, 4]], "solution": [1, 0]}\n')
    archive = read_cases(path, Packs(), {})
    assert archive.cases[0].solution == (1, 0)
    assert evaluate(archive, ["PER"], orders=1, jobs=1).efforts["PER"].shape == (1, 1)
    words = describe_weights(archive, np.array([0.5, 2.0]))
    assert words == [
        "The features with the largest weights are feature 2 (avoided, +2), feature 1 (wanted, +0.5)."
    ]
    for solution, reason in (('"abc"', "."), ("[1, 0, 1]", "operands"), ("{}", ".")):
        path.write_text(f'\n{{"problem": [[1, 2], [3, 4]], "solution": {solution}}}\n')
        with pytest.raises(ValueError, match=f"line 2: .*{reason}"):
            read_cases(path, Packs(), {})


@pytest.mark.parametrize(
    ("person", "name"),
    [("null", ""), ('""', ""), ("7", "7"), ('" ana "', "ana"), (f'"{"a" * 100}"', "a" * 100)],
)
def test_read_cases_takes_the_person_as_text(tmp_path: Path, person: str, name: str) -> None:
    path = tmp_path / "cases.jsonl"
    path.write_text(f'{{"problem": [1, 0, 1], "solution": [1, 0, 1], "person": {person}}}')
    (case,) = read_cases(path, "tests.studies.stubs:Switches", {}).cases
    assert case.person == name


def test_open_archive_of_json_lines_needs_a_domain(tours: Path, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="say which, for example domain='tour' or --domain tour"):
        open_archive(tours)
    with pytest.raises(FileNotFoundError, match="There is no file"):
        open_archive(tmp_path / "none.jsonl", domain="tour")
    with pytest.raises(ValueError, match="cannot be made"):
        open_archive(tours, domain="tests.studies.stubs:Switches", parameters={"size": 3})


def choices(path: Path, people: int = 6, each: int = 8) -> Path:
    """Choices between three offers by people of two kinds: for one price counts, for the other comfort."""
    rng = np.random.default_rng(0)
    lines = ["id,choice,price,comfort,chid,alt"]
    for turn in range(each):
        for k in range(people):
            rows = rng.random((3, 2))
            chosen = int((rows @ [[-1.0, 0.1], [-0.1, 1.0]][k % 2]).argmax())
            lines += [f"{k},{int(j == chosen)},{a},{b},{turn},{j}" for j, (a, b) in enumerate(rows)]
    path.write_text("\n".join(lines))
    return path


def test_choices_are_learned_person_by_person(tmp_path: Path) -> None:
    archive = open_archive(choices(tmp_path / "choices.csv"))
    assert (archive.kind, archive.size) == ("choices", 48)
    names = ["pooled-default", "separate-default", "default"]
    result = evaluate(archive, names, orders=3, jobs=1)
    pooled, _, ours = (result.mean(name).value for name in names)
    assert ours < pooled
    assert result.early is not None
    assert (result.early.sum(axis=1) == 6 * EARLY).all()
    row = result.rows()[-1]
    assert row["newcomers"] == pytest.approx(result.efforts["default"][result.early > 0].mean())


def test_learned_choices_know_their_people(tmp_path: Path) -> None:
    state, _ = learn_archive(open_archive(choices(tmp_path / "choices.csv")), "default")
    learner: Any = learners.from_state(state["learner"])
    assert set(learner.people) == {"0", "1", "2", "3", "4", "5"}
    price, comfort = learner.person("0").weights
    assert abs(price) > abs(comfort)
    price, comfort = learner.person("1").weights
    assert abs(price) < abs(comfort)
