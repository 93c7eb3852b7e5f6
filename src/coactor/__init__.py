"""coactor learns what an expert wants from the corrections the expert makes.

A solver proposes, the expert edits, the learner adjusts, and next time there is less to edit.
Names are loaded when first used, so that `import coactor` costs next to nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

_HOME = {
    "Correction": "protocol",
    "Feedback": "protocol",
    "Move": "protocol",
    "Proposal": "protocol",
    "Round": "protocol",
    "SimulatedExpert": "experts",
    "ReplayedExpert": "experts",
    "correct": "corrections",
    "polish": "search",
    "Session": "session",
    "check_domain": "checks",
    "check_expert": "checks",
    "check_learner": "checks",
    "open_study": "studies",
    "connect": "client",
}
_MODULES = (
    "bounds",
    "checks",
    "domains",
    "experts",
    "explanations",
    "lab",
    "learners",
    "loaders",
    "models",
    "protocol",
    "proposals",
    "search",
    "session",
    "solvers",
    "studies",
)

if TYPE_CHECKING:
    from coactor import bounds, checks, domains, experts, learners, protocol, search, session
    from coactor.checks import check_domain, check_expert, check_learner
    from coactor.corrections import correct
    from coactor.experts import ReplayedExpert, SimulatedExpert
    from coactor.protocol import Correction, Feedback, Move, Proposal, Round
    from coactor.search import polish
    from coactor.session import Session

__all__ = [  # noqa: RUF022  (in the order of use)
    "Session",
    "SimulatedExpert",
    "ReplayedExpert",
    "correct",
    "polish",
    "check_domain",
    "check_expert",
    "check_learner",
    "Correction",
    "Feedback",
    "Move",
    "Proposal",
    "Round",
    "bounds",
    "checks",
    "domains",
    "experts",
    "learners",
    "protocol",
    "search",
    "session",
]


def __getattr__(name: str) -> Any:
    if name in _HOME:
        return getattr(import_module(f"coactor.{_HOME[name]}"), name)
    if name in _MODULES:
        return import_module(f"coactor.{name}")
    raise AttributeError(f"module 'coactor' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*_HOME, *_MODULES, "__version__"])
