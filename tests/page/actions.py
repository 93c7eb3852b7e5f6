"""What a person does on a page: drag by mouse or by finger, press keys, submit."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

Place = tuple[float, float]


def centre(locator: Any) -> Place:
    """Return the middle of an element, in pixels of the window."""
    box = locator.bounding_box()
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def place_of(target: Any) -> Place:
    return target if isinstance(target, tuple) else centre(target)


def drag(page: Any, start: Any, end: Any, *, drop: bool = True) -> None:
    """Press the mouse on one element or place, move to another in steps, and let go."""
    page.mouse.move(*place_of(start))
    page.mouse.down()
    page.mouse.move(*place_of(end), steps=12)
    page.evaluate("() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
    if drop:
        page.mouse.up()


def drag_seeing(page: Any, start: Any, end: Any) -> None:
    """Drag a stop and let go once the page shows what that leads to: also if it breaks a rule."""
    drag(page, start, end, drop=False)
    page.locator(".consequence:not([hidden])").wait_for()
    page.mouse.up()


class Finger:
    """A finger on a touch screen, by real touch events."""

    def __init__(self, page: Any) -> None:
        self.page = page
        self.session = page.context.new_cdp_session(page)

    def send(self, kind: str, *places: Place) -> None:
        points = [{"x": x, "y": y, "id": number} for number, (x, y) in enumerate(places)]
        self.session.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})

    def slide(self, start: Any, end: Any, steps: int = 10) -> None:
        """Put the finger down and move it, without lifting it."""
        (x0, y0), (x1, y1) = place_of(start), place_of(end)
        self.send("touchStart", (x0, y0))
        for step in range(1, steps + 1):
            share = step / steps
            self.send("touchMove", (x0 + share * (x1 - x0), y0 + share * (y1 - y0)))
        frames = "() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))"
        self.page.evaluate(frames)

    def drag(self, start: Any, end: Any) -> None:
        self.slide(start, end)
        self.send("touchEnd")

    def pinch(self, centre: Place, before: float, after: float) -> None:
        """Spread two fingers from one distance to another."""
        x, y = centre
        for number, size in enumerate((before, (before + after) / 2, after)):
            kind = "touchMove" if number else "touchStart"
            self.send(kind, (x - size / 2, y), (x + size / 2, y))
        self.send("touchEnd")


def press(page: Any, *keys: str) -> None:
    for key in keys:
        page.keyboard.press(key)


def submit(page: Any) -> None:
    """Submit by Enter, as soon as the page obeys it, and wait for what was learned."""
    page.locator("#submit[data-armed]:not([disabled])").wait_for()
    page.evaluate("() => document.querySelector('#notice')?.remove()")  # of the proposal before
    page.keyboard.press("Enter")
    page.locator("#lesson").wait_for()


def reverse(page: Any, first: int, last: int) -> None:
    """Reverse a stretch of a route by keyboard."""
    page.locator(".lists .stop").nth(first).focus()
    press(page, "Space", *["ArrowDown"] * (last - first), "v")


@contextmanager
def console_errors(site: Any, *words: str) -> Iterator[None]:
    """Expect console errors that contain one of these words, and no others."""
    yield
    assert [error for error in site.log.errors if not any(word in error for word in words)] == []
    site.log.errors.clear()
