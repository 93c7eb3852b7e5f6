"""Demo studies. ``coactor serve`` loads this package only if the store holds one of them."""

from __future__ import annotations

from coactor.web.demo.routes import add_routes
from coactor.web.demo.studies import create_demo_studies, fill_demo_queues, title

__all__ = ["add_routes", "create_demo_studies", "fill_demo_queues", "title"]
