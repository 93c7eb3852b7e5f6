"""What one of several processes does: ask and tell, again and again, on one store."""

from __future__ import annotations

import sys

from coactor.studies import open_study
from tests.studies.stubs import Switches, flip


def main(url: str, name: str, worker: int, tells: int) -> None:
    with open_study(url, name, Switches(), "CSPER", create=True) as study:
        for turn in range(tells):
            prices = [1.0 + worker, float(turn % 7) - 3.0, 0.5 * worker - turn % 3]
            proposal = study.ask(prices, key=f"{worker}/{turn}", actor=f"w{worker}")
            study.tell(proposal.id, moves=flip(turn % 3), actor=f"w{worker}")
            print(proposal.id, flush=True)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4]))
