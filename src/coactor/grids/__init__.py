"""Models: decisions, rules and wishes, stated once. Corrections set the weights of the wishes.

Decisions are a grid of choices with named axes: nurse x day -> shift, lesson -> room, hour; job -> machine.
A rule (hard) or a wish (soft) is an expression from a small closed set of forms. One definition gives all:

    model         GridModel: the definition, and the Domain: features, solve, moves, landscape, codes, words
    expressions   Expression: per, at, times, window, lookup, above, below, any, spread, +, -; pattern
    instances     Schema and Instance: what problems consist of, read from and written to plain data
    circuits      Circuit: every count as a graph of sums, positive parts, spreads (kernels/grids.py runs it)
    edits         set, swap and block: which keep the rules, as plain data, in words, between two solutions
    searching     GridLandscape, and Search: simulated annealing, the solver without OR-Tools
    cpsat         the same graph as a CP-SAT model, around a solution: the solver with OR-Tools
    causes        which cells cause what is counted
    showing       a solution as a grid to draw
    advice        what the final solutions say about the rules and wishes

A rule says what must not be above 0, so that a line can move between rules and wishes as it is:

    model.rule("At most five days", days.above(5))      model.wish("Fifth day", days.above(4), unit="days")

Rules may be broken, by need or by a person who says why. By how much is a feature of its own, such as
"broken: At most five days", which the solver prices above all wishes.
"""

from coactor.grids.expressions import Expression, pattern
from coactor.grids.instances import Instance
from coactor.grids.model import GridModel
from coactor.grids.showing import Broken

__all__ = ["Broken", "Expression", "GridModel", "Instance", "pattern"]
