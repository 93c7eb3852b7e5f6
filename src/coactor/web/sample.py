"""A small study to try the service with."""

from __future__ import annotations

import numpy as np

from coactor.domains import Tour
from coactor.studies import Store, open_study

NAME = "try-it"


def add_sample(store: Store, proposals: int = 5) -> None:
    """A study of short tours with a few proposals in its queue; nothing where it exists already."""
    with store.reading() as sql:
        if any(head.name == NAME for head in sql.studies()):
            return
    domain = Tour(points=12, features=4)
    with open_study(store, NAME, domain, "default", create=True, actor="sample") as study:
        for number, problem in enumerate(domain.sample(np.random.default_rng(0), proposals), 1):
            study.ask(problem, key=f"sample/{number}", label=f"Tour {number}", actor="sample")
