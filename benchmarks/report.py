"""Is what the report and the lessons say true? Simulated studies, in memory.

    python benchmarks/report.py > report.json

Without an effect: people who accept everything, and people whose number of edits has nothing to do with what
was learned. How many studies are told at any moment that there is less to correct? With an effect: the
experts of the demo studies; how many are told so by proposal 40, and how many if a share of the proposals
is made without what was learned? Which clauses of the lessons agree with the expert's taste? Does the
interval of what learning saves contain the truth at all moments? How many edits does one true statement
about a feature save, and how many does a false one cost? How many edits more if nobody answers whether a
very unlikely correction was for today only?
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
from coactor.protocol import (
    Preferences,
    Round,
    Vector,
    Wish,
    every_weight,
    feature_names,
    feature_signs,
    has,
    learner_for,
)
from coactor.rounds import as_control, learn, observe, propose
from coactor.session import Session
from coactor.studies.evidence import FIRST_LOOK, START, change, confidence_sequence, differences
from coactor.studies.log.facts import Finished, finished
from coactor.studies.report import FEWEST
from coactor.web.demo.studies import DEMOS, DemoKind, draw_taste

SURE = 0.9  # the chance from which the page asks, and an unanswered correction counts half
FIRST_SEED = 7000  # no seed that a test or a choice of ours was made with
LOOKS = 10  # proposals between two looks at the interval
SUMMARY = 10  # proposals that a summary of lessons covers
EDITS: dict[str, Callable[[np.random.Generator, int], Vector]] = {
    "accept everything": lambda rng, n: np.zeros(n),
    "Poisson, mean 1": lambda rng, n: rng.poisson(1.0, n),
    "geometric, mean 2": lambda rng, n: rng.geometric(1 / 3, n) - 1,
    "a fifth needs many": lambda rng, n: rng.poisson(8.0, n) * (rng.random(n) < 0.2),
}


def blank(efforts: Vector) -> list[Finished]:
    """Finished proposals of one person with these efforts, a version each."""
    return [
        Finished(
            seq=k,
            time=k * 3600.0,
            proposal=k,
            actor="ana",
            learned_for="ana",
            learned=True,
            effort=float(effort),
            accepted=effort == 0,
            seconds=60.0,
            version=k + 1,
            proposed_with=k,
            proposer="learner",
            control=0.0,
            chance=None,
            unlearned=None,
        )
        for k, effort in enumerate(efforts)
    ]


def told(rows: list[Finished]) -> bool:
    """Whether the report said at some moment that there is less to correct."""
    looks = [FIRST_LOOK * 2**k for k in range(10)]
    return any(change(rows[:n]) == -1 for n in looks if n <= len(rows))


def without_effect(studies: int, proposals: int, share: float) -> dict[str, float]:
    """The share of studies that are told, by how the number of edits is drawn; a share are controls."""
    shares = {}
    for k, (name, draw) in enumerate(EDITS.items()):
        rngs = [np.random.default_rng([FIRST_SEED, k, study]) for study in range(studies)]
        rows = [with_controls(blank(draw(rng, proposals)), rng, share) for rng in rngs]
        shares[name] = float(np.mean([told(one) for one in rows]))
    return shares


def with_controls(rows: list[Finished], rng: np.random.Generator, share: float) -> list[Finished]:
    """The proposals, of which a share is said to have been made without what was learned."""
    drawn = [share if row.proposed_with > START else 0.0 for row in rows]
    names = [CONTROL if rng.random() < one else "learner" for one in drawn]
    return [
        row._replace(proposer=name, control=one) for row, name, one in zip(rows, names, drawn, strict=True)
    ]


def covered(studies: int, proposals: int, share: float) -> dict[str, float]:
    """How often the interval contains the truth at every look, and how often it excludes no saving."""
    right, sure = 0, 0
    for study in range(studies):
        rng = np.random.default_rng([FIRST_SEED, study])
        rows = with_controls(blank(np.zeros(proposals)), rng, share)[START + 1 :]
        without = np.array([row.proposer == CONTROL for row in rows])
        values = differences(
            rows, rng.geometric(np.where(without, 1 / 4, 1 / 2)) - 1.0
        )  # 3 edits without, 1 with
        looks = [n for n in range(LOOKS, len(rows), LOOKS) if FEWEST <= without[:n].sum() <= n - FEWEST]
        ends = [confidence_sequence(values[: n - 1])[1:] for n in looks]
        right += all(low <= 2.0 <= high for low, high in ends)
        sure += any(low > 0 for low, _ in ends)
    return {"covered": right / studies, "sure": sure / studies}


def simulated(
    kind: DemoKind, seed: int, proposals: int, share: float = 0.0, said: str = "", after: int = 0
) -> Iterator[tuple[Round, Known, Vector]]:
    """Rounds of a demo study with its expert, what is known after each, and the expert's taste.

    A share of the proposals is made without what was learned, as in a study with the setting `control`. After
    some proposals the expert says something about a feature, see `statement`.
    """
    taste = draw_taste(kind, np.random.default_rng([seed, 0]))
    domain = kind.domain()
    session = Session(domain, "default", seed=seed)
    fresh, setting = session.knowledge.copy(), (domain, session.strategy)
    expert = SimulatedExpert(domain, taste, kind.kappa, policy="best")
    for k in range(1, proposals + 1):
        if said and k == after + 1:
            session.say(*statement(session, taste, said, seed), actor="Ada")
        x = kind.problem(np.random.default_rng([seed, k]))
        proposal = session.ask(x, actor="Ada")
        drawn = share if session.version > START else 0.0
        if np.random.default_rng([seed, k, 9]).random() < drawn:
            made = propose(*setting, fresh, x, version=session.version, seed=seed, solved_for="Ada")
            proposal = as_control(domain, session.knowledge, replace(made, id=proposal.id))
        proposal = replace(proposal, basis=replace(proposal.basis, control=drawn))
        session._open[proposal.id] = (proposal, *session._open[proposal.id][1:])  # only a study has controls
        done = session.tell(proposal, expert(x, proposal.solution), actor="Ada")
        yield replace(done, time=k * 3600.0), Known.of(learner_for(session.learner, "Ada")), taste


def statement(session: Session, taste: Vector, said: str, seed: int) -> tuple[str, Wish]:
    """A feature and whether more of it is wanted: "true" of the one most wrong, "false" of any one."""
    one = learner_for(session.learner, "Ada")
    unit = one.prior_deviations() if has(one, Preferences) else np.ones(1)
    wanted, known = (
        w / unit / np.linalg.norm(w / unit) for w in (every_weight(session.domain, taste), one.weights)
    )
    missing = np.where(one.known() > 0, wanted - known, 0.0) if has(one, Preferences) else wanted
    k = int(np.argmax(np.abs(missing)))
    if said == "false":
        k = int(np.random.default_rng([seed, 7]).choice(np.flatnonzero(missing)))
    more = (missing[k] * feature_signs(session.domain)[k] > 0) == (said == "true")
    return feature_names(session.domain)[k], "more" if more else "less"


def statements(name: str, seeds: range) -> dict[str, float]:
    """The change in edits by one statement: a true one over ten proposals, a false one over twenty."""
    edits: dict[tuple[str, int], float] = {}
    for after in (1, 3, 8):
        for said in ("", "true", "false"):
            for seed in seeds:
                rows = [row for row, _, _ in simulated(DEMOS[name], seed, after + 20, 0.0, said, after)][
                    after:
                ]
                for n in (10, 20):
                    edits[said, n] = edits.get((said, n), 0.0) + sum(row.effort for row in rows[:n])
    change = {said: edits[said, n] / edits["", n] - 1.0 for said, n in (("true", 10), ("false", 20))}
    each = len(seeds) * 3
    return {**change, "edits of ten": edits["", 10] / each, "edits of twenty": edits["", 20] / each}


def unanswered(kind: DemoKind, seeds: range, proposals: int) -> list[float]:
    """The edits if every correction counts in full, those if unlikely ones count half, and how many did."""
    edits, asked = [0.0, 0.0], 0
    for seed in seeds:
        domain, taste = kind.domain(), draw_taste(kind, np.random.default_rng([seed, 0]))
        expert = SimulatedExpert(domain, taste, kind.kappa, policy="best")
        for half in (False, True):
            session = Session(domain, "default", seed=seed)
            knowledge = session.knowledge
            for k in range(1, proposals + 1):
                x = kind.problem(np.random.default_rng([seed, k]))
                proposal = session.ask(x, actor="Ada")
                correction = expert(x, proposal.solution)
                observed = observe(domain, proposal, correction, knowledge.learner.reads, learned_for="Ada")
                unsure = half and correction.effort > 0 and (proposal.chance or 0.0) >= SURE
                read = replace(observed.feedback, unsure=unsure)
                learn(knowledge, replace(observed, feedback=read))
                edits[half] += correction.effort
                asked += unsure
    return [*edits, asked]


def clauses(kind: DemoKind, known: list[Known], taste: Vector) -> list[bool]:
    """For each clause of the lessons, and of the summaries of ten, whether the taste has that sign."""
    domain, agree = kind.domain(), []
    taste = every_weight(domain, taste)
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
    parser.add_argument("--proposals", type=int, default=40)
    parser.add_argument("--control", type=float, default=0.25, help="the share of a study with control")
    parser.add_argument(
        "--said", type=int, default=10, help="seeds of the studies in which something is said"
    )
    given = parser.parse_args()
    told_by: dict[str, dict[str, float]] = {"plain": {}, "control": {}}
    agree, sentences = {}, 0
    for name, kind in ((name, kind) for name, kind in DEMOS.items() if not kind.weeks):
        plain, compared, right = [], [], list[bool]()
        for seed in range(FIRST_SEED, FIRST_SEED + given.seeds):
            rows, known, tastes = zip(*simulated(kind, seed, given.proposals), strict=True)
            plain.append(told([*map(finished, rows)]))
            both = simulated(kind, seed, given.proposals, given.control)
            compared.append(told([finished(row) for row, _, _ in both]))
            if seed < FIRST_SEED + 3:
                right += clauses(kind, [*known], tastes[0])
                sentences += sum("Learned: " in row.lesson for row in rows)
        told_by["plain"][name], told_by["control"][name] = float(np.mean(plain)), float(np.mean(compared))
        agree[name] = [sum(right), len(right)]
        print(name, told_by["plain"][name], told_by["control"][name], agree[name], file=sys.stderr)
    said = range(FIRST_SEED, FIRST_SEED + given.said)
    result = {
        "without effect": without_effect(given.studies, 4 * given.proposals, 0.0),
        "without effect, control": without_effect(given.studies, 4 * given.proposals, given.control),
        "told": told_by,
        "told, all": {how: float(np.mean([*shares.values()])) for how, shares in told_by.items()},
        "clauses that agree": agree,
        "sentences that say something": sentences,
        "interval, one in ten": covered(given.studies, 300, 0.1),
        "interval, one in four": covered(given.studies, 300, 0.25),
        "unanswered": {
            name: unanswered(kind, said, given.proposals) for name, kind in DEMOS.items() if not kind.weeks
        },
        "statements": {name: statements(name, said) for name in ("try-tour", "try-roster")},
    }
    print(orjson.dumps(result, option=orjson.OPT_INDENT_2).decode())


if __name__ == "__main__":
    main()
