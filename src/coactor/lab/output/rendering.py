"""Jinja2 templates for reports, and the filters they use."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from coactor.lab.engine.statistics import Interval

if TYPE_CHECKING:
    from jinja2 import Environment


def render(template: str, **context: Any) -> str:
    """Render a file of the folder `templates`; HTML is escaped."""
    return _environment().get_template(template).render(context)


@lru_cache(maxsize=1)
def _environment() -> Environment:
    from jinja2 import Environment, PackageLoader, StrictUndefined, select_autoescape

    environment = Environment(
        loader=PackageLoader("coactor.lab.output"),
        autoescape=select_autoescape(["html"]),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters |= {
        "number": number,
        "fixed": fixed,
        "percent": percent,
        "texts": texts,
        "inline_svg": inline_svg,
    }
    return environment


def texts(interval: Interval) -> tuple[str, str, str]:
    """Value, low and high of an interval, with the same number of decimals."""
    value, low, high = interval.value, interval.low, interval.high
    largest = max(map(abs, (value, low, high)))
    if largest >= 1e6:
        return number(value), number(low), number(high)
    digits = 0 if largest >= 1000 else 1 if largest >= 10 else 2 if largest >= 1 else 3
    return f"{value:.{digits}f}", f"{low:.{digits}f}", f"{high:.{digits}f}"


def number(value: float) -> str:
    """Three or four digits, which is as precise as ten runs are."""
    return f"{value:.0f}" if 1000 <= abs(value) < 1e6 else f"{value:.3g}"


def fixed(value: float) -> str:
    """A fixed number of decimals, for numbers that differ in the last ones."""
    return f"{value:.3f}" if abs(value) < 100 else f"{value:.2f}"


def percent(value: float, digits: int = 0) -> str:
    """A share in percent."""
    return f"{100 * value:.{digits}f} %"


def inline_svg(svg: str, label: str) -> Any:
    """A figure as part of an HTML page: without prolog and fixed size, with a label for screen readers."""
    from markupsafe import Markup, escape

    text = svg[svg.index("<svg") :]
    for attribute in ("width", "height"):
        text = re.sub(rf'(<svg\b[^>]*?) {attribute}="[^"]*"', r"\1", text, count=1)
    return Markup(text.replace("<svg", f'<svg role="img" aria-label="{escape(label)}"', 1))
