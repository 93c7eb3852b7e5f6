"""Plans: the delivery routes of a day, with capacities."""

from coactor.domains.plans.day import Day, PlannedDay
from coactor.domains.plans.domain import PlanLandscape, Plans, Routes

__all__ = ["Day", "PlanLandscape", "PlannedDay", "Plans", "Routes"]
