"""Contenders: what makes the proposals in an experiment. One syntax for every command.

    learner[@start[*factor]][+proposals]

    PER                 a learner by name, from w = 0 as in the paper
    PER@start           the same learner, started at the start weights
    PER@start*1000      started at 1000 times the start weights, so that early corrections hardly turn them
    default             starts at the domain's own start, if it has one, such as plain distance of roads
    default@start       the start weights as a prior: only their proportions count, so it takes no factor
    default+paper       a learner with another proposal strategy, see `coactor.proposals`; and without the
                        guard, which only the default proposals have
    my.module:Learner   a class of your own, called with the number of features
    pooled-default      several people: one learner for all, which is not told who corrects
    separate-default    several people: one learner each

Baselines do not learn:

    start               the start weights: plain distance in archives of routes, else all weights 1
    alike               all weights 1: what the features are worth without learning
    copy                archives: the most similar earlier case, adapted; the start weights if there is none
    hindsight           archives: the best fixed weights, fitted to all cases at once
    expert              panels: the true weights of the simulated expert
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Literal, TypeAlias

import numpy as np

from coactor import bounds, learners, proposals
from coactor.plugins import load_class, making, unknown
from coactor.protocol import Learner, Vector

START, ALIKE, COPY, HINDSIGHT, EXPERT = BASELINES = ("start", "alike", "copy", "hindsight", "expert")
PAPER = bounds.LEARNERS
"""The learners of the paper."""
OURS = "default"
POOLED, SEPARATE = SHARING = ("pooled", "separate")

Setting: TypeAlias = Literal["panel", "archive"]
_NOT_IN: Mapping[Setting, Mapping[str, str]] = MappingProxyType(
    {
        "panel": {
            COPY: "the problems of a panel are independent, so there is no earlier case to copy",
            HINDSIGHT: "a panel has no recorded solutions to fit weights to; use expert",
        },
        "archive": {EXPERT: "the true weights of the people in an archive are unknown; use hindsight"},
    }
)


@dataclass(frozen=True, slots=True)
class Contender:
    """A learner with its start and its proposals, or a baseline.

    Attributes
    ----------
    text
        As written; it names the contender in every table.
    learner
        Empty for a baseline.
    start
        The factor of the start weights; 0 if the learner starts where it always does.
    proposals
        The proposal strategy of a learner.
    sharing
        What several people share: one learner that is told who corrects (empty), that is not told
        ("pooled"), or nothing ("separate").

    Examples
    --------
    >>> Contender.parse("default+paper")
    Contender(text='default+paper', learner='default', start=0.0, proposals='paper')
    >>> Contender.parse("PA@start*50").start
    50.0
    """

    text: str
    learner: str = ""
    start: float = 0.0
    proposals: str = "paper"
    sharing: str = field(default="", repr=False)

    @classmethod
    def parse(cls, text: str, proposals_default: str | None = None) -> Contender:
        """Read a contender.

        Parameters
        ----------
        text
            In the syntax above.
        proposals_default
            The strategy of learners that name none. By default the paper's, and that of the default learner
            for itself.

        Raises ValueError if it is not understood; the message names the nearest known words.
        """
        text = text.strip()
        rest, plus, strategy = text.partition("+")
        name, at, start = rest.partition("@")
        if name in BASELINES:
            if plus or at:
                raise ValueError(f"{text!r}: {name} is a baseline. It takes no start and no proposals.")
            return cls(text)
        sharing, _, inner = name.partition("-")
        if sharing in SHARING and inner and name not in learners.names():
            name = inner
        else:
            sharing = ""
        if plus and strategy not in proposals.NAMES:
            raise unknown("proposals", strategy, proposals.NAMES)
        if not plus:
            strategy = proposals_default or ("default" if name == OURS else "paper")
        contender = cls(text, name, _factor(text, start) if at else 0.0, strategy, sharing)
        if ":" in name:
            load_class(name, "learner")
        elif name not in learners.names():
            shared = (f"{prefix}-{OURS}" for prefix in SHARING)
            raise unknown("learner", name, (*learners.names(), *shared, *BASELINES))
        else:
            if contender.takes_start and contender.start not in (0.0, 1.0):
                raise ValueError(
                    f"{text!r}: a Bayesian learner takes only the direction of the start weights; "
                    "write '@start' without a factor."
                )
            contender.make(2, np.ones(2))
        return contender

    @property
    def takes_start(self) -> bool:
        """Whether the learner is made with start weights, as a prior."""
        return self.learner in learners.names() and "start" in learners.settings_of(
            learners.resolve(self.learner, 2)
        )

    def learner_of(self, person: str) -> str:
        """Which of its learners proposes to a person: the one of that name, or the only one, named ""."""
        return person if self.sharing == SEPARATE else ""

    def named(self, person: str) -> str:
        """The name that the learner is told."""
        return "" if self.sharing == POOLED else person

    def make(self, dim: int, start: Vector, own: Vector | None = None) -> Learner:
        """A fresh learner of dimension `dim`; `own` is the start of the domain, for a Bayesian learner.

        Raises ValueError if the learner cannot be given start weights, or is not a learner.
        """
        if ":" in self.learner:
            if self.start:
                raise ValueError(f"{self.text!r}: this learner cannot be given start weights; omit '@start'.")
            with making("learner", self.learner):
                learner: Learner = load_class(self.learner, "learner")(dim)
            for needed in ("reads", "weights", "update"):
                if not hasattr(learner, needed):
                    raise ValueError(
                        f"Learner {self.learner!r} has no {needed}; expected name, reads, weights and update."
                    )
        else:
            first = own if self.takes_start else None
            first = self.start * start if self.start else first
            learner = learners.make(self.learner, dim, start=first)
        return learner


def parse_contenders(
    texts: Sequence[str], setting: Setting, proposals_default: str | None = None
) -> tuple[Contender, ...]:
    """Read several contenders.

    Raises ValueError if there is none, one is named twice, or a baseline does not apply in this setting.
    """
    contenders = tuple(Contender.parse(text, proposals_default) for text in texts if text.strip())
    if not contenders:
        raise ValueError("No learner is named; give at least one, for example PER,CSPER.")
    names: set[str] = set()
    for contender in contenders:
        if contender.text in names:
            raise ValueError(f"Learner {contender.text!r} is named twice; name it once.")
        if contender.text in _NOT_IN[setting]:
            raise ValueError(f"{contender.text!r} does not apply here: {_NOT_IN[setting][contender.text]}.")
        names.add(contender.text)
    return contenders


def _factor(text: str, start: str) -> float:
    """The factor of ``start`` or ``start*factor``."""
    word, times, number = start.partition("*")
    try:
        factor = float(number) if times else 1.0
    except ValueError:
        factor = 0.0
    if word != START or not np.isfinite(factor) or factor <= 0:
        raise ValueError(f"{text!r} starts at {start!r}; expected '@start' or '@start*1000'.")
    return factor
