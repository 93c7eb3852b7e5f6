"""coactor learns what an expert wants from the corrections the expert makes.

A solver proposes, the expert edits, the learner adjusts, and next time there is less to edit.
Names are imported when they are first used, so that `import coactor` costs next to nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from coactor.version import __version__ as __version__

if TYPE_CHECKING:
    from coactor import (
        archives,
        bounds,
        checks,
        client,
        corrections,
        domains,
        experts,
        explanations,
        grids,
        habits,
        lab,
        learners,
        loaders,
        plugins,
        proposals,
        protocol,
        rounds,
        search,
        session,
        solutions,
        solvers,
        studies,
        validation,
    )
    from coactor.checks import CheckError, check_domain, check_expert, check_learner
    from coactor.client import RemoteStudy, connect
    from coactor.corrections import correct, correction
    from coactor.experts import ReplayedExpert, SimulatedExpert
    from coactor.proposals import Outlook, Strategy
    from coactor.protocol import (
        Conflict,
        Correction,
        Domain,
        EffortRow,
        Expert,
        Feedback,
        Invalid,
        Learner,
        Move,
        NotFound,
        Proposal,
        Round,
    )
    from coactor.search import polish
    from coactor.session import Session
    from coactor.studies import Study, open_study
    from coactor.studies.errors import Forbidden, RateLimited, SolverFailed, Tampered, Unavailable

__all__ = [  # noqa: RUF022  (in the order of use)
    # ask and tell: in memory, in a store, on a server
    "Session",
    "open_study",
    "Study",
    "connect",
    "RemoteStudy",
    # experts and corrections
    "SimulatedExpert",
    "ReplayedExpert",
    "correct",
    "correction",
    # values
    "Proposal",
    "Correction",
    "Feedback",
    "Round",
    "EffortRow",
    "Move",
    # roles that can be replaced
    "Domain",
    "Learner",
    "Expert",
    "Strategy",
    "Outlook",
    "polish",
    # the conformance suite
    "check_domain",
    "check_expert",
    "check_learner",
    # errors
    "CheckError",
    "Conflict",
    "Forbidden",
    "Invalid",
    "NotFound",
    "RateLimited",
    "SolverFailed",
    "Tampered",
    "Unavailable",
    # modules
    "archives",
    "bounds",
    "checks",
    "client",
    "corrections",
    "domains",
    "experts",
    "explanations",
    "grids",
    "habits",
    "lab",
    "learners",
    "loaders",
    "plugins",
    "proposals",
    "protocol",
    "rounds",
    "search",
    "session",
    "solutions",
    "solvers",
    "studies",
    "validation",
]

_HOME = {
    "protocol": "Proposal Correction Feedback Round EffortRow Move Domain Learner Expert",
    "protocol.errors": "Conflict Invalid NotFound",
    "checks": "CheckError check_domain check_expert check_learner",
    "client": "RemoteStudy connect",
    "corrections": "correct correction",
    "experts": "ReplayedExpert SimulatedExpert",
    "proposals": "Outlook Strategy",
    "search": "polish",
    "session": "Session",
    "studies": "Study open_study",
    "studies.errors": "Forbidden RateLimited SolverFailed Tampered Unavailable",
}
_MODULE_OF = {name: module for module, names in _HOME.items() for name in names.split()}


def __getattr__(name: str) -> Any:
    if name in _MODULE_OF:
        return getattr(import_module(f"coactor.{_MODULE_OF[name]}"), name)
    if name in __all__:
        return import_module(f"coactor.{name}")
    raise AttributeError(f"module 'coactor' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*__all__, "__version__"])
