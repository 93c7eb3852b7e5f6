"""One line of a figure: a learner and the way its proposals are made, written ``learner+proposals``.

``PER`` is the paper's pipeline; ``default`` brings its own proposals; ``default+paper`` and ``CSPER+deep``
mix. ``expert`` is no learner: it solves with the true visible weights.
"""

from __future__ import annotations

from dataclasses import dataclass

from coactor import learners, proposals
from coactor.lab.engine.plugins import load_class, unknown
from coactor.protocol import Learner

EXPERT = "expert"
PAPER = ("PER", "CSPER", "PA", "CSPA")
OURS = "default"


@dataclass(frozen=True, slots=True)
class Line:
    """A learner by name and a proposal strategy by name; checked when made.

    >>> Line.parse("default+paper")
    Line(text='default+paper', learner='default', proposals='paper')
    """

    text: str
    learner: str
    proposals: str

    @classmethod
    def parse(cls, text: str) -> Line:
        """Read ``learner`` or ``learner+proposals``; an unknown word names the nearest ones."""
        learner, plus, strategy = text.strip().partition("+")
        if plus and strategy not in proposals.NAMES:
            raise unknown("proposals", strategy, proposals.NAMES)
        if not plus:
            strategy = "default" if learner == OURS else "paper"
        if ":" in learner:
            load_class(learner, "learner")
        elif learner != EXPERT:
            try:
                learners.make(learner, 1)
            except (KeyError, ValueError):
                raise unknown("learner", learner, (*learners.names(), EXPERT)) from None
        return cls(text.strip(), learner, strategy)

    def make(self, dim: int) -> Learner:
        """A fresh learner."""
        if ":" in self.learner:
            made = load_class(self.learner, "learner")(dim)
            for needed in ("reads", "weights", "update"):
                if not hasattr(made, needed):
                    raise ValueError(
                        f"learner {self.learner!r} has no {needed}; expected name, reads, weights and update"
                    )
            learner: Learner = made
            return learner
        return learners.make(self.learner, dim)


def parse_lines(texts: list[str] | tuple[str, ...]) -> tuple[Line, ...]:
    """Several lines, each named once."""
    lines = tuple(Line.parse(text) for text in texts if text.strip())
    if not lines:
        raise ValueError("no learner was named; give at least one, for example PER,CSPER")
    seen: set[str] = set()
    for line in lines:
        if line.text in seen:
            raise ValueError(f"learner {line.text!r} is named twice; name it once")
        seen.add(line.text)
    return lines
