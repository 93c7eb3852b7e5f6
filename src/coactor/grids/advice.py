"""What the final solutions say about a model: rules that are broken, wishes that might be rules."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

ENOUGH = 20  # solutions, before something that never happened means anything
OFTEN = 0.1  # of the solutions: a rule that is broken in so many is not one


def on_rules(rules: Iterable[str], broken: Sequence[Sequence[str]], word: str) -> list[str]:
    """Sentences about rules that people break often, from the rules that each solution breaks."""
    sentences = []
    for rule in rules:
        times, cases = sum(one.count(rule) for one in broken), sum(rule in one for one in broken)
        if cases >= max(2, OFTEN * len(broken)):
            sentences.append(
                f"The rule {rule!r} was broken {times} times in {len(broken)} {word}: make it a wish?"
            )
    return sentences


def on_wishes(never: Iterable[str], cases: int, word: str) -> list[str]:
    """Sentences about what people avoid although it was possible."""
    if cases < ENOUGH:
        return []
    return [f"In {cases} {word} there was no {name!r}: make it a rule?" for name in never]
