"""VROOM's requests and solutions: https://github.com/VROOM-Project/vroom/blob/master/docs/API.md."""

from __future__ import annotations

import json
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from coactor import validation
from coactor.domains import Day, Shifts, Visits
from coactor.domains.plans import Routes, timing
from coactor.loaders.past_routes import SPEED, crow_flies
from coactor.loaders.tables import read_json

SOFT = ("vehicles", "unserved")
REFUSED = {"breaks", "max_distance", "max_tasks", "steps", "type", "setup", "setup_per_type"}


def read_vroom(path: str | Path) -> tuple[Day, list[float]]:
    """Read a request as a day, and what VROOM counts: arcs, vehicles, and stops left out.

    An arc costs what VROOM says: matrices of costs or durations, per hour and km. Without matrices, distances
    are as the crow flies, at 40 km/h; this is warned of. All tasks may be left out, those of high priority
    last. Raises ValueError for what a day does not have, such as breaks.
    """
    request = validation.checked_type(read_json(path), dict, str(path))
    try:
        tasks, vehicles = _tasks(request), [dict(one) for one in request.get("vehicles", [])]
        if not tasks or not vehicles:
            raise ValueError("it has no tasks or no vehicles.")
        for one in (*vehicles, *(task for _, _, task in tasks)):
            if refused := sorted(REFUSED & {key for key, value in one.items() if value}):
                raise ValueError(f"it has {refused[0]}, which a day does not have.")
        return _day(request, tasks, vehicles)
    except ValueError as error:
        raise ValueError(f"{path} cannot be read as a day: {error}") from error
    except (KeyError, TypeError, IndexError, AttributeError) as error:
        raise ValueError(f"{path} is not a request of VROOM: {error!r}.") from error


def _tasks(request: Any) -> list[tuple[str, str, dict[str, Any]]]:
    """The kind, the name and the data of each stop: jobs, then the two ends of each shipment."""
    tasks = [("job", f"{job['id']}", dict(job)) for job in request.get("jobs", [])]
    for shipment in request.get("shipments", []):
        shared = {key: shipment[key] for key in ("amount", "skills", "priority") if key in shipment}
        for kind in ("pickup", "delivery"):
            tasks.append((kind, f"{kind} {shipment[kind]['id']}", {**shared, **shipment[kind]}))
    return tasks


def _day(
    request: Any, tasks: Sequence[tuple[str, str, dict[str, Any]]], vehicles: Sequence[dict[str, Any]]
) -> tuple[Day, list[float]]:
    n = len(tasks)
    ends = [(one.get(key), one.get(f"{key}_index")) for one in vehicles for key in ("start", "end")]
    if any(one == (None, None) for one in ends[::2]):
        raise ValueError("Each vehicle needs a start.")
    # Point 0 is the first start; then come the tasks, then the other depots.
    depots = [ends[0], *(one for k, one in enumerate(ends) if one != (None, None) and one not in ends[:k])]
    depots = depots[:1] + depots[2:]
    stops = [(task.get("location"), task.get("location_index")) for _, _, task in tasks]
    places = [depots[0], *stops, *depots[1:]]
    number = {str(one): 0 if k == 0 else n + k for k, one in enumerate(depots)}
    kinds, kind, tables, costs = dict[str, int](), list[int](), list[Any](), list[Any]()
    for one in vehicles:
        key = [one.get("profile", "car"), one.get("speed_factor", 1.0), one.get("costs", {})]
        key[2] = {name: value for name, value in key[2].items() if name != "fixed"}
        if str(key) not in kinds:
            kinds[str(key)] = len(kinds)
            seconds, cost = _ways(request, key[0], key[1], key[2], places)
            tables.append(seconds / 60.0)
            costs.append(cost)
        kind.append(kinds[str(key)])
    loads = [task.get("amount") or task.get("delivery") or task.get("pickup") or [] for _, _, task in tasks]
    if {"delivery", "pickup"} <= {key for k, _, task in tasks if k == "job" for key in task if task[key]}:
        raise ValueError("Jobs have deliveries and pickups, which a day does not have; use shipments.")
    most: list[list[float]] = [one.get("capacity") or [] for one in vehicles]
    units = max(1, *map(len, most), *map(len, loads))
    rows = [[0.0] * units, *(list(load) + [0.0] * (units - len(load)) for load in loads)]
    amounts = validation.matrix(rows, "The amounts")
    room = amounts.sum(axis=0).max() + 1.0
    capacity = [list(own) + [room] * (units - len(own)) for own in most]
    longest = [one.get("max_travel_time") for one in vehicles]
    if any(longest):
        warnings.warn("max_travel_time is taken as the longest shift, service included.", stacklevel=4)
    service = np.array([0.0, *(task.get("service", 0.0) / 60.0 for _, _, task in tasks)])
    fixed = [float(one.get("costs", {}).get("fixed", 0.0)) for one in vehicles]
    arcs = np.stack(costs)[..., None] if len(costs) > 1 else costs[0][..., None]
    x = Day.of(
        arcs,
        amounts,
        np.maximum(validation.matrix(capacity, "The capacities"), 1e-9),
        ["start", *(name for _, name, _ in tasks), *(f"depot {k}" for k in range(1, len(depots)))],
        None if places[0][0] is None else [one[0] for one in places],
        [f"{one['id']}" for one in vehicles],
        minutes=np.stack(tables) if len(tables) > 1 else tables[0],
        visits=Visits(
            service=service,
            windows=[None, *(_minutes(task.get("time_windows")) for _, _, task in tasks)],
            needs=[[], *([str(skill) for skill in task.get("skills", [])] for _, _, task in tasks)],
            prices=[0.0, *(1.0 + task.get("priority", 0) for _, _, task in tasks)],
            pairs=[(k, k + 1) for k, (name, _, _) in enumerate(tasks, 1) if name == "pickup"],
        ),
        shifts=Shifts(
            starts=[number[str(one)] for one in ends[::2]],
            ends=[-1 if one == (None, None) else number[str(one)] for one in ends[1::2]],
            hours=[
                None if "time_window" not in one else _minutes([one["time_window"]])[0] for one in vehicles
            ],
            longest=[None if limit is None else limit / 60.0 for limit in longest],
            fixed=fixed,
            skills=[[str(skill) for skill in one.get("skills", [])] for one in vehicles],
            kinds=kind,
        ),
    )
    return x, [1.0, 1.0, 10.0 * float(arcs.max()) + max(fixed)]


def _minutes(windows: Any) -> list[tuple[float, float]]:
    return [(a / 60.0, b / 60.0) for a, b in windows or []]


def _ways(
    request: Any, profile: str, faster: float, costs: Any, places: Sequence[Any]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The seconds and the costs of all ways of a kind of vehicle."""
    given = request.get("matrices", {}).get(profile)
    if given is not None:
        index = [one[1] for one in places]
        if None in index:
            raise ValueError("With matrices, each place needs a location_index.")
        grid = np.ix_(index, index)
        seconds = validation.array(given["durations"], "durations")[grid] / faster
        if "costs" in given:
            return seconds, validation.array(given["costs"], "costs")[grid]
        km = validation.array(given["distances"], "distances")[grid] / 1000 if "distances" in given else 0.0
    else:
        if any(one[0] is None for one in places):
            raise ValueError(f"There are no matrices for {profile}, and a place without a location.")
        km = crow_flies(validation.matrix([one[0] for one in places], "The locations", columns=2)[:, ::-1])
        seconds = km / SPEED * 3600 / faster
        warnings.warn(f"Distances are as the crow flies, at {SPEED:g} km/h.", stacklevel=5)
    return seconds, seconds * costs.get("per_hour", 3600) / 3600 + km * costs.get("per_km", 0)


def read_vroom_solution(path: str | Path, x: Day) -> Routes:
    """Read a solution of the request that the day was read from, such as for ``ask(x, solution=...)``."""
    number, vehicles = {name: k for k, name in enumerate(x.stops)}, list(x.vehicles or ())
    routes: list[list[int]] = [[] for _ in range(x.rows)]
    try:
        for route in validation.checked_type(read_json(path), dict, str(path))["routes"]:
            for step in route["steps"]:
                if step["type"] in ("job", "pickup", "delivery"):
                    name = f"{step['id']}" if step["type"] == "job" else f"{step['type']} {step['id']}"
                    routes[vehicles.index(f"{route['vehicle']}")].append(number[name])
    except (KeyError, TypeError, ValueError) as error:
        raise ValueError(f"{path} is not a solution of this request: {error!r}.") from error
    served = {stop for route in routes for stop in route}
    routes[-1] = sorted({*range(1, x.size + 1)} - served) if x.tables.optional else routes[-1]
    return tuple(np.array(route, np.int64) for route in routes)


def write_vroom_solution(path: str | Path, x: Day, y: Routes) -> None:
    """Write a plan of a day that `read_vroom` read as VROOM does, with times in seconds."""
    routes = list[dict[str, Any]]()
    for r, route in enumerate(y[: len(x.capacity)]):
        if not len(route):
            continue
        times = timing(x, r, route)
        steps: list[dict[str, Any]] = [{"type": "start", "arrival": round(60 * times.start)}]
        for stop, arrival, wait in zip(route.tolist(), times.arrivals, times.waits, strict=True):
            steps.append({**_step(x, stop), "arrival": round(60 * arrival), "waiting_time": round(60 * wait)})
        steps.append({"type": "end", "arrival": round(60 * times.end)})
        routes.append({"vehicle": int(x.vehicle(r)), "steps": steps})
    left = [_step(x, stop) for route in y[len(x.capacity) :] for stop in route.tolist()]
    summary = {"routes": len(routes), "unassigned": len(left)}
    plan = {"code": 0, "summary": summary, "routes": routes, "unassigned": left}
    Path(path).write_text(json.dumps(plan))


def _step(x: Day, stop: int) -> dict[str, Any]:
    kind, _, name = x.stops[stop].rpartition(" ")
    return {"type": kind or "job", "id": int(name)}
