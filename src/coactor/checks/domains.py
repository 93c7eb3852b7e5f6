"""The conformance suite of domains."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterable
from contextlib import suppress
from itertools import islice
from typing import Any
from unittest import mock

import numpy as np

from coactor import habits, search
from coactor.checks.errors import CheckError, check_methods, expect, naming_errors
from coactor.corrections import plain_move
from coactor.protocol import (
    Codes,
    Declines,
    Describes,
    Domain,
    HasParts,
    Hides,
    Invalid,
    Landscapes,
    Problem,
    Shows,
    Solution,
    Usage,
    Vector,
    Vectorises,
    declares,
    feature_names,
    feature_signs,
    has,
    uses_habits,
)
from coactor.protocol.views import check_views
from coactor.solutions import from_plain, same_solution, to_plain

TOLERANCE = 1e-9


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
        locally_optimal = declares(domain, "locally_optimal")
    check_methods(domain, ("features", "solve", "moves", "apply"))
    dim = domain.dim
    counts = isinstance(dim, int) and dim >= 1
    expect(counts, f"dim is {dim!r}; expected the number of features, a whole number above 0.")
    number = -1
    for number, x in enumerate(problems):
        where = f"on problem {number}"
        with naming_errors(where):
            _check_problem(domain, x, where, rng, locally_optimal)
    expect(number >= 0, "No problems were given; pass at least one.")


def _check_problem(
    domain: Domain, x: Problem, where: str, rng: np.random.Generator, locally_optimal: bool
) -> None:
    dim = domain.dim
    for w in (np.zeros(dim), rng.random(dim), rng.standard_normal(dim)):
        before = w.copy()
        y = _solved(domain, x, w, where)
        kept = np.array_equal(before, w)
        expect(kept, f"solve changed the weights it was given {where}; work on a copy.")
        _check_features(domain, x, y, where)
        _check_moves(domain, x, y, where, rng)
        if locally_optimal:
            _check_optimal(domain, x, y, w, where)
        _check_abilities(domain, x, y, w, where)
    _check_words(domain, x, y, where)
    if has(domain, Codes):
        _check_codes(domain, x, y, where)
    else:
        _check_stored(domain, x, y, where)


def _solved(domain: Domain, x: Problem, w: Vector, where: str) -> Solution:
    """The solver's answer. If the solver raises because of wrong features, the error names those."""
    features = domain.features

    def watched(*args: Any) -> Vector:
        phi = features(*args)
        _check_shape(domain, phi, where)
        return phi

    try:
        return domain.solve(x, w)
    except Exception:
        with suppress(AttributeError), mock.patch.object(domain, "features", watched):
            domain.solve(x, w)  # where the object can be patched
        raise


def _check_features(domain: Domain, x: Problem, y: Solution, where: str) -> None:
    phi = domain.features(x, y)
    _check_shape(domain, phi, where)
    finite = np.isfinite(phi).all()
    expect(finite, f"Features contain NaN or infinity {where}; scale or clean the problem's data.")
    expect(
        np.array_equal(phi, domain.features(x, y)),
        f"Features differ when asked twice {where}; they must depend on problem and solution alone.",
    )


def _check_shape(domain: Domain, phi: Any, where: str) -> None:
    array = isinstance(phi, np.ndarray)
    expect(array, f"features returned a {type(phi).__name__} {where}; return a NumPy array.")
    expect(phi.ndim == 1, f"features returned shape {phi.shape} {where}; expected ({domain.dim},).")
    expect(phi.size == domain.dim, f"features returned {phi.size} numbers {where}, dim is {domain.dim}.")


def _check_moves(domain: Domain, x: Problem, y: Solution, where: str, rng: np.random.Generator) -> None:
    moves = list(domain.moves(x, y))
    steady = moves == list(domain.moves(x, y))
    expect(steady, f"Moves differ when asked twice {where}; the scan order must be fixed.")
    for move in moves:
        form = "expected {'op': name, 'args': [whole numbers]}"
        expect(move == _plain(move), f"Move {move!r} {where} is not plain data; {form}.")
    tried = moves if len(moves) <= 50 else [moves[k] for k in rng.choice(len(moves), 50, replace=False)]
    for move in tried:
        before = copy.deepcopy(y)
        z = domain.apply(x, y, move)
        types = f"apply returned a {type(z).__name__} and solve a {type(y).__name__} {where}"
        expect(type(z) is type(y), f"{types}; return one type.")
        changed = f"apply changed the solution it was given, by move {move!r} {where}"
        expect(same_solution(before, y), f"{changed}; work on a copy.")
        try:
            search.check_solution(domain, x, z)
        except ValueError as error:
            raise CheckError(f"Move {move!r} {where} yields an invalid solution: {error}") from error
        _check_features(domain, x, z, f"after move {move!r} {where}")


def _plain(move: Any) -> Any:
    try:
        return json.loads(json.dumps(plain_move(move)))
    except (ValueError, TypeError):
        return None


def _check_optimal(domain: Domain, x: Problem, y: Solution, w: Vector, where: str) -> None:
    gains = search.PlainLandscape(domain, x, w).gains(y)
    scale = float(np.abs(w) @ np.abs(domain.features(x, y)))
    if gains.size and gains.max() > TOLERANCE * max(1.0, scale):
        k = int(gains.argmax())
        move = list(domain.moves(x, y))[k]
        raise CheckError(
            f"The solver's answer {where} is improved by move {move!r}, by {gains[k]:.4g} (Assumption 1); "
            "wrap the solver with coactor.polish, or set locally_optimal = False on the domain."
        )


def _check_abilities(domain: Domain, x: Problem, y: Solution, w: Vector, where: str) -> None:
    """Where a domain brings its own kernels, they agree with its four methods."""
    plain = search.PlainLandscape(domain, x, w)
    scale = TOLERANCE * max(1.0, float(np.abs(w) @ np.abs(domain.features(x, y))))
    if has(domain, Landscapes):
        fast = domain.landscape(x, w)
        agrees = np.allclose(fast.gains(y), plain.gains(y), rtol=0, atol=scale)
        expect(agrees, f"landscape().gains disagrees with features of the applied moves {where}.")
        agrees = abs(fast.utility(y) - plain.utility(y)) <= scale
        expect(agrees, f"landscape().utility disagrees with w . features {where}.")
        path, moves = fast.climb(y, limit=2)
        for k, move in enumerate(moves):
            leads = same_solution(domain.apply(x, path[k], move), path[k + 1])
            expect(leads, f"landscape().climb reports move {move!r} {where}, which leads elsewhere.")
        start = y
        for k in (3, 5, 7):  # away from the optimum, so that several moves improve
            around = list(domain.moves(x, start))
            start = domain.apply(x, start, around[k % len(around)]) if around else start
        expect(
            fast.climb(start, limit=1)[1] == plain.climb(start, limit=1)[1],
            f"landscape().climb does not make the first improving move in the order of moves() {where}.",
        )
    if has(domain, Vectorises):
        rows = domain.features_along(x, [y, y])
        differences = domain.move_features(x, y)
        moves = list(domain.moves(x, y))
        phi = domain.features(x, y)
        expected = [domain.features(x, domain.apply(x, y, m)) - phi for m in moves]
        atol = TOLERANCE * max(1.0, float(np.abs(phi).max(initial=0.0)))
        agrees = np.allclose(rows, [phi, phi], rtol=0, atol=atol)
        expect(agrees, f"features_along disagrees with features {where}.")
        agrees = differences.shape == (len(moves), domain.dim) and (
            not moves or np.allclose(differences, expected, rtol=0, atol=atol)
        )
        expect(agrees, f"move_features disagrees with features of the applied moves {where}.")
    if has(domain, Declines):
        declined = np.asarray(domain.declined_features(x, y))
        rows_of_numbers = declined.shape == (len(declined), domain.dim) and np.isfinite(declined).all()
        expect(rows_of_numbers, f"declined_features must be finite rows of {domain.dim} numbers {where}.")
    if has(domain, Hides):
        full, dim, hidden = domain.all_features(x, y), domain.dim, domain.hidden
        fits = full.shape == (dim + hidden,) and np.array_equal(full[:dim], domain.features(x, y))
        expect(fits, f"all_features must be the {dim} features, then the {hidden} hidden {where}.")


def _check_words(domain: Domain, x: Problem, y: Solution, where: str) -> None:
    names, signs = feature_names(domain), feature_signs(domain)
    fits = (len(names), len(signs)) == (domain.dim, domain.dim) and set(signs) <= {1, -1}
    expect(fits, f"Each of the {domain.dim} features needs one name, and a sign of 1 or -1.")
    if has(domain, Shows):
        try:
            check_views(domain.show(x, y))
        except ValueError as error:
            raise CheckError(f"show {where} cannot be drawn: {error}") from error
    if has(domain, HasParts):
        try:
            habits.past_case(domain, habits.plain(x), y)
        except Invalid as error:
            raise CheckError(f"{error} It is for habits {where}.") from error
    if not has(domain, Describes):
        return
    for move in islice(domain.moves(x, y), 50):
        text = domain.describe_edit(x, y, move)
        words = f"describe_edit returned {text!r} for move {move!r} {where}; expected words."
        expect(isinstance(text, str) and text, words)


def _check_codes(domain: Codes, x: Problem, y: Solution, where: str) -> None:
    again = domain.decode_problem(json.loads(json.dumps(domain.encode_problem(x))))
    z = domain.decode_solution(again, json.loads(json.dumps(domain.encode_solution(y))))
    survives = same_solution(y, z)
    expect(survives, f"A solution does not survive encode_solution and decode_solution {where}.")
    if uses_habits(domain):  # an encoded problem leaves out what was recalled for it
        nothing = Usage((), (), np.empty(0))
        x, again = domain.extend(x, nothing), domain.extend(again, nothing)
    survives = np.array_equal(domain.features(x, y), domain.features(again, z))
    expect(survives, f"Features change when the problem is encoded and decoded {where}.")


def _check_stored(domain: Domain, x: Problem, y: Solution, where: str) -> None:
    """Without JSON methods, problem and solution come back from a store as they were."""
    again, z = _stored("problem", habits.plain(x), where), _stored("solution", y, where)
    if habits.plain(x) is not x:  # what was recalled for a problem is stored apart from it
        return
    try:
        if np.array_equal(domain.features(x, y), domain.features(again, z)):
            return
        reason = "other features"
    except Exception as error:
        reason = f"{type(error).__name__} ({error})"
    raise CheckError(f"After storing, features returns {reason} {where}; give the JSON methods.")


def _stored(what: str, data: Any, where: str) -> Any:
    try:
        text = json.dumps(to_plain(data), allow_nan=False)
    except ValueError as error:
        reason = str(error)
        if reason.startswith("Out of range"):
            reason = "contains NaN or infinity, which JSON cannot hold. Give the JSON methods."
        raise CheckError(f"The {what} {where} {reason}") from error
    again = from_plain(json.loads(text))
    survives = same_solution(data, again)
    expect(survives, f"The {what} {where} is not the same after storing; give the JSON methods.")
    return again
