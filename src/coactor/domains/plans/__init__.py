"""Plans: the delivery routes of a day, with loads, times, skills and depots."""

from coactor.domains.plans.day import Day, PlannedDay
from coactor.domains.plans.domain import PlanLandscape, Plans, Routes
from coactor.domains.plans.schedule import Timing, timing
from coactor.domains.plans.tables import Shifts, Visits

__all__ = ["Day", "PlanLandscape", "PlannedDay", "Plans", "Routes", "Shifts", "Timing", "Visits", "timing"]
