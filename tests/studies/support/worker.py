"""What one of several processes does: ask and tell, again and again, on one store."""

from __future__ import annotations

import sys
from collections.abc import Callable

from coactor.studies import open_study
from tests.studies.stubs import Switches, flip


def work(url: str, name: str, worker: int, tells: int, answer: Callable[[int], object]) -> None:
    """Ask and tell; call `answer` with the number of each proposal once its tell is acknowledged."""
    with open_study(url, name, Switches(), "CSPER", create=True) as study:
        for turn in range(tells):
            prices = [1.0 + worker, float(turn % 7) - 3.0, 0.5 * worker - turn % 3]
            proposal = study.ask(prices, key=f"{worker}/{turn}", actor=f"w{worker}")
            study.tell(proposal.id, moves=flip(turn % 3), actor=f"w{worker}")
            answer(proposal.id)


if __name__ == "__main__":
    work(*sys.argv[1:3], int(sys.argv[3]), int(sys.argv[4]), lambda id: print(id, flush=True))
