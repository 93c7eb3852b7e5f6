"""The studies that this process has opened, shared by all routes."""

from __future__ import annotations

import logging
import math
import threading
from collections.abc import Mapping
from typing import Annotated, Any

from anyio import to_thread
from fastapi import Depends, Request

from coactor.protocol import Domain
from coactor.studies import Desk, Store, Study, Unavailable
from coactor.studies.desk import LEASE
from coactor.studies.errors import Deleted
from coactor.studies.processes import Processes
from coactor.web.auth.permissions import Me, require
from coactor.web.computations import Computations
from coactor.web.routes.requests import StudyName
from coactor.web.streams import Streams

logger = logging.getLogger("coactor.web")


def _to(permission: str) -> Any:
    """The study of a request, for accounts that have a permission in it."""

    async def opened(study: StudyName, account: Me, request: Request) -> Study:
        require(account, permission, study)
        studies: OpenStudies = request.app.state.studies
        known = studies.known(study)
        return await to_thread.run_sync(studies.study, study) if known is None else known

    return Depends(opened)


ToRead = Annotated[Study, _to("read")]
ToAsk = Annotated[Study, _to("ask")]
ToTell = Annotated[Study, _to("tell")]
ToEdit = Annotated[Study, _to("edit")]
ToReplan = Annotated[Study, _to("replan")]
ToLead = Annotated[Study, _to("lead")]


class OpenStudies:
    """Opens each study of a store once and keeps it open.

    Parameters
    ----------
    store
        The store; several servers may share it.
    lease
        Seconds until an untouched proposal is free again.
    domains
        Of studies whose domains are not installed, by the names of the studies.
    """

    def __init__(
        self, store: Store, lease: float = LEASE, domains: Mapping[str, Domain] | None = None
    ) -> None:
        self.store = store
        self.lease = lease
        self.clock = store.clock
        self.domains = domains or {}
        self.patience = math.inf  # seconds of a solving that an expert who opens a proposal waits for
        self.processes: Processes | None = None  # for solvers that settings name
        self.computations, self.streams = Computations(), Streams()
        self._open: dict[str, Study] = {}
        self._lock = threading.Lock()

    def known(self, name: str) -> Study | None:
        """Return a study that this process has open; does not read the store."""
        return self._open.get(name)

    def study(self, name: str) -> Study:
        """Return a study by name."""
        study = self.known(name)
        if study is None:
            opened = Study(self.store, name, self.domains.get(name), processes=self.processes)
            with self._lock:
                study = self._open.setdefault(name, opened)
        return study

    def add(self, study: Study) -> None:
        """Serve a study that is open already."""
        self._open[study.name] = study

    def desk(self, name: str) -> Desk:
        """Return the desk of a study, at which people edit its proposals."""
        return self.study(name).desk(self.lease, patience=self.patience)

    def renew_ahead(self) -> None:
        """Solve the proposals again that will be opened next, in every open study whose weights changed."""
        for study in self.opened():
            try:
                study.renew_ahead()
            except Deleted:
                self.forget(study.name)
            except Unavailable:
                raise
            except Exception as error:  # of one study; the others go on
                logger.error("Study %r: %s", study.name, error)

    def names(self) -> list[str]:
        """Return the names of all studies in the store."""
        with self.store.reading() as sql:
            return [head.name for head in sql.studies()]

    def opened(self) -> list[Study]:
        """Return the studies that are open in this process and have not been deleted by another."""
        names = self.names()
        return [study for name, study in [*self._open.items()] if name in names]

    def forget(self, name: str) -> None:
        """Close a study that was deleted; one of the same name may have been created since."""
        self._open.pop(name, None)

    def summary(self, name: str) -> dict[str, Any]:
        """Describe a study; `usable` is False if it is damaged, or its domain or learner is not installed."""
        try:
            return {**self.study(name).summary(), "usable": True}
        except (Deleted, Unavailable):
            raise
        except Exception as error:  # of one study; the others are listed
            logger.warning("Study %r cannot be used: %s", name, error)
            with self.store.reading() as sql:
                return {"name": name, "facts": sql.find(name).seq, "usable": False}
