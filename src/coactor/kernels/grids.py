"""Grids of choices: sums, positive parts and spreads of them, evaluated whole or after an edit.

A program is a directed graph. Its columns are literals ("cell c has choice k" is c * choices + k), then
nodes. An arc adds its coefficient times the value of its column to its target: a node, or, from n on, an
output. Nodes are numbered by level, so that arcs lead to higher numbers. They have one of three kinds:

    POSITIVE   max(0, s) of the sum s of its arcs and its constant
    LINEAR     s itself
    SPREAD     largest minus smallest s of its members, which are LINEAR

An edit is a row (op, a, b, length): SET gives cell a the choice b; EXCHANGE exchanges `length` cells from a
on with those from b on, one `stride` apart. Only what an edit touches is computed again.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from coactor.protocol import Indices, Matrix, Vector

POSITIVE, LINEAR, SPREAD = 0, 1, 2
SET, EXCHANGE = 0, 1
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


@njit(cache=True)
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


@njit(cache=True)
def scratch(p: Program) -> Scratch:
    """Fresh scratch space for `effect`."""
    n, levels = p.kind.size, p.level_start.size - 1
    marks = np.zeros(n, np.int64), np.zeros(n, np.int64)
    return Scratch(np.zeros(n), marks[0], marks[1], np.zeros(levels, np.int64), np.zeros(1, np.int64))


@njit(cache=True)
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
    op, a, b = edit[0], edit[1], edit[2]
    for turn in range(4 * edit[3] if op == EXCHANGE else 2):  # each a literal that becomes false or true
        shift = turn // 4 * stride
        cell = a + shift if op == SET or turn % 4 < 2 else b + shift
        other = b if op == SET else y[b + shift] if turn % 4 < 2 else y[a + shift]
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


@njit(cache=True)
def effects(p: Program, y: Indices, edits: Indices, stride: int) -> Matrix:
    """The change in the outputs by each edit, one row each."""
    s, total = evaluate(p, y)
    work = scratch(p)
    out = np.empty((len(edits), total.size))
    for k in range(len(edits)):
        effect(p, y, s, edits[k], stride, work, out[k])
    return out


@njit(cache=True)
def differs(y: Indices, edit: Indices, stride: int) -> bool:
    """Whether an edit changes something, an exchange at both of its ends."""
    a, b, last = edit[1], edit[2], (edit[3] - 1) * stride
    if edit[0] == SET:
        return bool(y[a] != b)
    return bool(y[a] != y[b] and y[a + last] != y[b + last])


@njit(cache=True)
def judge(rules: Program, y: Indices, edits: Indices, stride: int) -> Indices:
    """Which edits change nothing, break a rule, or are legal; `rules` has one output, as in `anneal`."""
    s, broken = evaluate(rules, y)
    work, harm = scratch(rules), np.empty(1)
    verdict = np.zeros(len(edits), np.int64)
    for k in range(len(edits)):
        if differs(y, edits[k], stride):
            effect(rules, y, s, edits[k], stride, work, harm)
            verdict[k] = LEGAL if broken[0] + harm[0] <= KEPT else BREAKS
    return verdict


@njit(cache=True)
def improving(
    value: Program,
    rules: Program,
    y: Indices,
    edits: Indices,
    stride: int,
    kappa: float,
    least: float,
    best: bool,
    first: int,
) -> int:
    """The first edit that keeps the rules and gains kappa and more than `least`, or the best; -1 if none.

    Edits are scanned in a circle that begins at `first`.
    """
    s, _ = evaluate(value, y)
    s_rules, broken = evaluate(rules, y)
    work, work_rules = scratch(value), scratch(rules)
    gain, harm = np.empty(1), np.empty(1)
    chosen = -1
    for i in range(len(edits)):
        k = (first + i) % len(edits)
        if not differs(y, edits[k], stride):
            continue
        effect(value, y, s, edits[k], stride, work, gain)
        if gain[0] < kappa or gain[0] <= least:
            continue
        effect(rules, y, s_rules, edits[k], stride, work_rules, harm)
        if broken[0] + harm[0] <= KEPT:
            if not best:
                return k
            chosen, least = k, gain[0]
    return chosen


@njit(cache=True)
def perform(y: Indices, edit: Indices, stride: int) -> None:
    """Make an edit, in place."""
    if edit[0] == SET:
        y[edit[1]] = edit[2]
        return
    for k in range(edit[3]):
        one, two = edit[1] + k * stride, edit[2] + k * stride
        y[one], y[two] = y[two], y[one]


@njit(cache=True)
def settle(p: Program, s: Vector, work: Scratch) -> None:
    """Make the last effect's changes of the nodes' sums lasting."""
    for rank in range(work.counts.size):
        for k in range(work.counts[rank]):
            t = work.touched[p.level_start[rank] + k]
            s[t] += work.delta[t]


@njit(cache=True)
def anneal(
    value: Program,
    rules: Program,
    start: Indices,
    edits: Indices,
    stride: int,
    coins: Vector,
    heat: Vector,
    price: float,
) -> tuple[Indices, float]:
    """Simulated annealing: of the solutions met that break rules least, the best; and by how much it does.

    Both programs have one output: utility, and by how much rules are broken, which costs `price` a unit.
    Step i tries edits[i] at temperature heat[i] and accepts a loss if coins[i] is below its Boltzmann factor.
    """
    y, best = start.copy(), start.copy()
    s, utility = evaluate(value, y)
    s_rules, broken = evaluate(rules, y)
    work, work_rules = scratch(value), scratch(rules)
    gain, harm = np.empty(1), np.empty(1)
    most, least = utility[0], broken[0]
    for i in range(coins.size):
        effect(rules, y, s_rules, edits[i], stride, work_rules, harm)
        if harm[0] > 0.0 and (heat[i] == 0.0 or price * harm[0] > 40.0 * heat[i]):
            continue  # no gain makes up for it
        effect(value, y, s, edits[i], stride, work, gain)
        change = gain[0] - price * harm[0]
        if change < 0.0 and (heat[i] == 0.0 or coins[i] >= np.exp(change / heat[i])):
            continue
        perform(y, edits[i], stride)
        settle(value, s, work)
        settle(rules, s_rules, work_rules)
        utility += gain
        broken += harm
        if broken[0] < least - KEPT or (broken[0] <= least + KEPT and utility[0] > most):
            best[:] = y
            most, least = utility[0], min(least, broken[0])
    return best, least
