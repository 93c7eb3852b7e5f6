"""coactor learns what an expert wants from the corrections the expert makes.

A solver proposes, the expert edits, the learner adjusts, and next time there is less to edit.
Names are imported when they are first used, so that `import coactor` costs next to nothing. What they
are, `__init__.pyi` tells type checkers.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

from coactor.version import __version__ as __version__

_HOMES = {
    # ask and tell: in memory, in a store, on a server
    "session": "Session",
    "studies": "open_study Study",
    "client": "connect RemoteStudy",
    # experts and corrections
    "experts": "SimulatedExpert",
    "corrections": "correction",
    # values, and roles that can be replaced
    "protocol": "Proposal Correction Feedback Round Basis Work Move Domain Learner Expert",
    "proposals": "Strategy Outlook",
    "search": "polish",
    # the conformance suite
    "checks": "check_domain check_expert check_learner CheckError",
    # errors
    "protocol.errors": "Conflict Invalid NotFound",
    "studies.errors": "Forbidden RateLimited SolverFailed Tampered Unavailable",
    # modules
    "": "archives bench bounds checks client corrections domains experts explanations grids habits lab "
    "learners loaders notebook plugins proposals protocol rounds search session solutions solvers studies "
    "validation",
}
_HOME = {name: module for module, names in _HOMES.items() for name in names.split()}
__all__ = list(_HOME)


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'coactor' has no attribute {name!r}")
    if not _HOME[name]:
        return import_module(f"coactor.{name}")
    return getattr(import_module(f"coactor.{_HOME[name]}"), name)


def __dir__() -> list[str]:
    return sorted([*__all__, "__version__"])
