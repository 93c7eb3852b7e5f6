"""What all adapters share: solve elsewhere, polish here, never hand out worse than the start."""

from __future__ import annotations

from typing import Protocol

from coactor.domains import Tour
from coactor.protocol import Domain, Problem, Solution, Vector
from coactor.search import check_solution, landscape
from coactor.solvers.models import Model, to_model, to_solution, to_visits


class Engine(Protocol):
    """Solves a routing model: the free points each vehicle visits, from those of a start."""

    def __call__(self, model: Model, start: list[list[int]], /) -> list[list[int]]: ...


class RoutingSolver:
    """S(x; w) by an engine on the learned costs, polished with the domain's own moves (Assumption 1).

    The engine starts from the domain's own solution, or from a given one (`started_at`); of its answer and
    that start, both polished, the one with the higher learned utility is given. So it is never worse than the
    domain's own solver, whatever rounding and time limit did.

    Parameters
    ----------
    domain
        A Tour, a Fleet or Plans.
    engine
        What solves the model.
    """

    def __init__(self, domain: Domain, engine: Engine) -> None:
        self.domain = domain
        self.engine = engine
        self.start: Solution | None = None

    def __call__(self, x: Problem, w: Vector) -> Solution:
        start = self.domain.solve(x, w) if self.start is None else self.start
        check_solution(self.domain, x, start)
        model = to_model(self.domain, x, w)
        small = isinstance(self.domain, Tour) and len(model.costs) < 4  # there is only one tour
        visits = to_visits(self.domain, start) if small else self.engine(model, to_visits(self.domain, start))
        found = to_solution(self.domain, x, visits)
        check_solution(self.domain, x, found)
        seen = landscape(self.domain, x, w)
        return max((seen.climb(y)[0][-1] for y in (found, start)), key=seen.utility)

    def started_at(self, y: Solution) -> RoutingSolver:
        """The same solver, starting from a known solution (yesterday's, or the last proposal)."""
        other = RoutingSolver(self.domain, self.engine)
        other.start = y
        return other
