"""Memory: what people chose in past cases, and how usual that makes each part of a new solution.

A domain names the parts that a solution consists of (`HasParts`): arcs, turns, a shift of a person, items.
The last name of a part is what was chosen, the names before it say where. From this alone it computes

    share = (weighted number of cases with the part) / (weighted number of cases that could have had it + 0.5)
    cost  = 1 - sqrt(share)

A case could have had a part if its place came up there and the choice was on offer (`surroundings`). Its
weight is halved for each name that only one of the two contexts has. Parts that no past case had cost 1.
Costs are rounded to four decimals, so that a log can hold them.

Bounds. A memory holds at most `MOST_NAMES` names in all its cases and forgets the oldest cases first: about
480 cases of 100 stops, or 4,500 trips of 20 turns. Recalling costs a few passes over these numbers,
however many cases there were before.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from coactor.habits.columns import Column, Vocabulary
from coactor.protocol import (
    HasParts,
    Indices,
    Invalid,
    Part,
    PastCase,
    Problem,
    Solution,
    State,
    TakesHabits,
    Usage,
    Vector,
    surroundings,
)

HABIT = "unusual in similar cases"
"""The name of the feature."""
MOST_NAMES = 100_000  # recalling takes tens of milliseconds
SMOOTHING = 0.5  # cases: one case alone is no habit; without it, drivers need 2 % more corrections


def past_case(domain: HasParts, x: Problem, y: Solution) -> PastCase:
    """What a memory keeps of a solved problem. Raises Invalid if a part has no name."""
    return PastCase(tuple(map(place_and_choice, domain.parts(x, y))), *_surroundings(domain, x))


def place_and_choice(part: Part) -> tuple[str, str]:
    """A part as a pair of names. Raises Invalid if it is not made of names."""
    names = tuple(part) if isinstance(part, tuple | list) else (part,)
    if not names or not all(isinstance(name, str) for name in names):
        raise Invalid(f"A part of a solution is {part!r}; expected a name or a tuple of names.")
    return " / ".join(names[:-1]), names[-1]


def usage_of(case: PastCase) -> Usage:
    """Costs by which only what a case does not have is unusual."""
    given, choice = zip(*case.parts, strict=True) if case.parts else (("",), ("",))
    return Usage(given, choice, np.zeros(len(given)))


def recall(memory: Memory, domain: TakesHabits, x: Problem) -> Usage:
    """How usual the parts of solutions of x are, for each kind of habit of the domain.

    Without a past case no part is listed. With past cases at least one is, so that a domain can tell these
    two apart: with none of their parts on offer, every part is unusual.
    """
    choices, context = _surroundings(domain, x)
    usage = memory.recall(choices, context)
    if len(memory) and not usage.given:
        usage = Usage(("",), ("",), np.ones(1))
    return usage


def _surroundings(domain: HasParts, x: Problem) -> tuple[tuple[str, ...] | None, tuple[str, ...] | None]:
    """The choices that a problem offers and its context; None if all are on offer, if it is the choices."""
    choices, context = surroundings(domain, x, "choices"), surroundings(domain, x, "context")
    return _names(choices, "choice"), _names(context, "name of the context")


def _names(given: Iterable[str] | None, what: str) -> tuple[str, ...] | None:
    names = None if given is None else tuple(given)
    for name in names or ():
        if not isinstance(name, str):
            raise Invalid(f"A {what} is {name!r}; expected a name.")
    return names


class Memory:
    """Past cases, and how usual they make each part of a solution.

    Examples
    --------
    >>> memory = Memory()
    >>> for day in range(4):
    ...     memory.add(PastCase((("depot", "A"), ("A", "B" if day else "C")), ("depot", "A", "B", "C")))
    >>> usage = memory.recall(("depot", "A", "B", "C"))
    >>> for given, choice, cost in zip(usage.given, usage.choice, usage.costs, strict=True):
    ...     print(given, choice, cost)
    depot A 0.0572
    A C 0.5286
    A B 0.1835
    """

    def __init__(self, cases: Sequence[PastCase] = ()) -> None:
        self._words = Vocabulary()
        self._parts, self._choices, self._context = Column(), Column(), Column()
        self._cases: tuple[PastCase, ...] = ()
        self._add(cases)

    def __len__(self) -> int:
        """The number of cases it holds."""
        return len(self._cases)

    def __deepcopy__(self, memo: Any) -> Memory:
        return self.copy()

    def copy(self) -> Memory:
        """An independent copy; it shares arrays, which are never changed in place."""
        copy = Memory.__new__(Memory)
        copy.__dict__.update(self.__dict__)
        return copy

    def add(self, case: PastCase) -> None:
        """Remember a case; the oldest ones are forgotten if there are too many names."""
        self._add([case])

    def _add(self, cases: Sequence[PastCase]) -> None:
        words = self._words
        self._parts = self._parts.add([words.parts(case.parts) for case in cases])
        self._choices = self._choices.add([words.ids(case.choices or ()) for case in cases])
        self._context = self._context.add([words.ids(case.context or ()) for case in cases])
        self._cases = (*self._cases, *cases)
        self._forget()

    def _forget(self) -> None:
        sizes = self._parts.counts + self._choices.counts + self._context.counts
        excess = int(sizes.sum()) - MOST_NAMES
        if excess > 0:
            first = min(int(np.searchsorted(np.cumsum(sizes), excess)) + 1, len(self) - 1)
            columns = (self._parts, self._choices, self._context)
            self._parts, self._choices, self._context = (one.without_first(first) for one in columns)
            self._cases = self._cases[first:]
            if first and len(self._words.names) > MOST_NAMES:  # most of them belong to forgotten cases
                self.__dict__.update(Memory(self._cases).__dict__)

    # -- recalling ---------------------------------------------------------------------------------------

    def recall(self, choices: Sequence[str] | None = None, context: Sequence[str] | None = None) -> Usage:
        """How usual each part is that a new case could have.

        Parameters
        ----------
        choices
            On offer in the new case; None if there is no limit.
        context
            Names that describe the new case; None if they are the choices.
        """
        parts, share = self._shares(self._weights(choices if context is None else context), choices)
        names, (given, choice) = self._words.names, self._words.ends(parts)
        costs = np.round(1.0 - np.sqrt(share), 4)
        return Usage(tuple(names[k] for k in given), tuple(names[k] for k in choice), costs)

    def _shares(self, weights: Vector, choices: Sequence[str] | None) -> tuple[Indices, Vector]:
        """The parts that past cases had and the new case could have, and how usual they are."""
        own, offers = self._parts, self._choices
        uses = np.bincount(own.numbers, weights[own.rows()])
        parts, size = np.flatnonzero(uses), len(self._words.names)
        given, choice = self._words.ends(parts)
        limited = choices is not None and all(case.choices is not None for case in self._cases)
        if limited:
            offered = np.zeros(size, bool)
            offered[self._words.known(choices or ())] = True
            place = np.ones(size, bool)  # a place that can be on offer came up if it is on offer
            place[offers.numbers] = False
            possible = offered[choice] & (offered | place)[given]
            parts, given, choice = parts[possible], given[possible], choice[possible]
        places, place_of = np.unique(given, return_inverse=True)
        at = Column(self._words.ends(own.numbers)[0], own.counts)
        if limited:
            options, option_of = np.unique(choice, return_inverse=True)
            came_up = np.maximum(at.marks(places, size), offers.marks(places, size))
            both = (came_up * weights[:, None]).T @ offers.marks(options, size)
            opportunities = both[place_of, option_of]
        else:
            visits = np.bincount(at.numbers, weights[at.rows()], size)
            opportunities = visits[places][place_of].astype(np.float64)
        share: Vector = np.minimum(1.0, uses[parts] / (opportunities + SMOOTHING))
        return parts, share

    def _weights(self, context: Sequence[str] | None) -> Vector:
        """The weight of each past case, by its context, relative to the most similar one."""
        own = any(case.context is not None for case in self._cases)
        column = self._context if own else self._choices
        wanted = np.zeros(len(self._words.names), bool)
        wanted[self._words.known(context or ())] = True
        different = len(set(context or ())) + column.counts - 2.0 * column.count(wanted)
        weights: Vector = 0.5 ** (different - different.min(initial=np.inf))
        return weights

    # -- state -------------------------------------------------------------------------------------------

    def cases(self) -> list[PastCase]:
        """The cases it holds, the oldest first."""
        return list(self._cases)

    def state(self) -> State:
        """The cases as JSON-able data: names, and their numbers in each case."""
        ids: dict[str, int] = {}

        def numbers(names: Iterable[str] | None) -> list[int] | None:
            return None if names is None else [ids.setdefault(name, len(ids)) for name in names]

        cases = [
            [
                numbers(name for part in case.parts for name in part),
                numbers(case.choices),
                numbers(case.context),
            ]
            for case in self.cases()
        ]
        return {"names": list(ids), "cases": cases}

    def restore(self, state: State) -> None:
        """Return to an earlier state. Raises Invalid, and changes nothing, if it is not a state."""
        self.__dict__.update(Memory.of(state).__dict__)

    @staticmethod
    def of(state: State) -> Memory:
        """The memory that a state was taken of. Raises Invalid if it is not a state."""
        try:
            names = state["names"]

            def words(numbers: list[int] | None) -> tuple[str, ...] | None:
                return None if numbers is None else tuple(names[k] for k in numbers)

            cases = []
            for parts, choices, context in state["cases"]:
                flat = words(parts) or ()
                pairs = tuple(zip(flat[::2], flat[1::2], strict=True))
                cases.append(PastCase(pairs, words(choices), words(context)))
            return Memory(cases)
        except (KeyError, TypeError, ValueError, IndexError):
            raise Invalid("This is not the state of a memory; expected what state() returned.") from None
