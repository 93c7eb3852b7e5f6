"""The routes behind the editor of roads: the network to draw, and the other ways to choose from."""

from __future__ import annotations

from typing import Annotated, Any

import numpy as np
from fastapi import APIRouter, Query, Response

from coactor.domains import Network, Roads
from coactor.domains.roads.detours import Way, other_ways, way_of, way_through
from coactor.studies import Invalid, NotFound, Study
from coactor.web.auth.middleware import Me, need
from coactor.web.open_studies import Site
from coactor.web.routes.responses import ERRORS
from coactor.web.routes.studies import Id, Name, answer

MOST = 2000  # links among which the best way through one of them is looked for

Place = Annotated[int | None, Query(ge=0, le=2**31 - 1)]
Links = Annotated[str | None, Query(max_length=20_000, pattern=r"^[0-9]{1,9}(,[0-9]{1,9})*$")]


def add_routes(router: APIRouter, site: Site) -> None:
    """What only the editor of roads asks for."""

    @router.get("/studies/{study}/network", tags=["roads"], response_model=dict[str, Any], responses=ERRORS)
    def network(study: Name, account: Me) -> Response:
        """The network of a study of roads, as a map needs it: junctions, links, streets, no features."""
        need(account, "read", study)
        return answer(as_map(_roads(site.study(study)).network))

    @router.get(
        "/studies/{study}/proposals/{id}/ways",
        tags=["roads"],
        response_model=list[dict[str, Any]],
        responses=ERRORS,
    )
    def ways(
        study: Name,
        id: Id,
        account: Me,
        first: Place = None,
        last: Place = None,
        links: Links = None,
        leg: Place = None,
    ) -> Response:
        """Other ways for the draft, best first by the weights of now.

        For a stretch, from link `first` to link `last` of the route (all of it by default): a few that are
        plainly different. With `links`: the best way through one of them, nothing where the route passes
        them all. With one link and a `leg`: the way through it on that leg.
        """
        need(account, "read", study)
        opened = site.study(study)
        domain, draft = _roads(opened), site.desk(study).view(id)
        x, y, w = draft.problem, draft.solution, opened.weights()
        try:
            if links is None:
                end = len(y.links) - 1
                found = other_ways(
                    domain, x, y, 0 if first is None else first, end if last is None else last, w
                )
            else:
                found = _through(domain, x, y, [int(link) for link in links.split(",")], leg, w)
        except ValueError as error:
            raise Invalid(f"That way cannot be gone: {error}") from error
        return answer([as_choice(way) for way in found])


def _roads(study: Study) -> Roads:
    if not isinstance(study.domain, Roads):
        raise NotFound(f"Study {study.name!r} is not about roads; it has no network.")
    return study.domain


def _through(domain: Roads, x: Any, y: Any, links: list[int], leg: int | None, w: np.ndarray) -> list[Way]:
    if len(links) > MOST:
        raise ValueError(f"{len(links)} links were named; at most {MOST} are looked at.")
    if leg is not None:
        return [way_of(domain, x, y, {"op": "via", "args": [links[0], leg]}, w)]
    way = way_through(domain, x, y, links, w)
    return [] if way is None else [way]


def as_choice(way: Way) -> dict[str, Any]:
    """A way as the page draws it."""
    return {
        "move": way.move,
        "links": way.route.links.tolist(),
        "vias": list(way.route.vias),
        "change": way.change.tolist(),
        "gain": way.gain,
    }


def as_map(network: Network) -> dict[str, Any]:
    """What is drawn of a network. Streets and kinds are numbered, so that each name is said once."""
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
        # How long each link is, in the unit of the first feature.
        "length": network.link_features[:, : network.lengths].sum(axis=1).round(4).tolist(),
    }


def _digits(places: np.ndarray) -> int:
    """As many decimals as a map can show: a ten-thousandth of its width."""
    extent = float(np.ptp(places, axis=0).max()) or 1.0
    return max(0, 4 - int(np.floor(np.log10(extent))))
