"""Readers of common file formats. Each validates the whole file before it returns anything."""

from coactor.loaders.choices import read_choices
from coactor.loaders.letor import read_groups, read_letor
from coactor.loaders.past_routes import read_past_routes, write_routes
from coactor.loaders.plans import read_distances, read_plans
from coactor.loaders.roads import read_network, read_roads, read_trips
from coactor.loaders.routing import read_routing
from coactor.loaders.tsplib import read_tour, read_tsplib
from coactor.loaders.vrplib import read_solution, read_vrplib

__all__ = [
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
    "read_vrplib",
    "write_routes",
]
