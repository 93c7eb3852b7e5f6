"""What people chose in past cases, and features of it for any domain that names the parts of a solution."""

from coactor.habits.habitual import (
    HabitualDomain,
    RecalledProblem,
    habit_features,
    plain,
    start_weights,
    with_habits,
)
from coactor.habits.recalling import (
    DEFAULT_KINDS,
    KINDS,
    Memory,
    check_kinds,
    past_case,
    place_and_choice,
    recall,
)

__all__ = [
    "DEFAULT_KINDS",
    "KINDS",
    "HabitualDomain",
    "Memory",
    "RecalledProblem",
    "check_kinds",
    "habit_features",
    "past_case",
    "place_and_choice",
    "plain",
    "recall",
    "start_weights",
    "with_habits",
]
