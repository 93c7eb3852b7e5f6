"""Which of a solver's local optima to propose, and how likely a proposal is to be accepted unchanged."""

from coactor.proposals.strategies import (
    NAMES,
    Outlook,
    SearchLimits,
    Strategy,
    expected_moves,
    limits,
    strategy,
)

__all__ = ["NAMES", "Outlook", "SearchLimits", "Strategy", "expected_moves", "limits", "strategy"]
