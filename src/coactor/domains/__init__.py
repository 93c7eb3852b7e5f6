"""The domains that coactor ships: what a problem, a solution and an edit are, in each of them."""

from coactor.domains.alternatives import Alternatives, Situation
from coactor.domains.fleets import Fleet, FleetProblem
from coactor.domains.hypercube import Cube, Hypercube
from coactor.domains.paths import Graph
from coactor.domains.plans import Day, PlannedDay, Plans, Shifts, Visits
from coactor.domains.queries import Query, SparseRows
from coactor.domains.rankings import Ranking
from coactor.domains.roads import Network, Roads, Route, Trip
from coactor.domains.tours import Tour

__all__ = [
    "Alternatives",
    "Cube",
    "Day",
    "Fleet",
    "FleetProblem",
    "Graph",
    "Hypercube",
    "Network",
    "PlannedDay",
    "Plans",
    "Query",
    "Ranking",
    "Roads",
    "Route",
    "Shifts",
    "Situation",
    "SparseRows",
    "Tour",
    "Trip",
    "Visits",
]
