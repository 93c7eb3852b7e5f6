"""A domain of your own: who works which shift, learnt from the corrections of the person who plans.

    python examples/own_domain.py            checks it, simulates 200 weeks, writes own_domain.png

Copy this file, put in your problem, your solution, your edits. A domain needs four methods and a number.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import TypedDict

import numpy as np

import coactor
from coactor.protocol import Move, Vector

FEATURES = ("dislike", "tiredness", "inexperience", "unevenness")
PEOPLE = ("Ana", "Ben", "Cleo", "Dov", "Eva")
DAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")


def shift_name(shift: int) -> str:
    """Each day has an early shift and a late one."""
    return f"{DAYS[shift // 2]} {('early', 'late')[shift % 2]}"


class Week(TypedDict):
    """A problem: what it would cost to have each person on each shift, and how many shifts are fair."""

    costs: np.ndarray  # (people, shifts, 3): dislike, tiredness, inexperience
    fair: float  # shifts per person


class Shifts:
    """A solution says who works each shift. The planner's edits: hand a shift over, or trade two."""

    dim = len(FEATURES)
    feature_names = FEATURES

    def __init__(self, people: int = 5, shifts: int = 14) -> None:
        self.people, self.shifts = people, shifts

    def features(self, x: Week, y: tuple[int, ...]) -> Vector:
        """phi(x, y): minus what is bad about the plan, so that utility w . phi is larger for better plans."""
        workload = np.bincount(y, minlength=len(x["costs"]))
        bad = x["costs"][list(y), range(len(y))].sum(axis=0)
        return -np.append(bad, ((workload - x["fair"]) ** 2).sum())

    def solve(self, x: Week, w: Vector) -> tuple[int, ...]:
        """The cheapest person for each shift, then every edit that helps. Your own solver will do as well."""
        start = tuple(int(who) for who in (x["costs"] @ w[:3]).argmin(axis=0))
        path, _ = coactor.search.landscape(self, x, w).climb(start)
        return tuple(path[-1])

    def moves(self, x: Week, y: tuple[int, ...]) -> Iterator[Move]:
        """Every edit, always in the same order."""
        for shift, who in enumerate(y):
            for other in range(len(x["costs"])):
                if other != who:
                    yield {"op": "hand over", "args": [shift, other]}
        for one in range(len(y)):
            for two in range(one + 1, len(y)):
                if y[one] != y[two]:
                    yield {"op": "trade", "args": [one, two]}

    def apply(self, x: Week, y: tuple[int, ...], move: Move) -> tuple[int, ...]:
        """The plan after one edit; the old one is left as it is."""
        plan, (first, second) = list(y), move["args"]
        if move["op"] == "hand over":
            plan[first] = second
        else:
            plan[first], plan[second] = plan[second], plan[first]
        return tuple(plan)

    # The four methods above suffice. These two show a week and its edits on the page as people say them.
    def show(self, x: Week, y: tuple[int, ...]) -> list[dict[str, object]]:
        """Who works which shift."""
        rows = [[shift_name(shift), PEOPLE[who]] for shift, who in enumerate(y)]
        return [{"kind": "table", "title": "The week", "head": ["shift", "who"], "rows": rows}]

    def describe_edit(self, x: Week, y: tuple[int, ...], move: Move) -> str:
        """An edit in words."""
        one, other = move["args"]
        if move["op"] == "hand over":
            return f"{PEOPLE[other]} takes {shift_name(one)} from {PEOPLE[y[one]]}"
        return f"{PEOPLE[y[one]]} and {PEOPLE[y[other]]} trade {shift_name(one)} and {shift_name(other)}"

    # This one lets `coactor check` and the simulation below make problems.
    def sample(self, rng: np.random.Generator, n: int) -> Iterator[Week]:
        """Random weeks."""
        for _ in range(n):
            yield {"costs": rng.random((self.people, self.shifts, 3)), "fair": self.shifts / self.people}


def simulate(learner: str, weeks: list[Week], truth: Vector) -> list[float]:
    """The planner's effort, week by week."""
    domain = Shifts()
    planner = coactor.SimulatedExpert(
        domain, truth, kappa=0.1, costs={"trade": 2.0}
    )  # a trade takes two phone calls
    session = coactor.Session(domain, coactor.learners.make(learner, domain.dim), proposals="paper")
    for x in weeks:
        proposal = session.ask(x)
        session.tell(proposal, planner(x, proposal.solution))
    return session.efforts


def main(picture: str = "own_domain.png", weeks: int = 200) -> None:
    """Check the domain, simulate, print and plot."""
    rng = np.random.default_rng(1)
    domain = Shifts()
    coactor.check_domain(domain, domain.sample(rng, n=3))
    print("Shifts keeps the promises of a domain.")
    problems, truth = list(domain.sample(rng, n=weeks)), rng.random(domain.dim)
    efforts = {name: simulate(name, problems, truth) for name in ("PER", "CSPER", "default")}
    tenth = max(1, weeks // 10)
    for name, effort in efforts.items():
        first, last = np.mean(effort[:tenth]), np.mean(effort[-tenth:])
        print(f"{name:8} effort a week: {first:5.2f} in the first {tenth}, {last:5.2f} in the last {tenth}")

    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    for name, effort in efforts.items():
        plt.plot(np.cumsum(effort), label=name)
    plt.xlabel("week")
    plt.ylabel("the planner's total effort")
    plt.legend()
    plt.savefig(picture)
    plt.close()
    print(f"The learning curves are in {picture}.")


if __name__ == "__main__":
    main(*sys.argv[1:2])
