"""Grids of choices: sums, positive parts and spreads of them, evaluated whole or after an edit.

A program is a directed graph. Its columns are literals ("cell c has choice k" is c * choices + k), then
nodes. An arc adds its coefficient times the value of its column to its target: a node, or, from n on, an
output. Nodes are numbered by level, so that arcs lead to higher numbers. They have one of three kinds:

    POSITIVE   max(0, s) of the sum s of its arcs and its constant
    LINEAR     s itself
    SPREAD     largest minus smallest s of its members, which are LINEAR

An edit is a row (op, a, b, length) of `length` cells from a on, one `stride` apart: SET gives them the choice
b, EXCHANGE exchanges them with those from b on, ROTATE moves each choice b cells back, around the end. Only
what an edit touches is computed again.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from coactor.kernels.arrays import compiled
from coactor.protocol import Indices, Matrix, Vector

POSITIVE, LINEAR, SPREAD = 0, 1, 2
SET, EXCHANGE, ROTATE = 0, 1, 2
IDLE, BREAKS, LEGAL = 0, 1, 2  # what an edit does: nothing, break a rule, or neither
KEPT = 1e-9  # a rule broken by less is kept: rounding


class Program(NamedTuple):
    """The graph in arrays: arcs sorted by column, members of SPREAD nodes sorted by node."""

    literals: int
    choices: int
    start: Indices
    to: Indices
    coef: Vector
    kind: Indices
    level: Indices
    level_start: Indices
    constant: Vector
    output_constant: Vector
    member_start: Indices
    member: Indices


class Scratch(NamedTuple):
    """The nodes an edit touches, by level, and by how much their sums change."""

    delta: Vector
    mark: Indices
    touched: Indices
    counts: Indices
    stamp: Indices


@njit(cache=True, nogil=True)
def evaluate(p: Program, y: Indices) -> tuple[Vector, Vector]:
    """The sum of each node (of a SPREAD: its value) and the outputs."""
    n = p.kind.size
    s = np.concatenate((p.constant, p.output_constant))
    for cell in range(y.size):
        literal = cell * p.choices + y[cell]
        for k in range(p.start[literal], p.start[literal + 1]):
            s[p.to[k]] += p.coef[k]
    for t in range(n):
        value = s[t]
        if p.kind[t] == POSITIVE:
            value = max(0.0, value)
        elif p.kind[t] == SPREAD:
            members = s[p.member[p.member_start[t] : p.member_start[t + 1]]]
            value = s[t] = members.max() - members.min()
        for k in range(p.start[p.literals + t], p.start[p.literals + t + 1]):
            s[p.to[k]] += p.coef[k] * value
    return s[:n], s[n:]


@njit(cache=True, nogil=True)
def scratch(p: Program) -> Scratch:
    """Fresh scratch space for `effect`."""
    n, levels = p.kind.size, p.level_start.size - 1
    marks = np.zeros(n, np.int64), np.zeros(n, np.int64)
    return Scratch(np.zeros(n), marks[0], marks[1], np.zeros(levels, np.int64), np.zeros(1, np.int64))


@compiled
def effect(p: Program, y: Indices, s: Vector, edit: Indices, stride: int, work: Scratch, out: Vector) -> None:
    """What an edit changes: of the outputs in `out`, of the nodes' sums in `work`.

    Arrays are taken out of their tuples first, and adding to a target is written twice: calls and look-ups in
    the inner loops would cost several times the work itself.
    """
    n, literals, kind, level, first = p.kind.size, p.literals, p.kind, p.level, p.level_start
    start, arcs, coefs, member_start, member = p.start, p.to, p.coef, p.member_start, p.member
    delta, mark, touched, counts = work.delta, work.mark, work.touched, work.counts
    out[:] = 0.0
    counts[:] = 0
    work.stamp[0] += 1
    stamp = work.stamp[0]
    op, a, b, length = edit[0], edit[1], edit[2], edit[3]
    for turn in range(4 * length if op == EXCHANGE else 2 * length):  # a literal each: first false, then true
        j = turn // 4 if op == EXCHANGE else turn // 2
        cell, other = a + j * stride, b
        if op == EXCHANGE:
            other = y[b + j * stride]
            if turn % 4 > 1:
                cell, other = b + j * stride, y[cell]
        elif op == ROTATE:
            other = y[a + (j + b) % length * stride]
        if other == y[cell]:
            continue
        sign = 1.0 if turn % 2 else -1.0
        literal = cell * p.choices + (other if turn % 2 else y[cell])
        for k in range(start[literal], start[literal + 1]):
            to = arcs[k]
            if to >= n:
                out[to - n] += sign * coefs[k]
                continue
            if mark[to] != stamp:
                mark[to], delta[to] = stamp, 0.0
                touched[first[level[to]] + counts[level[to]]] = to
                counts[level[to]] += 1
            delta[to] += sign * coefs[k]
    for rank in range(counts.size):
        for j in range(counts[rank]):
            t = touched[first[rank] + j]
            change = delta[t]
            if kind[t] == POSITIVE:
                change = max(0.0, s[t] + change) - max(0.0, s[t])
            elif kind[t] == SPREAD:
                low, high = np.inf, -np.inf
                for k in range(member_start[t], member_start[t + 1]):
                    m = member[k]
                    value = s[m] + delta[m] if mark[m] == stamp else s[m]
                    low, high = min(low, value), max(high, value)
                change = delta[t] = high - low - s[t]
            if change == 0.0:
                continue
            for k in range(start[literals + t], start[literals + t + 1]):
                to = arcs[k]
                if to >= n:
                    out[to - n] += coefs[k] * change
                    continue
                if mark[to] != stamp:
                    mark[to], delta[to] = stamp, 0.0
                    touched[first[level[to]] + counts[level[to]]] = to
                    counts[level[to]] += 1
                delta[to] += coefs[k] * change


@njit(cache=True, nogil=True)
def effects(p: Program, y: Indices, edits: Indices, stride: int) -> Matrix:
    """The change in the outputs by each edit, one row each."""
    s, total = evaluate(p, y)
    work = scratch(p)
    out = np.empty((len(edits), total.size))
    for k in range(len(edits)):
        effect(p, y, s, edits[k], stride, work, out[k])
    return out


@compiled
def differs(y: Indices, edit: Indices, stride: int) -> bool:
    """Whether an edit changes something, an exchange at both of its ends."""
    a, b, last = edit[1], edit[2], (edit[3] - 1) * stride
    if edit[0] == SET:
        return bool(y[a] != b)
    return bool(y[a] != y[b] and y[a + last] != y[b + last])


@compiled
def worse(harm: Vector) -> bool:
    """Whether an edit breaks one of the rules more than before."""
    for k in range(harm.size):  # noqa: SIM110
        if harm[k] > KEPT:
            return True
    return False


@njit(cache=True, nogil=True)
def judge(rules: Program, y: Indices, edits: Indices, stride: int) -> Indices:
    """Which edits change nothing, break a rule more than before, or are legal; one output for each rule."""
    s, broken = evaluate(rules, y)
    work, harm = scratch(rules), np.empty(broken.size)
    verdict = np.zeros(len(edits), np.int64)
    for k in range(len(edits)):
        if differs(y, edits[k], stride):
            effect(rules, y, s, edits[k], stride, work, harm)
            verdict[k] = BREAKS if worse(harm) else LEGAL
    return verdict


@njit(cache=True, nogil=True)
def improving(
    value: Program,
    rules: Program,
    prices: Vector,
    y: Indices,
    edits: Indices,
    stride: int,
    kappa: float,
    least: float,
    best: bool,
    first: int,
) -> int:
    """The first legal edit that gains kappa and more than `least`, or the best; -1 if there is none.

    An edit that mends rules also gains their prices. Edits are scanned in a circle that begins at `first`.
    """
    s, _ = evaluate(value, y)
    s_rules, broken = evaluate(rules, y)
    work, work_rules = scratch(value), scratch(rules)
    gain, harm = np.empty(1), np.empty(broken.size)
    whole = broken.sum() <= KEPT
    chosen = -1
    for i in range(len(edits)):
        k = (first + i) % len(edits)
        if not differs(y, edits[k], stride):
            continue
        effect(value, y, s, edits[k], stride, work, gain)
        if whole and (gain[0] < kappa or gain[0] <= least):
            continue
        effect(rules, y, s_rules, edits[k], stride, work_rules, harm)
        if worse(harm):
            continue
        change = gain[0]
        for r in range(harm.size):
            if harm[r] < -KEPT:
                change -= prices[r] * harm[r]
        if change >= kappa and change > least:
            if not best:
                return k
            chosen, least = k, change
    return chosen


@njit(cache=True, nogil=True)
def perform(y: Indices, edit: Indices, stride: int) -> None:
    """Make an edit, in place."""
    op, a, b, length = edit[0], edit[1], edit[2], edit[3]
    if op == ROTATE:
        old = y[a : a + length * stride : stride].copy()
        for k in range(length):
            y[a + k * stride] = old[(k + b) % length]
        return
    for k in range(length):
        one, two = a + k * stride, b + k * stride
        if op == SET:
            y[one] = b
        else:
            y[one], y[two] = y[two], y[one]


@compiled
def settle(p: Program, s: Vector, work: Scratch) -> None:
    """Make the last effect's changes of the nodes' sums lasting."""
    for rank in range(work.counts.size):
        for k in range(work.counts[rank]):
            t = work.touched[p.level_start[rank] + k]
            s[t] += work.delta[t]


@njit(cache=True, nogil=True)
def anneal(
    value: Program,
    rules: Program,
    y: Indices,
    best: Indices,
    most: float,
    edits: Indices,
    stride: int,
    coins: Vector,
    heat: float,
    kept: float,
) -> float:
    """Simulated annealing at one temperature, in place; what the best solution is worth.

    Both programs have one output: utility, and what the broken rules cost. Step i tries edits[i] and accepts
    a loss if coins[i] is below its Boltzmann factor. `best` becomes each solution that is worth more than
    `most`, rules included, if these cost at most `kept`.
    """
    s, utility = evaluate(value, y)
    s_rules, broken = evaluate(rules, y)
    work, work_rules = scratch(value), scratch(rules)
    gain, harm = np.empty(1), np.empty(1)
    for i in range(coins.size):
        if edits[i, 3] == 1 and not differs(y, edits[i], stride):
            continue
        effect(rules, y, s_rules, edits[i], stride, work_rules, harm)
        if harm[0] > 40.0 * heat:  # no usual gain makes up for it
            continue
        effect(value, y, s, edits[i], stride, work, gain)
        change = gain[0] - harm[0]
        if change < 0.0 and (heat == 0.0 or coins[i] >= np.exp(change / heat)):
            continue
        perform(y, edits[i], stride)
        settle(value, s, work)
        settle(rules, s_rules, work_rules)
        utility += gain
        broken += harm
        if broken[0] <= kept and utility[0] - broken[0] > most:
            best[:] = y
            most = utility[0] - broken[0]
    return most
