"""What maps are drawn on: tiles of a tile server, or a GeoJSON file per study. Both are off by default."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from fastapi import APIRouter, Response

from coactor.studies import Invalid, NotFound
from coactor.web.auth.permissions import Me, require
from coactor.web.routes.requests import StudyName

LARGEST = 20_000_000  # bytes of a backdrop
ADDRESS = re.compile(r"https?://([\w.-]+|\[[\da-fA-F:.]+\])(:\d+)?(/\S*)?", re.ASCII)


@dataclass(frozen=True, slots=True)
class Ground:
    """The ground of the maps.

    Attributes
    ----------
    tiles
        Address of map tiles with {z}, {x} and {y}; empty for none.
    attribution
        The text that the provider of the tiles asks for.
    folder
        A folder with a file STUDY.geojson for each study that has a backdrop; None for none.

    Raises Invalid if the address is not that of tiles, or there is no attribution.
    """

    tiles: str = ""
    attribution: str = ""
    folder: Path | None = None

    def __post_init__(self) -> None:
        if not self.tiles:
            return
        if not ADDRESS.fullmatch(self.tiles):
            raise Invalid(f"{self.tiles!r} is not an address of tiles; it must begin with https://.")
        if not all(part in self.tiles for part in ("{z}", "{x}", "{y}")):
            raise Invalid(f"The address of tiles {self.tiles!r} needs {{z}}, {{x}} and {{y}}.")
        if not self.attribution.strip():
            raise Invalid("Tiles need the text that their provider asks for; add --attribution TEXT.")

    @property
    def host(self) -> str:
        """The only host besides this one that pages may load images from; empty for none."""
        return "/".join(self.tiles.split("/")[:3])

    def backdrop(self, study: str) -> Path | None:
        """The GeoJSON file of a study; None if it has none."""
        path = None if self.folder is None else self.folder / f"{study}.geojson"
        return path if path is not None and path.is_file() else None

    def add_routes(self, router: APIRouter) -> None:
        """Add the route of backdrops."""

        @router.get("/studies/{study}/backdrop", tags=["studies"], response_class=Response)
        def read_backdrop(study: StudyName, account: Me) -> Response:
            """Return the GeoJSON that maps of the study are drawn on."""
            require(account, "read", study)
            path = self.backdrop(study)
            if path is None or path.stat().st_size > LARGEST:
                raise NotFound(f"Study {study!r} has no backdrop.")
            return Response(path.read_bytes(), media_type="application/geo+json")
