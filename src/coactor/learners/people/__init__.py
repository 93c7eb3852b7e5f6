"""Learners of several people: population.py has the default one, several.py those of the paper."""
