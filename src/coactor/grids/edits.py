"""The edits of a grid: all of them, as plain data, in words, and how many lead to another solution."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from coactor import validation
from coactor.grids.instances import Instance, Schema
from coactor.kernels.grids import EXCHANGE, IDLE, LEGAL, SET, judge, perform
from coactor.protocol import Indices, Move

MOST = 5_000_000  # edits of one grid


def all_edits(shape: tuple[int, ...], width: int, schema: Schema) -> Indices:
    """Every edit of a grid (op, a, b, length), in scan order; blocks lie along one axis."""
    swaps, along, longest = schema.swaps, schema.along, schema.longest
    cells = np.arange(int(np.prod(shape))).reshape(shape)
    pairs = sum(cells.size * (shape[axis] - 1) // 2 for axis in swaps)
    if cells.size * width + longest * pairs > MOST:
        raise ValueError(f"The grid has more than {MOST} edits; declare fewer axes for swaps, or no blocks.")
    a, b = np.divmod(np.arange(cells.size * width), width)
    parts = [np.stack([np.full(a.size, SET), a, b, np.ones(a.size, np.int64)], axis=1)]
    for length in range(1, longest + 1):
        for axis in swaps:
            if length > 1 and axis == along:
                continue
            starts = cells.take(np.arange(shape[along] - length + 1), along) if length > 1 else cells
            lines = np.moveaxis(starts, axis, 0).reshape(shape[axis], -1)
            one, two = np.triu_indices(shape[axis], 1)
            a, b = lines[one].T.ravel(), lines[two].T.ravel()
            parts.append(np.stack([np.full(a.size, EXCHANGE), a, b, np.full(a.size, length)], axis=1))
    return np.ascontiguousarray(np.concatenate(parts), dtype=np.int64)


def legal(x: Instance, y: Indices) -> Indices:
    """The edits that change something at both of their ends and lead to a solution that keeps every rule."""
    possible: Indices = x.edits[judge(x.broken, y.ravel(), x.edits, x.stride) == LEGAL]
    return possible


def of_cell(x: Instance, y: Indices, cell: int) -> tuple[Indices, NDArray[np.bool_]]:
    """The sets and swaps of a cell and the blocks that begin there, and which of them keep every rule."""
    op, a, b, _ = x.edits.T
    mine = x.edits[(a == cell) | ((b == cell) & (op == EXCHANGE))]
    verdict = judge(x.broken, y.ravel(), mine, x.stride)
    return mine[verdict != IDLE], verdict[verdict != IDLE] == LEGAL


def to_moves(x: Instance, edits: Indices) -> list[Move]:
    """Edits of the kernels as plain data."""
    op, a, b, length = edits.T
    cells = np.stack(np.unravel_index(a, x.shape), axis=1).tolist()
    others = np.stack(np.unravel_index(np.where(op == SET, 0, b), x.shape), axis=1).tolist()
    chosen = np.stack(np.unravel_index(np.where(op == SET, b, 0), x.widths()), axis=1).tolist()
    moves: list[Move] = []
    for k, (kind, size) in enumerate(zip(op.tolist(), length.tolist(), strict=True)):
        if kind == SET:
            moves.append({"op": "set", "args": cells[k] + chosen[k]})
        elif size == 1:
            moves.append({"op": "swap", "args": cells[k] + others[k]})
        else:
            moves.append({"op": "block", "args": [*cells[k], *others[k], size]})
    return moves


def to_edit(x: Instance, move: Any) -> Indices:
    """A move from outside as an edit of the kernels. Raises ValueError if it is not one of this grid."""
    op = move.get("op") if isinstance(move, Mapping) else None
    limits = {"set": [*x.shape, *x.widths()], "swap": x.shape * 2, "block": (*x.shape, *x.shape, 2**31)}
    if op not in limits:
        raise ValueError(f"{str(move)[:80]} is not a valid move; expected 'set', 'swap' or 'block'.")
    args = validation.move_args(move, op, len(limits[op]))
    if any(not 0 <= k < limit for k, limit in zip(args, limits[op], strict=True)):
        raise ValueError(f"{str(move)[:80]} is not a valid move: a position is outside the grid.")
    n = len(x.shape)
    a = int(np.ravel_multi_index(args[:n], x.shape))
    if op == "set":
        return np.array([SET, a, np.ravel_multi_index(args[n:], x.widths()), 1])
    b = int(np.ravel_multi_index(args[n : 2 * n], x.shape))
    edit = np.array([EXCHANGE, min(a, b), max(a, b), args[-1] if op == "block" else 1])
    apart = [axis for axis, (i, j) in enumerate(zip(args[:n], args[n : 2 * n], strict=True)) if i != j]
    fits = len(apart) == 1 and apart[0] in x.schema.swaps
    if op == "block":
        along, length = x.schema.along, args[-1]
        fits = fits and apart[0] != along and 1 < length <= x.schema.longest
        fits = fits and args[along] + length <= x.shape[along]
    if not fits:
        raise ValueError(f"{str(move)[:80]} is not a valid move: these cells cannot be exchanged.")
    return edit


def describe(x: Instance, move: Move) -> str:
    """What a move does, in words, and why it is made although it breaks a rule."""
    reason = move.get("anyway")
    return _described(x, move) + (f" (anyway: {reason})" if reason else "")


def _described(x: Instance, move: Move) -> str:
    op, a, b, length = to_edit(x, move).tolist()
    over = x.schema.over
    one = x.name(over, a)
    if op == SET:
        return f"{', '.join(one)}: {', '.join(x.name(x.schema.choose, b))}"
    two, last = x.name(over, b), x.name(over, a + (length - 1) * x.stride)
    who = " and ".join(
        " ".join(n for n, m in zip(*pair, strict=True) if n != m) for pair in ((one, two), (two, one))
    )
    where = [n if n == m else f"{n} to {m}" for n, m, k in zip(one, last, two, strict=True) if n == k]
    return ", ".join([f"Exchange {who}", *where])


def cells_of(x: Instance, keep: Collection[tuple[str, ...]]) -> dict[int, int]:
    """The cells of parts with their choices. Raises ValueError for no part, or two of the same cell."""
    sizes = [*x.shape, *x.widths()]
    axes = [x.positions[axis] for axis in x.schema.over + x.schema.choose]
    cells: dict[int, int] = {}
    for part in sorted(keep):
        if len(part) != len(axes) or any(name not in axis for name, axis in zip(part, axes, strict=True)):
            raise ValueError(
                f"The grid has no part {part}; expected names on {x.schema.over + x.schema.choose}."
            )
        at = [axis.index(name) for name, axis in zip(part, axes, strict=True)]
        cell, choice = divmod(int(np.ravel_multi_index(at, sizes)), x.phi.choices)
        if cells.setdefault(cell, choice) != choice:
            other = (*x.name(x.schema.over, cell), *x.name(x.schema.choose, cells[cell]))
            raise ValueError(f"{part} and {other} cannot both be kept.")
    return cells


def edits_between(x: Instance, y: Indices, z: Indices) -> int:
    """How many edits lead from y to z: exchanges that put all their cells right, longest first; cells."""
    now, goal, count = y.ravel().copy(), z.ravel(), 0
    exchanges = x.edits[x.edits[:, 0] == EXCHANGE]
    for length in np.unique(exchanges[:, 3])[::-1].tolist():
        edits = exchanges[exchanges[:, 3] == length]
        cells = np.arange(length) * x.stride
        one, two = edits[:, 1, None] + cells, edits[:, 2, None] + cells
        wrong = (now != goal)[one[:, [0, -1]]].all(axis=1)
        for k in np.flatnonzero(wrong & (now[one] == goal[two]).all(axis=1)).tolist():
            right = (now[one[k]] == goal[two[k]]).all() and (now[two[k]] == goal[one[k]]).all()
            if right and now[edits[k, 1]] != goal[edits[k, 1]]:
                perform(now, edits[k], x.stride)
                count += 1
    for cell in np.flatnonzero(now != goal).tolist():
        if now[cell] != goal[cell]:  # from a wrong cell in its line that has what it lacks, if there is one
            near = exchanges[(exchanges[:, 3] == 1) & (exchanges[:, 1:3] == cell).any(axis=1), 1:3].ravel()
            partners = near[(now[near] == goal[cell]) & (now[near] != goal[near])]
            now[partners[:1]] = now[cell]
            now[cell] = goal[cell]
            count += 1
    return count
