"""The conformance suite of learners."""

from __future__ import annotations

import json
from collections.abc import Callable

import numpy as np

from coactor.checks.errors import CheckError, check_methods, expect, naming_errors
from coactor.protocol import Feedback, Learner
from coactor.solutions import short


def check_learner(
    make: Callable[[int], Learner],
    dim: int = 4,
    *,
    rng: np.random.Generator | None = None,
    steady: bool = True,
) -> None:
    """Check that a learner satisfies its protocol. Raises CheckError if it does not.

    Parameters
    ----------
    make
        Makes a new learner of a given dimension, for example a class such as `learners.PER`.
    dim
        The dimension of the learner to check.
    rng
        Draws the feedback; fixed by default, so that a failure can be repeated.
    steady
        False for a learner that reads only the ends and whose weights may change although the cost is 0,
        such as an average of weights.

    Examples
    --------
    >>> from coactor import learners
    >>> check_learner(learners.CSPER)
    """
    with naming_errors("on random feedback"):
        _check(make, dim, rng or np.random.default_rng(0), steady)


def _check(make: Callable[[int], Learner], dim: int, rng: np.random.Generator, steady: bool) -> None:
    expect(callable(make), f"{short(make)} cannot be called; give a class, or a function of the dimension.")
    learner = make(dim)
    check_methods(learner, ("update", "state", "restore"))
    known = learner.reads in ("ends", "path", "declined")
    expect(known, f"reads is {learner.reads!r}; expected 'ends', 'path' or 'declined'.")
    _check_weights(learner, dim, "before any update")
    if learner.reads == "ends" and steady:
        here = rng.standard_normal(dim)
        _check_steady(learner, Feedback(np.array([here, here]), 0.0))
    stream = [_random_feedback(rng, dim, learner) for _ in range(30)]
    for feedback in stream[:20]:
        learner.update(feedback)
        _check_weights(learner, dim, "after an update")
    if learner.reads == "ends" and steady:
        _check_steady(learner, Feedback(stream[0].path[:1], 0.0))
    learner.update(Feedback(np.zeros((2, dim)), 1.0))  # hidden features: cost, but no difference
    _check_weights(
        learner, dim, "after a correction whose feature difference is 0 (is it divided by its length?)"
    )
    _check_refusals(learner, dim)
    _check_overflow(make(dim), dim)
    _check_state(make, learner, dim, stream[20:])


def _check_weights(learner: Learner, dim: int, when: str) -> None:
    w = learner.weights
    shape = getattr(w, "shape", type(w).__name__)
    fits = isinstance(w, np.ndarray) and shape == (dim,)
    expect(fits, f"Weights have shape {shape} {when}; expected ({dim},).")
    expect(np.isfinite(w).all(), f"Weights contain NaN or infinity {when}.")


def _check_steady(learner: Learner, feedback: Feedback) -> None:
    before = learner.weights.copy()
    learner.update(feedback)
    expect(
        np.array_equal(before, learner.weights),
        "The weights changed although the cost was 0; return early unless cost > 0, or, if this is "
        "intended (an average, for example), pass steady=False.",
    )


def _random_feedback(rng: np.random.Generator, dim: int, learner: Learner) -> Feedback:
    steps = int(rng.integers(0, 4))
    path = rng.standard_normal((steps + 1, dim))
    if learner.reads == "ends" and steps > 1:
        path = path[[0, -1]]
    declined = rng.standard_normal((5, dim)) if learner.reads == "declined" else None
    return Feedback(path, float(steps), declined)


def _check_refusals(learner: Learner, dim: int) -> None:
    bad = {
        "a path of the wrong width": Feedback(np.zeros((2, dim + 1)), 1.0),
        "NaN in the path": Feedback(np.full((2, dim), np.nan), 1.0),
        "a negative cost": Feedback(np.ones((2, dim)), -1.0),
        "an infinite cost": Feedback(np.ones((2, dim)), float("inf")),
    }
    for what, feedback in bad.items():
        expect(_refuses(learner, feedback, what), f"Update accepted {what}; it must raise ValueError.")


def _check_overflow(learner: Learner, dim: int) -> None:
    steps = np.vstack([np.zeros(dim), np.full(dim, 1e308)])
    for _ in range(20):
        _refuses(learner, Feedback(steps, 10.0), "features of 1e308")
        _check_weights(learner, dim, "after features of 1e308; raise ValueError instead")


def _refuses(learner: Learner, feedback: Feedback, what: str) -> bool:
    """Whether an update raises ValueError; then it must have changed nothing."""
    before = _state(learner)
    try:
        with np.errstate(all="ignore"):
            learner.update(feedback)
    except ValueError:
        if _state(learner) != before:
            raise CheckError(f"Update refused {what} but changed all the same; check first.") from None
        return True
    except Exception as error:
        raise CheckError(
            f"Update raised {type(error).__name__} for {what} ({error}); it must raise ValueError."
        ) from error
    return False


def _state(learner: Learner) -> str:
    state = learner.state()
    try:
        return json.dumps(state)
    except (TypeError, ValueError) as error:
        raise CheckError(f"state() is not JSON data ({error}); write arrays with tolist().") from error


def _check_state(make: Callable[[int], Learner], learner: Learner, dim: int, stream: list[Feedback]) -> None:
    state = json.loads(_state(learner))
    other = make(dim)
    other.restore(state)
    for feedback in stream:
        learner.update(feedback)
        other.update(feedback)
    same = np.array_equal(other.weights, learner.weights) and other.state() == learner.state()
    expect(
        same, "A learner restored from its state goes on differently; state() must hold everything, exactly."
    )
