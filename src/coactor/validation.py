"""Validation of data from outside. Every function raises ValueError if the data is invalid."""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import islice
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from coactor.protocol import Domain, Feedback, Indices, Invalid, Learner, Matrix, Proposal, Vector, has
from coactor.solutions import short

STUDY_NAME = "[A-Za-z0-9][A-Za-z0-9._-]{0,63}"
Kind = TypeVar("Kind")
JOINERS = "\u200c\u200d"  # invisible, and needed to write names in some scripts


def problem(x: Any, kind: type[Kind]) -> Kind:
    """The problem. Raises ValueError unless it is of the kind that the domain solves."""
    if not isinstance(x, kind):
        raise ValueError(
            f"The problem is a {type(x).__name__}; expected a {kind.__name__}, which decode_problem makes of "
            "JSON-able data."
        )
    return x


def checked_domain(domain: Any) -> Any:
    """The domain. Raises Invalid unless it is one: an object, not its class."""
    if isinstance(domain, type) or not has(domain, Domain):
        raise Invalid(
            f"{short(domain)} is not a domain; give an object with features, solve, moves and apply."
        )
    return domain


def checked_learner(learner: object) -> None:
    """Raises Invalid unless it is a learner: an object, not its class."""
    if isinstance(learner, type) or not has(learner, Learner):
        raise Invalid(f"{short(learner)} is not a learner; give an object, or a name such as 'default'.")


def checked_type(value: Any, kind: Any, what: str) -> Any:
    """The value. Raises Invalid unless it is of this type."""
    if not isinstance(value, kind):
        words = {bool: "true or false", dict: "a JSON object", Callable: "a function"}
        raise Invalid(f"{what} is {short(value)}; expected {words.get(kind, kind.__name__)}.")
    return value


def proposal_number(proposal: Any) -> int:
    """The number of a proposal, or the number itself. Raises Invalid if it is neither."""
    number = proposal.id if isinstance(proposal, Proposal) else proposal
    if isinstance(number, bool) or not isinstance(number, int | np.integer):
        raise Invalid(f"{short(proposal)} is not a proposal; give what ask returned, or its number.")
    return int(number)


def listed(values: Any, what: str, most: int | None = None) -> list[Any]:
    """The first values as a list. Raises Invalid if they are one text or cannot be listed."""
    if isinstance(values, str | bytes | Mapping) or not isinstance(values, Iterable):
        raise Invalid(f"The {what} must be a list; found {short(values)}.")
    return list(islice(values, most))


def number(value: Any, what: str, most: float = 1e12) -> float:
    """The value as a float. Raises Invalid unless it is a number from 0 to `most`."""
    good = isinstance(value, int | float | np.number) and not isinstance(value, bool)
    if not good or not math.isfinite(value) or not 0 <= value <= most:
        raise Invalid(f"The {what} must be a number from 0 to {most:g}; found {short(value)}.")
    return float(value)


def above_zero(value: Any, what: str) -> float:
    """The value as a float. Raises ValueError unless it is a finite number above 0."""
    good = isinstance(value, int | float | np.number) and not isinstance(value, bool)
    if not good or not 0 < value < math.inf:
        raise ValueError(f"{what} is {short(value)}; it must be a finite number above 0.")
    return float(value)


def positive(value: int, least: int, what: str) -> int:
    """The value as an int of at least `least`."""
    if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < least:
        raise ValueError(f"{what} is {value!r}; it must be a whole number of at least {least}.")
    return int(value)


def array(data: Any, what: str, make: Callable[..., Any] = np.array) -> NDArray[np.float64]:
    """A finite float array of any shape; a new one by default."""
    try:
        numbers = make(data, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        raise ValueError(
            f"{what} cannot be read as numbers; give a list of them, or lists of equal length."
        ) from None
    return finite(numbers, what)


def matrix(data: Any, what: str, rows: int | None = None, columns: int | None = None) -> Matrix:
    """A finite float matrix of the expected shape."""
    table = array(data, what, np.ascontiguousarray)
    if table.shape == (0,) and not (rows and columns):
        table = table.reshape(rows or 0, columns or 0)
    expected = f"({'any' if rows is None else rows}, {'any' if columns is None else columns})"
    wrong_rows = rows is not None and table.shape[0] != rows
    if table.ndim != 2 or wrong_rows or (columns is not None and table.shape[1] != columns):
        raise ValueError(f"{what} have shape {table.shape}; expected {expected}.")
    return table


def vector(data: Any, what: str) -> Vector:
    """A finite float vector."""
    return array(data, what, np.asarray).reshape(-1)


def finite(array: Vector, what: str) -> Vector:
    """The array itself. Raises ValueError if it contains NaN or infinity."""
    if not np.isfinite(array).all():
        raise ValueError(f"{what} contain NaN or infinity; every number must be finite.")
    return array


def all_finite(array: Vector) -> bool:
    """Whether an array contains neither NaN nor infinity; faster than looking at each element."""
    flat = array.ravel()
    return math.isfinite(float(flat.dot(flat))) or bool(np.isfinite(array).all())


def weight_vector(w: Any, dim: int, hidden: int = 0) -> Vector:
    """Weights for the visible features, or for all of them."""
    array = np.asarray(w, dtype=np.float64)
    if array.ndim != 1 or (array.size != dim and array.size != dim + hidden):
        also = f" (or {dim + hidden} with the hidden features)" if hidden else ""
        raise ValueError(f"The weights have shape {array.shape}; this domain has {dim} features{also}.")
    return array


def edge_costs(edges: Matrix, hidden: Matrix, w: Vector) -> Vector:
    """The cost of each edge under the weights. Raises ValueError if one is not finite."""
    d = edges.shape[1]
    if w.size != d and w.size != d + hidden.shape[1]:
        also = f" and {hidden.shape[1]} hidden ones" if hidden.shape[1] else ""
        raise ValueError(f"The problem's edges have {d} features{also}; the domain asks for {w.size}.")
    costs: Vector = edges @ w[:d]
    if w.size > d:
        costs += hidden @ w[d:]
    if not math.isfinite(float(costs.sum())) and not np.isfinite(costs).all():
        raise ValueError("Edge costs are NaN or infinite; every weight and every feature must be finite.")
    return costs


def is_permutation(data: Any, n: int) -> bool:
    """Whether `data` is an array that contains every number from 0 to n - 1 exactly once."""
    return is_index_array(data) and np.array_equal(np.sort(data), np.arange(n))


def is_index_array(data: Any) -> bool:
    """Whether `data` is a vector of whole numbers that the kernels can read."""
    return isinstance(data, np.ndarray) and data.ndim == 1 and data.dtype.kind in "iu"


def integers(data: Any, what: str) -> Indices:
    """A vector of whole numbers from JSON-able data or an array."""
    try:
        array = np.asarray(data)
        if array.size == 0:
            return np.empty(0, np.int64)
        if array.ndim != 1 or array.dtype.kind not in "iu":
            raise ValueError
    except (TypeError, ValueError, OverflowError):
        raise ValueError(f"{what} is {str(data)[:60]!r}; expected a list of whole numbers.") from None
    return array.astype(np.int64)


def entry(data: Any, key: str, what: str) -> Any:
    """data[key]. Raises ValueError if `data` is not a mapping or has no such key."""
    if not isinstance(data, Mapping):
        raise ValueError(f"{what} is a {type(data).__name__}; expected an object with {key!r}.")
    if key not in data:
        raise ValueError(f"{what} has no {key!r}; it has {sorted(map(str, data))}.")
    return data[key]


def text(value: Any, what: str, longest: int) -> str:
    """The value. Raises Invalid unless it is Unicode text of at most `longest` characters."""
    if not isinstance(value, str) or len(value) > longest or "\x00" in value:
        raise Invalid(f"The {what} must be text of at most {longest} characters; found {short(value)}.")
    try:
        value.encode()
    except UnicodeEncodeError:
        raise Invalid(f"The {what} contains an unpaired surrogate; send valid Unicode text.") from None
    return value


def study_name(value: Any) -> str:
    """The name of a study. Raises Invalid if it is not valid."""
    if not isinstance(value, str) or not re.fullmatch(STUDY_NAME, value):
        raise Invalid(
            f"{short(value)} is not a valid name; use up to 64 letters, digits, dots, dashes and underscores."
        )
    return value


def person_name(value: Any, what: str) -> str:
    """The name of a person, of at most 100 characters; it may be empty.

    Raises Invalid if it contains control characters: line breaks and other characters that cannot be seen.
    """
    name = text(value, what, 100)
    if not name.isprintable():
        for character in name:
            if unicodedata.category(character) in ("Cc", "Cf", "Zl", "Zp") and character not in JOINERS:
                raise Invalid(
                    f"The {what} {short(value)} contains the control character U+{ord(character):04X}; "
                    "use visible characters on one line."
                )
    return name


def recorded_person(value: Any) -> str:
    """The name of a person in an archive, where a number becomes text. Raises Invalid if it is not valid."""
    number = isinstance(value, int | float) and not isinstance(value, bool)
    return person_name(str(value) if number else value.strip() if isinstance(value, str) else value, "person")


def validate_label(label: str, key: str | None) -> None:
    """Raises Invalid if the label of a proposal or the idempotency key is not valid."""
    text(label, "label", 200)
    if key is not None and not text(key, "key", 200):
        raise Invalid("The idempotency key is empty; omit it or pass a non-empty string.")


def validate_actor(actor: str, via: str = "", expert: str = "") -> None:
    """Raises Invalid if the actor, the account or the expert is not a valid name."""
    person_name(actor, "actor")
    person_name(via, "account")
    person_name(expert, "expert")


def names_for(names: Sequence[str] | None, features: int) -> tuple[str, ...]:
    """The given feature names, or "feature 1", "feature 2", ..."""
    return titles(names, features, "features") or tuple(f"feature {k + 1}" for k in range(features))


def titles(data: Any, count: int, what: str) -> tuple[str, ...] | None:
    """The names of `count` things; None if none are given."""
    if data is None:
        return None
    several = isinstance(data, Iterable) and not isinstance(data, str | Mapping)
    given = tuple(data) if several else ()
    if not several or not all(isinstance(name, str) for name in given):
        raise ValueError(f"The names of the {what} are {str(data)[:60]!r}; expected a list of texts.")
    if len(given) != count or any(len(name) > 200 for name in given):
        raise ValueError(
            f"{len(given)} names were given for {count} {what}; give one each, of at most 200 characters."
        )
    return given


def move_args(move: Any, op: str, count: int) -> list[int]:
    """The arguments of a move. Raises ValueError unless it has this operator and number of arguments."""
    if not isinstance(move, Mapping) or move.get("op") != op:
        raise ValueError(
            f"Move {move!r} is unknown here; expected {{'op': {op!r}, 'args': [{count} whole numbers]}}."
        )
    args: Any = move.get("args")
    fits = isinstance(args, Sequence) and not isinstance(args, str) and len(args) == count
    if not fits or any(isinstance(a, bool) or not isinstance(a, int | np.integer) for a in args):
        raise ValueError(f"Move {op!r} has args {args!r}; expected {count} whole numbers.")
    return [int(a) for a in args]


def check_feedback(feedback: Feedback, dim: int) -> None:
    """Raises ValueError if a learner of this dimension cannot use the feedback."""
    path, cost = feedback.path, feedback.cost
    if path.ndim != 2 or path.shape[0] < 1 or path.shape[1] != dim:
        raise ValueError(f"feedback.path has shape {path.shape}; expected (steps + 1, {dim}).")
    if not (math.isfinite(cost) and cost >= 0):
        raise ValueError(f"feedback.cost is {cost!r}; it must be a finite number, 0 or more.")
    if not all_finite(path):
        raise ValueError("feedback.path contains NaN or infinity; check the features of the problem.")
    declined = feedback.declined
    if declined is not None:
        if declined.ndim != 2 or declined.shape[1] != dim:
            raise ValueError(f"feedback.declined has shape {declined.shape}; expected (moves, {dim}).")
        if not all_finite(declined):
            raise ValueError("feedback.declined contains NaN or infinity; check the features of the problem.")


def finite_weights(weights: Vector) -> Vector:
    """The weights. Raises ValueError if they contain NaN or infinity."""
    if not all_finite(weights):
        raise ValueError("The weights would become infinite; scale the features, or do not learn.")
    return weights
