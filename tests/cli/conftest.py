from __future__ import annotations

from pathlib import Path

import pytest

from tests.archives.conftest import plans, queries, trips

__all__ = ["plans", "queries", "sqlite_url", "trips"]


@pytest.fixture
def sqlite_url(tmp_path: Path) -> str:
    return f"sqlite:///{tmp_path}/desk.db"
