from tests.lab.archives.conftest import plans, queries, trips

__all__ = ["plans", "queries", "trips"]
