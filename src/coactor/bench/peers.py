"""Online learners of other libraries, with the interface of ours.

Each gets the rows that the default learner gets: every step of the expert and, where it can use them, every
declined move. Rows of "steps" are preferences, so there is no intercept; "all" has one, as our learner has a
threshold. A peer without a setting has the one that was best over three panels on seed 101.

    river-adagrad   river: logistic regression, AdaGrad                       step size, rows
    river-pa2       river: PAClassifier, mode 2 (PA-II)                       C, rows
    vw              Vowpal Wabbit: logistic loss, its adaptive updates        learning rate, rows
    invopt          InvOpt: first-order method on the suboptimality loss      step size, decay, scale
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from importlib.util import find_spec
from typing import Any

import numpy as np

from coactor.protocol import Feedback, Reads, Vector

# The module that each needs, and its setting.
PEERS = {
    "river-adagrad": ("river", "0.3/all"),
    "river-pa2": ("river", "0.001/all"),
    "vw": ("vowpalwabbit", "0.2/all"),
    "invopt": ("invopt", "0.001/decaying/plain"),
}


def installed() -> list[str]:
    """The peers whose libraries are installed, as contenders."""
    return [f"{__name__}:{name}" for name, (module, _) in PEERS.items() if find_spec(module)]


def rows_of(feedback: Feedback, rows: str) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    """What our learner learns from: steps, label True; declined moves, label False."""
    steps = np.diff(feedback.path, axis=0)
    if rows == "steps" or feedback.declined is None or feedback.cut:
        return steps, np.ones(len(steps), dtype=bool)
    labels = np.r_[np.ones(len(steps), dtype=bool), np.zeros(len(feedback.declined), dtype=bool)]
    return np.vstack([steps, feedback.declined]), labels


class Peer:
    """A learner of another library with the interface of ours."""

    reads: Reads = "declined"

    def __init__(self, dim: int, name: str) -> None:
        self.dim, self.name = dim, name
        self.weights: Vector = np.zeros(dim)

    def state(self) -> dict[str, Any]:
        raise NotImplementedError("Peers are compared, not stored.")

    def restore(self, state: dict[str, Any]) -> None:
        raise NotImplementedError("Peers are compared, not stored.")


class River(Peer):
    """A linear classifier of river, row by row."""

    def __init__(self, dim: int, name: str, size: float, rows: str) -> None:
        super().__init__(dim, name)
        from river import linear_model, optim

        models: Any = linear_model

        self.rows, intercept = rows, rows == "all"
        if name == "river-adagrad":
            self.model: Any = models.LogisticRegression(
                optimizer=optim.AdaGrad(size), intercept_lr=size if intercept else 0.0
            )
        else:
            self.model = models.PAClassifier(C=size, mode=2, learn_intercept=intercept)

    def update(self, feedback: Feedback) -> None:
        for row, label in zip(*rows_of(feedback, self.rows), strict=True):
            self.model.learn_one(dict(enumerate(row.tolist())), bool(label))
        weights = self.model.weights
        self.weights = np.array([weights.get(k, 0.0) for k in range(self.dim)])


class VowpalWabbit(Peer):
    """Vowpal Wabbit with its default (adaptive, normalised, invariant) updates."""

    def __init__(self, dim: int, name: str, size: float, rows: str) -> None:
        super().__init__(dim, name)
        from vowpalwabbit import Workspace

        constant = "" if rows == "all" else "--noconstant"
        self.rows = rows
        self.model: Any = Workspace(f"--loss_function logistic --quiet -b 18 -l {size} {constant}")

    def update(self, feedback: Feedback) -> None:
        for row, label in zip(*rows_of(feedback, self.rows), strict=True):
            text = " ".join(f"{k}:{value:.9g}" for k, value in enumerate(row.tolist()))
            self.model.learn(f"{1 if label else -1} | {text}")
        self.weights = np.array([self.model.get_weight(k) for k in range(self.dim)])


class InvOpt(Peer):
    """One subgradient step of InvOpt's FOM per round: theta prefers the proposal, the expert the correction.

    InvOpt minimises costs, so its features are minus ours. It cannot use steps or declined moves.
    """

    def __init__(self, dim: int, name: str, size: float, decay: str, scale: str) -> None:
        super().__init__(dim, name)
        self.size, self.decay, self.normalised, self.rounds = size, decay, scale == "normalised", 0

    def update(self, feedback: Feedback) -> None:
        import invopt

        if not feedback.delta.any():
            return
        self.rounds += 1
        size = self.size / (np.sqrt(self.rounds) if self.decay == "decaying" else 1.0)
        first, last = feedback.path[0], feedback.path[-1]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            self.weights = np.asarray(
                invopt.FOM(
                    [(None, last)],
                    lambda s, x: -x,
                    self.weights,
                    lambda theta, s: first,
                    lambda t: size,
                    1,
                    normalize_grad=self.normalised,
                )
            )


def __getattr__(name: str) -> Callable[[int], Peer]:
    """The class of a peer: "vw", or "vw/0.5/all" with a setting."""
    kind, _, setting = name.partition("/")
    if kind not in PEERS:
        raise AttributeError(name)
    size, *rest = (setting or PEERS[kind][1]).split("/")
    make: Any = {"vw": VowpalWabbit, "invopt": InvOpt}.get(kind, River)
    return lambda dim: make(dim, kind, float(size), *rest)
