"""The public conformance suite for domains, learners and experts; our tests run it on what we ship.

Each check raises `CheckError` with one sentence: what was found, what was expected, and the likely cause.
"""

from coactor.checks.domains import check_domain
from coactor.checks.errors import CheckError
from coactor.checks.experts import check_expert
from coactor.checks.learners import check_learner

__all__ = ["CheckError", "check_domain", "check_expert", "check_learner"]
