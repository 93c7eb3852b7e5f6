"""A CP-SAT model that exists already, as a domain: to try coactor before rewriting anything as a GridModel.

Features are evaluated by fixing the decisions and letting CP-SAT minimise the soft terms, one solve for each
solution: a few milliseconds each, so all moves of a solution take seconds where a GridModel takes one
millisecond. Moves change one decision or exchange two.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np

from coactor import validation
from coactor.grids.cpsat import LARGEST, import_cp_model
from coactor.protocol import Indices, Move, Problem, Vector


class Built(NamedTuple):
    """What `build` returns.

    Attributes
    ----------
    model
        A cp_model.CpModel with its hard constraints. Its objective is replaced.
    decisions
        The variables that a person decides, by name. All others must follow from them and from the terms
        being as low as they can be.
    terms
        The soft terms, by name: linear expressions of which less is better.
    """

    model: Any
    decisions: Mapping[str, Any]
    terms: Mapping[str, Any]


class CpSatModel:
    """A domain from a function that builds a CP-SAT model. Slow; see the module.

    A solution is an array of the decisions' values. Problems are what `build` is given, as plain data.
    Weights below 0 count as 0 in `solve`: a term that is only bounded from below could grow without limit.

    Parameters
    ----------
    build
        Makes the model, the decisions and the soft terms of a problem.
    names
        Of the soft terms, in the order of the features.
    effort
        The limit of a solve, in CP-SAT's deterministic time.
    """

    counts_costs = True  # phi is minus the terms
    locally_optimal = False  # for weights below 0, and where the limit ends a solve

    def __init__(
        self, build: Callable[[Problem], Built], names: Sequence[str], *, effort: float = 1.0
    ) -> None:
        self.build, self.effort = build, float(effort)
        self.feature_names = validation.names_for(names, len(names))
        self.dim = len(self.feature_names)

    def features(self, x: Problem, y: Indices) -> Vector:
        """Minus the soft terms with the decisions fixed. Raises ValueError if they break a constraint."""
        phi = self._evaluate(self._built(x), y)
        if phi is None:
            raise ValueError("These decisions break a constraint of the CP-SAT model.")
        return phi

    def solve(self, x: Problem, w: Vector) -> Indices:
        """The decisions that CP-SAT finds best. Raises ValueError if it finds none."""
        built = self._built(x)
        costs = np.maximum(validation.weight_vector(w, self.dim), 0.0)
        whole = np.rint(costs * (LARGEST / max(float(costs.max()), 1e-300))).astype(np.int64).tolist()
        terms = [built.terms[name] for name in self.feature_names]
        solver = self._minimised(
            built, sum(k * term for k, term in zip(whole, terms, strict=True)), self.effort
        )
        if solver is None:
            raise ValueError("CP-SAT finds no solution within its limit, or there is none.")
        return np.array([solver.value(v) for v in built.decisions.values()], dtype=np.int64)

    def moves(self, x: Problem, y: Indices) -> Iterator[Move]:
        """Every change of one decision, then every exchange of two, that the constraints allow."""
        built = self._built(x)
        values = y.tolist()
        domains = [_values(v) for v in built.decisions.values()]
        options = [(k, v) for k, domain in enumerate(domains) for v in domain if v != values[k]]
        changes: list[Move] = [{"op": "set", "args": [k, v]} for k, v in options]
        pairs = combinations(range(len(values)), 2)
        changes += [
            {"op": "swap", "args": [a, b]}
            for a, b in pairs
            if values[a] != values[b] and values[b] in domains[a] and values[a] in domains[b]
        ]
        for move in changes:
            if self._evaluate(built, self._edited(y, move)) is not None:
                yield move

    def apply(self, x: Problem, y: Indices, move: Move) -> Indices:
        """The decisions after a move. Raises ValueError if it is not valid or breaks a constraint."""
        op = "swap" if isinstance(move, Mapping) and move.get("op") == "swap" else "set"
        args = validation.move_args(move, op, 2)
        if not all(0 <= k < y.size for k in (args if op == "swap" else args[:1])):
            raise ValueError(f"Move {move!r} names a decision that does not exist; there are {y.size}.")
        z = self._edited(y, move)
        if np.array_equal(y, z):
            raise ValueError(f"Move {move!r} changes nothing.")
        self.check_solution(x, z)
        return z

    def check_solution(self, x: Problem, y: Any) -> None:
        """Raise ValueError unless y holds a value for each decision and keeps the constraints."""
        built = self._built(x)
        if not validation.is_index_array(y) or y.size != len(built.decisions):
            raise ValueError(f"A solution must be an array of {len(built.decisions)} whole numbers.")
        if self._evaluate(built, y) is None:
            raise ValueError("These decisions break a constraint of the CP-SAT model.")

    def encode_problem(self, x: Problem) -> Any:
        return x

    def decode_problem(self, data: Any) -> Problem:
        self._built(data)
        return data

    def encode_solution(self, y: Indices) -> Any:
        return y.tolist()

    def decode_solution(self, x: Problem, data: Any) -> Indices:
        y = validation.integers(data, "The solution")
        self.check_solution(x, y)
        return y

    def describe(self, x: Problem, move: Move) -> str:
        """What a move does, in words."""
        names, (a, b) = list(self._built(x).decisions), move["args"]
        return f"{names[a]}: {b}" if move["op"] == "set" else f"Exchange {names[a]} and {names[b]}"

    def _built(self, x: Problem) -> Built:
        built = Built(*self.build(x))
        if set(built.terms) != set(self.feature_names):
            raise ValueError(f"build returns the terms {sorted(built.terms)}; expected {self.feature_names}.")
        return built

    def _evaluate(self, built: Built, y: Indices) -> Vector | None:
        fixed = built.model.clone()
        for variable, value in zip(built.decisions.values(), y.tolist(), strict=True):
            fixed.add(fixed.get_int_var_from_proto_index(variable.index) == value)
        terms = [built.terms[name] for name in self.feature_names]
        solver = self._minimised(built._replace(model=fixed), sum(terms), self.effort)
        return None if solver is None else -np.array([float(solver.value(term)) for term in terms])

    @staticmethod
    def _edited(y: Indices, move: Move) -> Indices:
        z, (a, b) = y.copy(), move["args"]
        if move["op"] == "set":
            z[a] = b
        else:
            z[a], z[b] = y[b], y[a]
        return z

    @staticmethod
    def _minimised(built: Built, objective: Any, effort: float) -> Any:
        """A solver with its answer, or None if there is none."""
        cp_model = import_cp_model()
        built.model.clear_objective()
        built.model.minimize(objective)
        solver = cp_model.CpSolver()
        solver.parameters.max_deterministic_time = effort
        solver.parameters.num_workers = 1
        solver.parameters.random_seed = 0
        return solver if solver.solve(built.model) in (cp_model.OPTIMAL, cp_model.FEASIBLE) else None


def _values(variable: Any) -> list[int]:
    """The domain of a variable."""
    ends = list(variable.proto.domain)
    return [v for low, high in zip(ends[::2], ends[1::2], strict=True) for v in range(low, high + 1)]
