"""Learners: feedback in, weights out. One family per file; Algorithm 1 is in coactive.py.

An installed package announces a learner of its own under the entry point group ``coactor.learners``. Its
class, called with the number of features and its settings, is then known to `make` and to studies.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from coactor.learners.choice import FEW, ChoiceLearner
from coactor.learners.coactive import CoactiveLearner
from coactor.learners.committee import Committee, PopulationCommittee
from coactor.learners.passive_aggressive import CSPA, PA, PAI, PAII
from coactor.learners.people.population import Population
from coactor.learners.people.several import Balanced, Separate
from coactor.learners.perceptrons import CSPER, PER, CappedCSPER
from coactor.learners.serialization import positive_dim
from coactor.learners.wrappers import Averaged, MiniBatch
from coactor.plugins import LEARNERS, announced, unknown
from coactor.protocol import Learner, State, Vector

__all__ = [
    "CSPA",
    "CSPER",
    "PA",
    "PAI",
    "PAII",
    "PER",
    "Averaged",
    "Balanced",
    "CappedCSPER",
    "ChoiceLearner",
    "CoactiveLearner",
    "Committee",
    "MiniBatch",
    "Population",
    "PopulationCommittee",
    "Separate",
    "from_state",
    "make",
    "names",
    "resolve",
    "settings_of",
]

_COACTIVE = {learner.name: learner for learner in (PER, CSPER, PA, CSPA, PAI, PAII, CappedCSPER)}
_BUILT_IN: dict[str, Callable[..., Learner]] = {
    Population.name: Population,
    PopulationCommittee.name: PopulationCommittee,
    ChoiceLearner.name: ChoiceLearner,
    Committee.name: Committee,
    **_COACTIVE,
}
_WRAPPED: dict[str, tuple[Callable[..., Learner], Callable[..., CoactiveLearner]]] = {
    f"{prefix}-{name}": (wrapper, _COACTIVE[name])
    for prefix, wrapper, inside in (
        ("averaged", Averaged, _COACTIVE),
        ("batch", MiniBatch, _COACTIVE),
        ("separate", Separate, ("PER", "CSPER", "PA", "CSPA")),
        ("balanced", Balanced, ("PER", "CSPER")),
    )
    for name in inside
}


def names() -> list[str]:
    """Every name that `make` knows: ours, and those of installed packages."""
    return list(dict.fromkeys(["default", *_BUILT_IN, *_WRAPPED, *sorted(announced(LEARNERS))]))


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
        One of `names`. "default" is the Bayesian choice model of one or several people, "population" or
        "population-committee" by the number of features. "choice" and "committee" are the same for one
        person, and ignore who made a correction.
    dim
        d, the number of features.
    start
        The weights in use today, with which it starts: a vector of d numbers, in the problem's units.
    trust
        How far to trust them, see `ChoiceLearner`; learners of Algorithm 1 take none.
    **settings
        The learner's own parameters, such as ``margin=2.0`` for PA; `settings_of` lists them. Those of a
        wrapper such as "batch-PA" may belong to the wrapper or to the learner inside.

    Raises
    ------
    ValueError
        If there is no such learner or setting, its value is invalid, or the learner takes no start.

    Examples
    --------
    >>> make("averaged-CSPER", 3).weights
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
    if name in _BUILT_IN:
        return _BUILT_IN[name](dim, **settings)
    if name in _WRAPPED:
        wrapper, inner = _WRAPPED[name]
        own = {key: settings.pop(key) for key in _parameters(wrapper) if key in settings}
        return wrapper(inner(dim, **settings), **own)
    learner: Learner = announced(LEARNERS)[name].load()(dim, **settings)
    return learner


def _started(learner: Learner, start: Sequence[float] | Vector) -> Learner:
    """A learner of Algorithm 1 with other initial weights than 0."""
    weights = np.array(start, dtype=np.float64)
    if weights.shape != learner.weights.shape or not np.isfinite(weights).all():
        raise ValueError(
            f"The start has shape {weights.shape}; expected {learner.weights.size} finite numbers."
        )
    if isinstance(learner, Averaged | MiniBatch):
        _started(learner.learner, weights)
    elif isinstance(learner, Balanced | Separate):
        learner.learner.weights = weights
        return learner
    elif not isinstance(learner, CoactiveLearner):
        raise ValueError(f"Learner {learner.name!r} cannot be given start weights.")
    if not isinstance(learner, MiniBatch):
        learner.weights = weights
    return learner


def resolve(name: str, dim: int) -> str:
    """The name of the learner that `make` returns: for "default", the one it stands for.

    Raises ValueError if there is no such learner.

    Examples
    --------
    >>> resolve("default", 3), resolve("default", 700), resolve("PER", 3)
    ('population', 'population-committee', 'PER')
    """
    if not isinstance(name, str):
        raise ValueError(f"The name of a learner is {name!r}; expected a text.")
    if name == "default":
        return PopulationCommittee.name if positive_dim(dim) > FEW else Population.name
    if name not in names():
        raise unknown("learner", name, names())
    if name in (*_BUILT_IN, *_WRAPPED) and name in announced(LEARNERS):
        raise ValueError(
            f"An installed package announces the learner {name!r}, which is built in; rename it."
        )
    return name


def settings_of(name: str) -> dict[str, Any]:
    """The settings of a learner and their defaults.

    Examples
    --------
    >>> settings_of("batch-PA")
    {'size': 5, 'margin': 1.0}
    """
    if name in _BUILT_IN:
        return _parameters(_BUILT_IN[name])
    if name in _WRAPPED:
        wrapper, inner = _WRAPPED[name]
        return _parameters(wrapper) | _parameters(inner)
    return _parameters(announced(LEARNERS)[name].load())


def _parameters(maker: Callable[..., Any]) -> dict[str, Any]:
    """The parameters of a class after the first one."""
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
