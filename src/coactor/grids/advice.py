"""What the final solutions say about a model: rules that are broken, wishes that might be rules."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from coactor.grids.instances import Instance
from coactor.grids.model import GridModel
from coactor.protocol import Indices

ENOUGH = 20  # solutions, before something that never happened means anything
OFTEN = 0.1  # of the solutions: a rule that is broken in so many is not one


def advice(model: GridModel, solutions: Iterable[tuple[Instance, Indices]], word: str = "cases") -> list[str]:
    """Sentences about rules that people break often, and about wishes that they never give up.

    Parameters
    ----------
    model
        The model.
    solutions
        Problems with their final solutions.
    word
        What they are, in the plural, such as "weeks".
    """
    pairs = list(solutions)
    places = [[one.rule for one in model.broken(x, y)] for x, y in pairs]
    sentences = []
    for rule in model.rules:
        times, cases = sum(rules.count(rule) for rules in places), sum(rule in rules for rules in places)
        if cases >= max(2, OFTEN * len(pairs)):
            sentences.append(
                f"The rule {rule!r} was broken {times} times in {len(pairs)} {word}: make it a wish?"
            )
    if len(pairs) < ENOUGH:
        return sentences
    x, y = pairs[-1]
    possible = model.edit_features(x, y, x.edits).min(axis=0) < 0.0
    counted = np.any([model.features(x, y) != 0.0 for x, y in pairs], axis=0)
    for k, (name, wish) in enumerate(model.wishes.items()):
        if not wish.more and possible[k] and not counted[k]:
            sentences.append(f"In {len(pairs)} {word} there was no {name!r}: make it a rule?")
    return sentences
