"""Which of a solver's local optima to propose, and how likely a proposal is to be accepted unchanged."""

from coactor.proposals.strategies import NAMES, Effort, Outlook, Strategy, effort, expected_moves, strategy

__all__ = ["NAMES", "Effort", "Outlook", "Strategy", "effort", "expected_moves", "strategy"]
