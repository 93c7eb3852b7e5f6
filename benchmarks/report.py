"""Is what the report and the lessons say true? Simulated studies, in memory.

    python benchmarks/report.py > report.json

Without an effect: people who accept everything, and people whose number of edits has nothing to do with what
was learned. How many studies are told at any moment that there is less to correct? With an effect: the
experts of the demo studies; how many are told so by proposal 40, and by 80? Which clauses of the lessons
agree with the expert's taste? Does the interval of what learning saves contain the truth at all moments?
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace

import numpy as np
import orjson

from coactor.experts import SimulatedExpert
from coactor.explanations import Known, lesson
from coactor.proposals.outcomes import CONTROL
from coactor.protocol import Basis, Round, Vector, Work, feature_signs, learner_for
from coactor.session import Session
from coactor.studies.report import report
from coactor.web.demo.studies import DEMOS, DemoKind, draw_taste

FIRST_SEED = 7000  # no seed that a test or a choice of ours was made with
LOOKS = 10  # proposals between two looks
SUMMARY = 10  # proposals that a summary of lessons covers
EDITS: dict[str, Callable[[np.random.Generator, int], Vector]] = {
    "accept everything": lambda rng, n: np.zeros(n),
    "Poisson, mean 1": lambda rng, n: rng.poisson(1.0, n),
    "geometric, mean 2": lambda rng, n: rng.geometric(1 / 3, n) - 1,
    "a fifth needs many": lambda rng, n: rng.poisson(8.0, n) * (rng.random(n) < 0.2),
}


def blank(efforts: Vector) -> list[Round]:
    """Rounds of one person with these efforts, a version each."""
    none = np.zeros(0)
    return [
        Round(
            proposal=k,
            key=None,
            basis=Basis(k),
            effort=float(effort),
            estimated=False,
            accepted=effort == 0,
            work=Work("ana", 60.0, 1),
            learn=True,
            learned_for="ana",
            cost=float(effort),
            version=k + 1,
            lesson="",
            delta=none,
            change=none,
            time=k * 3600.0,
        )
        for k, effort in enumerate(efforts)
    ]


def told(rows: list[Round]) -> bool:
    """Whether the report said at some look that there is less to correct."""
    return any(report(rows[:n]).verdict == "less" for n in range(LOOKS, len(rows) + 1, LOOKS))


def without_effect(studies: int, proposals: int) -> dict[str, float]:
    """The share of studies that are told, by how the number of edits is drawn."""
    shares = {}
    for k, (name, draw) in enumerate(EDITS.items()):
        rngs = [np.random.default_rng([FIRST_SEED, k, study]) for study in range(studies)]
        shares[name] = float(np.mean([told(blank(draw(rng, proposals))) for rng in rngs]))
    return shares


def covered(studies: int, proposals: int, share: float) -> dict[str, float]:
    """How often the interval contains the truth at every look, and how often it excludes no saving."""
    right, sure = 0, 0
    for study in range(studies):
        rng, rows = np.random.default_rng([FIRST_SEED, study]), []
        for row in blank(np.zeros(proposals)):
            without = rng.random() < share
            effort = float(rng.geometric(1 / 4 if without else 1 / 2) - 1)  # 3 edits without, 1 with
            basis = Basis(row.basis.version, CONTROL if without else "learner", control=share)
            rows.append(replace(row, effort=effort, accepted=effort == 0, basis=basis))
        saved = [s[0] for n in range(LOOKS, proposals + 1, LOOKS) if (s := report(rows[:n]).saved)]
        right += all(one.low <= 2.0 <= one.high for one in saved)
        sure += any(one.low > 0 for one in saved)
    return {"covered": right / studies, "sure": sure / studies}


def simulated(kind: DemoKind, seed: int, proposals: int) -> Iterator[tuple[Round, Known, Vector]]:
    """Rounds of a demo study with its expert, what is known after each, and the expert's taste."""
    taste = draw_taste(kind, np.random.default_rng([seed, 0]))
    domain = kind.domain()
    session = Session(domain, "default", seed=seed)
    expert = SimulatedExpert(domain, taste, kind.kappa, policy="best")
    for k in range(1, proposals + 1):
        proposal = session.ask(kind.problem(np.random.default_rng([seed, k])), actor="Ada")
        done = session.tell(proposal, expert(proposal.problem, proposal.solution), actor="Ada")
        yield replace(done, time=k * 3600.0), Known.of(learner_for(session.learner, "Ada")), taste


def clauses(kind: DemoKind, known: list[Known], taste: Vector) -> list[bool]:
    """For each clause of the lessons, and of the summaries of ten, whether the taste has that sign."""
    domain, agree = kind.domain(), []
    names = [f"feature {k}." for k in range(len(taste))]
    signs = feature_signs(domain)
    start = Known(np.zeros(len(taste)), np.ones(len(taste)), np.zeros(len(taste)))
    pairs = [*zip([start, *known], known, strict=False)]
    pairs += [*zip([start, *known[SUMMARY - 1 :: SUMMARY]], known[SUMMARY - 1 :: SUMMARY], strict=False)]
    for before, after in pairs:
        words = lesson(names, signs, before, after)
        for k, name in enumerate(names):
            for word, sign in (("wanted", 1.0), ("avoided", -1.0)):
                if f"{name} {word}" in words:
                    agree.append(bool(signs[k] * np.sign(taste[k]) == sign))
    return agree


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--studies", type=int, default=200)
    parser.add_argument("--seeds", type=int, default=29, help="of each demo study with an effect")
    parser.add_argument("--proposals", type=int, default=80)
    given = parser.parse_args()
    by_40, by_end, agree, sentences = {}, {}, {}, 0
    for name, kind in ((name, kind) for name, kind in DEMOS.items() if not kind.weeks):
        early, late, right = [], [], list[bool]()
        for seed in range(FIRST_SEED, FIRST_SEED + given.seeds):
            rows, known, tastes = zip(*simulated(kind, seed, given.proposals), strict=True)
            early.append(told([*rows[:40]]))
            late.append(told([*rows]))
            if seed < FIRST_SEED + 3:
                right += clauses(kind, [*known[:40]], tastes[0])
                sentences += sum("Learned: " in row.lesson for row in rows[:40])
        by_40[name], by_end[name] = float(np.mean(early)), float(np.mean(late))
        agree[name] = [sum(right), len(right)]
        print(name, by_40[name], by_end[name], agree[name], file=sys.stderr)
    result = {
        "without effect": without_effect(given.studies, 2 * given.proposals),
        "told by 40": by_40,
        f"told by {given.proposals}": by_end,
        "told by 40, all": float(np.mean([*by_40.values()])),
        f"told by {given.proposals}, all": float(np.mean([*by_end.values()])),
        "clauses that agree": agree,
        "sentences that say something": sentences,
        "interval, one in ten": covered(given.studies, 300, 0.1),
        "interval, one in four": covered(given.studies, 300, 0.25),
    }
    print(orjson.dumps(result, option=orjson.OPT_INDENT_2).decode())


if __name__ == "__main__":
    main()
