"""Numbers of a report as people read them. They are rounded here, so that they are the same everywhere."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Context, Decimal

_EXACT = Context(prec=400, rounding=ROUND_HALF_UP)  # more digits than a float has before the point


@dataclass(frozen=True, slots=True)
class Format:
    """How the values of a measure are written.

    Attributes
    ----------
    value
        The text of a value that is not negative.
    size
        The text of a change without its sign.
    """

    value: Callable[[float], str]
    size: Callable[[float], str]

    def change(self, value: float) -> str:
        """The text of a change, with its sign."""
        sign = "+" if value > 0 else "−" if value < 0 else ""
        return sign + self.size(abs(value))


def rounded(value: float, places: int) -> Decimal:
    """Round to decimal places; a half is rounded up, as `toFixed` does in the page's scripts.

    Examples
    --------
    >>> rounded(1.25, 1), rounded(2.5, 0)
    (Decimal('1.3'), Decimal('3'))
    """
    return Decimal(value).quantize(Decimal(1).scaleb(-places), context=_EXACT)


def edits(value: float) -> str:
    """A mean number of edits: two significant digits, or all digits before the point.

    Examples
    --------
    >>> [edits(value) for value in (0.0, 0.072, 1.25, 4.0, 123.4)]
    ['0', '0.072', '1.3', '4', '123']
    """
    places = max(0, min(4, 1 - Decimal(value).adjusted()))
    return f"{rounded(value, places).normalize(_EXACT):f}"


def minutes(seconds: float) -> str:
    """A duration as minutes and seconds.

    Examples
    --------
    >>> minutes(124.5)
    '2:05'
    """
    whole = int(rounded(seconds, 0))
    return f"{whole // 60}:{whole % 60:02}"


def percent(share: float) -> str:
    """A share in whole per cent."""
    return f"{rounded(100 * share, 0)} %"


EDITS = Format(edits, lambda size: f"{rounded(size, 1)}")
MINUTES = Format(minutes, minutes)
PERCENT = Format(percent, percent)
