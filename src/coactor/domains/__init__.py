"""What a problem, a solution and an edit are. Each domain is replaceable by one of your own."""

from coactor.domains.fleets import Fleet, FleetProblem
from coactor.domains.graphs import Graph
from coactor.domains.habits import Habits
from coactor.domains.histories import History, PlannedDay
from coactor.domains.hypercube import Cube, Hypercube
from coactor.domains.networks import Network
from coactor.domains.plans import Day, Plans
from coactor.domains.rankings import Query, Ranking, SparseRows
from coactor.domains.roads import Roads, Route, Trip
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
