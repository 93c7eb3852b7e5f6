"""Parts that must stay: no re-plan loses one, costs utility or counts as evidence."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from coactor import Session, check_domain, correction, domains
from coactor.corrections import feedback
from coactor.grids import GridModel, pattern
from coactor.grids.searching import Search
from coactor.keeping import kept_parts, named_parts, parts_of, replan
from coactor.protocol import Invalid, Move, Part, Vector
from coactor.search import check_solution, features_along, landscape
from tests.cases import Case, Coins, cases
from tests.domains.plans.days import measured, random_day
from tests.domains.roads.networks import grid
from tests.grids.cases import lessons, timetable


class NamedCoins(Coins):
    """Coins whose sides have names: a domain of one's own that brings nothing but its parts."""

    def parts(self, x: Any, y: Any) -> list[Part]:
        return [(f"coin {k}", "heads" if side else "tails") for k, side in enumerate(y)]


class PairedCoins(NamedCoins):
    """Coins with a re-plan of their own, which only turns what is free."""

    def lockable(self, x: Any, y: Any) -> list[Part]:
        return self.parts(x, y)

    def replan(self, x: Any, w: Vector, y: Any, keep: frozenset[Part]) -> Any:
        best = self.solve(x, w)
        fixed = dict(part for part in keep if isinstance(part, tuple))
        sides = {"heads": 1, "tails": 0}
        return tuple(sides[fixed[f"coin {k}"]] if f"coin {k}" in fixed else s for k, s in enumerate(best))


@st.composite
def own_cases(draw: st.DrawFn) -> Case:
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    domain = draw(st.sampled_from([NamedCoins(), PairedCoins()]))
    return Case(domain, rng.standard_normal((draw(st.integers(1, 6)), 2)).tolist(), rng)


def ward() -> GridModel:
    """A roster of four days with a rule about runs."""
    model = GridModel(
        over={"nurse": None, "day": ["Mon", "Tue", "Wed", "Thu"]},
        choose={"shift": ["off", "day", "night"]},
        data={"need": "day", "leave": "nurse day"},
        blocks=("day", 3),
        steps=50,
    )
    work, night = model.has("day", "night"), model.has("night")
    model.rule("Leave", work.times("leave"))
    model.rule("Enough nurses", (work.per("day") - "need").below())
    model.rule("No day after a night", pattern(night, model.has("day"), along="day"))
    model.wish("Nights", night)
    model.wish("Single day off", pattern(work, ~work, work, along="day"))
    return model


WARD, TIMETABLE = ward(), timetable()
SOFT = ("lateness", "overload", "unserved", "longest shift")
OTHERS = ("roads", "alternatives", "plan", "timed plan", "timed plan, pairs", "roster", "timetable")


@st.composite
def other_cases(draw: st.DrawFn) -> Case:
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    kind = draw(st.sampled_from(OTHERS))
    if kind == "roster":
        data = {"need": rng.integers(0, 3, 4), "leave": rng.random((3, 4)) < 0.2}
        return Case(WARD, WARD.problem({"nurse": ["Ana", "Ben", "Cleo"], **data}), rng)
    if kind == "timetable":
        return Case(TIMETABLE, TIMETABLE.problem(lessons(rng, 4)), rng)
    if "plan" in kind:
        domain = domains.Plans(features=2, soft=SOFT)
        pairs, optional = "pairs" in kind, draw(st.booleans())
        day = random_day(rng, 8, 3, several=pairs, optional=optional)
        return Case(domain, day if "timed" in kind else next(iter(domain.sample(rng, 1))), rng)
    other: Any = {
        "roads": lambda: domains.Roads(grid(4, rng)),
        "alternatives": lambda: domains.Alternatives(2),
    }[kind]()
    return Case(other, next(iter(other.sample(rng, 1))), rng)


def worth(case: Case, w: Vector, y: Any) -> tuple[float, float]:
    """Minus what broken rules cost, which come first, and the utility."""
    if isinstance(case.domain, GridModel):
        return Search(case.x, w).worth(y)
    rules = 0.0
    if isinstance(case.x, domains.Day) and case.x.tables.timed:
        rules = sum(measured(case.x, y)[name] for name in ("overtime", "missing", "pairs"))
    return -rules, landscape(case.domain, case.x, w).utility(y)


@given(st.one_of(cases(least=3), own_cases(), other_cases()))
def test_replan_keeps_every_part_and_is_never_worse_than_the_draft(case: Case) -> None:
    domain, x, w = case.domain, case.x, case.weights()
    y = case.solution()
    have = sorted(parts_of(domain, x, y), key=str)
    keep = {have[k] for k in case.rng.permutation(len(have))[: case.rng.integers(len(have) + 1)]}
    z = replan(domain, x, w, y, keep)
    check_solution(domain, x, z)
    assert keep <= parts_of(domain, x, z)
    (broken, before), (mended, after) = worth(case, w, y), worth(case, w, z)
    assert mended >= broken - 1e-9
    scale = max(1.0, float(np.abs(w) @ np.abs(domain.features(x, y))))
    assert mended > broken + 1e-9 or after >= before - 1e-9 * scale


@given(cases(kinds=["tour", "fleet", "dense ranking"], least=4))
def test_ask_demands_parts_of_another_solution(case: Case) -> None:
    domain, x = case.domain, case.x
    wanted = sorted(parts_of(domain, x, case.solution()), key=str)[:1]
    proposal = Session(domain, "default").ask(x, keep=wanted)
    assert set(wanted) <= parts_of(domain, x, proposal.solution)


def test_replan_leaves_the_draft_where_utility_is_equal() -> None:
    domain, y = domains.Ranking(features=1), np.array([2, 0, 1])
    x = domains.Query.of([[1.0], [1.0], [1.0]])
    assert replan(domain, x, np.ones(1), y, []) is y


def test_parts_that_exclude_each_other_are_named() -> None:
    domain = domains.Ranking(features=1)
    x = domains.Query.of([[1.0], [3.0], [2.0]], names=["a", "b", "c"])
    for keep in ([("place 1", "a"), ("place 1", "b")], [("place 9", "a")], ["a"]):
        with pytest.raises(Invalid, match="keep"):
            replan(domain, x, np.ones(1), np.arange(3), keep)
    coins = NamedCoins()
    with pytest.raises(Invalid, match=r"There are no such parts to keep: coin 0: edge\."):
        replan(coins, [[1.0, 0.0]], np.ones(2), (1,), [("coin 0", "edge")])
    with pytest.raises(Invalid, match="cannot be kept together: coin 0: heads, coin 0: tails"):
        replan(coins, [[1.0, 0.0]], np.ones(2), (1,), [("coin 0", "heads"), ("coin 0", "tails")])
    with pytest.raises(Invalid, match="a method parts"):
        replan(Coins(), [[1.0, 0.0]], np.ones(2), (1,), ["coin"])
    with pytest.raises(Invalid, match="expected a name"):
        named_parts([(1, 2)])  # type: ignore[list-item]


def test_a_solver_that_takes_parts_is_asked_for_them() -> None:
    def solve(x: Any, w: Vector, keep: frozenset[Part] = frozenset()) -> Any:
        return tuple(int((f"coin {k}", "heads") in keep) for k in range(len(x)))

    x = [[0.0, 0.0]] * 3
    session = Session(NamedCoins(), "default", solver=solve)
    proposal = session.ask(x, keep=[("coin 1", "heads")])
    assert proposal.solution == (0, 1, 0)


# -- learning ----------------------------------------------------------------------------------------------


def turned(k: int, side: int) -> Move:
    return {"op": "tails" if side else "heads", "args": [k]}


def test_only_the_experts_own_edits_are_evidence() -> None:
    domain, x, y = NamedCoins(), [[1.0, 0.0], [0.0, 1.0], [2.0, 2.0]], (1, 1, 0)
    moves: list[Move] = [turned(0, 1), {"op": "replan", "args": [], "to": (0, 0, 1)}, turned(1, 0)]
    done = correction(domain, x, y, moves=moves, costs={"replan": 0.5})
    assert (done.effort, done.replans) == (2.5, [1])
    for reads, steps in (("ends", 1), ("path", 2), ("declined", 2)):
        seen = feedback(domain, x, done, reads)  # type: ignore[arg-type]
        assert seen.cost == 2.0
        assert len(seen.path) == steps + 1
        own = domain.features(x, (0, 1, 0)) - domain.features(x, y) + np.array([0.0, 1.0])
        assert np.array_equal(seen.delta, own)
    declined = feedback(domain, x, done, "declined").declined
    assert declined is not None
    final = features_along(domain, x, [(0, 1, 1)])[0]
    assert np.array_equal(declined[0], domain.features(x, (1, 1, 1)) - final)  # what was left alone is


def test_a_tell_continues_what_was_done_before_a_replan() -> None:
    domain, x = NamedCoins(), [[1.0, 0.0], [0.0, 1.0], [-1.0, -1.0]]
    session, other = Session(domain, "default"), Session(domain, "default")
    session.tell(session.ask(x), moves=[])
    other.tell(other.ask(x), moves=[])
    p = session.ask(x)
    better = session.replan(p, moves=[turned(0, p.solution[0])])
    assert better.before is not None
    assert better.solution[0] == 1 - p.solution[0]  # by default, what was touched is kept
    again = session.replan(better, moves=[turned(1, better.solution[1])])
    told = session.tell(again, moves=[])
    plain = [turned(0, p.solution[0]), turned(1, better.solution[1])]
    same = other.tell(other.ask(x), moves=plain)
    assert again.before is not None
    assert told.effort == same.effort + len(again.before.replans)
    assert np.array_equal(told.delta, same.delta)
    with pytest.raises(Invalid, match="does not start from"):
        session.tell(session.ask(x), again.before)


def test_near_a_plan_changed_parts_cost() -> None:
    domain = domains.Tour(points=8, features=2)
    x, other = domain.sample(np.random.default_rng(1), 2)
    session = Session(domain, "default", habits=True)
    yesterday = session.domain.solve(other, np.array([1.0, 1.0, 0.0]))
    near = session.ask(x, near=yesterday)
    assert session.domain.features(near.problem, yesterday)[-1] == 0.0
    changed = len(parts_of(domain, x, near.solution) - parts_of(domain, x, yesterday))
    assert session.domain.features(near.problem, near.solution)[-1] == -changed
    session.tell(near, solution=yesterday)
    assert session.weights()[-1] > 0.0
    with pytest.raises(Invalid, match="habits=True"):
        Session(domain, "default").ask(x, near=yesterday)


def test_kept_parts_follow_the_moves() -> None:
    moves: list[Move] = [
        {"op": "keep", "args": [], "parts": [["a", "b"], ["tent"]]},
        {"op": "free", "args": [], "parts": [["a", "b"]]},
        {"op": "turn", "args": [1]},
    ]
    assert kept_parts(moves, [("c", "d")]) == {"tent", ("c", "d")}
    domain, x = NamedCoins(), [[1.0, 0.0]]
    locked = correction(domain, x, (1,), moves=[{"op": "keep", "args": [], "parts": [["coin 0", "heads"]]}])
    assert locked.final == (1,)
    for bad in (
        {"op": "keep", "args": []},
        {"op": "replan", "args": []},
        {"op": "heads", "args": [0], "why": 1},
    ):
        with pytest.raises(Invalid, match="not a valid move"):
            correction(domain, x, (1,), moves=[bad])  # type: ignore[list-item]


def test_own_domains_conform() -> None:
    for domain in (NamedCoins(), PairedCoins()):
        check_domain(domain, [[[1.0, 0.0], [-1.0, 2.0]], [[0.0, -1.0]]])
