"""The public conformance suite for domains, learners and experts; our tests run it on what we ship.

Each check raises `CheckError` with one sentence: what was found, what was expected, and the likely cause.
"""

from __future__ import annotations

import copy
import json
from collections.abc import Callable, Iterable
from itertools import islice

import numpy as np

from coactor import search
from coactor.experts import SimulatedExpert
from coactor.protocol import (
    Codes,
    Describes,
    Domain,
    Expert,
    Feedback,
    Hides,
    Learner,
    Problem,
    Shows,
    Solution,
    Vector,
    feature_names,
    feature_signs,
    is_locally_optimal,
)
from coactor.protocol.abilities import has_landscapes, has_vectors
from coactor.protocol.views import check_views
from coactor.solutions import same_solution

TOLERANCE = 1e-9


class CheckError(ValueError):
    """A class does not satisfy its protocol; the message says what is wrong and what to do."""


def check_domain(
    domain: Domain,
    problems: Iterable[Problem],
    *,
    rng: np.random.Generator | None = None,
    locally_optimal: bool | None = None,
) -> None:
    """Check that a domain satisfies its protocol on some problems. Raises CheckError if it does not.

    Parameters
    ----------
    domain
        The domain to check.
    problems
        A few problems; small ones are enough.
    rng
        Draws weights and moves; fixed by default, so that a failure can be repeated.
    locally_optimal
        False for a solver that is not meant to be optimal for the domain's moves (Assumption 1). By
        default what the domain itself says (`domain.locally_optimal`), else True.

    Examples
    --------
    >>> import numpy as np
    >>> from coactor import domains
    >>> domain = domains.Tour(points=6, features=3)
    >>> check_domain(domain, domain.sample(np.random.default_rng(0), n=3))
    """
    rng = rng or np.random.default_rng(0)
    if locally_optimal is None:
        locally_optimal = is_locally_optimal(domain)
    _check_methods(domain, ("features", "solve", "moves", "apply"))
    dim = domain.dim
    if not isinstance(dim, int) or dim < 1:
        raise CheckError(f"dim is {dim!r}; expected the number of features, a whole number above 0.")
    number = -1
    for number, x in enumerate(problems):
        where = f"on problem {number}"
        for w in (np.zeros(dim), rng.random(dim), rng.standard_normal(dim)):
            before = w.copy()
            y = domain.solve(x, w)
            if not np.array_equal(before, w):
                raise CheckError(f"solve changed the weights it was given {where}; work on a copy.")
            _check_features(domain, x, y, where)
            _check_moves(domain, x, y, where, rng)
            if locally_optimal:
                _check_optimal(domain, x, y, w, where)
            _check_abilities(domain, x, y, w, where)
        _check_words(domain, x, y, where)
        if isinstance(domain, Codes):
            _check_codes(domain, x, y, where)
    if number < 0:
        raise CheckError("No problems were given; pass at least one.")


def check_learner(
    make: Callable[[int], Learner],
    dim: int = 4,
    *,
    rng: np.random.Generator | None = None,
    steady: bool = True,
) -> None:
    """Check that a learner satisfies its protocol. Raises CheckError if it does not.

    Parameters
    ----------
    make
        Makes a new learner of a given dimension, for example a class such as `learners.PER`.
    dim
        The dimension of the learner to check.
    rng
        Draws the feedback; fixed by default, so that a failure can be repeated.
    steady
        False for a learner that reads only the ends and whose weights may change although the cost is 0,
        such as an average of weights.

    Examples
    --------
    >>> from coactor import learners
    >>> check_learner(learners.CSPER)
    """
    rng = rng or np.random.default_rng(0)
    learner = make(dim)
    _check_methods(learner, ("update", "state", "restore"))
    if learner.reads not in ("ends", "path", "declined"):
        raise CheckError(f"reads is {learner.reads!r}; expected 'ends', 'path' or 'declined'.")
    _check_weights(learner, dim, "before any update")
    if learner.reads == "ends" and steady:
        here = rng.standard_normal(dim)
        _check_steady(learner, Feedback(np.array([here, here]), 0.0))
    stream = [_random_feedback(rng, dim, learner) for _ in range(30)]
    for feedback in stream[:20]:
        learner.update(feedback)
        _check_weights(learner, dim, "after an update")
    if learner.reads == "ends" and steady:
        _check_steady(learner, Feedback(stream[0].path[:1], 0.0))
    learner.update(Feedback(np.zeros((2, dim)), 1.0))  # hidden features: cost, but no difference
    _check_weights(
        learner, dim, "after a correction whose feature difference is 0 (is it divided by its length?)"
    )
    _check_refusals(learner, dim)
    _check_state(make, learner, dim, stream[20:])


def check_expert(expert: Expert, domain: Domain, problems: Iterable[Problem]) -> None:
    """Check that an expert satisfies its protocol on some problems. Raises CheckError if it does not.

    For a `SimulatedExpert` without errors, also that each step gains at least kappa and that at the end no
    move does (Assumption 2).

    Examples
    --------
    >>> import numpy as np
    >>> from coactor import SimulatedExpert, domains
    >>> domain = domains.Tour(points=6, features=3)
    >>> expert = SimulatedExpert(domain, weights=[1.0, 0.5, 0.2])
    >>> check_expert(expert, domain, domain.sample(np.random.default_rng(0), n=3))
    """
    number = -1
    for number, x in enumerate(problems):
        where = f"on problem {number}"
        y = domain.solve(x, np.zeros(domain.dim))
        before = copy.deepcopy(y)
        correction = expert(x, y)
        if not same_solution(before, y):
            raise CheckError(f"The expert changed the proposal itself {where}; work on a copy.")
        if not len(correction.path) or not same_solution(correction.path[0], y):
            raise CheckError(f"The correction's path does not start with the proposal {where}.")
        steps = len(correction.path) - 1
        if len(correction.costs) != steps or len(correction.moves) not in (0, steps):
            raise CheckError(
                f"The path has {steps} steps but {len(correction.costs)} costs {where}; give one each."
            )
        for k, move in enumerate(correction.moves):
            if not same_solution(domain.apply(x, correction.path[k], move), correction.path[k + 1]):
                raise CheckError(f"Step {k} does not lead where its move {move!r} leads {where}.")
        if isinstance(expert, SimulatedExpert) and not (expert.misjudgement or expert.slips):
            _check_gains(expert, domain, x, correction.path, correction.cut, where)
    if number < 0:
        raise CheckError("No problems were given; pass at least one.")


# -- domains ---------------------------------------------------------------------------------


def _check_methods(thing: object, names: Iterable[str]) -> None:
    for name in names:
        if not callable(getattr(thing, name, None)):
            raise CheckError(f"{type(thing).__name__} has no method {name!r}; see coactor.protocol.")


def _check_features(domain: Domain, x: Problem, y: Solution, where: str) -> Vector:
    phi = domain.features(x, y)
    if not isinstance(phi, np.ndarray) or phi.shape != (domain.dim,):
        shape = getattr(phi, "shape", type(phi).__name__)
        raise CheckError(f"Features have shape {shape} {where}; expected ({domain.dim},), as dim says.")
    if not np.isfinite(phi).all():
        raise CheckError(f"Features contain NaN or infinity {where}; scale or clean the problem's data.")
    if not np.array_equal(phi, domain.features(x, y)):
        raise CheckError(
            f"Features differ when asked twice {where}; they must depend on problem and solution alone."
        )
    return phi


def _check_moves(domain: Domain, x: Problem, y: Solution, where: str, rng: np.random.Generator) -> None:
    moves = list(domain.moves(x, y))
    if moves != list(domain.moves(x, y)):
        raise CheckError(f"Moves differ when asked twice {where}; the scan order must be fixed.")
    for move in moves:
        if not isinstance(move, dict) or set(move) != {"op", "args"} or json.loads(json.dumps(move)) != move:
            raise CheckError(
                f"Move {move!r} {where} is not plain data; expected {{'op': name, 'args': [numbers]}}."
            )
    tried = moves if len(moves) <= 50 else [moves[k] for k in rng.choice(len(moves), 50, replace=False)]
    for move in tried:
        before = copy.deepcopy(y)
        z = domain.apply(x, y, move)
        if not same_solution(before, y):
            raise CheckError(
                f"apply changed the solution it was given, by move {move!r} {where}; work on a copy."
            )
        try:
            search.check_solution(domain, x, z)
        except ValueError as error:
            raise CheckError(f"Move {move!r} {where} yields an invalid solution: {error}") from error
        _check_features(domain, x, z, f"after move {move!r} {where}")


def _check_optimal(domain: Domain, x: Problem, y: Solution, w: Vector, where: str) -> None:
    gains = search.PlainLandscape(domain, x, w).gains(y)
    scale = float(np.abs(w) @ np.abs(domain.features(x, y)))
    if gains.size and gains.max() > TOLERANCE * max(1.0, scale):
        k = int(gains.argmax())
        move = list(domain.moves(x, y))[k]
        raise CheckError(
            f"The solver's answer {where} is improved by move {move!r}, by {gains[k]:.4g} (Assumption 1); "
            "wrap the solver with coactor.polish, or pass locally_optimal=False if this is meant."
        )


def _check_abilities(domain: Domain, x: Problem, y: Solution, w: Vector, where: str) -> None:
    """Where a domain brings its own kernels, they agree with its four methods."""
    plain = search.PlainLandscape(domain, x, w)
    scale = TOLERANCE * max(1.0, float(np.abs(w) @ np.abs(domain.features(x, y))))
    if has_landscapes(domain):
        fast = domain.landscape(x, w)
        if not np.allclose(fast.gains(y), plain.gains(y), rtol=0, atol=scale):
            raise CheckError(f"landscape().gains disagrees with features of the applied moves {where}.")
        if abs(fast.utility(y) - plain.utility(y)) > scale:
            raise CheckError(f"landscape().utility disagrees with w . features {where}.")
        path, moves = fast.climb(y, limit=2)
        for k, move in enumerate(moves):
            if not same_solution(domain.apply(x, path[k], move), path[k + 1]):
                raise CheckError(f"landscape().climb reports move {move!r} {where}, which leads elsewhere.")
    if has_vectors(domain):
        rows = domain.features_along(x, [y, y])
        differences = domain.move_features(x, y)
        moves = list(domain.moves(x, y))
        phi = domain.features(x, y)
        expected = [domain.features(x, domain.apply(x, y, m)) - phi for m in moves]
        atol = TOLERANCE * max(1.0, float(np.abs(phi).max(initial=0.0)))
        if not np.allclose(rows, [phi, phi], rtol=0, atol=atol):
            raise CheckError(f"features_along disagrees with features {where}.")
        if differences.shape != (len(moves), domain.dim) or (
            moves and not np.allclose(differences, expected, rtol=0, atol=atol)
        ):
            raise CheckError(f"move_features disagrees with features of the applied moves {where}.")
    if isinstance(domain, Hides):
        full = domain.all_features(x, y)
        if full.shape != (domain.dim + domain.hidden,) or not np.array_equal(
            full[: domain.dim], domain.features(x, y)
        ):
            raise CheckError(
                f"all_features must be the {domain.dim} features, then the {domain.hidden} hidden {where}."
            )


def _check_words(domain: Domain, x: Problem, y: Solution, where: str) -> None:
    names, signs = feature_names(domain), feature_signs(domain)
    if (len(names), len(signs)) != (domain.dim, domain.dim) or not set(signs) <= {1, -1}:
        raise CheckError(f"Each of the {domain.dim} features needs one name, and a sign of 1 or -1.")
    if isinstance(domain, Shows):
        try:
            check_views(domain.show(x, y))
        except ValueError as error:
            raise CheckError(f"show {where} cannot be drawn: {error}") from error
    if not isinstance(domain, Describes):
        return
    for move in islice(domain.moves(x, y), 50):
        text = domain.describe(x, move)
        if not isinstance(text, str) or not text:
            raise CheckError(f"describe returned {text!r} for move {move!r} {where}; expected words.")


def _check_codes(domain: Domain, x: Problem, y: Solution, where: str) -> None:
    if not isinstance(domain, Codes):
        return
    again = domain.decode_problem(json.loads(json.dumps(domain.encode_problem(x))))
    z = domain.decode_solution(again, json.loads(json.dumps(domain.encode_solution(y))))
    if not same_solution(y, z):
        raise CheckError(f"A solution does not survive encode_solution and decode_solution {where}.")
    if not np.array_equal(domain.features(x, y), domain.features(again, z)):
        raise CheckError(f"Features change when the problem is encoded and decoded {where}.")


# -- learners --------------------------------------------------------------------------------


def _check_weights(learner: Learner, dim: int, when: str) -> None:
    w = learner.weights
    if not isinstance(w, np.ndarray) or w.shape != (dim,):
        raise CheckError(
            f"Weights have shape {getattr(w, 'shape', type(w).__name__)} {when}; expected ({dim},)."
        )
    if not np.isfinite(w).all():
        raise CheckError(f"Weights contain NaN or infinity {when}.")


def _check_steady(learner: Learner, feedback: Feedback) -> None:
    before = learner.weights.copy()
    learner.update(feedback)
    if not np.array_equal(before, learner.weights):
        raise CheckError(
            "The weights changed although the cost was 0; return early unless cost > 0, "
            "or pass steady=False if this is intended."
        )


def _random_feedback(rng: np.random.Generator, dim: int, learner: Learner) -> Feedback:
    steps = int(rng.integers(0, 4))
    path = rng.standard_normal((steps + 1, dim))
    if learner.reads == "ends" and steps > 1:
        path = path[[0, -1]]
    declined = rng.standard_normal((5, dim)) if learner.reads == "declined" else None
    return Feedback(path, float(steps), declined)


def _check_refusals(learner: Learner, dim: int) -> None:
    bad = {
        "a path of the wrong width": Feedback(np.zeros((2, dim + 1)), 1.0),
        "NaN in the path": Feedback(np.full((2, dim), np.nan), 1.0),
        "a negative cost": Feedback(np.ones((2, dim)), -1.0),
        "an infinite cost": Feedback(np.ones((2, dim)), float("inf")),
    }
    for what, feedback in bad.items():
        before = json.dumps(learner.state())
        try:
            learner.update(feedback)
        except ValueError:
            pass
        else:
            raise CheckError(f"Update accepted {what}; it must raise ValueError.")
        if json.dumps(learner.state()) != before:
            raise CheckError(f"Update refused {what} but changed all the same; check first.")


def _check_state(make: Callable[[int], Learner], learner: Learner, dim: int, stream: list[Feedback]) -> None:
    state = json.loads(json.dumps(learner.state()))
    twin = make(dim)
    twin.restore(state)
    for feedback in stream:
        learner.update(feedback)
        twin.update(feedback)
    if not np.array_equal(twin.weights, learner.weights) or twin.state() != learner.state():
        raise CheckError(
            "A learner restored from its state goes on differently; state() must hold everything, exactly."
        )


# -- experts --------------------------------------------------------------------------------


def _check_gains(
    expert: SimulatedExpert, domain: Domain, x: Problem, path: Iterable[Solution], cut: bool, where: str
) -> None:
    solutions = list(path)
    truth = [search.utility_features(domain, x, y, expert.weights.size) @ expert.weights for y in solutions]
    slack = TOLERANCE * max(1.0, float(np.abs(truth).max()))
    for k in range(len(solutions) - 1):
        gain = truth[k + 1] - truth[k]
        if gain < expert.kappa - slack:
            raise CheckError(
                f"Step {k} gains {gain:.4g} {where}, less than kappa = {expert.kappa} (Assumption 2)."
            )
    gains = search.PlainLandscape(domain, x, expert.weights).gains(solutions[-1])
    if not cut and gains.size and gains.max() > max(expert.kappa, slack) + slack:
        raise CheckError(f"The expert stopped {where} although a move still gains {gains.max():.4g}.")
