"""Jinja2 templates for reports, and the filters they use."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, Any

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
        "write": write,
        "inline_svg": inline_svg,
    }
    return environment


def write(value: float, style: str) -> str:
    """A number in one of the styles below."""
    return {"number": number, "fixed": fixed, "ratio": ratio}[style](value)


def number(value: float) -> str:
    """Three or four digits, which is as precise as ten runs are."""
    if value == 0:
        return "0"
    if abs(value) >= 1e6:
        return f"{value:.1e}".replace("e+0", "e").replace("e+", "e")
    if abs(value) >= 1000:
        return f"{value:.0f}"
    return f"{value:.1f}" if abs(value) >= 10 else f"{value:.3g}"


def fixed(value: float) -> str:
    """A fixed number of decimals, for numbers that differ in the last ones."""
    return f"{value:.3f}" if abs(value) < 100 else f"{value:.2f}"


def ratio(value: float) -> str:
    """Two decimals, three if the value is small."""
    return f"{value:.2f}" if value >= 0.1 else f"{value:.3f}"


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
