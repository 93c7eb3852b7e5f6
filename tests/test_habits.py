from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import pairwise
from typing import Any, cast

import numpy as np
import pytest

import coactor
from coactor import Session, checks
from coactor.domains import Day, Fleet, FleetProblem, Graph, Plans, Tour
from coactor.habits import HABIT, HabitualDomain, Memory, past_case, plain, recall, recalling, with_habits
from coactor.protocol import Invalid, PastCase, Usage, takes, uses_habits

STOPS = ("depot", "A", "B", "C")


def usage_of(memory: Memory, *args: Any) -> dict[tuple[str, str], float]:
    usage = memory.recall(*args)
    pairs = zip(usage.given, usage.choice, strict=True)
    return dict(zip(pairs, usage.costs.tolist(), strict=True))


def case(*stops: str, choices: tuple[str, ...] | None = STOPS) -> PastCase:
    return PastCase(tuple(pairwise(stops)), choices)


def cost(share: float) -> float:
    return round(1 - share**0.5, 4)


def test_recall_counts_only_cases_that_could_have_had_the_part() -> None:
    one = Memory([case("depot", "A", "B"), case("depot", "A", choices=("depot", "A")), case("A", "C")])
    usage = usage_of(one, STOPS)
    assert usage["A", "B"] == cost(1 / 2.5)  # B was on offer in two of three cases
    far = 0.5**2  # the weight of the case that lacks two of these choices
    assert usage["depot", "A"] == cost((1 + far) / (2 + far + 0.5))
    assert ("A", "B") not in usage_of(one, ("depot", "A"))
    assert Memory().recall(STOPS).costs.shape == (0,)


def test_recall_without_limits_counts_visits_of_the_place() -> None:
    one = Memory([case("u", "v", "w", choices=None), case("u", "v", "x", choices=None)] * 2)
    usage = usage_of(one)
    assert usage["u", "v"] == cost(4 / 4.5)
    assert usage["v", "w"] == usage["v", "x"] == cost(2 / 4.5)


def test_similar_cases_count_more() -> None:
    far = case("depot", "B", "A", choices=("depot", "A", "B", "x", "y", "z"))
    usage = usage_of(Memory([case("depot", "A", "B"), far, far, far]), STOPS)
    assert usage["depot", "A"] < usage["depot", "B"]
    own = [PastCase((("", item),), None, (day,)) for item, day in (("tent", "Mon"), ("boat", "Tue"))]
    usage = usage_of(Memory(own), None, ("Mon",))
    assert usage["", "tent"] < usage["", "boat"]


def test_memory_forgets_the_oldest_cases_beyond_its_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(recalling, "MOST_NAMES", 60)
    one = Memory()
    for day in range(200):
        one.add(case("depot", f"stop {day}", choices=("depot", f"stop {day}")))
        assert len(one) <= 20
        assert len(one._words.names) <= 64
    assert one.cases()[-1].choices == ("depot", "stop 199")
    huge = PastCase(tuple(("a", str(k)) for k in range(100)))
    one.add(huge)
    assert one.cases() == [huge]


def test_state_survives_json_and_copies_are_independent() -> None:
    one = Memory([case("depot", "A"), PastCase((("", "tent"),), None, ("Mon",))])
    state = json.loads(json.dumps(one.state()))
    copy, again = one.copy(), Memory()
    again.restore(state)
    one.add(case("depot", "B"))
    assert again.cases() == copy.cases() == one.cases()[:2]
    assert copy.state() == state
    for wrong in ({}, {"names": [], "cases": [[[0, 1], None, None]]}, {"names": ["a"], "cases": [1]}):
        with pytest.raises(Invalid, match="not the state of a memory"):
            again.restore(wrong)
    assert again.state() == state


@pytest.mark.parametrize("kind", ["plan", "soft plan", "tour", "fleet"])
def test_domains_with_habits_pass_check_domain(kind: str) -> None:
    rng = np.random.default_rng(0)
    domain: Any
    if kind.endswith("plan"):
        domain = Plans(2, soft=kind.startswith("soft"), habits=True)
    else:
        domain = {"tour": Tour, "fleet": Fleet}[kind](points=8, features=2, habits=True)  # type: ignore[index]
    x = next(domain.sample(rng, 1))
    y = domain.solve(x, rng.random(domain.dim))
    one = Memory([past_case(domain, x, y)])
    full = domain.extend(x, recall(one, domain, x))
    coactor.check_domain(domain, [x, full], rng=rng)
    other = domain.solve(x, rng.random(domain.dim))
    assert domain.features(full, y)[2] >= domain.features(full, other)[2]  # it was chosen, so it is usual
    assert domain.features(x, y)[2] == 0.0
    assert domain.encode_problem(full) == domain.encode_problem(x)
    twice = domain.extend(full, recall(one, domain, full))
    assert np.array_equal(domain.features(twice, y), domain.features(full, y))
    assert domain.feature_names[2] == HABIT


def test_graph_names_make_habits_independent_of_numbers() -> None:
    rng, tour = np.random.default_rng(0), Tour(points=4, features=1, habits=True)
    x = Graph.of(4, rng.random((6, 1)), names=["d", "c", "b", "a"])
    one = Memory([past_case(tour, x, np.array([0, 2, 1, 3]))])
    other = Graph.of(4, rng.random((6, 1)), names=["a", "b", "c", "d"])
    full = tour.extend(other, recall(one, tour, other))
    assert -tour.features(full, np.array([3, 1, 2, 0]))[1] == pytest.approx(4 * cost(1 / 1.5))
    fleet = Fleet(4, 1, 1, habits=True)
    way = FleetProblem.of(other, [[3, 0]])
    assert list(fleet.parts(way, (np.array([3, 1, 2, 0]),))) == [("b", "d"), ("b", "c"), ("a", "c")]


class Packing:
    """Choose up to two of some items."""

    dim = 1

    def features(self, x: list[str], y: tuple[str, ...]) -> Any:
        return np.array([float(len(y))])

    def solve(self, x: list[str], w: Any) -> tuple[str, ...]:
        return tuple(x[:2])

    def moves(self, x: list[str], y: tuple[str, ...]) -> Iterator[Any]:
        for a in range(len(y)):
            for b in range(len(x)):
                if x[b] not in y:
                    yield {"op": "exchange", "args": [a, b]}

    def apply(self, x: list[str], y: tuple[str, ...], move: Any) -> tuple[str, ...]:
        a, b = move["args"]
        return tuple(sorted((*y[:a], *y[a + 1 :], x[b])))

    def parts(self, x: list[str], y: tuple[str, ...]) -> tuple[str, ...]:
        return y

    def choices(self, x: list[str]) -> list[str]:
        return x


ITEMS = ["axe", "boat", "cup", "tent"]


def test_a_domain_of_ones_own_needs_parts_alone() -> None:
    domain: Any = with_habits(Packing())
    assert isinstance(domain, HabitualDomain)
    assert domain.dim == 2
    session = Session(Packing(), "default", habits=True)
    for _ in range(3):
        proposal = session.ask(ITEMS, key=None)
        assert plain(proposal.problem) == ITEMS
        session.tell(proposal, solution=("boat", "tent"))
    assert session.ask(ITEMS).solution == ("boat", "tent")
    checks.check_domain(session.domain, [session.ask(ITEMS).problem])
    assert not uses_habits(Tour())
    with pytest.raises(Invalid, match="give it a method parts"):
        with_habits(Nameless())
    with pytest.raises(Invalid, match="a name or a tuple of names"):
        recalling.place_and_choice((1, 2))  # type: ignore[arg-type]


def test_an_empty_memory_has_no_reason_for_fewer_parts() -> None:
    domain, memory = HabitualDomain(Packing()), Memory()
    x = domain.extend(ITEMS, recall(memory, domain, ITEMS))
    assert domain.features(x, ("axe", "boat")).tolist() == [2.0, 0.0]
    memory.add(past_case(domain, ITEMS, ("axe",)))
    x = domain.extend(ITEMS, recall(memory, domain, ITEMS))
    assert domain.features(x, ("axe", "boat"))[1] < domain.features(x, ("axe",))[1] < 0.0


def test_parts_choices_and_context_are_names() -> None:
    class Numbered(Packing):
        def parts(self, x: Any, y: Any) -> Any:
            return [x.index(item) for item in y]

    class Counted(Packing):
        def choices(self, x: Any) -> Any:
            return range(len(x))

    class Dated(Packing):
        def context(self, x: Any) -> Any:
            return [17]

    for domain, what in (
        (Numbered(), "A part of a solution is 0"),
        (Counted(), "A choice is 0"),
        (Dated(), "A name of the context is 17"),
    ):
        with pytest.raises(Invalid, match=f"{what}; expected a name"):
            recalling.past_case(domain, ITEMS, ("axe", "boat"))
        with pytest.raises(checks.CheckError, match=f"{what}; expected a name"):
            checks.check_domain(domain, [ITEMS], locally_optimal=False)


def test_session_remembers_what_it_learned_and_nothing_else() -> None:
    day = Day.of(np.ones((4, 4)), [0, 1, 1, 1], [3.0], ["depot", "A", "B", "C"])
    session = Session(Plans(), "default", habits=True)
    assert session.domain.dim == 2
    proposal = session.ask(day, key="monday")
    state = session.state()
    session.tell(proposal, moves=[], learn=False)
    assert session.state()["memory"] == state["memory"] == Memory().state()
    session.tell(session.ask(day), moves=[])
    kept: Any = session.knowledge.memory
    assert kept.cases()[0].choices == day.stops
    assert session.ask(day, key="monday") is proposal  # although the memory changed
    assert not np.array_equal(session.ask(day).problem.arcs, proposal.problem.arcs)
    other = Session(Plans(), "default", habits=True)
    other.restore(session.state())
    assert other.state() == session.state()
    assert np.array_equal(other.ask(day).problem.arcs, session.ask(day).problem.arcs)
    with pytest.raises(Invalid, match="make it with dim=2"):
        Session(Plans(), coactor.learners.PER(1), habits=True)


def test_unknown_parts_are_left_out() -> None:
    day = Day.of(np.ones((2, 2)), [0, 1], [3.0], ["depot", "A"])
    usage = Usage(("depot", "Z"), ("Z", "A"), np.zeros(2))
    arcs = Plans(habits=True).extend(day, usage).arcs[:, :, 1]
    assert arcs.tolist() == [[1.0, 1.0], [1.0, 0.0]]


def test_every_part_is_unusual_if_none_of_the_past_is_on_offer() -> None:
    domain, memory = HabitualDomain(Packing()), Memory()
    memory.add(past_case(domain, ITEMS, ("axe",)))
    other = ("kite", "lamp")
    x = domain.extend(other, recall(memory, domain, other))
    assert domain.features(x, other)[1] == -2.0


class Nameless(Packing):
    """Solutions whose parts have no names."""

    parts = None


class Able(Packing):
    """Accepts every item by number, also those that it does not list; solves from a start."""

    checks_moves = True
    feature_signs = (-1,) * Packing.dim

    def apply(self, x: Any, y: Any, move: Any) -> Any:
        return (x[move["args"][0]],) if move["op"] == "force" else super().apply(x, y, move)

    def solve(self, x: Any, w: Any, *, start: Any = None) -> Any:
        return start or super().solve(x, w)

    def show(self, x: Any, y: Any) -> list[dict[str, Any]]:
        return [{"kind": "list", "items": [str(item) for item in y]}]

    def describe_edit(self, x: Any, y: Any, move: Any) -> str:
        return f"{move['op']} in {len(x)} items"

    def edits_between(self, x: Any, y: Any, z: Any) -> float:
        return float(len(set(y) ^ set(z)))

    def edits_of(self, x: Any, y: Any, part: int) -> Any:
        return [({"op": "force", "args": [part]}, np.zeros(self.dim), f"{x[part]} is heavy")]


def test_habits_keep_the_abilities_of_the_domain() -> None:
    session = Session(Able(), "default", habits=True)
    proposal = session.ask(ITEMS)
    correction = coactor.correction(
        session.domain, proposal.problem, proposal.solution, moves=[{"op": "force", "args": [0]}]
    )
    assert session.tell(proposal, correction).effort == 1.0
    domain, x = cast(Any, session.domain), proposal.problem
    assert takes(domain.solve, "start")
    assert not takes(with_habits(Packing()).solve, "start")
    assert domain.solve(x, np.zeros(2), start=("cup", "tent")) == ("cup", "tent")
    assert domain.show(x, ()) == [{"kind": "list", "items": []}]
    assert domain.describe_edit(x, (), {"op": "add", "args": [0]}) == "add in 4 items"
    assert domain.edits_between(x, ITEMS, ()) == 4
    assert domain.edits_of(x, (), 1)[0][2] == "boat is heavy"
    assert coactor.protocol.feature_signs(domain) == [-1, -1]
    assert coactor.protocol.feature_signs(with_habits(Packing())) == [1, -1]
