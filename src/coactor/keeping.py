"""Keep parts of a solution and solve the rest again.

To keep is to demand parts: the names that `parts` gives to what a solution is made of. A re-plan starts from
a draft and changes only what gains. It goes into a draft as a move of its own, which every domain has:

    {"op": "keep", "args": [], "parts": [...]}      from here on these parts must stay
    {"op": "free", "args": [], "parts": [...]}      these may change again
    {"op": "replan", "args": [], "to": solution}    the solver solved the rest again

So edits, undo, drafts and the log need nothing else for it. What the solver changed is not evidence.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise

import numpy as np

from coactor.kernels import tolerances
from coactor.protocol import (
    Domain,
    HasParts,
    Invalid,
    Keeps,
    Move,
    Part,
    Parts,
    Problem,
    Solution,
    Solver,
    Vector,
    edit_text,
    has,
    takes,
)
from coactor.search import check_solution, landscape
from coactor.validation import listed

KEEP, FREE, REPLAN = "keep", "free", "replan"
NAMED = 5  # parts in an error message


def named_parts(given: Parts) -> frozenset[Part]:
    """Parts in the form in which domains name them: a name, or a tuple of at least two.

    Raises Invalid if one is not made of names.
    """
    parts = set[Part]()
    for part in [given] if isinstance(given, str) else listed(given, "parts to keep"):
        names = (part,) if isinstance(part, str) else tuple(part) if isinstance(part, list | tuple) else ()
        if not names or not all(isinstance(name, str) for name in names):
            raise Invalid(f"A part to keep is {part!r}; expected a name or a list of names.")
        parts.add(names if len(names) > 1 else names[0])
    return frozenset(parts)


def plain_parts(parts: Iterable[Part]) -> list[list[str]]:
    """Parts as JSON-able data, in order."""
    return sorted([part] if isinstance(part, str) else list(part) for part in parts)


def parts_of(domain: Domain, x: Problem, y: Solution) -> frozenset[Part]:
    """Everything in a solution that can be kept. Raises Invalid if the domain does not name parts."""
    if has(domain, Keeps):
        return named_parts(domain.lockable(x, y))
    if has(domain, HasParts):
        return named_parts(domain.parts(x, y))
    raise Invalid(
        f"{type(domain).__name__} does not say what a solution is made of; give it a method parts(x, y)."
    )


def kept_parts(moves: Iterable[Move], first: Parts = ()) -> frozenset[Part]:
    """The parts that must stay after these moves, if `first` had to before them."""
    keep = named_parts(first)
    for move in moves:
        if move["op"] in (KEEP, FREE):
            parts = named_parts(move.get("parts", ()))
            keep = keep | parts if move["op"] == KEEP else keep - parts
    return keep


def own_parts(
    domain: Domain, x: Problem, path: Sequence[Solution], replans: Sequence[int] = ()
) -> frozenset[Part]:
    """The parts at the end of a path that its steps brought about, without those of re-plans."""
    own, last = frozenset[Part](), parts_of(domain, x, path[-1]) if len(path) > 1 else ()
    for start, end in pairwise([-1, *replans, len(path) - 1]):
        if end > start + 1:  # the steps between two re-plans
            own |= parts_of(domain, x, path[end]) - parts_of(domain, x, path[start + 1])
    return own.intersection(last)


def replan(
    domain: Domain, x: Problem, w: Vector, y: Solution, keep: Parts, solver: Solver | None = None
) -> Solution:
    """A solution with all kept parts: y, changed only where that gains.

    By a solver that takes parts, ``solve(x, w, keep=parts)``; or by the domain's own method (`Keeps`);
    or else by the moves of the domain that lose no kept part.

    Parameters
    ----------
    domain, x, w
        What is solved, and with which weights.
    y
        The solution to start from. Parts to keep that it does not have are brought about first.
    keep
        The parts that must stay, as `parts_of` names them.
    solver
        Replaces the domain's own solver.

    Raises
    ------
    Invalid
        If the parts are invalid or cannot be kept together.

    Examples
    --------
    >>> import numpy as np
    >>> from coactor import domains
    >>> domain = domains.Ranking(features=1)
    >>> x = domains.Query.of([[1.0], [3.0], [2.0]], names=["a", "b", "c"])
    >>> replan(domain, x, np.ones(1), np.array([0, 1, 2]), [("place 1", "a")])
    array([0, 1, 2])
    >>> replan(domain, x, np.ones(1), np.array([0, 1, 2]), [("place 3", "a")])
    array([1, 2, 0])
    """
    wanted = named_parts(keep)

    def missing(solution: Solution) -> frozenset[Part]:
        return wanted - parts_of(domain, x, solution)

    if solver is not None and takes(solver, "keep"):
        z = solver(x, w, keep=wanted)  # type: ignore[call-arg]
    elif has(domain, Keeps):
        try:
            z = domain.replan(x, w, y, wanted)
        except ValueError as error:
            if missing(y):
                raise Invalid(str(error)) from error
            return y
    else:
        z = _climb(domain, x, w, y, wanted)
    check_solution(domain, x, z)
    if lost := missing(z):
        if missing(y):
            raise Invalid(_conflict(domain, x, y, wanted, lost))
        return y
    if hasattr(domain, "broken") and has(domain, Keeps):
        return z  # rules come before utility, and only the domain knows them
    view = landscape(domain, x, w)
    before, after = view.utility(y), view.utility(z)
    better = after > before + tolerances.GAIN * max(abs(before), abs(after))
    return z if better or missing(y) else y


def _conflict(domain: Domain, x: Problem, y: Solution, wanted: frozenset[Part], lost: frozenset[Part]) -> str:
    """Why parts were lost: they are in no solution near y, or others share a name with them."""
    near = [y, *(domain.apply(x, y, move) for move in domain.moves(x, y))]
    names = {name for z in near for part in parts_of(domain, x, z) for name in _names(part)}
    if unknown := {part for part in lost if not _names(part) <= names}:
        return f"There are no such parts to keep: {sentence(unknown)}."
    shared = frozenset[str]().union(*map(_names, lost))
    return f"These cannot be kept together: {sentence(part for part in wanted if _names(part) & shared)}."


def _names(part: Part) -> frozenset[str]:
    return frozenset([part] if isinstance(part, str) else part)


def sentence(parts: Iterable[Part]) -> str:
    """Parts in words; of many, the first."""
    words = sorted(part if isinstance(part, str) else ": ".join(part) for part in parts)
    more = f" and {len(words) - NAMED} more" if len(words) > NAMED else ""
    return ", ".join(words[:NAMED]) + more


def move_text(domain: Domain, x: Problem, y: Solution, z: Solution, move: Move) -> str:
    """A move from y to z in words, also of those that every domain has."""
    if move["op"] == REPLAN:
        count = len(parts_of(domain, x, z) - parts_of(domain, x, y))
        return f"Re-planned: {count} change{'' if count == 1 else 's'}"
    if move["op"] in (KEEP, FREE):
        return f"{'Locked' if move['op'] == KEEP else 'Unlocked'} {sentence(named_parts(move['parts']))}"
    return edit_text(domain, x, y, move)


def _climb(domain: Domain, x: Problem, w: Vector, y: Solution, keep: frozenset[Part]) -> Solution:
    """First the moves that bring about most of the missing parts, then the best that lose none."""
    view, missing = landscape(domain, x, w), len(keep - parts_of(domain, x, y))
    while missing:
        neighbours = [domain.apply(x, y, move) for move in domain.moves(x, y)]
        lacking = [len(keep - parts_of(domain, x, z)) for z in neighbours]
        if min(lacking, default=missing) >= missing:
            return y
        missing = min(lacking)
        y = neighbours[lacking.index(missing)]
    while True:
        gains = view.gains(y)
        least = tolerances.GAIN * float(np.abs(gains).max(initial=0.0))
        moves = list(domain.moves(x, y))
        for k in np.argsort(-gains, kind="stable").tolist():
            if not gains[k] > least:
                return y
            z = domain.apply(x, y, moves[k])
            if keep <= parts_of(domain, x, z):
                y = z
                break
        else:
            return y
