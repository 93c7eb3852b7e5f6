"""One suite for both stores: every test that takes `url` runs on SQLite and on PostgreSQL."""

from __future__ import annotations

import tempfile
import uuid
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.studies.support import postgres


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[str]:
    if postgres.binaries() is None:
        pytest.skip(
            "PostgreSQL is not installed here (apt-get install postgresql); its half of the suite is left out"
        )
    with tempfile.TemporaryDirectory(prefix="pg") as folder, postgres.running(Path(folder)) as url:
        yield url


@pytest.fixture(params=["sqlite", pytest.param("postgres", marks=pytest.mark.postgres)])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path}/desk.db"
    return postgres.new_schema(request.getfixturevalue("postgres_server"), f"t{uuid.uuid4().hex[:12]}")


@pytest.fixture
def sqlite_url(tmp_path: Path) -> str:
    return f"sqlite:///{tmp_path}/desk.db"
