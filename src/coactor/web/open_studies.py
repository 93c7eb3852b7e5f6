"""What the routes share: the store, its accounts, and the studies that are open in this process."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import Any

from coactor.studies import Conflict, Desk, Forbidden, Invalid, Store, Study, catalog, open_study
from coactor.studies.accounts import Accounts
from coactor.studies.desk import LEASE
from coactor.web.assets import Assets


class Site:
    """One store, served.

    Parameters
    ----------
    store
        Where everything is.
    lease
        Seconds until a proposal that nobody touches is free again.
    clock
        Seconds since 1970.
    """

    def __init__(self, store: Store, lease: float = LEASE, clock: Callable[[], float] = time.time) -> None:
        self.store = store
        self.lease = lease
        self.clock = clock
        self.accounts = Accounts(store, clock)
        self.assets = Assets()
        self._studies: dict[str, Study] = {}
        self._lock = threading.Lock()

    def study(self, name: str) -> Study:
        """A study by name, opened once."""
        study = self._studies.get(name)
        if study is None:
            opened = Study(self.store, name, clock=self.clock)
            with self._lock:
                study = self._studies.setdefault(name, opened)
        return study

    def create(
        self,
        name: str,
        domain: str,
        parameters: dict[str, Any],
        learner: str,
        *,
        costs: dict[str, float],
        grace: float,
        proposals: str,
        actor: str,
    ) -> None:
        """A new study of an installed domain."""
        if name in self.names():
            raise Conflict(
                f"There is already a study {name!r} in this store; open it, or choose another name."
            )
        open_study(
            self.store,
            name,
            catalog.make(domain, parameters),
            learner,
            create=True,
            costs=costs,
            grace=grace,
            proposals=proposals,
            actor=actor,
            clock=self.clock,
        )

    def desk(self, name: str) -> Desk:
        """Where people edit a study's proposals."""
        return Desk(self.study(name), self.lease)

    def names(self) -> list[str]:
        """Every study in the store."""
        with self.store.reading() as sql:
            return [head.name for head in sql.studies()]

    def summary(self, name: str) -> dict[str, Any]:
        """A study in a few numbers; one whose domain is not installed here says so."""
        try:
            study = self.study(name)
        except (Forbidden, Invalid):
            with self.store.reading() as sql:
                return {"name": name, "facts": sql.find(name).seq, "usable": False}
        return summary(study)


def summary(study: Study) -> dict[str, Any]:
    """A study in a few numbers."""
    with study.ledger.lock:
        model = study.ledger.refresh()
        config = study.config
        return {
            "name": study.name,
            "facts": model.seq,
            "version": model.version,
            "asked": model.asked,
            "told": model.told,
            "open": len(model.open),
            "untouched": model.untouched,
            "effort": model.effort,
            "learner": config["learner"],
            "domain": config["domain"],
            "feature_names": config["features"],
            "grace": config["grace"],
            "usable": True,
        }
