"""Reconstruct the edits from a proposal to a recorded solution, with few moves.

====================  ==========================================================================
routes (roads)        exact: the fewest via-points with which the router draws the driven path
plans (fleets)        an upper bound, marked as estimated: see `kernels.plans.towards`
====================  ==========================================================================

This turns an archive of solutions into corrections, although no edit was recorded.
"""

from __future__ import annotations

import numpy as np

from coactor.corrections import correction
from coactor.domains import Day, Plans, Roads, Route, Trip
from coactor.domains.plans import Routes
from coactor.protocol import Correction, Domain, Indices, Move, Problem, Solution


def towards(domain: Domain, x: Problem, y: Solution, goal: Solution) -> Correction:
    """The correction from a proposal to a recorded solution, step by step if the domain can tell."""
    if isinstance(domain, Roads) and isinstance(goal, Route):
        return towards_path(domain, x, y, goal.links)
    if isinstance(domain, Plans):
        return towards_plan(domain, x, y, goal)
    return correction(domain, x, y, solution=goal)


def towards_path(domain: Roads, x: Trip, y: Route, driven: Indices) -> Correction:
    """The fewest via-points from a proposed route to a driven path; each move adds one of them."""
    if np.array_equal(y.links, driven):
        return Correction([y], [], [])
    vias = domain.vias_towards(x, y, driven)
    path = [y, *(domain.route(x, vias[: k + 1], y.weights) for k in range(len(vias)))]
    if vias:  # among equally cheap paths, end with the driven one
        path[-1] = Route(driven, vias, y.weights)
    moves: list[Move] = [{"op": "via", "args": [via, k]} for k, via in enumerate(vias)]
    return Correction(path, moves, [1.0] * len(moves))


def towards_plan(domain: Plans, x: Day, y: Routes, planned: Routes) -> Correction:
    """Few moves from a proposed plan to the recorded one, whichever vehicle drives which route."""
    moves = domain.edits_towards(x, y, planned)
    path = [y]
    for move in moves:
        path.append(domain.apply(x, path[-1], move))
    return Correction(path, moves, [1.0] * len(moves), estimated=bool(moves))
