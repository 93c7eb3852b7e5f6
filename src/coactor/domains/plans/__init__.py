"""Delivery plans of a day: stops, vehicles and capacities, with the history of past days."""
