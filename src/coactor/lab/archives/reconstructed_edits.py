"""Experts who go from a proposal to what a person really did, with few operators.

====================  ==============================================================================
orders (rankings)     exact: exchanges of neighbours = inversions between the two orders
routes (roads)        exact: the fewest via-points that make the proposal's own router draw the path
plans (fleets)        an upper bound, marked as estimated: see `kernels.plans.towards`
====================  ==============================================================================

This turns an archive of human solutions into corrections, although nobody recorded an edit.
"""

from __future__ import annotations

import numpy as np

from coactor.domains import Day, Plans, Query, Ranking, Roads, Route, Trip
from coactor.domains.plans import Routes
from coactor.protocol import Correction, Indices, Move


def towards_path(domain: Roads, x: Trip, y: Route, driven: Indices) -> Correction:
    """The fewest via-points from a proposed route to a driven path; each step passes one more of them."""
    if np.array_equal(y.links, driven):
        return Correction([y], [], [])
    vias = domain.vias_towards(x, y, driven)
    path = [y, *(domain.route(x, vias[: k + 1], y.weights) for k in range(len(vias)))]
    if vias:  # among equally cheap paths the person's own counts
        path[-1] = Route(driven, vias, y.weights)
    moves: list[Move] = [{"op": "via", "args": [via, k]} for k, via in enumerate(vias)]
    return Correction(path, moves, [1.0] * len(moves))


def towards_plan(domain: Plans, x: Day, y: Routes, planned: Routes) -> Correction:
    """Few edits from a proposed plan to the planner's, whichever vehicle drives which route."""
    moves = domain.edits_towards(x, y, planned)
    path = [y]
    for move in moves:
        path.append(domain.apply(x, path[-1], move))
    return Correction(path, moves, [1.0] * len(moves), estimated=bool(moves))


def towards_order(domain: Ranking, x: Query, y: Indices, wanted: Indices) -> Correction:
    """The fewest exchanges of neighbours from one order to another: one for each pair that stands wrong."""
    place = np.empty(len(wanted), np.int64)
    place[wanted] = np.arange(len(wanted))
    path, moves = [y], list[Move]()
    here = np.array(y, dtype=np.int64)
    last = len(here) - 1
    while last > 0:  # exchange until nothing is left: each exchange rights exactly one pair
        until, last = last, 0
        for i in range(until):
            if place[here[i]] > place[here[i + 1]]:
                here = here.copy()
                here[i], here[i + 1] = here[i + 1], here[i]
                path.append(here)
                moves.append({"op": "exchange", "args": [i]})
                last = i
    return Correction(path, moves, [1.0] * len(moves))
