"""Routes of the roads editor: the network to draw, and alternative routes."""

from __future__ import annotations

from typing import Annotated, Any

import numpy as np
from fastapi import APIRouter, Query, Response

from coactor.domains import Network, Roads
from coactor.domains.roads.detours import Way, other_ways, way_through
from coactor.studies import Invalid, NotFound, Study
from coactor.web.auth.permissions import Me, reader_of
from coactor.web.open_studies import OpenStudies, ToRead
from coactor.web.routes.requests import LARGEST, PROPOSAL, ProposalId
from coactor.web.routes.responses import NetworkMap, RoadAlternative, json_response

MOST_LINKS = 2000  # links of which the best route may pass through one

Position = Annotated[int | None, Query(ge=0, le=LARGEST, description="Position in the route.")]
Links = Annotated[
    str | None,
    Query(max_length=20_000, pattern=r"^[0-9]{1,9}(,[0-9]{1,9})*$", description="Numbers of links."),
]


def add_routes(router: APIRouter, studies: OpenStudies) -> None:
    """Add the routes of the roads editor."""

    @router.get("/studies/{study}/network", tags=["roads"], response_model=NetworkMap)
    def read_network(opened: ToRead) -> Response:
        """Return the road network as a map needs it: junctions, links and streets, without features."""
        return json_response(as_map(_roads(opened).network))

    @router.get(f"{PROPOSAL}/ways", tags=["roads"], response_model=list[RoadAlternative])
    def list_ways(
        opened: ToRead,
        id: ProposalId,
        account: Me,
        first: Position = None,
        last: Position = None,
        links: Links = None,
    ) -> Response:
        """List alternatives to the draft, best first under the current weights.

        Without `links`: a few clearly different alternatives for the stretch from position `first` to
        position `last`, by default the whole route. With `links`: the best route through one of them; none
        if the route passes through all of them.
        """
        domain, draft = _roads(opened), studies.desk(opened.name).view(id)
        x, y = draft.problem, draft.solution
        w = opened.weights_of(draft, reader_of(account, opened.name))
        try:
            if links is None:
                begin = 0 if first is None else first
                end = len(y.links) - 1 if last is None else last
                ways = other_ways(domain, x, y, begin, end, w)
            else:
                ways = _through(domain, x, y, [int(link) for link in links.split(",")], w)
        except ValueError as error:
            raise Invalid(f"There is no such route: {error}") from error
        return json_response([as_alternative(way) for way in ways])


def _roads(study: Study) -> Roads:
    if not isinstance(study.domain, Roads):
        raise NotFound(f"Study {study.name!r} is not about roads; it has no network.")
    return study.domain


def _through(domain: Roads, x: Any, y: Any, links: list[int], w: np.ndarray) -> list[Way]:
    if len(links) > MOST_LINKS:
        raise ValueError(f"{len(links)} links were given; the limit is {MOST_LINKS}.")
    way = way_through(domain, x, y, links, w)
    return [] if way is None else [way]


def as_alternative(way: Way) -> dict[str, Any]:
    """Return an alternative route as plain data."""
    return {
        "move": way.move,
        "links": way.route.links.tolist(),
        "vias": list(way.route.vias),
        "change": way.change.tolist(),
        "gain": way.gain,
    }


def as_map(network: Network) -> dict[str, Any]:
    """Return what a map draws of a network; streets and kinds are numbers into lists of names."""
    streets, street = np.unique(np.array(network.streets or [""] * network.size), return_inverse=True)
    kinds, kind = np.unique(np.array(network.kinds or [""] * network.size), return_inverse=True)
    places = network.places
    numbered = network.ids == tuple(map(str, range(network.size)))
    return {
        "nodes": None if places is None else np.round(places, _digits(places)).tolist(),
        "from": network.ends[:, 0].tolist(),
        "to": network.ends[:, 1].tolist(),
        "ids": None if numbered else list(network.ids),
        "streets": streets.tolist(),
        "street": street.tolist(),
        "kinds": kinds.tolist(),
        "kind": kind.tolist(),
        # The length of each link, in the unit of the first feature.
        "length": network.link_features[:, : network.lengths].sum(axis=1).round(4).tolist(),
    }


def _digits(places: np.ndarray) -> int:
    """Return the number of decimals that a map can show: a ten-thousandth of its width."""
    extent = float(np.ptp(places, axis=0).max()) or 1.0
    return max(0, 4 - int(np.floor(np.log10(extent))))
