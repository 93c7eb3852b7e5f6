"""What all figures share: matplotlib settings, colours, and output as PNG and SVG."""

from __future__ import annotations

import io
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from matplotlib.figure import Figure

# The palette of Okabe and Ito can be told apart by colour-blind readers.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#5B3A8C", "#8C6D00", "#56B4E9", "#A03030")
REFERENCE = "#444444"
_SETTINGS: Any = {
    "font.size": 9.5,
    "font.family": "DejaVu Sans",
    "svg.hashsalt": "coactor",  # the same numbers give the same bytes
    "svg.fonttype": "path",
}


@contextmanager
def new_figure(**options: Any) -> Iterator[Figure]:
    """A figure, independent of the user's matplotlib settings and back end."""
    import matplotlib as mpl
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    with mpl.rc_context(_SETTINGS):
        figure = Figure(**options)
        FigureCanvasAgg(figure)
        yield figure


def encode(figure: Figure) -> tuple[bytes, str]:
    """The figure as PNG bytes and as SVG text."""
    png, svg = io.BytesIO(), io.StringIO()
    figure.savefig(png, format="png", dpi=160, metadata={"Software": None})
    figure.savefig(svg, format="svg", metadata={"Date": None, "Creator": None})
    return png.getvalue(), svg.getvalue()
