"""Readers of common file formats. Each validates the whole file before it returns anything."""

from coactor.loaders.choices import read_choices
from coactor.loaders.letor import read_groups, read_letor
from coactor.loaders.past_routes import arcs_beside, read_arcs, read_past_routes, write_routes
from coactor.loaders.plans import read_distances, read_plans
from coactor.loaders.roads import read_network, read_roads, read_trips, street_km
from coactor.loaders.routing import read_routing
from coactor.loaders.tsplib import read_tour, read_tsplib
from coactor.loaders.vroom import read_vroom, read_vroom_solution, write_vroom_solution
from coactor.loaders.vrplib import read_solution, read_vrplib

__all__ = [
    "arcs_beside",
    "read_arcs",
    "read_choices",
    "read_distances",
    "read_groups",
    "read_letor",
    "read_network",
    "read_past_routes",
    "read_plans",
    "read_roads",
    "read_routing",
    "read_solution",
    "read_tour",
    "read_trips",
    "read_tsplib",
    "read_vroom",
    "read_vroom_solution",
    "read_vrplib",
    "street_km",
    "write_routes",
    "write_vroom_solution",
]
