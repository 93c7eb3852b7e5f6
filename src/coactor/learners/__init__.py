"""Learners: feedback in, weights out. One family per file; Algorithm 1 is in coactive.py.

An installed package announces a learner of its own under the entry point group ``coactor.learners``. Its
class, called with the number of features and its settings, is then known to `make` and to studies.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from coactor.learners.choice import ChoiceLearner
from coactor.learners.coactive import CSPA, CSPER, PA, PER, CoactiveLearner
from coactor.learners.committee import Committee
from coactor.learners.people import Population
from coactor.learners.variants import PAI, PAII, AveragedPER, BatchPER, CappedCSPER
from coactor.plugins import LEARNERS, announced, unknown
from coactor.protocol import Learner, State, Vector
from coactor.validation import positive

__all__ = [
    "CSPA",
    "CSPER",
    "PA",
    "PAI",
    "PAII",
    "PER",
    "AveragedPER",
    "BatchPER",
    "CappedCSPER",
    "ChoiceLearner",
    "CoactiveLearner",
    "Committee",
    "Population",
    "from_state",
    "make",
    "names",
    "resolve",
    "settings_of",
    "spoken",
]

FEW = 250  # features: beyond, a joint posterior costs more than it gives, and a round says little about each
_BUILT_IN: dict[str, Callable[..., Learner]] = {
    learner.name: learner
    for learner in (
        *(Population, ChoiceLearner, Committee),
        *(PER, CSPER, PA, CSPA),
        *(PAI, PAII, CappedCSPER, BatchPER, AveragedPER),
    )
}


def names() -> list[str]:
    """Every name that `make` knows: ours, and those of installed packages."""
    return list(dict.fromkeys(["default", *_BUILT_IN, *sorted(announced(LEARNERS))]))


def make(
    name: str,
    dim: int,
    *,
    start: Sequence[float] | Vector | None = None,
    trust: float | None = None,
    **settings: Any,
) -> Learner:
    """Make a new learner by its name.

    Parameters
    ----------
    name
        One of `names`. "default" is the Bayesian choice model: "population", which tells people apart, or
        with more than 250 features "committee". "choice" ignores who made a correction.
    dim
        d, the number of features.
    start
        The weights in use today, with which it starts: a vector of d numbers, in the problem's units.
    trust
        How far to trust them, see `ChoiceLearner`; learners of Algorithm 1 take none.
    **settings
        The learner's own parameters, such as ``margin=2.0`` for PA; `settings_of` lists them.

    Raises
    ------
    ValueError
        If there is no such learner or setting, its value is invalid, or the learner takes no start.

    Examples
    --------
    >>> make("CSPER", 3).weights
    array([0., 0., 0.])
    >>> make("PA", 3, margin=2.0)
    PA(dim=3, margin=2.0)
    >>> make("PER", 2, start=[1.0, 5.0]).weights
    array([1., 5.])
    """
    name = resolve(name, dim)
    known = settings_of(name)
    if start is not None and "start" in known:
        settings |= {"start": start} if trust is None else {"start": start, "trust": trust}
    elif trust is not None:
        raise ValueError(f"Learner {name!r} takes no trust without a start, or at all.")
    elif start is not None:
        return _started(make(name, dim, **settings), start)
    for setting in settings:
        if setting not in known:
            has = f"it has {', '.join(known)}" if known else "it has none"
            raise ValueError(f"Learner {name!r} has no setting {setting!r}; {has}.")
    maker: Callable[..., Learner] = _BUILT_IN[name] if name in _BUILT_IN else announced(LEARNERS)[name].load()
    return maker(dim, **settings)


def _started(learner: Learner, start: Sequence[float] | Vector) -> Learner:
    """A learner of Algorithm 1 with other initial weights than 0."""
    weights = np.array(start, dtype=np.float64)
    if weights.shape != learner.weights.shape or not np.isfinite(weights).all():
        raise ValueError(
            f"The start has shape {weights.shape}; expected {learner.weights.size} finite numbers."
        )
    if not isinstance(learner, CoactiveLearner):
        raise ValueError(f"Learner {learner.name!r} cannot be given start weights.")
    learner.start_with(weights)
    return learner


def resolve(name: str, dim: int) -> str:
    """The name of the learner that `make` returns: for "default", the one it stands for.

    Raises ValueError if there is no such learner.

    Examples
    --------
    >>> resolve("default", 3), resolve("default", 700), resolve("PER", 3)
    ('population', 'committee', 'PER')
    """
    if not isinstance(name, str):
        raise ValueError(f"The name of a learner is {name!r}; expected a text.")
    if name == "default":
        return Committee.name if positive(dim, 1, "dim") > FEW else Population.name
    if name not in names():
        raise unknown("learner", name, names())
    if name in _BUILT_IN and name in announced(LEARNERS):
        raise ValueError(
            f"An installed package announces the learner {name!r}, which is built in; rename it."
        )
    return name


def spoken(name: str, dim: int) -> str:
    """The name of a learner for messages, which says if "default" stands for it.

    Examples
    --------
    >>> spoken("population", 3), spoken("PER", 3)
    ('population (the default)', 'PER')
    """
    return f"{name} (the default)" if name == resolve("default", dim) else name


def settings_of(name: str) -> dict[str, Any]:
    """The settings of a learner and their defaults.

    Examples
    --------
    >>> settings_of("PA-I")
    {'margin': 1.0, 'aggressiveness': 0.1}
    """
    maker = _BUILT_IN[name] if name in _BUILT_IN else announced(LEARNERS)[name].load()
    _, *parameters = inspect.signature(maker).parameters.values()
    return {parameter.name: parameter.default for parameter in parameters}


def from_state(state: State) -> Learner:
    """The learner a state was taken from. Raises ValueError if it is not the state of a known learner."""
    try:
        learner = make(state["learner"], len(state["weights"]))
    except (KeyError, TypeError):
        raise ValueError("This is not a learner's state; expected what state() returned.") from None
    learner.restore(state)
    return learner
