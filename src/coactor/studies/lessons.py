"""What was learned, in one sentence; and what makes weights of different units comparable."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np

from coactor.protocol import Learner, Vector

FEW = 3  # features named in a sentence
_UNIT = re.compile(r"\s*\([^()]{1,12}\)$")


def at_first(learner: Learner) -> Vector:
    """How far each weight was in doubt at first: its natural unit. Ones where the learner has no doubts."""
    deviations, known = getattr(learner, "deviations", None), getattr(learner, "known", None)
    if not callable(deviations) or not callable(known):
        return np.ones(len(learner.weights))
    doubt: Vector = np.asarray(deviations()) / np.maximum(1e-12, 1.0 - np.asarray(known()))
    return np.maximum(doubt, 1e-300)


def lesson(names: Sequence[str], before: Learner, after: Learner, learned: bool, effort: float) -> str:
    """One sentence on what a tell has changed."""
    if not learned:
        return "Recorded for today only; nothing was learned from it."
    was, now = np.asarray(before.weights), np.asarray(after.weights)
    moved = np.abs(now - was) / at_first(after)
    if not moved.any():
        return "Accepted as proposed; the weights stay." if effort == 0 else "Recorded; the weights stay."
    most = [int(i) for i in np.argsort(-moved, kind="stable")[:FEW] if moved[i] > 0.1 * moved.max()]
    more = [_UNIT.sub("", names[i]) for i in most if abs(now[i]) > abs(was[i])]
    less = [_UNIT.sub("", names[i]) for i in most if abs(now[i]) <= abs(was[i])]
    parts = [f"{word} weight on {_and(some)}" for word, some in (("more", more), ("less", less)) if some]
    return f"{'Accepted as proposed, and learned' if effort == 0 else 'Learned'}: {', '.join(parts)}."


def _and(names: list[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
