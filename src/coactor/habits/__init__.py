"""What people chose in past cases, and a feature of it for any domain that names the parts of a solution."""

from coactor.habits.habitual import (
    HabitualDomain,
    RecalledProblem,
    habit_features,
    plain,
    start_weights,
    with_habits,
)
from coactor.habits.recalling import HABIT, Memory, past_case, place_and_choice, recall, usage_of

__all__ = [
    "HABIT",
    "HabitualDomain",
    "Memory",
    "RecalledProblem",
    "habit_features",
    "past_case",
    "place_and_choice",
    "plain",
    "recall",
    "start_weights",
    "usage_of",
    "with_habits",
]
