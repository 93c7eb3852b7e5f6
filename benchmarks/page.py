"""Speed of the page in Chromium: opening, edits, and frames per second while dragging.

    python benchmarks/page.py            # everything
    python benchmarks/page.py --grid     # a roster of 60 nurses and 31 days
    python benchmarks/page.py --large    # the queue of 10,000, the plan with 300 stops, the 50,000 links

Needs Chromium and the extra "test". Prints a table of measurements and the limits the page is built for.
"""

from __future__ import annotations

import os
import statistics
import sys
import tempfile
import time
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any

import numpy as np
from playwright.sync_api import sync_playwright

from coactor.domains import Day, Graph, Network, Plans, Query, Ranking, Roads, Tour, Trip
from coactor.studies import Store, catalog, open_study
from coactor.studies.accounts import Accounts
from coactor.studies.opening import Settings
from coactor.web import demo
from coactor.web.app import create_app

sys.path.insert(0, str(Path(__file__).parents[1]))
from tests.page.conftest import ARGS, CHROMIUM
from tests.web.conftest import serving

PAPER = Settings(proposals="paper")
FRAMES = """() => new Promise((resolve) => {
  window.times = [];
  const tick = (now) => { window.times.push(now); window.ticking = requestAnimationFrame(tick); };
  requestAnimationFrame((now) => { tick(now); resolve(); });
})"""


def large(store: Store) -> None:
    """Create a tour of 200 stops, a ranking of 200 documents and a trip on a network of 5,000 links."""
    rng = np.random.default_rng(0)
    places = rng.random((200, 2)) * [12, 8]
    i, j = np.triu_indices(200, 1)
    length = np.hypot(*(places[i] - places[j]).T)
    tour = Tour(200, 2, names=["distance (km)", "lights"])
    graph = Graph.of(
        200, np.column_stack([length, rng.poisson(length)]).round(2), coordinates=places.round(2)
    )
    with open_study(
        store, "tour-200", tour, "default", create=True, settings={"proposals": "paper"}
    ) as study:
        study.ask(graph)
    ranking = Ranking(5)
    with open_study(store, "ranking-200", ranking, "default", create=True) as study:
        study.ask(Query.of(rng.random((200, 5)).round(3)))
    domain = Roads(town(5000))
    with open_study(store, "roads-5000", domain, "default", create=True) as study:
        study.ask(Trip(0, domain.network.size - 1))


def crowded(store: Store) -> None:
    """Create a queue of 10,000 proposals, a plan with 300 stops and 25 vans, a trip on 50,000 links."""
    domain = Roads(town(50_000))
    with open_study(store, "roads-50000", domain, "default", create=True) as study:
        study.ask(Trip(0, domain.network.size - 1))
    ranking, query = Ranking(2), Query.of([[1.0, 0.0], [0.0, 1.0]])
    with open_study(
        store, "queue-10000", ranking, "default", create=True, settings={"proposals": "paper"}
    ) as study:
        for k in range(10_000):
            study.ask(query, label=f"Guest {k + 1}")
    rng = np.random.default_rng(2)
    places = rng.random((301, 2)) * [12, 8]
    length = np.hypot(*(places[:, None] - places[None]).transpose(2, 0, 1))
    arcs = np.stack([length, rng.poisson(length), *rng.random((8, 301, 301))], axis=2).round(2)
    arcs[np.arange(301), np.arange(301)] = 0.0
    demand = np.concatenate([[0], rng.integers(1, 5, 300)])
    capacity = np.full(25, -(-int(demand.sum() * 1.15) // 25))
    day = Day.of(arcs, demand, capacity, coordinates=places.round(3))
    with open_study(
        store, "plan-300", Plans(10), "default", create=True, settings={"proposals": "paper"}
    ) as study:
        study.ask(day)


def scale(
    browser: Any, store: Store, address: str, rows: list[tuple[str, str, str]], frames: dict[str, list[float]]
) -> None:
    """Measure the queue of 10,000 proposals, the plan with 300 stops and the trip on 50,000 links."""
    page, text = opened(browser, store, address, "/s/roads-50000/p/1", ".choice")
    rows.append(("open 50,000 links with alternatives", text, "1500 ms"))
    page, text = opened(browser, store, address, "/s/queue-10000", ".ticket")
    rows.append(("open a queue of 10,000", text, "1000 ms"))
    for what, parameters in (
        ("read it", "order=oldest"),
        ("search it", "search=guest+99"),
        ("sort it by chance", "order=doubtful"),
    ):
        path = f"{address}/api/studies/queue-10000/queue?{parameters}"
        rows.append((what, in_words([answer(page, path)[0] for _ in range(8)]), "100 ms"))
    page, text = opened(browser, store, address, "/s/plan-300/p/1", "body[data-revision]")
    rows.append(("open a plan with 300 stops", text, "1500 ms, 500 kB"))
    clock = Clock(page)
    for k in range(1, 9):
        stops = page.locator(".route").nth(k).locator(".stop")
        stops.nth(1).click()
        stops.nth(3).click()
        with clock:
            page.keyboard.press("m")
            page.locator(f'body[data-revision="{k}"]').wait_for(state="attached")
    rows.append(("an edit of it, key to screen", clock.text, "100 ms"))
    dots, before = page.locator(".map .stop"), busy(clock.wire)
    gaps = drag(page, centre(dots.nth(20)), centre(dots.nth(120)))
    text = f"{(busy(clock.wire) - before) / len(gaps):.1f} ms of processor time"
    rows.append(("a frame of a drag on its map", text, "16.7 ms"))
    frames["drag on the map, 300 stops"] = gaps


def town(links: int) -> Network:
    """Return a grid of named streets with about this many links."""
    rng, side = np.random.default_rng(1), round(np.sqrt(links / 4))
    grid = np.arange(side * side).reshape(side, side)
    across = np.stack([grid[:, :-1].ravel(), grid[:, 1:].ravel()], 1)
    down = np.stack([grid[:-1].ravel(), grid[1:].ravel()], 1)
    both = np.concatenate([across, across[:, ::-1], down, down[:, ::-1]])
    names = [
        f"{'Row' if k < 2 * len(across) else 'Column'} {a % side}" for k, (a, _) in enumerate(both.tolist())
    ]
    places = np.column_stack(np.divmod(np.arange(side * side), side)) + rng.uniform(
        -0.3, 0.3, (side * side, 2)
    )
    kinds = rng.choice(["main", "side", "lane"], len(both)).tolist()
    length = rng.uniform(50, 150, len(both))
    return Network.of(both[:, 0], both[:, 1], length, kinds, places=places, streets=names)


def month(store: Store) -> None:
    """Create a roster of 60 nurses and 31 days."""
    # By its path, because it imports the example of the same name.
    spec = spec_from_file_location("roster_benchmark", Path(__file__).with_name("roster.py"))
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    model, x = module.month()
    catalog.add("roster-60x31", lambda: model)
    with open_study(
        store, "roster-60x31", model, "default", create=True, settings={"proposals": "paper"}
    ) as study:
        study.ask(x)


def grid(browser: Any, store: Store, address: str, rows: list[tuple[str, str, str]]) -> list[float]:
    """Measure opening, edits and the choices of a cell of a large roster; return frames while dragging."""
    path = "/s/roster-60x31/p/1"
    page, text = opened(browser, store, address, path, "body[data-revision]")
    rows.append(("open 60 x 31 cells", text, "1500 ms, 500 kB"))
    clock, asked = Clock(page), []
    for k in range(8):
        took, options = answer(page, f"{address}/api/studies/roster-60x31/proposals/1/part?part={31 * k}")
        asked.append(took)
        allowed = [one for one in options if one["move"]["op"] == "set" and not one["refused"]]
        if not allowed:
            continue
        page.locator(f'.grid [data-part="{31 * k}"]').focus()
        with clock:
            page.keyboard.press(str(allowed[0]["move"]["args"][2] + 1))
            page.locator(f'body[data-revision="{len(clock.times) + 1}"]').wait_for(state="attached")
    rows.append(("the choices of a cell of 60 x 31", in_words(asked), "100 ms"))
    if clock.times:
        rows.append(("an edit of 60 x 31, key to screen", clock.text, "100 ms"))
    cells, before = page.locator(".grid [data-part]"), busy(clock.wire)
    gaps = drag(page, centre(cells.nth(0)), centre(cells.nth(31 * 12)))
    text = f"{(busy(clock.wire) - before) / len(gaps):.1f} ms of processor time"
    rows.append(("a frame of it", text, "16.7 ms"))
    return gaps


def roads(
    browser: Any,
    store: Store,
    address: str,
    name: str,
    rows: list[tuple[str, str, str]],
    frames: dict[str, list[float]],
) -> None:
    """Measure edits by key, alternatives for a stretch, and frames while map and route are dragged."""
    page, _ = opened(browser, store, address, f"/s/{name}/p/1", "body[data-revision]")
    edits = []
    for k in range(1, 5):
        page.locator(".choice").first.wait_for()
        page.locator(".streets .whole").focus()
        edits.append(press(page, "1", k))
    place = f"{address}/api/studies/{name}/proposals/1/ways"
    requests = [answer(page, f"{place}?first={1 + k}&last={4 + k}")[0] for k in range(8)]
    for what, times in (("an edit of", edits), ("alternatives in", requests)):
        rows.append((f"{what} {name}", in_words(times), "100 ms"))
    page.locator(".choice").first.wait_for()
    box = page.locator(".roadmap").bounding_box()
    corner = (box["x"] + 6, box["y"] + 6)
    frames[f"pan the map of {name}"] = drag(page, corner, (corner[0] + 150, corner[1] + 100))
    page.get_by_role("button", name="Show everything").click()
    page.evaluate("() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
    start = centre(page.locator(".badge.end").first)
    frames[f"pull the route of {name}"] = drag(page, (start[0], start[1]), (start[0] + 120, start[1] + 60))


def opened(browser: Any, store: Store, address: str, path: str, ready: str) -> tuple[Any, str]:
    """Open a page with an empty cache; return it, and times and kilobytes in words."""
    for context in browser.contexts:  # earlier pages would go on asking the server
        context.close()
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    context.request.get(f"{address}/login?code={Accounts(store).login_link()}")  # sets the cookie
    page = context.new_page()
    return page, again(page, address + path, ready)


def again(page: Any, path: str, ready: str) -> str:
    """Open a page; return in words the time until it is ready, and the kilobytes transferred.

    Processor time is that of the server and of the page's main thread: what other work on the machine does
    not change.
    """
    sizes: list[float] = []
    wire = page.context.new_cdp_session(page)
    # Cached files have length 0 here.
    wire.on("Network.loadingFinished", lambda message: sizes.append(message["encodedDataLength"]))
    wire.send("Network.enable")
    wire.send("Performance.enable", {"timeDomain": "threadTicks"})
    before, server, began = busy(wire), time.process_time(), time.perf_counter()
    page.goto(path)
    page.locator(ready).first.wait_for(state="attached")
    took = 1000 * (time.perf_counter() - began)
    used = 1000 * (time.process_time() - server) + max(0.0, busy(wire) - before)
    page.wait_for_load_state("networkidle")
    wire.detach()
    return f"{took:.0f} ms ({used:.0f} ms of processor time), {sum(sizes) / 1000:.0f} kB"


def answer(page: Any, path: str) -> tuple[float, Any]:
    """Ask the server; return the milliseconds that it took, and the answer."""
    began = time.perf_counter()
    reply = page.request.get(path)
    return 1000 * (time.perf_counter() - began), reply.json()


def press(page: Any, key: str, revision: int) -> float:
    """Press a key; return the milliseconds until the page shows this revision."""
    began = time.perf_counter()
    page.keyboard.press(key)
    page.locator(f'body[data-revision="{revision}"]').wait_for(state="attached")
    return 1000 * (time.perf_counter() - began)


def in_words(times: list[float]) -> str:
    return f"median {statistics.median(times):.0f} ms, worst {max(times):.0f} ms"


class Clock:
    """Measures what happens in a `with` block, several times: milliseconds that pass, and processor time."""

    def __init__(self, page: Any) -> None:
        self.wire = page.context.new_cdp_session(page)
        self.wire.send("Performance.enable", {"timeDomain": "threadTicks"})
        self.times: list[float] = []
        self.used: list[float] = []

    def __enter__(self) -> None:
        self._used = 1000 * time.process_time() + busy(self.wire)
        self._began = time.perf_counter()

    def __exit__(self, *error: object) -> None:
        self.times.append(1000 * (time.perf_counter() - self._began))
        self.used.append(1000 * time.process_time() + busy(self.wire) - self._used)

    @property
    def text(self) -> str:
        """The measurements in words."""
        used = f"{statistics.median(self.used):.0f} ms of processor time"
        return f"median {statistics.median(self.times):.0f} ms ({used}), worst {max(self.times):.0f} ms"


def busy(wire: Any) -> float:
    """Return milliseconds of processor time of a page's main thread so far."""
    metrics = {one["name"]: one["value"] for one in wire.send("Performance.getMetrics")["metrics"]}
    return 1000 * float(metrics["TaskDuration"])


def drag(page: Any, start: tuple[float, float], end: tuple[float, float], steps: int = 120) -> list[float]:
    """Drag something to and fro; return the milliseconds between frames."""
    page.mouse.move(*start)
    page.mouse.down()
    page.evaluate(FRAMES)
    for k in range(steps):
        share = abs(2 * k / steps - 1)
        page.mouse.move(*(b + share * (a - b) for a, b in zip(start, end, strict=True)))
    times = page.evaluate("() => { cancelAnimationFrame(window.ticking); return window.times; }")
    page.mouse.up()
    return list(np.diff(times))


def centre(locator: Any) -> tuple[float, float]:
    box = locator.bounding_box()
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def everyday(
    browser: Any, store: Store, address: str, rows: list[tuple[str, str, str]], frames: dict[str, list[float]]
) -> None:
    """Measure every kind of page, and the editors with 200 parts."""
    for path, ready in (
        ("/", ".card"),
        ("/s/try-tour", ".ticket"),
        ("/s/try-tour/report", ".log li"),
        ("/s/try-tour/p/1", "body[data-revision]"),
        ("/s/try-ranking/p/1", "body[data-revision]"),
        ("/s/try-roads/p/1", "body[data-revision]"),
    ):
        page, text = opened(browser, store, address, path, ready)
        rows.append((f"open {path}", text, "1000 ms, 300 kB"))
        rows.append((f"open {path} again", again(page, address + path, ready), "1000 ms"))
    for name in ("try-ranking", "ranking-200"):
        page, _ = opened(browser, store, address, f"/s/{name}/p/1", "body[data-revision]")
        page.locator(".ranking li").first.focus()
        times = [press(page, "Alt+ArrowDown", k) for k in range(1, 9)]
        rows.append((f"an edit of {name}, key to screen", in_words(times), "100 ms"))
    for name in ("try-roads", "roads-5000"):
        roads(browser, store, address, name, rows, frames)
    page, _ = opened(browser, store, address, "/s/tour-200/p/1", "body[data-revision]")
    dots = page.locator(".map .stop")
    frames["drag on the map, 200 stops"] = drag(page, centre(dots.nth(20)), centre(dots.nth(120)))
    stops = page.locator(".lists .stop")
    frames["drag in the list, 200 stops"] = drag(page, centre(stops.nth(2)), centre(stops.nth(14)))
    page, _ = opened(browser, store, address, "/s/ranking-200/p/1", "body[data-revision]")
    docs = page.locator(".ranking li .called")
    frames["drag, 200 documents"] = drag(page, centre(docs.nth(1)), centre(docs.nth(11)))


def main() -> None:
    if CHROMIUM is None:
        sys.exit("Chromium is not installed; install it with: apt-get install chromium")
    only_large, only_grid = "--large" in sys.argv[1:], "--grid" in sys.argv[1:]
    rows: list[tuple[str, str, str]] = []
    frames: dict[str, list[float]] = {}
    with tempfile.TemporaryDirectory() as folder, Store(f"sqlite:///{Path(folder)}/desk.db") as store:
        if not only_large:
            month(store)
        if not only_large and not only_grid:
            demo.create_demo_studies(store)
            large(store)
        if not only_grid:
            crowded(store)
        with serving(create_app(store, demo=demo)) as address, sync_playwright() as driver:
            browser = driver.chromium.launch(executable_path=CHROMIUM, args=ARGS)
            opened(browser, store, address, "/", ".card")  # warms the server up
            if not only_large:
                frames["drag, 60 x 31 cells"] = grid(browser, store, address, rows)
            if not only_large and not only_grid:
                everyday(browser, store, address, rows, frames)
            if not only_grid:
                scale(browser, store, address, rows, frames)
            browser.close()
    for what, gaps in frames.items():
        late = sum(gap > 25 for gap in gaps)
        text = f"{1000 / np.mean(gaps):.0f} frames/s, {late} of {len(gaps)} late"
        rows.append((what, text, "60 frames/s"))
    load = f"{os.getloadavg()[0]:.1f} processes on {os.cpu_count()} cores"
    for cells in (("what", "limit", f"measured, with {load}"), ("---",) * 3):
        print(f"| {' | '.join(cells)} |")
    for what, measured, limit in rows:
        print(f"| {what} | {limit} | {measured} |")


if __name__ == "__main__":
    main()
