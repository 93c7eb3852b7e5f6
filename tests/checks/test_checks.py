"""The public conformance suite finds what it says it finds, and says it in one sentence."""

from __future__ import annotations

from itertools import count
from typing import Any

import numpy as np
import pytest

from coactor import SimulatedExpert, check_domain, check_expert, check_learner, domains, learners, polish
from coactor.checks import CheckError
from coactor.protocol import Correction, Feedback, Move, State, Vector
from tests.cases import Bare, Coins

COINS = [[[1.0, 0.0], [-1.0, 2.0], [0.5, 0.5]], [[0.0, -1.0]]]


class Sound(Coins):
    """Coins with words and a check of solutions."""

    def show(self, x: Any, y: Any) -> Any:
        return [{"kind": "text", "text": "heads"}]

    def describe_edit(self, x: Any, y: Any, move: Move) -> str:
        return f"Turn coin {move['args'][0]}"

    def check_solution(self, x: Any, y: Any) -> None:
        if len(y) != len(x):
            raise ValueError(f"{len(y)} coins instead of {len(x)}.")


class ChangedSolution(Sound):
    def solve(self, x: Any, w: Vector) -> Any:
        return list(super().solve(x, w))

    def apply(self, x: Any, y: Any, move: Move) -> Any:
        y[move["args"][0]] = 1 - y[move["args"][0]]
        return y


def changed_weights(domain: Any, x: Any, w: Vector) -> Any:
    y = Coins.solve(domain, x, w)
    w += 1.0
    return y


def broken(**members: Any) -> Any:
    """Sound coins, but for these members."""
    return type("Broken", (Sound,), members)()


def features(change: Any) -> Any:
    return lambda domain, x, y: change(Coins.features(domain, x, y))


def moves(change: Any) -> Any:
    return lambda domain, x, y: change(Coins.moves(domain, x, y))


def apply(change: Any) -> Any:
    return lambda domain, x, y, move: change(Coins.apply(domain, x, y, move))


def shows(view: Any) -> Any:
    return broken(show=lambda *_: view)


MOODY = count()
LONG, LIST = (features(lambda phi: np.append(phi, 1.0)), features(lambda phi: phi.tolist()))
BAD_SOLVER = broken(solve=lambda domain, x, w: (0,) * len(x))
SHORT_ROW = {"kind": "table", "head": ["coin", "side"], "rows": [["1", "heads"], ["2"]]}
ODD_SHAPE = {"kind": "drawing", "size": [2, 2], "shapes": [{"shape": "star"}]}


@pytest.mark.parametrize(
    ("domain", "sentence"),
    [
        (broken(dim=0), "dim is 0; expected the number of features"),
        (broken(features=LONG), "features returned 3 numbers on problem 0, dim is 2"),
        (broken(features=LIST), "features returned a list on problem 0; return a NumPy array"),
        (broken(features=features(lambda phi: phi * np.nan)), "features contain NaN or infinity on problem"),
        (broken(features=features(lambda phi: phi + next(MOODY))), "features differ when asked twice"),
        (broken(solve=changed_weights), "solve changed the weights"),
        (broken(moves=moves(lambda given: given[:: (-1) ** next(MOODY)])), "moves differ when asked twice"),
        (broken(moves=lambda *_: [("turn", 0)]), "is not plain data"),
        (broken(moves=lambda *_: [{"op": "turn", "args": (0,)}]), "is not plain data"),
        (ChangedSolution(), "apply changed the solution it was given, by move"),
        (broken(apply=apply(list)), "apply returned a list and solve a tuple on problem 0; return one type"),
        (broken(apply=apply(lambda z: (*z, 0))), "yields an invalid solution: 4 coins instead of 3"),
        (broken(feature_signs=[0, 1]), "a sign of 1 or -1"),
        (broken(feature_names=["heads"]), "needs one name"),
        (shows("heads"), "show returned str; expected a list of views"),
        (shows([{"kind": "html"}]), "a view has the kind 'html'; expected one of text"),
        (shows([{"kind": "table", "head": ["coin"]}]), "a view of kind 'table' has no rows"),
        (shows([SHORT_ROW]), "as many entries as its head"),
        (shows([ODD_SHAPE]), "a shape has the shape 'star'"),
        (shows([{"kind": "list", "items": [np.int64(1)]}]), "not JSON-able"),
        (broken(describe_edit=lambda *_: ""), "describe_edit returned '' for move"),
        (BAD_SOLVER, r"problem 0 is improved by move .*, by \d.*Assumption 1"),
    ],
)
def test_check_domain_names_each_fault(domain: Any, sentence: str) -> None:
    with pytest.raises(CheckError, match=f"(?i){sentence}") as found:
        check_domain(domain, COINS)
    assert "\n" not in str(found.value)


def test_check_domain_says_where_a_method_raised() -> None:
    class Careless(Coins):
        def solve(self, x: Any, w: Any) -> Any:
            return x.missing

    with pytest.raises(
        CheckError, match=r"solve in line \d+ of test_checks.py raised AttributeError on problem 0"
    ):
        check_domain(Careless(), COINS)


@pytest.mark.parametrize("wrong", [LONG, LIST])
def test_features_are_named_before_a_solver_that_climbs_with_them(wrong: Any) -> None:
    def climb(domain: Any, x: Any, w: Vector) -> Any:
        return polish(domain, lambda x, w: (0,) * len(x))(x, w)

    with pytest.raises(CheckError, match="features returned"):
        check_domain(broken(features=wrong, solve=climb), COINS)


def test_a_sound_domain_passes_and_a_bad_solver_may_be_meant() -> None:
    check_domain(Sound(), COINS)
    check_domain(BAD_SOLVER, COINS, locally_optimal=False)
    with pytest.raises(CheckError, match=r"(?i)no problems were given"):
        check_domain(Coins(), [])
    bare = Bare(domains.Tour(points=4, features=1))
    del bare.apply
    with pytest.raises(CheckError, match="Bare has no method 'apply'"):
        check_domain(bare, [1])
    cube = domains.Hypercube()
    with pytest.raises(CheckError, match="improved by move"):  # it passes only because it says so itself
        check_domain(cube, cube.sample(np.random.default_rng(0), n=5), locally_optimal=True)


class Twisted(domains.Tour):
    """A tour whose abilities disagree with its four methods, by name."""

    def __init__(self, fault: str) -> None:
        super().__init__(points=6, features=2, hidden=1)
        self.fault = fault

    def landscape(self, x: Any, w: Any) -> Any:
        true = super().landscape(x, w)
        fault = self.fault

        class Wrong:
            def utility(self, y: Any) -> float:
                return true.utility(y) + (fault == "utility")

            def gains(self, y: Any) -> Any:
                return true.gains(y) + (fault == "gains")

            def climb(self, y: Any, **options: Any) -> Any:
                if fault == "climb":
                    return [y, y], [{"op": "reverse", "args": [1, 2]}]
                return true.climb(y, **({**options, "best": True} if fault == "best" else options))

        return Wrong()

    def features_along(self, x: Any, path: Any) -> Any:
        return super().features_along(x, path) + (self.fault == "along" and len(path) > 1)

    def move_features(self, x: Any, y: Any) -> Any:
        rows = super().move_features(x, y)
        return rows[1:] if self.fault == "few moves" else rows + (self.fault == "moves")

    def all_features(self, x: Any, y: Any) -> Any:
        return super().all_features(x, y)[::-1] if self.fault == "hidden" else super().all_features(x, y)

    def decode_problem(self, data: Any) -> Any:
        if self.fault == "problem code":
            data["edges"] = (np.array(data["edges"]) + 1).tolist()
        return super().decode_problem(data)

    def decode_solution(self, x: Any, data: Any) -> Any:
        return super().decode_solution(x, data)[::-1] if self.fault == "solution code" else np.array(data)


@pytest.mark.parametrize(
    ("fault", "sentence"),
    [
        ("utility", "landscape\\(\\).utility disagrees"),
        ("gains", "landscape\\(\\).gains disagrees"),
        ("climb", "which leads elsewhere"),
        ("best", "does not make the first improving move in the order of moves"),
        ("along", "features_along disagrees"),
        ("moves", "move_features disagrees"),
        ("few moves", "move_features disagrees"),
        ("hidden", "all_features must be the 2 features, then the 1 hidden"),
        ("problem code", "features change when the problem is encoded"),
        ("solution code", "does not survive encode_solution"),
    ],
)
def test_each_disagreement_of_an_ability_is_named(fault: str, sentence: str) -> None:
    domain = Twisted(fault)
    with pytest.raises(CheckError, match=f"(?i){sentence}"):
        check_domain(domain, domain.sample(np.random.default_rng(0), n=2))


def odd(**members: Any) -> Any:
    """A perceptron, but for these members."""
    return type("Odd", (learners.PER,), members)


def before(update: Any, when: Any = lambda feedback: True) -> Any:
    """An update of the perceptron after something else that is done in some cases."""

    def changed(learner: Any, feedback: Feedback) -> None:
        if when(feedback):
            update(learner, feedback)
        learners.PER.update(learner, feedback)

    return changed


def moved(learner: Any, feedback: Feedback) -> None:
    learner.weights = learner.weights + 1.0


def moved_later(learner: Any, feedback: Feedback) -> None:
    before(moved, lambda one: one.cost == 0 and learner.weights.any())(learner, feedback)


def divides(learner: Any, feedback: Feedback) -> None:
    if feedback.delta.any() or feedback.cost <= 0:
        learners.PER.update(learner, feedback)
    else:
        learner.weights = np.full(learner.weights.size, np.nan)


def careless(learner: Any, feedback: Feedback) -> None:
    if feedback.cost >= 0:
        learners.PER.update(learner, feedback)


def raises(learner: Any, feedback: Feedback) -> None:
    raise ZeroDivisionError("cost")


def of_size(weights: Any) -> Any:
    def make(dim: int) -> learners.PER:
        learner = learners.PER(dim)
        learner.weights = weights(dim)
        return learner

    return make


def rounded(learner: Any) -> State:
    state = learners.PER.state(learner)
    return {**state, "weights": [round(w, 1) for w in state["weights"]]}


def no_cost(feedback: Feedback) -> bool:
    return feedback.cost < 0


@pytest.mark.parametrize(
    ("make", "sentence"),
    [
        (odd(reads="everything"), "reads is 'everything'"),
        (
            of_size(lambda dim: np.zeros(dim - 1)),
            r"weights have shape \(3,\) before any update; expected \(4,\)",
        ),
        (of_size(lambda dim: np.full(dim, np.inf)), "weights contain NaN or infinity before any update"),
        (odd(update=moved), "changed although the cost was 0"),
        (odd(update=moved_later), "changed although the cost was 0"),
        (odd(update=divides), "NaN or infinity after a correction whose feature difference is 0"),
        (odd(update=careless), "update accepted a negative cost; it must raise ValueError"),
        (odd(update=before(moved, no_cost)), "update refused a negative cost but changed all the same"),
        (odd(state=rounded), "goes on differently"),
        (odd(update=before(lambda _, one: len(one.declined))), "raised TypeError on random feedback"),
        (
            odd(update=before(raises, no_cost)),
            "update raised ZeroDivisionError for a negative cost .*must raise ValueError",
        ),
        (odd(state=lambda learner: {"weights": learner.weights}), r"state\(\) is not JSON data \(.*tolist"),
    ],
)
def test_check_learner_names_each_fault(make: Any, sentence: str) -> None:
    with pytest.raises(CheckError, match=f"(?i){sentence}"):
        check_learner(make)


def test_check_learner_accepts_a_correct_learner() -> None:
    check_learner(learners.PER)
    with pytest.raises(CheckError, match="has no method 'update'"):
        check_learner(lambda dim: object())  # type: ignore[arg-type, return-value]


def wrong_expert(fault: str) -> Any:
    domain = Coins()

    def expert(x: Any, y: Any) -> Correction:
        k = 0
        z = domain.apply(x, y, {"op": "turn", "args": [k]})
        move: Move = {"op": "turn", "args": [k]}
        return {
            "no start": Correction([z], [], []),
            "empty": Correction([], [], []),
            "no cost": Correction([y, z], [move], []),
            "elsewhere": Correction([y, y], [move], [1.0]),
            "none": Correction([y, z], [move], [1.0]),
        }[fault]

    return expert


@pytest.mark.parametrize(
    ("fault", "sentence"),
    [
        ("no start", "does not start with the proposal on problem 0"),
        ("empty", "does not start with the proposal"),
        ("no cost", "1 steps but 0 costs"),
        ("elsewhere", "step 0 does not lead where its move"),
    ],
)
def test_check_expert_names_each_fault(fault: str, sentence: str) -> None:
    with pytest.raises(CheckError, match=f"(?i){sentence}"):
        check_expert(wrong_expert(fault), Coins(), COINS)


def test_check_expert_checks_assumption_2() -> None:
    check_expert(wrong_expert("none"), Coins(), COINS)
    with pytest.raises(CheckError, match=r"(?i)no problems were given"):
        check_expert(wrong_expert("none"), Coins(), [])

    class Hasty(SimulatedExpert):
        def __call__(self, x: Any, y: Any) -> Correction:
            return Correction([y], [], [])

    class Eager(SimulatedExpert):
        def __call__(self, x: Any, y: Any) -> Correction:
            k = int(np.argmin(self._gains(x, y)))
            move = Coins().moves(x, y)[k]
            return Correction([y, Coins().apply(x, y, move)], [move], [1.0])

        def _gains(self, x: Any, y: Any) -> Any:
            return [
                self.weights @ (Coins().features(x, Coins().apply(x, y, m)) - Coins().features(x, y))
                for m in Coins().moves(x, y)
            ]

    class Meddler(SimulatedExpert):
        def __call__(self, x: Any, y: Any) -> Correction:
            y[:2] = y[:2][::-1].copy()
            return Correction([y], [], [])

    with pytest.raises(CheckError, match=r"(?i)stopped on problem 0 although a move still gains"):
        check_expert(Hasty(Coins(), [1.0, 1.0]), Coins(), COINS)
    with pytest.raises(CheckError, match=r"(?i)step 0 gains .* less than kappa = 0.1 \(Assumption 2\)"):
        check_expert(Eager(Coins(), [1.0, -1.0]), Coins(), COINS)
    tour = domains.Tour(points=5, features=2)
    with pytest.raises(CheckError, match="changed the proposal itself"):
        check_expert(Meddler(tour, [1.0, 1.0]), tour, tour.sample(np.random.default_rng(0), n=1))


def test_a_learner_may_start_at_any_weights() -> None:
    check_learner(lambda dim: learners.make("PER", dim, start=[1.0] * dim))


def test_weights_that_move_without_cost_must_be_declared() -> None:
    with pytest.raises(CheckError, match="pass steady=False"):
        check_learner(learners.AveragedPER)
    check_learner(learners.AveragedPER, steady=False)
