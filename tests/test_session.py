"""Ask and tell: the paper's protocol, its theorems on whole runs, and what is refused."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from coactor import Session, SimulatedExpert, bounds, domains, learners, polish
from coactor.protocol import Candidate, Conflict, Correction, Invalid, Move, NotFound, Proposal, Reads
from tests.cases import KINDS, Coins, make_case, make_domain


def run(domain: Any, learner: Any, expert: Any, problems: Any, **options: Any) -> tuple[Session, float]:
    """A whole run; also R, the largest |phi| in it."""
    session = Session(domain, learner, **options)
    radius = 0.0
    for x in problems:
        proposal = session.ask(x)
        correction = expert(x, proposal.solution)
        session.tell(proposal, correction)
        radius = max(radius, *(float(np.linalg.norm(domain.features(x, z))) for z in correction.path))
    return session, radius


@settings(max_examples=40)
@given(st.sampled_from(bounds.LEARNERS), st.sampled_from(KINDS[:4]), st.booleans(), st.integers(0, 2**32 - 1))
def test_the_theorems_hold_on_whole_runs(name: str, kind: str, errs: bool, seed: int) -> None:
    """With Assumption 1 (a polished solver), 2 (the expert) and 3 (the disagreement candidate).

    Theorem 1 is about experts who do not err, Theorem 2 about PER and CSPER with those who do.
    """
    rng = np.random.default_rng(seed)
    domain = make_domain(kind, 6, 3, 0)
    truth, xi = rng.random(domain.dim), 0.3 if errs else 0.0
    expert = SimulatedExpert(domain, truth, kappa=0.1, misjudgement=xi, rng=rng)
    session, radius = run(
        domain,
        learners.make(name, domain.dim),
        expert,
        domain.sample(rng, n=30),
        solver=polish(domain),
        candidate="disagreement",
    )
    norm = float(np.linalg.norm(truth))
    checks = bounds.check_run(name, session.costs, radius, norm, 0.1, misjudged=[xi] * 30 if errs else None)
    assert len(checks) == (2 if not errs else name in ("PER", "CSPER"))
    for check in checks:
        assert check.held, str(check)


@pytest.mark.parametrize("candidate", ["final", "disagreement"])
def test_the_protocol_is_algorithm_1(candidate: Candidate) -> None:
    """Written out by hand for PER, on the same problems."""
    case = make_case("tour", size=8, seed=4)
    expert = SimulatedExpert(case.domain, [1.0, 0.5, 0.1], kappa=0.05)
    session = Session(case.domain, learners.PER(3), candidate=candidate)
    w, efforts, costs = np.zeros(3), [], []
    for x in case.domain.sample(case.rng, n=20):
        y = case.domain.solve(x, w)
        path = expert(x, y).path
        if candidate == "final":
            last = len(path) - 1
        else:
            last = max(
                i
                for i, z in enumerate(path)
                if w @ case.domain.features(x, z) <= w @ case.domain.features(x, y)
            )
        proposal = session.ask(x)
        np.testing.assert_array_equal(proposal.solution, y)
        round = session.tell(proposal, expert(x, proposal.solution))
        delta = case.domain.features(x, path[last]) - case.domain.features(x, y)
        np.testing.assert_allclose(round.delta, delta, atol=1e-12)
        assert (round.cost, round.effort) == (last, len(path) - 1)
        assert round.proposal == proposal.id
        if last > 0:
            w = w + delta
        efforts.append(len(path) - 1)
        costs.append(last)
        w = session.learner.weights  # sums in another order differ in the last bit; go on from the same
    assert session.efforts == efforts
    assert session.costs == costs
    assert sum(efforts) > 0


def test_round_has_the_effort_and_the_cost_learned_from() -> None:
    domain, x = Coins(), [[1.0, 0.0], [1.0, 0.0]]
    session = Session(domain, learners.CSPER(2))
    proposal = session.ask(x)
    round = session.tell(
        proposal, SimulatedExpert(domain, [1.0, 0.0], costs={"heads": 2.5})(x, proposal.solution)
    )
    assert round.effort == round.cost == 5.0
    np.testing.assert_array_equal(session.learner.weights, [10.0, 0.0])  # C delta = 5 (2, 0)


def test_disagreement_is_judged_by_the_weights_of_the_proposal() -> None:
    """A late tell: the learner has moved on, the proposal was made with older weights."""
    case = make_case("tour", size=9, seed=3)
    expert = SimulatedExpert(case.domain, [1.0, 0.5, 0.1], kappa=0.01)
    xs = list(case.domain.sample(case.rng, n=2))
    session = Session(case.domain, learners.PER(3), candidate="disagreement")
    late, soon = session.ask(xs[0]), session.ask(xs[1])
    session.tell(soon, expert(xs[1], soon.solution))
    assert session.learner.weights.any()
    correction = expert(xs[0], late.solution)
    assert session.tell(late, correction).cost == len(correction.moves)  # at w = 0 nothing is liked better


# -- what is refused, and leaves no trace ----------------------------------------------------------------


def trace(session: Session) -> Any:
    return (
        json.dumps(session.learner.state()),
        list(session.efforts),
        list(session.costs),
        sorted(session._open),
        session._asked,
    )


def refuses(
    session: Session, sentence: str, call: Callable[[], Any], error: type[Exception] = ValueError
) -> None:
    before = trace(session)
    with pytest.raises(error, match=sentence):
        call()
    assert trace(session) == before


MOVE: Move = {"op": "reverse", "args": [1, 2]}


@pytest.mark.parametrize("reads", ["ends", "declined"])
def test_tell_raises_for_invalid_corrections_and_changes_nothing(reads: Reads) -> None:
    case = make_case("tour", seed=1)
    session = Session(case.domain, learners.make({"ends": "CSPER", "declined": "choice"}[reads], 3))
    proposal = session.ask(case.x)
    y = proposal.solution
    z = case.domain.apply(case.x, y, MOVE)
    good = Correction([y, z], [MOVE], [1.0])
    refuses(
        session, "There is no proposal 7; this session has made 1", lambda: session.tell(7, good), NotFound
    )
    refuses(session, "There is no proposal 0", lambda: session.tell(0, good), NotFound)
    refuses(session, "There is no proposal 3", lambda: session.tell(Proposal(3, case.x, y), good), NotFound)
    bad = {
        "1 moves and 2 costs": Correction([y, z], [MOVE], [1.0, 1.0]),
        "3 solutions, 1 moves": Correction([y, z, z], [MOVE], [1.0, 1.0]),
        "0 solutions": Correction([], [], []),
        r"cost \[-1.0\]": Correction([y, z], [MOVE], [-1.0]),
        r"cost \[inf\]": Correction([y, z], [MOVE], [math.inf]),
        "does not start from proposal 1": Correction([z, y], [MOVE], [1.0]),
        "does not start": Correction([y.tolist(), z], [MOVE], [1.0]),
        "exactly once": Correction([y, np.zeros(6, np.int64)], [MOVE], [1.0]),
        "must be an array": Correction([y, z.tolist()], [MOVE], [1.0]),
    }
    for sentence, correction in bad.items():
        refuses(session, sentence, lambda c=correction: session.tell(proposal, c))  # type: ignore[misc]
    if reads == "declined":  # every solution on the way is read, so every one is checked
        astray = Correction([y, z - 10**9, z], [MOVE, MOVE], [1.0, 1.0])
        refuses(session, "exactly once", lambda: session.tell(proposal, astray))
    session.tell(proposal, good)
    refuses(session, "Proposal 1 was already told", lambda: session.tell(proposal, good), Conflict)
    assert session.efforts == [1.0]


def test_a_correction_need_not_have_moves() -> None:
    case = make_case("tour", seed=1)
    session = Session(case.domain, learners.PER(3))
    proposal = session.ask(case.x)
    z = case.domain.apply(case.x, proposal.solution, MOVE)
    assert session.tell(proposal, Correction([proposal.solution, z], [], [1.0])).effort == 1.0


def test_session_raises_for_invalid_arguments() -> None:
    domain = domains.Tour(points=5, features=3)
    with pytest.raises(
        ValueError, match="The learner has 4 weights and the domain 3 features; make it with dim=3"
    ):
        Session(domain, learners.PER(4))
    with pytest.raises(ValueError, match="The candidate is 'best'; expected 'final' or 'disagreement'"):
        Session(domain, learners.PER(3), candidate="best")  # type: ignore[arg-type]


def test_ask_raises_for_an_invalid_problem_or_solver_and_counts_no_proposal() -> None:
    domain = domains.Tour(points=5, features=3)
    session = Session(domain, learners.PER(3))
    other = next(domains.Tour(points=5, features=2).sample(np.random.default_rng(0), n=1))
    refuses(session, "edges have 2 features; the domain asks for 3", lambda: session.ask(other))
    good = next(domain.sample(np.random.default_rng(0), n=1))
    wrong = Session(domain, learners.PER(3), solver=lambda x, w: [0, 1, 2, 3, 4])
    refuses(wrong, "must be an array", lambda: wrong.ask(good))


# -- what a session remembers ----------------------------------------------------------------------------


def played(rounds: int = 5) -> tuple[Session, Any, Any]:
    case = make_case("tour", size=7, seed=2)
    expert = SimulatedExpert(case.domain, [1.0, 0.5, 0.1], kappa=0.05)
    session = Session(case.domain, learners.CSPER(3))
    for x in case.domain.sample(case.rng, n=rounds):
        proposal = session.ask(x)
        session.tell(proposal, expert(x, proposal.solution), actor="ana")
    return session, case, expert


def test_ask_returns_the_same_proposal_for_the_same_key() -> None:
    session, case, _ = played(0)
    proposal = session.ask(case.x, key="monday", asked_for="ana")
    assert session.ask(case.x, key="monday", asked_for="ana") is proposal
    with pytest.raises(Conflict, match="was used for another problem"):
        session.ask(next(case.domain.sample(case.rng, n=1)), key="monday", asked_for="ana")
    with pytest.raises(Conflict, match="another problem or expert"):
        session.ask(case.x, key="monday", asked_for="ben")
    session.tell(proposal, moves=[])
    assert session.effort()[0].key == "monday"
    assert session.ask(case.x, key="monday", asked_for="ana", actor="ben") is proposal


def test_effort_and_weights_are_available_by_round_and_version() -> None:
    session, *_ = played()
    assert [row.seq for row in session.effort()] == [1, 2, 3, 4, 5]
    assert {row.learned_for for row in session.effort()} == {"ana"}
    assert [row.seq for row in session.effort(after=3)] == [4, 5]
    assert [row.effort for row in session.effort()] == session.efforts
    assert {row.work.actor for row in session.effort()} == {"ana"}
    np.testing.assert_array_equal(session.weights(0), np.zeros(3))
    np.testing.assert_array_equal(session.weights(5), session.weights())
    with pytest.raises(NotFound, match="this session has versions 0 to 5"):
        session.weights(6)


def test_tell_without_learning_keeps_weights_and_version() -> None:
    session, case, expert = played()
    before = session.weights()
    proposal = session.ask(case.x)
    result = session.tell(proposal, expert(case.x, proposal.solution), learn=False)
    assert (result.learn, result.version, session.version) == (False, 5, 5)
    np.testing.assert_array_equal(session.weights(), before)
    assert len(session.efforts) == 6


def test_a_correction_excludes_other_records() -> None:
    session, case, expert = played(0)
    proposal = session.ask(case.x)
    with pytest.raises(ValueError, match="Give the correction alone"):
        session.tell(proposal, expert(case.x, proposal.solution), effort=2.0)


def test_a_session_forgets_the_oldest_open_proposals(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("coactor.session.MOST_OPEN", 2)
    session, case, _ = played(0)
    for _ in range(3):
        session.ask(case.x)
    with pytest.raises(NotFound, match="Proposal 1 was forgotten"):
        session.tell(1, moves=[])
    session.tell(2, moves=[])


def test_a_restored_session_continues_as_the_original() -> None:
    session, case, expert = played()
    again = Session(case.domain, learners.CSPER(3))
    again.restore(json.loads(json.dumps(session.state())))
    for x in case.domain.sample(case.rng, n=3):
        one, two = session.ask(x), again.ask(x)
        assert (one.id, one.version) == (two.id, two.version)
        session.tell(one, expert(x, one.solution))
        again.tell(two, expert(x, two.solution))
    np.testing.assert_array_equal(again.weights(), session.weights())
    with pytest.raises(ValueError, match="not the state of a session"):
        again.restore({})


def test_repr_says_what_a_session_is_about() -> None:
    assert repr(played(0)[0]) == "<Session of Tour with learner CSPER: 0 asked, 0 told>"
    assert "5 asked, 5 told, mean effort of the last 5" in repr(played()[0])


@pytest.mark.parametrize("name", [["ana"], 5, None, b"ana", "x" * 101, "an\na"])
def test_session_raises_invalid_for_what_is_not_a_name(name: Any) -> None:
    session, case, _ = played(0)
    proposal = session.ask(case.x, asked_for="ana")
    for call in (
        lambda: session.ask(case.x, asked_for=name),
        lambda: session.ask(case.x, actor=name),
        lambda: session.tell(proposal, moves=[], learned_for=name),
        lambda: session.tell(proposal, moves=[], actor=name),
        lambda: session.weights(learned_for=name if name != "an\na" else 5),
    ):
        with pytest.raises(Invalid, match=r"^The (expert|actor) "):
            call()
    assert session.version == 0
    assert session.tell(proposal, moves=[]).version == 1
