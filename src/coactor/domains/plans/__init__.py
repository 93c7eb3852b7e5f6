"""Plans: the delivery routes of a day, with capacities, and the history of earlier days."""

from coactor.domains.plans.day import Day
from coactor.domains.plans.domain import PlanLandscape, Plans, Routes
from coactor.domains.plans.history import Column, History, PlannedDay

__all__ = ["Column", "Day", "History", "PlanLandscape", "PlannedDay", "Plans", "Routes"]
