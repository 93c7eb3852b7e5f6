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


def whole_costs(rules: Rules, stops: int) -> tuple[Indices, Indices, Indices, float]:
    """Costs that are not negative, for software in which a vehicle that is not used costs nothing.

    Of arcs, shape (kinds, points, points), of each vehicle that is used, and of each stop that is left out;
    and what a cost of 1 is here. All plans cost as much more or less as in the rules.
    """
    fleet = rules.fleet[: len(rules.fleet) - (rules.pool >= 0)]
    kinds, starts, ends = fleet[:, [kernel.KIND, kernel.START, kernel.END]].astype(int).T
    costs, at = rules.ways[: kinds.max() + 1, :, :, 0].copy(), np.arange(1, stops + 1)
    left_out = rules.ways[-1, 0, at, 0] if rules.pool >= 0 else np.zeros(stops)
    fixed = fleet[:, kernel.CHARGE] * rules.terms[0, kernel.VEHICLES] - fleet[:, kernel.IDLE]
    home = min(0.0, float(costs[:, at][:, :, ends].min()))  # a vehicle that is used ends once
    costs[:, :, np.unique(ends)] -= home
    idle = min(0.0, float(fixed.min()) + home)  # and leaves once
    fixed += home - idle
    costs[:, np.unique(starts)[:, None], at] += idle
    less = min(0.0, float(costs[:, :, at].min()), float(left_out.min()))
    costs[:, :, at] -= less  # a stop is entered once, or left out
    depots = np.setdiff1d(np.arange(costs.shape[1]), at)
    costs[:, at, at] = costs[:, depots[:, None], depots] = 0.0
    scale = FAR / max(float(costs.max()), 1e-12)

    def whole(prices: Vector) -> Indices:
        return np.rint(np.maximum(prices, 0.0) * scale).astype(np.int64)

    return whole(costs), whole(fixed), whole(left_out - less), scale


def cost_factors(domain: Plans, x: Day, w: Vector) -> dict[str, Any]:
    """The prices of a day under the weights, for VROOM, PyVRP and OR-Tools.

    `arcs` has one table for each kind of vehicle: VROOM's ``matrices.PROFILE.costs``, PyVRP's distance
    matrices, OR-Tools' transit matrices. `vehicles` has the kind and the fixed cost of each that is used,
    `unserved` the prize or penalty of each stop, None if all must be served. `prices` has what a unit of each
    soft measure of `Plans` counts, such as a minute late or an overload of a mean capacity, where the
    software has such a coefficient. `scale` is what 1 is here; plans differ by what their utilities differ.
    """
    rules = domain.landscape(x, w).rules
    arcs, fixed, left_out, scale = whole_costs(rules, x.size)
    kinds = rules.fleet[: len(fixed), kernel.KIND].astype(int).tolist()
    soft = [name for name in domain.soft if name in MEASURES and name != "vehicles"]
    return {
        "scale": scale,
        "points": list(x.stops),
        "arcs": arcs.tolist(),
        "vehicles": [{"kind": k, "fixed": cost} for k, cost in zip(kinds, fixed.tolist(), strict=True)],
        "unserved": None if rules.pool < 0 else left_out.tolist(),
        "prices": {name: round(float(rules.terms[0, MEASURES.index(name)] * scale)) for name in soft},
    }
