from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from coactor import learners, loaders
from coactor.archives import open_archive
from coactor.archives.learning import learn_archive
from coactor.domains import Day, Plans
from coactor.loaders import past_routes

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


ROADS = """{"type": "FeatureCollection", "features": [
{"type": "Feature", "properties": {"highway": "primary"}, "geometry": {"type": "LineString",
 "coordinates": [[13.40, 52.50], [13.40, 52.51], [13.41, 52.51]]}},
{"type": "Feature", "properties": {"highway": "primary"}, "geometry": {"type": "LineString",
 "coordinates": [[13.41, 52.51], [13.42, 52.52]]}},
{"type": "Feature", "properties": {"highway": "primary"}, "geometry": {"type": "LineString",
 "coordinates": [[13.40, 52.50], [13.38, 52.48]]}}]}"""


def test_past_routes_are_measured_along_the_streets_of_a_map(tmp_path: Path) -> None:
    file, town = tmp_path / "past.csv", tmp_path / "town.geojson"
    file.write_text(HEAD + LINES)
    town.write_text(ROADS)
    with pytest.warns(UserWarning, match="Distances are those along the streets, at 40 km/h"):
        archive = open_archive(file, streets=town)
    with pytest.warns(UserWarning, match="crow flies"):
        straight = open_archive(file)
    x, direct = archive.cases[0].problem, straight.cases[0].problem
    km = direct.arcs[..., 0]
    corner = past_routes.crow_flies(np.array([[52.5, 13.4], [52.51, 13.4], [52.51, 13.41]]))
    assert x.arcs[0, 1, 0] == pytest.approx(corner[0, 1] + corner[1, 2], rel=1e-5)
    assert x.arcs[2, 3, 0] == pytest.approx(km[2, 1] + x.arcs[1, 0, 0] + km[0, 3], rel=1e-5)
    assert x.minutes[0, 1] == pytest.approx(1.5 * x.arcs[0, 1, 0])
    assert archive.digest != straight.digest


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


def write_haulier(folder: Path, days: int, crossing: float, seed: int) -> None:
    """Past routes of planners who minimise km and `crossing` km for each crossing of a river."""
    rng = np.random.default_rng(seed)
    places = np.vstack([[52.5, 13.4], [52.4, 13.3] + 0.2 * rng.random((30, 2))])
    km, north = past_routes.crow_flies(places), places[:, 0] > 52.5
    names = ["Depot", *(f"C{v}" for v in range(1, 31))]
    planned = Plans(2)
    with (folder / "past.csv").open("w") as past, (folder / "past.arcs.csv").open("w") as ways:
        ways.write("from,to,crossings\n")
        for a in range(31):
            for b in range(a):
                ways.write(f"{names[a]},{names[b]},{int(north[a] != north[b])}\n")
        past.write("date,vehicle,sequence,stop,lat,lon,demand\nall,,0,Depot,52.5,13.4,0\n")
        for day in range(days):
            some = np.append(0, 1 + rng.permutation(30)[:18])
            arcs = np.stack([km, (north[:, None] != north).astype(float)], axis=2)[np.ix_(some, some)]
            x = Day.of(arcs, np.append(0, np.ones(18)), np.full(3, 8.0))
            for r, route in enumerate(planned.solve(x, np.array([1.0, crossing]))):
                for k, stop in enumerate(some[route].tolist(), 1):
                    past.write(f"{day:02d},V{r},{k},{names[stop]},{places[stop, 0]},{places[stop, 1]},1\n")


@pytest.mark.filterwarnings("ignore:Distances")
def test_a_feature_of_arcs_beside_the_file_is_found_to_matter(tmp_path: Path) -> None:
    write_haulier(tmp_path, days=15, crossing=6.0, seed=4)
    archive = open_archive(tmp_path / "past.csv", habits=False)
    assert archive.domain.feature_names[:2] == ("distance", "crossings")  # type: ignore[attr-defined]
    state, _ = learn_archive(archive)
    weights = learners.from_state(state["learner"]).weights
    assert 2.0 < weights[1] / weights[0] < 20.0  # km for a crossing; 6 planted
    (tmp_path / "past.arcs.csv").unlink()
    assert "crossings" not in open_archive(tmp_path / "past.csv").domain.feature_names  # type: ignore[attr-defined]


@pytest.mark.filterwarnings("ignore:Distances")
def test_ways_replace_distances_and_minutes_where_they_are_known(tmp_path: Path) -> None:
    file, arcs = tmp_path / "past.csv", tmp_path / "past.arcs.csv"
    file.write_text(HEAD + LINES)
    arcs.write_text("from,to,km,minutes,tolls\nDepot,C1,7,11,1\nC1,Depot,8,12,0\nC2,C1,3,4,2\n")
    (x, _, _), _ = loaders.read_past_routes(file, arcs=loaders.read_arcs(arcs))
    assert x.minutes is not None
    assert x.arcs[0, 1].tolist() == [7.0, 1.0]
    assert x.minutes[0, 1] == 11.0
    assert x.arcs[1, 0].tolist() == [8.0, 0.0]
    assert x.arcs[1, 2].tolist() == [3.0, 2.0]  # known in the other direction
    assert x.arcs[0, 3, 1] == 0.0  # not known
    assert x.minutes[0, 3] == pytest.approx(60 / 40 * x.arcs[0, 3, 0])
    arcs.write_text("from,to,km\nDepot,C1,-7\n")
    with pytest.raises(ValueError, match="line 2: km and minutes must be 0 or more"):
        loaders.read_arcs(arcs)


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ("2026-01-07,Ana,1,C1,200,13.41,1,,", "line 9: lat is '200'; expected a number from -90 to 90"),
        ("2026-01-07,Ana,1,C1,52.5,1341,1,,", "line 9: lon is '1341'; expected a number from -360 to 360"),
        ("2026-01-06,Ana,1,C1,52.5,13.41,1,,", "line 9: vehicle Ana has two stops of sequence 1"),
    ],
)
def test_days_with_impossible_rows_are_left_out_and_named(tmp_path: Path, row: str, message: str) -> None:
    file = tmp_path / "past.csv"
    file.write_text(f"{HEAD}{LINES.replace('2026-01-06,Bo,1,C1', '2026-01-06,Bo,1,C9')}{row}\n")
    with pytest.warns(UserWarning, match=message):
        loaders.read_past_routes(file)


def test_dates_are_read_in_their_order_or_refused(tmp_path: Path) -> None:
    file = tmp_path / "past.csv"
    file.write_text(HEAD + LINES.replace("2026-01-06", "1.12.2025").replace("2026-01-05", "5.1.2026"))
    with pytest.warns(UserWarning, match="crow flies"):
        assert [date for _, _, date in loaders.read_past_routes(file)] == ["2025-12-01", "2026-01-05"]
    file.write_text(HEAD + LINES.replace("2026-01-06", "yesterday"))
    with pytest.raises(ValueError, match="line 6: the date is 'yesterday'; expected one such as 2026-01-05"):
        loaders.read_past_routes(file)


@pytest.mark.parametrize("text", ["", "Datum,Kunde\n1,2\n", "date,vehicle,sequence,stop\n1,A,1,x\n"])
def test_a_table_that_fits_nothing_says_which_columns_are_needed(tmp_path: Path, text: str) -> None:
    file = tmp_path / "past.csv"
    file.write_text(text)
    with pytest.raises(ValueError, match="stop, lat and lon; choices need chosen or choice, and features"):
        open_archive(file)


def test_semicolons_and_tabs_separate_columns_too(tmp_path: Path) -> None:
    file = tmp_path / "past.csv"
    for mark in ";\t":
        file.write_text((HEAD + LINES).replace(",", mark))
        with pytest.warns(UserWarning, match="crow flies"):
            assert len(loaders.read_past_routes(file)) == 2
