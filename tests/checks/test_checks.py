"""The public conformance suite finds what it says it finds, and says it in one sentence."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from coactor import SimulatedExpert, check_domain, check_expert, check_learner, domains, learners, polish
from coactor.checks import CheckError
from coactor.protocol import Correction, Feedback, Move, State, Vector
from tests.cases import Bare, Coins

COINS = [[[1.0, 0.0], [-1.0, 2.0], [0.5, 0.5]], [[0.0, -1.0]]]


class Broken(Coins):
    """Coins with one thing wrong, by name."""

    def __init__(self, fault: str) -> None:
        self.fault = fault
        self.calls = 0
        self.dim = 0 if fault == "dim" else 2

    def features(self, x: Any, y: Any) -> Vector:
        phi = super().features(x, y)
        self.calls += 1
        if self.fault == "long features":
            return np.append(phi, 1.0)
        if self.fault == "list features":
            return phi.tolist()  # type: ignore[return-value]
        if self.fault == "nan features":
            return phi * np.nan
        if self.fault == "moody features":
            return phi + self.calls
        return phi

    def solve(self, x: Any, w: Vector) -> Any:
        y = super().solve(x, w)
        if self.fault == "changed weights":
            w += 1.0
        if self.fault == "bad solver":
            return (0,) * len(y)
        return list(y) if self.fault == "changed solution" else y

    def moves(self, x: Any, y: Any) -> list[Move]:
        moves = super().moves(x, y)
        self.calls += 1
        if self.fault == "moody moves" and self.calls % 2:
            return moves[::-1]
        if self.fault == "odd moves":
            return [("turn", 0)]  # type: ignore[list-item]
        if self.fault == "numpy moves":
            return [{"op": "turn", "args": (0,)}]  # type: ignore[typeddict-item]
        return moves

    @property
    def feature_signs(self) -> list[int]:
        return [0, 1] if self.fault == "no sign" else [1, 1]

    def show(self, x: Any, y: Any) -> Any:
        shown: dict[str, Any] = {
            "shown text": {"kind": "text", "text": "heads"},
            "shown html": {"kind": "html"},
            "table without rows": {"kind": "table", "head": ["coin"]},
            "short row": {"kind": "table", "head": ["coin", "side"], "rows": [["1", "heads"], ["2"]]},
            "odd shape": {"kind": "drawing", "size": [2, 2], "shapes": [{"shape": "star"}]},
            "shown numbers": {"kind": "list", "items": [np.int64(1)]},
        }
        return "heads" if self.fault == "shown string" else [shown.get(self.fault, shown["shown text"])]

    def describe_edit(self, x: Any, y: Any, move: Move) -> str:
        return "" if self.fault == "no words" else f"Turn coin {move['args'][0]}"

    def apply(self, x: Any, y: Any, move: Move) -> Any:
        if self.fault == "changed solution":
            y[move["args"][0]] = 1 - y[move["args"][0]]
            return y
        z = super().apply(x, y, move)
        if self.fault == "other type":
            return list(z)
        return (*z, 0) if self.fault == "invalid move" else z

    def check_solution(self, x: Any, y: Any) -> None:
        if len(y) != len(x):
            raise ValueError(f"{len(y)} coins instead of {len(x)}.")


@pytest.mark.parametrize(
    ("fault", "sentence"),
    [
        ("dim", "dim is 0; expected the number of features"),
        ("long features", "features returned 3 numbers on problem 0, dim is 2"),
        ("list features", "features returned a list on problem 0; return a NumPy array"),
        ("nan features", "features contain NaN or infinity on problem 0"),
        ("moody features", "features differ when asked twice"),
        ("changed weights", "solve changed the weights"),
        ("moody moves", "moves differ when asked twice"),
        ("odd moves", "is not plain data"),
        ("numpy moves", "is not plain data"),
        ("changed solution", "apply changed the solution it was given, by move"),
        ("other type", "apply returned a list and solve a tuple on problem 0; return one type"),
        ("invalid move", "yields an invalid solution: 4 coins instead of 3"),
        ("no sign", "a sign of 1 or -1"),
        ("shown string", "show returned str; expected a list of views"),
        ("shown html", "a view has the kind 'html'; expected one of text"),
        ("table without rows", "a view of kind 'table' has no rows"),
        ("short row", "as many entries as its head"),
        ("odd shape", "a shape has the shape 'star'"),
        ("shown numbers", "not JSON-able"),
        ("no words", "describe_edit returned '' for move"),
        ("bad solver", r"problem 0 is improved by move .*, by \d.*Assumption 1"),
    ],
)
def test_check_domain_names_each_fault(fault: str, sentence: str) -> None:
    with pytest.raises(CheckError, match=f"(?i){sentence}") as found:
        check_domain(Broken(fault), COINS)
    assert "\n" not in str(found.value)


def test_check_domain_says_where_a_method_raised() -> None:
    class Careless(Coins):
        def solve(self, x: Any, w: Any) -> Any:
            return x.missing

    with pytest.raises(
        CheckError, match=r"solve in line \d+ of test_checks.py raised AttributeError on problem 0"
    ):
        check_domain(Careless(), COINS)


@pytest.mark.parametrize("fault", ["long features", "list features"])
def test_features_are_named_before_a_solver_that_climbs_with_them(fault: str) -> None:
    class Climbing(Broken):
        def solve(self, x: Any, w: Vector) -> Any:
            return polish(self, lambda x, w: (0,) * len(x))(x, w)

    with pytest.raises(CheckError, match="features returned"):
        check_domain(Climbing(fault), COINS)


def test_every_feature_needs_a_name() -> None:
    domain = Coins()
    domain.feature_names = ["heads"]  # type: ignore[attr-defined]
    with pytest.raises(CheckError, match="needs one name"):
        check_domain(domain, COINS)


def test_a_sound_domain_passes_and_a_bad_solver_may_be_meant() -> None:
    check_domain(Broken("none"), COINS)
    check_domain(Broken("bad solver"), COINS, locally_optimal=False)
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


class Odd(learners.PER):
    """A perceptron with one thing wrong, by name."""

    fault = ""

    def update(self, feedback: Feedback) -> None:
        path, cost = feedback.path, feedback.cost
        if self.fault == "learns from nothing":
            self.weights = self.weights + 1.0
            return
        if self.fault == "learns from nothing later" and self.weights.any() and cost == 0:
            self.weights = self.weights + 1.0
        if (
            self.fault == "divides"
            and cost > 0
            and path.shape[1] == self.weights.size
            and np.isfinite(path).all()
        ):
            with np.errstate(invalid="ignore", divide="ignore"):
                self.weights = self.weights + feedback.delta / (feedback.delta @ feedback.delta)
            return
        if self.fault == "careless" and cost < 0:
            return
        if self.fault == "changes first":
            self.weights = self.weights + 0.5 * (cost < 0)
        if self.fault == "needs declined moves":
            len(feedback.declined)  # type: ignore[arg-type]
        if self.fault == "raises another error" and cost < 0:
            raise ZeroDivisionError("cost")
        super().update(feedback)

    def state(self) -> State:
        state = super().state()
        if self.fault == "forgetful":
            state["weights"] = [round(w, 1) for w in state["weights"]]
        if self.fault == "array state":
            state["weights"] = self.weights
        return state


def odd(fault: str) -> Any:
    def make(dim: int) -> Odd:
        learner = Odd(dim)
        learner.fault = fault
        if fault == "reads":
            learner.reads = "everything"  # type: ignore[assignment]
        if fault == "short":
            learner.weights = np.zeros(dim - 1)
        if fault == "infinite":
            learner.weights = np.full(dim, np.inf)
        return learner

    return make


@pytest.mark.parametrize(
    ("fault", "sentence"),
    [
        ("reads", "reads is 'everything'"),
        ("short", r"weights have shape \(3,\) before any update; expected \(4,\)"),
        ("infinite", "weights contain NaN or infinity before any update"),
        ("learns from nothing", "changed although the cost was 0"),
        ("learns from nothing later", "changed although the cost was 0"),
        ("divides", "NaN or infinity after a correction whose feature difference is 0"),
        ("careless", "update accepted a negative cost; it must raise ValueError"),
        ("changes first", "update refused a negative cost but changed all the same"),
        ("forgetful", "goes on differently"),
        ("needs declined moves", "raised TypeError on random feedback"),
        (
            "raises another error",
            "update raised ZeroDivisionError for a negative cost .*must raise ValueError",
        ),
        ("array state", r"state\(\) is not JSON data \(.*tolist"),
    ],
)
def test_check_learner_names_each_fault(fault: str, sentence: str) -> None:
    with pytest.raises(CheckError, match=f"(?i){sentence}"):
        check_learner(odd(fault))


def test_check_learner_accepts_a_correct_learner() -> None:
    check_learner(odd("none"))
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
