"""What the paper leaves open, as settings of a panel; docs/explanation/open-choices.md gives the reasons.

Random ties. Features are continuous, so solutions tie only while w = 0. Then the solver returns what it
would return if it drew at random among equally good steps.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import get_args

import numpy as np

from coactor.domains import Fleet, Hypercube, Ranking, Tour
from coactor.domains.rankings import Discount
from coactor.experts import Policy
from coactor.lab.paper.panels import PANELS, Panel, Ties
from coactor.protocol import Candidate, Domain, Problem, Solution, Solver, Vector


@dataclass(frozen=True, slots=True)
class Choices:
    """One value for each choice that the paper leaves open.

    Attributes
    ----------
    candidate
        y', what a learner learns from: the expert's "final" solution, or the last one that the learner does
        not prefer to its own ("disagreement", Assumption 3).
    policy
        Whether the expert takes the "first" improving move or the "best".
    ties
        Whether the solver breaks ties at w = 0 by the "lowest" index or at "random".
    discount
        The weight of a position in the features of a ranking: "log" or "linear".
    kappa
        The expert's threshold; None for that of each panel.

    Examples
    --------
    >>> Choices(candidate="disagreement", kappa=0.3).apply(PANELS["mtsp-clean"]).kappa
    0.3
    """

    candidate: Candidate = "final"
    policy: Policy = "first"
    ties: Ties = "lowest"
    discount: Discount = "log"
    kappa: float | None = None

    def __post_init__(self) -> None:
        allowed = {"candidate": Candidate, "policy": Policy, "ties": Ties, "discount": Discount}
        for name, words in allowed.items():
            if getattr(self, name) not in get_args(words):
                expected = " or ".join(get_args(words))
                raise ValueError(f"The {name} is {getattr(self, name)!r}; expected {expected}.")
        if self.kappa is not None and not 0 < self.kappa < np.inf:
            raise ValueError(f"The kappa is {self.kappa!r}; expected a finite number above 0.")

    def apply(self, panel: Panel) -> Panel:
        """The panel with these choices. Raises ValueError if they cannot be made there."""
        if self.ties == "random" and panel.name not in PANELS:
            raise ValueError(f"Random ties are for the paper's panels; {panel.name} breaks its own ties.")
        parameters = dict(panel.parameters)
        if panel.problems != "sample" and self.discount != "log":
            parameters["discount"] = self.discount
        return replace(
            panel,
            kappa=panel.kappa if self.kappa is None else self.kappa,
            parameters=tuple(parameters.items()),
            candidate=self.candidate,
            policy=self.policy,
            ties=self.ties,
        )


DEFAULT_CHOICES = Choices()


def solver_with_random_ties(domain: Domain, rng: np.random.Generator) -> Solver:
    """The domain's solver, which answers at random while all weights are 0."""

    def solve(x: Problem, w: Vector) -> Solution:
        return domain.solve(x, w) if w.any() else _random_solution(domain, x, rng)

    return solve


def _random_solution(domain: Domain, x: Problem, rng: np.random.Generator) -> Solution:
    if isinstance(domain, Tour):
        return np.append(0, 1 + rng.permutation(x.size - 1))
    if isinstance(domain, Hypercube):
        return rng.permutation(domain.dimension)
    if isinstance(domain, Ranking):
        return rng.permutation(x.size)
    assert isinstance(domain, Fleet)
    paths = [list(ends) for ends in x.terminals.tolist()]
    for point in rng.permutation(np.setdiff1d(np.arange(x.graph.size), x.terminals)):
        places = [(v, i) for v, path in enumerate(paths) for i in range(1, len(path))]
        v, i = places[rng.integers(len(places))]  # all insertions cost the same
        paths[v].insert(i, int(point))
    return tuple(np.array(path) for path in paths)
