"""What people read of a session or a study: data frames, a picture and HTML for a notebook.

Each function is a method of `Session`, `Study` and `RemoteStudy`.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, fields
from operator import attrgetter
from typing import Any, Literal, Protocol

import numpy as np

from coactor import display, frames
from coactor.explanations import Belief
from coactor.frames import Backend
from coactor.protocol import Basis, Invalid, Round, Vector, Work

WINDOW = 10  # corrections in a running mean
_LONG = ("delta", "change", "basis", "work")  # fields of a round that are no single value
_COLUMNS = {  # of a row for a round, and where they stand in it
    **{field.name: field.name for field in fields(Round) if field.name not in _LONG},
    **{field.name: f"work.{field.name}" for field in fields(Work) if field.name != "authors"},
    **{f"proposed_{field.name}": f"basis.{field.name}" for field in fields(Basis)},
}


class Records(Protocol):
    """What is read here."""

    def effort(self, after: int = 0) -> list[Round]: ...

    def beliefs(self) -> list[Belief]: ...


def to_frame(
    self: Records, what: Literal["rounds", "weights", "log"] = "rounds", *, backend: Backend | None = None
) -> Any:
    """The finished proposals, the weights or the log as a data frame of pandas or polars.

    Parameters
    ----------
    what
        "rounds": what each finished proposal cost; "weights": what is known of each feature; "log":
        the facts of a study.
    backend
        "pandas" or "polars"; by default whichever is installed, pandas if both are.
    """
    if what == "rounds":
        rows = [{name: attrgetter(place)(one) for name, place in _COLUMNS.items()} for one in self.effort()]
        return frames.to_frame(rows, backend, _COLUMNS)
    if what == "weights":
        return frames.to_frame([asdict(one) for one in self.beliefs()], backend)
    lines: Iterable[Any] | None = self.export() if what == "log" and hasattr(self, "export") else None
    if lines is None:
        raise Invalid(
            f"There is no table {what!r} here; expected 'rounds' or 'weights', of a study also 'log'."
        )
    facts = [line["fact"] for line in lines if "fact" in line]
    names = dict.fromkeys(name for fact in facts for name in fact)
    return frames.to_frame([{name: _plain(fact.get(name)) for name in names} for fact in facts], backend)


def plot(self: Records, ax: Any = None) -> Any:
    """Draw the effort of each finished proposal and its running mean with a 95 % interval; return the axes.

    Parameters
    ----------
    ax
        Axes of matplotlib; by default those of a new figure.
    """
    efforts = np.array([one.effort for one in self.effort()])
    steps, axes = np.arange(1, efforts.size + 1), frames.axes_of(ax)
    mean, error = _running(efforts)
    axes.plot(steps, efforts, ".", color="#888888", markersize=3, label="effort of a proposal")
    axes.plot(steps, mean, color="#0072B2", label=f"mean of the last {WINDOW}, 95 % interval")
    axes.fill_between(steps, np.maximum(0, mean - error), mean + error, color="#0072B2", alpha=0.15, lw=0)
    axes.set(xlabel="finished proposals", ylabel="effort")
    axes.set_ylim(bottom=0)
    axes.spines[["top", "right"]].set_visible(False)
    axes.legend(frameon=False)
    return axes


def html(self: Records) -> str:
    """The session in a line, the running mean of its efforts as a small picture, and what it has learned."""
    efforts = np.array([one.effort for one in self.effort()])
    mean = _running(efforts)[0]
    picture = ""
    if efforts.size > 1:
        x, y = np.linspace(0, 100, efforts.size), 19 - 18 * mean / max(mean.max(), 1e-12)
        line = {"shape": "line", "points": np.column_stack([x, y]).tolist(), "title": "effort"}
        picture = display.html([{"kind": "drawing", "size": [100, 20], "shapes": [line]}])
    names = ("feature", "weight", "deviation", "words", "worth")
    rows = [[getattr(one, name) for name in names] for one in self.beliefs()]
    return f"<p>{display.escape(repr(self))}</p>{picture}{display.table(names, rows)}"


def _plain(value: Any) -> Any:
    return display.one_line(value, 1000) if isinstance(value, list | dict) else value


def _running(efforts: Vector) -> tuple[Vector, Vector]:
    """The running mean and two standard errors of it."""
    windows = [efforts[max(0, k - WINDOW) : k] for k in range(1, efforts.size + 1)]
    errors = [2 * window.std() / max(window.size - 1, 1) ** 0.5 for window in windows]
    return np.array([window.mean() for window in windows]), np.array(errors)
