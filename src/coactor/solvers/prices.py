"""What was learned, as whole numbers for other routing software."""

from __future__ import annotations

from typing import Any

import numpy as np

from coactor.domains import Day, Plans
from coactor.domains.plans.domain import MEASURES
from coactor.kernels import plans as kernel
from coactor.kernels.plans import Rules
from coactor.protocol import Indices, Vector

FAR = 10_000_000  # the most that an arc costs after scaling
UNIT = 1000  # of loads and minutes: three decimals


def whole_costs(rules: Rules, stops: int) -> tuple[Indices, float]:
    """The costs of arcs from 0 to FAR, shape (kinds, points, points), and what a cost of 1 is there.

    If all stops must be served, each is entered once, and each vehicle ends once: where costs are negative,
    constants are added to the arcs into stops and to those into depots.
    """
    m = len(rules.fleet) - (rules.pool >= 0)
    costs = rules.ways[: int(rules.fleet[:m, kernel.KIND].max()) + 1, :, :, 0].copy()
    served = np.isin(np.arange(costs.shape[1]), np.arange(1, stops + 1))
    for entered in (served, ~served) if rules.pool < 0 else ():
        costs[:, :, entered] -= min(0.0, float(costs[:, :, entered].min()))
    costs = np.maximum(costs, 0.0)
    scale = FAR / max(float(costs.max()), 1e-12)
    return np.rint(costs * scale).astype(np.int64), scale


def cost_factors(domain: Plans, x: Day, w: Vector) -> dict[str, Any]:
    """The prices of a day under the weights, for VROOM, PyVRP and OR-Tools.

    `arcs` has one table for each kind of vehicle: VROOM's ``matrices.PROFILE.costs``, PyVRP's distance
    matrices, OR-Tools' transit matrices. `vehicles` has the kind and the fixed cost of each, `unserved` the
    prize or penalty of each stop, None if all must be served. `prices` has what a unit of each soft measure
    counts, such as a minute late, where the software has such a coefficient. `scale` is what 1 is here.
    """
    rules = domain.landscape(x, w).rules
    arcs, scale = whole_costs(rules, x.size)
    m, prices = len(x.capacity), rules.terms[0] * scale
    fixed = np.rint(rules.fleet[:m, kernel.CHARGE] * prices[kernel.VEHICLES]).astype(int).tolist()
    kinds = rules.fleet[:m, kernel.KIND].astype(int).tolist()
    left_out = np.rint(rules.ways[-1, 0, 1 : x.size + 1, 0] * scale).astype(int).tolist()
    soft = [name for name in domain.soft if name in MEASURES and name != "vehicles"]
    return {
        "scale": scale,
        "points": list(x.stops),
        "arcs": arcs.tolist(),
        "vehicles": [{"kind": kind, "fixed": cost} for kind, cost in zip(kinds, fixed, strict=True)],
        "unserved": None if rules.pool < 0 else left_out,
        "prices": {name: round(float(prices[MEASURES.index(name)])) for name in soft},
    }
