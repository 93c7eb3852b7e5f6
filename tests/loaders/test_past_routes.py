from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from coactor import loaders
from coactor.archives import open_archive
from coactor.archives.learning import learn_archive
from coactor.domains import Plans

HEAD = "date,vehicle,sequence,stop id,lat,lon,demand,from,to\n"
LINES = """2026-01-05,Ana,0,Depot,52.50,13.40,0,,
2026-01-05,Ana,1,C1,52.51,13.41,2,8:00,9:30
2026-01-05,Ana,2,C2,52.52,13.42,3,480,600
2026-01-05,Bo,1,C3,52.48,13.38,4,,
2026-01-06,Ana,1,C3,52.48,13.38,4,,
2026-01-06,Bo,2,C2,52.52,13.42,3,,
2026-01-06,Bo,1,C1,52.51,13.41,1,,
"""


def test_read_past_routes_reads_days_vehicles_and_windows(tmp_path: Path) -> None:
    file = tmp_path / "past.csv"
    file.write_text(HEAD + LINES)
    with pytest.warns(UserWarning, match="as the crow flies, at 40 km/h. There is no column of capacities"):
        (x, y, date), (_, z, _) = loaders.read_past_routes(file)
    assert date == "2026-01-05"
    assert x.vehicles == ("Ana", "Bo")
    assert x.stops == ("depot", "C1", "C2", "C3")
    assert x.capacity.tolist() == [5.0, 4.0]
    assert [route.tolist() for route in y] == [[1, 2], [3]]
    assert [route.tolist() for route in z] == [[1], [3, 2]]
    assert x.arcs[1, 2, 0] == pytest.approx(1.302, abs=1e-3)
    assert x.visits is not None
    assert x.visits.windows[1] == [(480.0, 570.0)]  # type: ignore[index]
    loaders.write_routes(tmp_path / "out.csv", x, y)
    lines = (tmp_path / "out.csv").read_text().splitlines()
    assert lines[2].startswith("Ana,2,C2,52.52,13.42,3,8:")


def test_read_past_routes_leaves_out_and_names_days_that_are_wrong(tmp_path: Path) -> None:
    file = tmp_path / "past.csv"
    file.write_text(HEAD + LINES + "2026-01-06,Ana,3,C1,52.51,13.41,1,,\n")
    with pytest.warns(
        UserWarning, match="1 of 2 days are left out. The first: .*line 9: stop C1 is on this day"
    ):
        assert len(loaders.read_past_routes(file)) == 1
    file.write_text(HEAD.replace("lat", "north"))
    with pytest.raises(ValueError, match="there is no column 'lat' or 'latitude'"):
        loaders.read_past_routes(file)
    file.write_text(HEAD.replace("stop id", "Kunde") + LINES)
    with pytest.warns(UserWarning, match="crow flies"):
        days = loaders.read_past_routes(file, {"stop": "Kunde"})
    assert days[0][0].stops[1] == "C1"


@pytest.mark.filterwarnings("ignore:Distances")
def test_an_archive_of_past_routes_can_be_learned_from(tmp_path: Path) -> None:
    file = tmp_path / "past.csv"
    file.write_text(HEAD + LINES)
    archive = open_archive(file)
    assert archive.domain.feature_names == (
        "distance",
        "unusual in similar cases",
        "overload",
        "lateness",
        "waiting",
    )  # type: ignore[attr-defined]
    state, effort = learn_archive(archive)
    assert state["habits"]
    assert effort >= 0


def test_read_vrplib_reads_windows_depots_and_vehicles_that_differ(tmp_path: Path) -> None:
    file = tmp_path / "small.vrp"
    file.write_text(
        "TYPE: MDVRPTW\nDIMENSION: 5\nVEHICLES: 2\nEDGE_WEIGHT_TYPE: EUC_2D\nVEHICLES_MAX_DURATION: 50\n"
        "NODE_COORD_SECTION\n1 0 0\n2 0 30\n3 0 10\n4 0 20\n5 5 0\nDEMAND_SECTION\n1 0\n2 0\n3 4\n4 3\n5 2\n"
        "CAPACITY_SECTION\n1 4\n2 6\nVEHICLES_UNIT_DISTANCE_COST_SECTION\n1 1\n2 2\n"
        "VEHICLES_DEPOT_SECTION\n1 1\n2 2\nSERVICE_TIME_SECTION\n1 0\n2 0\n3 1\n4 1\n5 1\n"
        "TIME_WINDOW_SECTION\n1 0 100\n2 0 100\n3 0 40\n4 20 40\n5 0 100\nDEPOT_SECTION\n1\n2\n-1\nEOF\n"
    )
    x = loaders.read_vrplib(file)
    assert x.stops == ("0", "2", "3", "4", "1")
    assert x.arcs.shape == (2, 5, 5, 1)
    assert x.arcs[1, 4, 2, 0] == 2 * 10
    domain, y = Plans(1), (np.array([1]), np.array([2, 3]))
    assert domain.features(x, y)[0] == -(20 + 2 * (10 + np.hypot(5, 20) + np.hypot(5, 30)))
    assert domain.broken(x, y) == ["Vehicle 2 would be under way for 63 min, 13 more than allowed."]
