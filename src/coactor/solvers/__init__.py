"""Adapters for external solvers S(x; w): OR-Tools, PyVRP, your own function or program."""

from coactor.solvers.adapters import RoutingSolver
from coactor.solvers.external import SolverError, command_line, custom
from coactor.solvers.ortools_engine import ortools
from coactor.solvers.prices import cost_factors
from coactor.solvers.pyvrp_engine import pyvrp

__all__ = ["RoutingSolver", "SolverError", "command_line", "cost_factors", "custom", "ortools", "pyvrp"]
