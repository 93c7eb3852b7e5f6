"""From what an expert reports to a `Correction`, and from a correction to a learner's `Feedback`.

A correction has one path and many declined moves. So that a log can store them in few bytes and still be
replayed bit for bit, they are rounded before anything is learned from them, in memory as on disk: beyond
SMALL bytes to 12 bits, beyond MANY entries to 10, feature by feature, relative to the largest entry. Whole
numbers up to 2047 (511) survive. Rounding what was rounded changes nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import islice
from typing import Any, Literal

import numpy as np

from coactor.keeping import FREE, KEEP, REPLAN, kept_parts
from coactor.protocol import (
    Candidate,
    Correction,
    CountsEdits,
    Domain,
    Feedback,
    Indices,
    Invalid,
    Matrix,
    Move,
    MoveCosts,
    Problem,
    Reads,
    Solution,
    Vector,
    Work,
    declares,
    has,
)
from coactor.search import check_solution, declined_features, features_along
from coactor.solutions import leaves, same_solution, short, solution_key
from coactor.validation import all_finite, checked_type, listed, number, text

MOST_STEPS = 10_000  # of one correction
SEARCHED = 4000  # solutions visited before the exact search for the edit distance gives up
WALKED = 500  # steps of the greedy walk that follows it
NEEDED = {KEEP: "parts", FREE: "parts", REPLAN: "to"}  # by the moves that every domain has
SMALL = 2048  # bytes of declined moves as float64 up to which they are not rounded
MANY = 1 << 15  # entries of declined moves beyond which they are rounded more
OPTIONAL: tuple[Literal["anyway", "parts", "to"], ...] = ("anyway", "parts", "to")  # keys of a move


def correction(
    domain: Domain,
    problem: Problem,
    proposed: Solution,
    *,
    moves: Iterable[Move] | None = None,
    path: Sequence[Solution] | None = None,
    solution: Solution | None = None,
    effort: float | None = None,
    cut: bool = False,
    costs: MoveCosts | None = None,
) -> Correction:
    """Make a correction from the moves, the path, or the final solution alone.

    Parameters
    ----------
    domain, problem, proposed
        What was edited.
    moves, path, solution
        Exactly one: the edits (an empty list accepts the proposal), every solution from the proposal to the
        final one, or the final solution. For a final solution the learner gets the two ends only.
    effort
        The total effort if the caller knows it. By default the costs of the moves, 1 for each step of a path,
        and an estimate for a final solution (`edit_distance`), which is marked as estimated.
    cut
        True if the expert ran out of time.
    costs
        The cost of each move; 1 by default.

    Raises
    ------
    Invalid
        If the arguments contradict each other, a move cannot be applied or a solution is invalid.

    Examples
    --------
    >>> import numpy as np
    >>> from coactor import domains
    >>> domain = domains.Tour(points=5, features=1)
    >>> x = next(domain.sample(np.random.default_rng(0), n=1))
    >>> correction(domain, x, np.arange(5), moves=[{"op": "reverse", "args": [1, 2]}]).final
    array([0, 2, 1, 3, 4])
    >>> correction(domain, x, np.arange(5), solution=np.array([0, 2, 1, 3, 4])).effort
    1.0
    """
    if sum(given is not None for given in (moves, path, solution)) != 1:
        raise Invalid("Give exactly one of moves (an empty list accepts the proposal), path or solution.")
    if effort is not None:
        number(effort, "effort", 1e6)
    if moves is not None:
        return _from_moves(domain, problem, proposed, moves, effort, cut, costs)
    if path is not None:
        return _from_path(domain, problem, proposed, path, effort, cut)
    return _from_solution(domain, problem, proposed, solution, effort, cut)


def check_told(correction: Any, others: Sequence[Any], work: Any, learn: Any) -> Work:
    """The work of a tell; an empty one for None.

    Raises Invalid if an argument is of another type, or if others are given besides the correction.
    """
    if correction is not None:
        checked_type(correction, Correction, "The correction")
        if any(given is not None and given is not False for given in others):
            raise Invalid("Give the correction alone; it has the path, the moves, the effort and the cut.")
    checked_type(learn, bool, "'learn'")
    return Work() if work is None else checked_type(work, Work, "The work")


def report_of(correction: Correction) -> dict[str, Any]:
    """A correction as the arguments of a tell: the moves or the path, what they cost, and how it was seen."""
    steps = {"moves": list(correction.moves)} if correction.moves else {"path": list(correction.path)}
    costs = [float(cost) for cost in correction.costs]
    replans = {} if correction.moves else {"replans": list(correction.replans)}
    return {**steps, **replans, "costs": costs, "cut": correction.cut, "estimated": correction.estimated}


def _from_moves(
    domain: Domain,
    x: Problem,
    y: Solution,
    moves: Iterable[Move],
    effort: float | None,
    cut: bool,
    costs: MoveCosts | None,
) -> Correction:
    steps = [plain_move(move) for move in listed(moves, "moves", MOST_STEPS + 1)]
    if len(steps) > MOST_STEPS:
        raise Invalid(f"A correction has at most {MOST_STEPS} moves; an empty list accepts the proposal.")
    path = [y]
    for move in steps:
        path.append(apply_move(domain, x, path[-1], move))
    spread = _spread(effort, [move_cost(costs, move) for move in steps])
    return Correction(path, steps, spread, cut, replans=replans_of(steps))


def replans_of(moves: Iterable[Move]) -> list[int]:
    """Which of the moves are re-plans."""
    return [k for k, move in enumerate(moves) if move["op"] == REPLAN]


def replanned(done: Correction, z: Solution, costs: MoveCosts | None = None) -> Correction:
    """A correction that goes on with a re-plan to z."""
    move: Move = {"op": REPLAN, "args": [], "to": z}
    return continued(done, Correction([done.final, z], [move], [move_cost(costs, move)], replans=[0]))


def continued(first: Correction, second: Correction) -> Correction:
    """Two corrections, the second of which begins where the first one ends, as one."""
    size = len(first.costs)
    recorded = len(first.moves) == size and len(second.moves) == len(second.costs)
    return Correction(
        [*first.path, *second.path[1:]],
        [*first.moves, *second.moves] if recorded else [],
        [*first.costs, *second.costs],
        second.cut,
        estimated=first.estimated or second.estimated,
        replans=[*first.replans, *(size + k for k in second.replans)],
    )


def _from_path(
    domain: Domain, x: Problem, y: Solution, path: Sequence[Solution], effort: float | None, cut: bool
) -> Correction:
    solutions = listed(path, "path", MOST_STEPS + 1)
    if not 1 <= len(solutions) <= MOST_STEPS:
        raise Invalid(f"A path has 1 to {MOST_STEPS} solutions, the proposal first.")
    if not same_solution(solutions[0], y):
        raise Invalid("The path does not start with the proposal; put the proposed solution first.")
    for z in solutions[1:]:
        check_solution(domain, x, z)
    return Correction(solutions, [], _spread(effort, [1.0] * (len(solutions) - 1)), cut)


def _from_solution(
    domain: Domain, x: Problem, y: Solution, z: Solution, effort: float | None, cut: bool
) -> Correction:
    check_solution(domain, x, z)
    estimated = effort is None
    if same_solution(y, z):
        return Correction([y], [], _spread(effort, []), cut, estimated=estimated)
    # The steps in between were not observed, so none are invented.
    cost = edit_distance(domain, x, y, z) if effort is None else float(effort)
    return Correction([y, z], [], [cost], cut, estimated=estimated)


def _spread(effort: float | None, costs: list[float]) -> list[float]:
    if not costs and effort:
        raise Invalid("An effort above 0 needs at least one step; an accepted proposal costs nothing.")
    if effort is None or not costs:
        return costs
    return [float(effort) / len(costs)] * len(costs)


def check_costs(costs: MoveCosts | None) -> None:
    """Raise Invalid unless the costs are a function, or numbers by operator, none below 0."""
    if costs is not None and not callable(costs):
        for op in checked_type(costs, Mapping, "'costs'"):
            move_cost(costs, {"op": text(op, "operator", 40), "args": []})


def move_cost(costs: MoveCosts | None, move: Move) -> float:
    """The cost of one move; 1 by default. Raises Invalid if it is negative or not finite."""
    if costs is None:
        return 1.0
    cost = costs(move) if callable(costs) else costs.get(move["op"], 1.0)
    return number(cost, f"cost of the move {short(move['op'])}")


def plain_move(move: Any) -> Move:
    """The move with its arguments as a list of ints. Raises Invalid if it is not a valid move."""
    keys = {"op", "args"}
    valid = isinstance(move, dict) and keys <= move.keys() <= keys | {*OPTIONAL}
    valid = valid and isinstance(move["op"], str) and len(move["op"]) <= 40
    if not valid or not isinstance(move["args"], list | tuple | np.ndarray):
        raise Invalid(f"{short(move)} is not a valid move; give {{'op': name, 'args': [whole numbers]}}.")
    args = [int(a) for a in move["args"] if isinstance(a, int | np.integer) and not isinstance(a, bool)]
    if len(args) != len(move["args"]) or len(args) > 10_000 or any(abs(a) > 2**53 for a in args):
        raise Invalid(f"{short(move)} is not a valid move; its args must be whole numbers.")
    if not isinstance(move.get("anyway", ""), str):
        raise Invalid(f"{short(move)} is not a valid move; 'anyway' must be a text, the reason.")
    needed = NEEDED.get(move["op"], "op")
    if needed not in move:
        raise Invalid(f"{short(move)} is not a valid move; it must say {needed!r}.")
    plain: Move = {"op": move["op"], "args": args}
    for name in OPTIONAL:
        if name in move:
            plain[name] = move[name]
    return plain


def apply_move(domain: Domain, x: Problem, y: Solution, move: Move) -> Solution:
    """The solution that a move from outside leads to. Raises Invalid if the move cannot be applied."""
    if move["op"] in (KEEP, FREE):
        kept_parts([move])  # they must be made of names
        return y
    try:
        if move["op"] == REPLAN:
            check_solution(domain, x, move["to"])
            return move["to"]
        if not declares(domain, "checks_moves"):
            _check_listed(domain, x, y, move)
        z = domain.apply(x, y, move)
        check_solution(domain, x, z)
    except (ValueError, IndexError) as error:
        raise Invalid(f"The move {short(move)} cannot be applied here. {error}") from error
    return z


def _check_listed(domain: Domain, x: Problem, y: Solution, move: Move) -> None:
    """Raise Invalid unless the domain lists the move; with the reason that its `apply` gives, if it does."""
    alike = False
    for one in map(plain_move, domain.moves(x, y)):
        if (one["op"], one["args"]) == (move["op"], move["args"]):
            return
        alike |= (one["op"], len(one["args"])) == (move["op"], len(move["args"]))
    reason = "."
    if alike:  # a move of another form may do anything in a domain that does not check its moves
        try:
            domain.apply(x, y, move)
        except ValueError as error:
            reason = f": {error}"
        except (IndexError, KeyError, TypeError):
            pass
    raise Invalid(f"It is not one of the domain's moves for this solution{reason}")


# -- the effort of a correction without recorded steps ---------------------------------------------


def edit_distance(domain: Domain, x: Problem, y: Solution, z: Solution) -> float:
    """The number of moves from y to z: by the domain itself, else estimated by search.

    The search is exact up to `SEARCHED` solutions around y. Beyond, it is an upper bound by a greedy walk
    towards z; if the moves do not lead to z at all, the number of parts that differ.
    """
    if has(domain, CountsEdits):
        return float(domain.edits_between(x, y, z))
    goal = solution_key(z)
    if solution_key(y) == goal:
        return 0.0
    return float(_breadth_first(domain, x, y, goal) or _greedy_walk(domain, x, y, z, goal))


def _breadth_first(domain: Domain, x: Problem, y: Solution, goal: bytes) -> int:
    """The distance to the goal; 0 if more than `SEARCHED` solutions are nearer."""
    visited, layer, depth = {solution_key(y)}, [y], 0
    while layer and len(visited) < SEARCHED:
        depth += 1
        following: list[Solution] = []
        for here in layer:
            for move in islice(domain.moves(x, here), SEARCHED):
                there = domain.apply(x, here, move)
                key = solution_key(there)
                if key == goal:
                    return depth
                if key not in visited:
                    visited.add(key)
                    following.append(there)
            if len(visited) >= SEARCHED:
                return 0
        layer = following
    return 0


def _greedy_walk(domain: Domain, x: Problem, y: Solution, z: Solution, goal: bytes) -> int:
    target = list(leaves(z))
    first = gap = _differences(y, target)
    current = y
    for step in range(1, WALKED):
        neighbours = [domain.apply(x, current, move) for move in domain.moves(x, current)]
        gaps = [_differences(neighbour, target) for neighbour in neighbours]
        if not gaps or min(gaps) >= gap:
            break
        gap = min(gaps)
        current = neighbours[gaps.index(gap)]
        if solution_key(current) == goal:
            return step
    return max(1, first)


def _differences(y: Solution, target: list[Any]) -> int:
    parts = list(leaves(y))
    differing = sum(bool(a != b) for a, b in zip(parts, target, strict=False))
    return abs(len(parts) - len(target)) + differing


# -- what a learner sees of a correction -----------------------------------------------------------


def feedback(
    domain: Domain,
    x: Problem,
    correction: Correction,
    reads: Reads,
    candidate: Candidate = "final",
    weights: Vector | None = None,
    learned_for: str = "",
) -> Feedback:
    """Turn a correction into the vectors and numbers that a learner reads.

    Parameters
    ----------
    domain, x, correction
        What was edited, and how.
    reads
        What the learner uses: "ends", "path" or "declined" (the path, and the moves not made at its end).
    candidate
        "final" learns from zl; "disagreement" from the last zi with w . phi(zi) <= w . phi(z0).
    weights
        The weights the proposal was made with; needed for "disagreement" only.
    learned_for
        Whose correction it is.
    """
    path = correction.path
    if candidate == "final":
        few = reads == "ends" or correction.estimated  # estimated: the expert did not make these steps
        if few and len(path) > 2 and not correction.replans:
            path = [path[0], path[-1]]
        rows, cost = _own_steps(features_along(domain, x, path), correction)
        rows = rows[[0, -1]] if few and len(rows) > 2 else rows
    else:
        if weights is None:
            raise ValueError("candidate='disagreement' needs the weights the proposal was made with.")
        rows, _ = _own_steps(features_along(domain, x, path), correction)
        last = last_disagreement(rows, weights)
        costs = [cost for k, cost in enumerate(correction.costs) if k not in correction.replans]
        rows, cost = rows[: last + 1], float(sum(costs[:last]))
        if reads == "ends":
            rows = rows[[0, -1]]
    declined = rounded(declined_features(domain, x, correction.final)) if reads == "declined" else None
    chosen = declares(domain, "lists_all")
    return Feedback(rows, cost, declined, correction.cut, learned_for, correction.estimated, chosen)


def _own_steps(rows: Matrix, correction: Correction) -> tuple[Matrix, float]:
    """The features along the expert's own steps, as if the solver had made none, and what these cost."""
    if not correction.replans:
        return rows, correction.effort
    own = np.delete(np.diff(rows, axis=0), list(correction.replans), axis=0)
    cost = correction.effort - sum(correction.costs[k] for k in correction.replans)
    return np.cumsum(np.concatenate([rows[:1], own]), axis=0), float(cost)


def last_disagreement(rows: Matrix, weights: Vector) -> int:
    """The last i with w . phi(zi) <= w . phi(z0): where learner and expert still differ (Assumption 3)."""
    utilities = rows @ weights
    return int(np.flatnonzero(utilities <= utilities[0])[-1])


def rounded(rows: Matrix) -> Matrix:
    """The declined moves as they are learned from: rounded if they are many, in C order."""
    rows = np.ascontiguousarray(rows, dtype=np.float64)
    if rows.nbytes <= SMALL or not all_finite(rows):  # a learner rejects what is not finite
        return rows
    _, exponents, entries = split(rows)
    return joined(exponents, entries)


def split(rows: Matrix) -> tuple[int, Indices, Matrix]:
    """The bits of an entry, the exponent of each feature, and the entries as whole numbers."""
    bits = 12 if rows.size <= MANY else 10
    exponents = np.frexp(np.abs(rows).max(axis=0))[1] - (bits - 1)
    largest = (1 << (bits - 1)) - 1
    entries: Matrix = np.rint(np.ldexp(rows, -exponents)).clip(-largest, largest)
    return bits, exponents.astype(np.int64), entries


def joined(exponents: Indices, entries: Matrix) -> Matrix:
    """The rows that `split` rounded."""
    rows: Matrix = np.ldexp(entries + 0.0, exponents)  # + 0.0: no negative zero, as in whole numbers
    return rows
