"""Road networks, and trips driven on them, from CSV files, extracts of OpenStreetMap and GeoJSON."""

from __future__ import annotations

import itertools
from pathlib import Path

import numpy as np

from coactor.domains.roads import Network, components
from coactor.loaders.street_maps import Ways, read_ways
from coactor.loaders.tables import read_table
from coactor.protocol import Indices


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
    name = Path(links).name.lower()
    if name.endswith((".osm", ".osm.xml", ".pbf", ".geojson", ".json")):
        if nodes is not None or turns is not None:
            raise ValueError(f"{links} has its own nodes; give nodes and turns with a CSV file only.")
        return _network_of(read_ways(links), links, largest)
    columns = {
        "id": ("n_id", "id"),
        "from": ("from", "u"),
        "to": ("to", "v"),
        "length": ("length",),
        "kind": ("kind", "highway"),
        "street": ("street", "name"),
    }
    ids: dict[str, int] = {}
    junctions: dict[str, int] = {}
    ends, lengths, kinds, streets = [], [], [], []
    for row in read_table(links, columns, optional=("id", "kind", "street")):
        name = row.text("id") if "id" in row.cells else str(len(ids))
        if name in ids:
            raise row.fail(f"link {name} appears a second time.")
        length = row.number("length")
        if length <= 0:
            raise row.fail(f"link {name} has length {length:g}; expected a length above 0.")
        ids[name] = len(ids)
        ends.append([junctions.setdefault(row.text(end), len(junctions)) for end in ("from", "to")])
        lengths.append(length)
        kinds.append(_first(row.cells.get("kind", "")) or "any")
        streets.append(_first(row.cells.get("street", "")))
    if not ids:
        raise ValueError(f"{links} has no links; expected rows below the header.")
    begin, end = np.array(ends, dtype=np.int64).T.copy()
    pairs = None if turns is None else _read_turns(Path(turns), ids, begin, end)
    places = None if nodes is None else _read_nodes(Path(nodes), junctions)

    keep = _connected(links, begin, end, list(ids), largest)
    if pairs is not None:
        number = np.full(len(ids), -1)
        number[keep] = np.arange(len(keep))
        pairs = number[pairs[np.isin(pairs[:, 0], keep)]]
    named = list(ids)
    return Network.of(
        begin[keep],
        end[keep],
        np.array(lengths)[keep],
        [kinds[k] for k in keep],
        ids=[named[k] for k in keep],
        turns=pairs,
        places=places,
        streets=[streets[k] for k in keep] if any(streets) else None,
    )


def _connected(path: str | Path, begin: Indices, end: Indices, ids: list[str], largest: bool) -> Indices:
    """The links of the largest component. Raises ValueError if there are others and they may not be left."""
    component = components(begin, end)
    groups, counts = np.unique(component, return_counts=True)
    if len(groups) > 1 and not largest:
        apart = ids[int(np.flatnonzero(component != component[0])[0])]
        raise ValueError(
            f"{path}: the network has {len(groups)} connected components ({counts.max()} of {len(ids)} "
            f"links in the largest). No road joins link {ids[0]} and link {apart}; add it, or use "
            f"largest=True."
        )
    return np.flatnonzero(component == groups[counts.argmax()])


def _network_of(ways: Ways, path: str | Path, largest: bool) -> Network:
    links = ways.links()
    begin, end = np.array([link.ends for link in links], dtype=np.int64).T.copy()
    ids = [link.id for link in links]
    keep = _connected(path, begin, end, ids, largest)
    used, numbers = np.unique(np.stack([begin[keep], end[keep]]), return_inverse=True)
    begin, end = numbers.reshape(2, -1)
    kept = [links[k] for k in keep]
    return Network.of(
        begin,
        end,
        [link.length for link in kept],
        [link.kind for link in kept],
        ids=[ids[k] for k in keep],
        places=ways.places[used],
        streets=[link.street for link in kept] if any(link.street for link in kept) else None,
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


def _read_turns(path: Path, ids: dict[str, int], begin: Indices, end: Indices) -> Indices:
    pairs = []
    for row in read_table(path, {"from_link": ("from_link",), "to_link": ("to_link",)}):
        names = [row.text("from_link"), row.text("to_link")]
        for name in names:
            if name not in ids:
                raise row.fail(f"the turn uses link {name}, which the network does not have.")
        a, b = ids[names[0]], ids[names[1]]
        if end[a] != begin[b]:
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
