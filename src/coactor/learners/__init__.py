"""Learners: feedback in, weights out. One family per file; Algorithm 1 is in coactive.py."""

from __future__ import annotations

import difflib
from collections.abc import Callable

from coactor.learners.choice import FEW, ChoiceLearner
from coactor.learners.coactive import CoactiveLearner
from coactor.learners.committee import Committee
from coactor.learners.passive_aggressive import CSPA, PA, PAI, PAII
from coactor.learners.perceptrons import CSPER, PER, CappedCSPER
from coactor.learners.serialization import positive_dim
from coactor.learners.wrappers import Averaged, MiniBatch
from coactor.protocol import Learner, State

__all__ = [
    "CSPA",
    "CSPER",
    "PA",
    "PAI",
    "PAII",
    "PER",
    "Averaged",
    "CappedCSPER",
    "ChoiceLearner",
    "CoactiveLearner",
    "Committee",
    "MiniBatch",
    "from_state",
    "make",
    "names",
]

_COACTIVE: dict[str, Callable[[int], CoactiveLearner]] = {
    learner.name: learner for learner in (PER, CSPER, PA, CSPA, PAI, PAII, CappedCSPER)
}
_CHOICE: dict[str, Callable[[int], ChoiceLearner | Committee]] = {
    learner.name: learner for learner in (ChoiceLearner, Committee)
}


def names() -> list[str]:
    """Every name that `make` knows."""
    plain = list(_COACTIVE)
    return [
        "default",
        ChoiceLearner.name,
        Committee.name,
        *plain,
        *(f"averaged-{n}" for n in plain),
        *(f"batch-{n}" for n in plain),
    ]


def make(name: str, dim: int) -> Learner:
    """A fresh learner by its name, with its default settings.

    Examples
    --------
    >>> make("averaged-CSPER", 3).weights
    array([0., 0., 0.])
    """
    if name == "default":
        name = Committee.name if positive_dim(dim) > FEW else ChoiceLearner.name
    if name in _CHOICE:
        return _CHOICE[name](dim)
    if name in _COACTIVE:
        return _COACTIVE[name](dim)
    prefix, _, rest = name.partition("-")
    if rest in _COACTIVE and prefix == "averaged":
        return Averaged(_COACTIVE[rest](dim))
    if rest in _COACTIVE and prefix == "batch":
        return MiniBatch(_COACTIVE[rest](dim))
    near = difflib.get_close_matches(name, names(), n=3, cutoff=0.4) or list(_COACTIVE)
    raise ValueError(f"there is no learner {name!r}; did you mean {' or '.join(near)}?")


def from_state(state: State) -> Learner:
    """The learner a state was taken from."""
    try:
        learner = make(state["learner"], len(state["weights"]))
    except (KeyError, TypeError):
        raise ValueError("this is not a learner's state; expected what state() returned.") from None
    learner.restore(state)
    return learner
