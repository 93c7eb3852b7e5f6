"""Roads: routes through a road network, edited by via-points."""

from coactor.domains.roads.detours import Way, other_ways, way_of, way_through
from coactor.domains.roads.domain import Roads
from coactor.domains.roads.network import Network
from coactor.domains.roads.topology import components, successors, turn_sides
from coactor.domains.roads.trips import Route, Trip

__all__ = [
    "Network",
    "Roads",
    "Route",
    "Trip",
    "Way",
    "components",
    "other_ways",
    "successors",
    "turn_sides",
    "way_of",
    "way_through",
]
