from __future__ import annotations

from pathlib import Path

import pytest

from tests.archives.samples import write_plans, write_queries, write_trips
from tests.lab.conftest import threaded_worker as threaded_worker


@pytest.fixture(scope="session")
def trips(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_trips(tmp_path_factory.mktemp("archives") / "trips")


@pytest.fixture(scope="session")
def plans(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_plans(tmp_path_factory.mktemp("archives") / "plans")


@pytest.fixture(scope="session")
def queries(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_queries(tmp_path_factory.mktemp("archives") / "rows.letor")
