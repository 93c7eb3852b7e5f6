"""Road networks, and trips driven on them, from CSV files, extracts of OpenStreetMap and GeoJSON."""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import Any

import numpy as np

from coactor import validation
from coactor.domains.roads import Network, components
from coactor.kernels.roads import tree
from coactor.loaders.street_maps import Piece, read_map
from coactor.loaders.tables import read_table
from coactor.protocol import Indices, Matrix


def street_km(network: Network, places: Any) -> Matrix:
    """The kilometres of the shortest way along the streets from each place to each other.

    Places are coordinates as those of the network; each is taken to be at its nearest junction. Every turn is
    allowed. Raises ValueError if the network has no lengths or no coordinates, or a place is not on its map.
    """
    if network.length is None or network.places is None:
        raise ValueError("The ways need a network with lengths in metres and coordinates of the junctions.")
    given = validation.matrix(places, "places", None, 2)
    at = [int(((network.places - place) ** 2).sum(axis=1).argmin()) for place in given]
    off, size = ((network.places[at] - given) ** 2).sum(axis=1), np.ptp(network.places, axis=0)
    if off.max() > size @ size:
        raise ValueError(f"Place {given[off.argmax()]} is farther from the streets than their map is wide.")
    links = np.argsort(network.ends[:, 0], kind="stable")
    start = np.searchsorted(network.ends[links, 0], np.arange(len(network.places) + 1))
    heads = np.ascontiguousarray(network.ends[:, 1])
    return np.array([tree(start, links, heads, network.length, one, -1)[0][at] for one in at]) / 1000.0


def read_network(
    links: str | Path,
    nodes: str | Path | None = None,
    turns: str | Path | None = None,
    *,
    largest: bool = False,
) -> Network:
    """Read a directed road network: a CSV file of links, an extract of OpenStreetMap, or GeoJSON.

    Parameters
    ----------
    links
        A file ``.osm`` or ``.osm.xml`` (roads for cars), or ``.geojson`` or ``.json`` (lines with the
        properties ``highway``, ``name`` and ``oneway``). Or a CSV file with the columns
        ``id,from,to,length,kind,street`` (or, as OSMnx writes them, ``u,v,length,highway,name``; ``n_id``
        takes precedence over ``id``). Without an id, links are numbered by row. Lengths are metres.
    nodes
        Columns ``id,x,y`` (or ``osmid``): needed to tell left from right. Coordinates within +-180 and +-90
        are taken for degrees.
    turns
        Columns ``from_link,to_link``: the allowed turns. By default a link may be followed by every link that
        begins where it ends.
    largest
        Keep the largest connected component instead of refusing a network of several.

    Raises
    ------
    ValueError
        With the file, the line and what was expected.
    """
    if Path(links).name.lower().endswith((".osm", ".osm.xml", ".pbf", ".geojson", ".json")):
        if nodes is not None or turns is not None:
            raise ValueError(f"{links} has its own nodes; give nodes and turns with a CSV file only.")
        pieces, places = read_map(links)
        return _network(pieces, None, places, largest)
    junctions: dict[str, int] = {}
    pieces = _read_links(links, junctions)
    pairs = None if turns is None else _read_turns(Path(turns), pieces)
    known = None if nodes is None else _read_nodes(Path(nodes), junctions)
    return _network(pieces, pairs, known, largest)


def _read_links(path: str | Path, junctions: dict[str, int]) -> list[Piece]:
    """The links of a CSV file; the names of their junctions are numbered."""
    columns = {
        "id": ("n_id", "id"),
        "from": ("from", "u"),
        "to": ("to", "v"),
        "length": ("length",),
        "kind": ("kind", "highway"),
        "street": ("street", "name"),
    }
    pieces: dict[str, Piece] = {}
    for row in read_table(path, columns, optional=("id", "kind", "street")):
        name = row.text("id") if "id" in row.cells else str(len(pieces))
        if name in pieces:
            raise row.fail(f"link {name} appears a second time.")
        length = row.number("length")
        if length <= 0:
            raise row.fail(f"link {name} has length {length:g}; expected a length above 0.")
        begin, end = (junctions.setdefault(row.text(key), len(junctions)) for key in ("from", "to"))
        kind, street = (_first(row.cells.get(key, "")) for key in ("kind", "street"))
        pieces[name] = Piece(name, (begin, end), length, kind or "any", street)
    if not pieces:
        raise ValueError(f"{path} has no links; expected rows below the header.")
    return list(pieces.values())


def _network(pieces: list[Piece], pairs: Indices | None, places: Matrix | None, largest: bool) -> Network:
    """The network of links, or of those of its largest component."""
    ends = np.array([piece.ends for piece in pieces], dtype=np.int64)
    keep = np.arange(len(pieces))
    if largest:
        component = components(*ends.T.copy())
        keep = np.flatnonzero(component == np.bincount(component).argmax())
    used, numbers = np.unique(ends[keep], return_inverse=True)
    if pairs is not None:
        number = np.full(len(pieces), -1)
        number[keep] = np.arange(len(keep))
        pairs = number[pairs[np.isin(pairs[:, 0], keep)]]
    kept = [pieces[k] for k in keep]
    begin, end = numbers.reshape(-1, 2).T
    return Network.of(
        begin,
        end,
        [piece.length for piece in kept],
        [piece.kind for piece in kept],
        ids=[piece.id for piece in kept],
        turns=pairs,
        places=None if places is None else places[used],
        streets=[piece.street for piece in kept] if any(piece.street for piece in kept) else None,
    )


def read_roads(folder: str | Path) -> tuple[Network, list[Indices] | None]:
    """Read a folder: ``links.csv``, and, if they exist, ``nodes.csv``, ``turns.csv`` and ``trips.csv``.

    Keeps the largest connected component of the network. Without a file of trips, returns None for them.
    (``transitions.csv`` and ``paths.csv`` are other names for turns and trips.)
    """
    folder = Path(folder)
    if not folder.is_dir():
        raise FileNotFoundError(f"There is no folder {folder}.")
    if not (folder / "links.csv").is_file():
        raise FileNotFoundError(f"{folder} has no links.csv; expected the links of a road network there.")
    nodes, turns, trips = (
        next((folder / name for name in names if (folder / name).is_file()), None)
        for names in (("nodes.csv",), ("turns.csv", "transitions.csv"), ("trips.csv", "paths.csv"))
    )
    network = read_network(folder / "links.csv", nodes, turns, largest=True)
    return network, None if trips is None else read_trips(trips, network)


def _first(text: str) -> str:
    """The first of several kinds or names, which OSMnx writes as "['residential', 'unclassified']"."""
    if not text.startswith("["):
        return text.strip("'\" ")[:200]
    return text.strip("[] ").split(",")[0].strip("'\" ")[:200]


def read_trips(path: str | Path, network: Network) -> list[Indices]:
    """Read driven trips: column ``path``, the ids of the links driven, joined by ``_`` or blanks.

    Raises
    ------
    ValueError
        With the file and the line of an unknown link, an unknown turn or a trip of fewer than two links.
    """
    number = {name: k for k, name in enumerate(network.ids)}
    follows = [
        set(network.head[a:b].tolist()) for a, b in zip(network.start[:-1], network.start[1:], strict=True)
    ]
    trips = []
    for row in read_table(path, {"path": ("path",)}):
        names = row.text("path").replace("_", " ").split()
        for name in names:
            if name not in number:
                raise row.fail(f"the trip uses link {name}, which the network does not have.")
        if len(names) < 2:
            raise row.fail(f"the trip is {' '.join(names)!r}; expected at least two links.")
        links = [number[name] for name in names]
        for a, b in itertools.pairwise(links):
            if b not in follows[a]:
                raise row.fail(f"there is no turn from link {network.ids[a]} into link {network.ids[b]}.")
        trips.append(np.array(links, dtype=np.int64))
    if not trips:
        raise ValueError(f"{path} has no trips; expected rows below the header.")
    return trips


def _read_turns(path: Path, pieces: list[Piece]) -> Indices:
    ids, pairs = {piece.id: k for k, piece in enumerate(pieces)}, []
    for row in read_table(path, {"from_link": ("from_link",), "to_link": ("to_link",)}):
        names = [row.text("from_link"), row.text("to_link")]
        for name in names:
            if name not in ids:
                raise row.fail(f"the turn uses link {name}, which the network does not have.")
        a, b = ids[names[0]], ids[names[1]]
        if pieces[a].ends[1] != pieces[b].ends[0]:
            raise row.fail(f"link {names[1]} does not begin where link {names[0]} ends.")
        pairs.append((a, b))
    if not pairs:
        raise ValueError(f"{path} has no turns; expected rows below the header.")
    return np.array(pairs, dtype=np.int64)


def _read_nodes(path: Path, junctions: dict[str, int]) -> np.ndarray[tuple[int, int], np.dtype[np.float64]]:
    places = np.full((len(junctions), 2), np.nan)
    for row in read_table(path, {"id": ("id", "osmid"), "x": ("x",), "y": ("y",)}):
        name = row.text("id")
        if name in junctions:
            places[junctions[name]] = row.number("x"), row.number("y")
    missing = np.flatnonzero(np.isnan(places[:, 0]))
    if missing.size:
        raise ValueError(
            f"{path} has no coordinates of node {list(junctions)[missing[0]]}, which a link uses."
        )
    return places
