"""What a problem, a solution and an edit are. Each domain is replaceable by one of your own."""

from coactor.domains.fleets import Fleet, FleetProblem
from coactor.domains.graphs import Graph
from coactor.domains.hypercube import Cube, Hypercube
from coactor.domains.plans.domain import Day, Plans
from coactor.domains.plans.history import History, PlannedDay
from coactor.domains.rankings import Query, Ranking, SparseRows
from coactor.domains.roads.domain import Roads, Route, Trip
from coactor.domains.roads.habits import Habits
from coactor.domains.roads.network import Network
from coactor.domains.tours import Tour

__all__ = [
    "Cube",
    "Day",
    "Fleet",
    "FleetProblem",
    "Graph",
    "Habits",
    "History",
    "Hypercube",
    "Network",
    "PlannedDay",
    "Plans",
    "Query",
    "Ranking",
    "Roads",
    "Route",
    "SparseRows",
    "Tour",
    "Trip",
]
