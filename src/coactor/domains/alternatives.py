"""Choose one of several alternatives: a contract, a brand, a supplier."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from coactor import display, validation
from coactor.protocol import Matrix, Move, Vector


@dataclass(frozen=True, slots=True, eq=False)
class Situation:
    """The alternatives of one choice.

    Attributes
    ----------
    rows
        The features of each alternative, shape (alternatives, d).
    names
        Of the alternatives; optional.
    """

    rows: Matrix
    names: tuple[str, ...] | None = None

    __repr__ = display.brief("rows", "names")


class Alternatives:
    """Choose the alternative with the largest w . phi; phi is its row of features.

    A solution is the number of an alternative, and the only edit is to choose another one.

    Parameters
    ----------
    features
        d, the number of features of an alternative.
    names
        Of the features; optional.

    Examples
    --------
    >>> import numpy as np
    >>> domain = Alternatives(features=2, names=["price", "comfort"])
    >>> x = Situation(np.array([[3.0, 1.0], [5.0, 4.0]]), ("bus", "train"))
    >>> domain.solve(x, np.array([-1.0, 1.0]))
    1
    >>> domain.apply(x, 1, {"op": "choose", "args": [0]})
    0
    """

    checks_moves = True
    lists_all = True

    def __init__(self, features: int, names: Sequence[str] | None = None) -> None:
        self.dim = validation.positive(features, 1, "features")
        self.feature_names = validation.names_for(names, self.dim)

    __repr__ = display.brief("feature_names")

    def sample(self, rng: np.random.Generator, n: int) -> Iterator[Situation]:
        """n random choices between four alternatives: features uniform on [0, 1]."""
        for _ in range(n):
            yield Situation(rng.random((4, self.dim)))

    def features(self, x: Situation, y: int) -> Vector:
        """phi(x, y): the features of the alternative."""
        row: Vector = x.rows[y]
        return row

    def solve(self, x: Situation, w: Vector) -> int:
        """The alternative with the largest utility; the first of equals."""
        return int((validation.problem(x, Situation).rows @ validation.weight_vector(w, self.dim)).argmax())

    def parts(self, x: Situation, y: int) -> Iterator[str]:
        """The alternative that was chosen."""
        yield str(y) if x.names is None else x.names[y]

    def moves(self, x: Situation, y: int) -> Iterator[Move]:
        """Choose any other alternative."""
        for k in range(len(x.rows)):
            if k != y:
                yield {"op": "choose", "args": [k]}

    def apply(self, x: Situation, y: int, move: Move) -> int:
        """The chosen alternative."""
        (k,) = validation.move_args(move, "choose", 1)
        self.check_solution(x, k)
        if k == y:
            raise ValueError(f"Alternative {k} is already chosen; choose another one.")
        return k

    def move_features(self, x: Situation, y: int) -> Matrix:
        """The change in phi of each move."""
        changes: Matrix = np.delete(x.rows, y, axis=0) - x.rows[y]
        return changes

    def features_along(self, x: Situation, path: Sequence[int]) -> Matrix:
        """phi of each solution."""
        return x.rows[list(path)]

    def edits_between(self, x: Situation, y: int, z: int) -> int:
        """0 or 1."""
        return int(y != z)

    def check_solution(self, x: Situation, y: Any) -> None:
        """Raise ValueError unless y is the number of an alternative."""
        if isinstance(y, bool) or not isinstance(y, int | np.integer) or not 0 <= y < len(x.rows):
            raise ValueError(
                f"The choice is {y!r}; expected the number of an alternative, 0 to {len(x.rows) - 1}."
            )

    def show(self, x: Situation, y: int) -> list[dict[str, Any]]:
        """A table of the alternatives and their features, with the chosen one marked."""
        rows = [["chosen" if k == y else "", self._name(x, k), *row] for k, row in enumerate(x.rows.tolist())]
        return [{"kind": "table", "head": ["", "alternative", *self.feature_names], "rows": rows}]

    def describe_edit(self, x: Situation, y: int, move: Move) -> str:
        """The edit in words."""
        return f"Choose {self._name(x, move['args'][0])}"

    @staticmethod
    def _name(x: Situation, k: int) -> str:
        return f"alternative {k}" if x.names is None else x.names[k]

    def encode_problem(self, x: Situation) -> Any:
        """The alternatives as JSON-able data."""
        names = {} if x.names is None else {"names": list(x.names)}
        return {"alternatives": x.rows.tolist(), **names}

    def decode_problem(self, data: Any) -> Situation:
        """Validated alternatives from JSON-able data."""
        rows = validation.entry(data, "alternatives", "the problem")
        rows = validation.matrix(rows, "alternatives", None, self.dim)
        if not len(rows):
            raise ValueError("The problem has no alternatives; expected at least one.")
        return Situation(rows, validation.titles(data.get("names"), len(rows), "alternatives"))

    def encode_solution(self, y: int) -> int:
        """The number of the alternative."""
        return int(y)

    def decode_solution(self, x: Situation, data: Any) -> int:
        """A validated number."""
        self.check_solution(x, data)
        return int(data)
