"""What a problem, a solution and an edit are. Each domain is replaceable by one of your own."""

from coactor.domains.fleets import Fleet, FleetProblem
from coactor.domains.graphs import Graph
from coactor.domains.hypercube import Cube, Hypercube
from coactor.domains.rankings import Query, Ranking, SparseRows
from coactor.domains.tours import Tour

__all__ = ["Cube", "Fleet", "FleetProblem", "Graph", "Hypercube", "Query", "Ranking", "SparseRows", "Tour"]
