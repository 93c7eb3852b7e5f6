"""The claims under every combination of what the paper leaves open: a specification curve.

Panels whose numbers a choice cannot change are run once for all of its values. So the 48 settings need 92
panels, not 384.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, product
from pathlib import Path
from typing import Any, Literal

from coactor.lab.engine.contenders import EXPERT, PAPER, parse_contenders
from coactor.lab.paper.choices import Choices
from coactor.lab.paper.claims import ABSENT, CLOSE, EQUAL, FAILS, HOLDS, judge
from coactor.lab.paper.experiment import Experiment
from coactor.lab.paper.panels import PANELS, Panel, use_data
from coactor.lab.paper.sentences import NEXT_STEPS, SENTENCES
from coactor.plugins import unknown

CONTENDERS = (*PAPER, EXPERT, *NEXT_STEPS)
KAPPAS = (0.1, 0.3, 0.5)  # of multi-TSP, for which the paper names none
VALUES: Mapping[str, tuple[Any, ...]] = {
    "candidate": ("final", "disagreement"),
    "policy": ("first", "best"),
    "ties": ("lowest", "random"),
    "kappa": KAPPAS,
    "discount": ("log", "linear"),
}
# Sorting is exact, so an order that the expert prefers is never preferred by the learner: the candidate is
# the final solution. Without a limit the exchanges end in the same order, whichever comes first.
_CHANGES = {
    "candidate": ("path", "tsp", "mtsp"),
    "policy": ("path", "tsp", "mtsp", "rank-budget"),
    "ties": ("path", "tsp", "mtsp", "rank"),
    "kappa": ("mtsp",),
    "discount": ("rank",),
}
_WORDS = {
    "candidate": "the {} candidate",
    "policy": "the {}-improvement expert",
    "ties": "{} ties",
    "discount": "a {} discount",
}
_LONGEST = 3  # conditions of a conclusion


def changes(choice: str, panel: str) -> bool:
    """Whether a choice can change the numbers of a panel."""
    return any(panel.startswith(name) for name in _CHANGES[choice])


@dataclass(frozen=True, slots=True)
class Setting:
    """One value for each choice."""

    candidate: str
    policy: str
    ties: str
    kappa: float
    discount: str

    def panel(self, base: Panel) -> Panel:
        """The panel under this setting; equal to that of every setting with the same numbers."""
        default = {name: values[0] for name, values in VALUES.items()}
        used = {name: getattr(self, name) for name in VALUES if changes(name, base.name)}
        chosen = default | used
        kappa = chosen.pop("kappa")
        return Choices(**chosen, kappa=() if kappa == KAPPAS[0] else (("mtsp", kappa),)).apply(base)


SETTINGS = tuple(Setting(*values) for values in product(*VALUES.values()))


@dataclass(frozen=True, slots=True)
class ClaimTable:
    """The verdicts on one claim.

    Attributes
    ----------
    number, sentence
        The claim.
    choices
        Those that can change its verdict.
    verdicts, short
        One for each of `SETTINGS`, after all examples and after a fifth of them.
    conclusion
        What a reader may conclude, in one sentence.
    """

    number: int
    sentence: str
    choices: Sequence[str]
    verdicts: Sequence[str]
    short: Sequence[str]
    conclusion: str

    def count(self, verdict: str, short: bool = False) -> int:
        """The number of settings with this verdict."""
        return sum(own == verdict for own in (self.short if short else self.verdicts))


def explore(
    *,
    runs: int,
    examples: int | Literal["all"],
    seed: int,
    panels: Sequence[str] | None = None,
    data: Sequence[str | Path] = (),
    folder: Path | None = None,
    jobs: int | None = None,
    cluster: str | None = None,
    silent: bool = True,
) -> list[ClaimTable]:
    """Run every panel under every setting that changes it, and judge the claims under each.

    Parameters
    ----------
    runs, examples, seed
        Of each panel.
    panels
        Names; by default all eight.
    data
        LETOR/SVMlight files for the ranking panels.
    folder, jobs, cluster, silent
        As in `Experiment.measure`.
    """
    bases: tuple[Panel, ...] = tuple(_paper_panel(name) for name in panels or PANELS)
    if data:
        bases = use_data(bases, data)
    used = {setting: {base.name: setting.panel(base) for base in bases} for setting in SETTINGS}
    distinct = tuple(dict.fromkeys(panel for row in used.values() for panel in row.values()))
    experiment = Experiment(distinct, parse_contenders(CONTENDERS, "panel"), runs, examples, seed)
    measured = experiment.measure(folder=folder, jobs=jobs, cluster=cluster, silent=silent)
    costs = {panel: result.costs for panel, result in zip(distinct, measured, strict=True)}
    fifth = {
        panel: {name: values[:, : -(-values.shape[1] // 5)] for name, values in lines.items()}
        for panel, lines in costs.items()
    }
    whole, short = (
        [judge(SENTENCES, {name: of[panel] for name, panel in row.items()}) for row in used.values()]
        for of in (costs, fifth)
    )
    tables = []
    for k, claim in enumerate(whole[0]):
        verdicts = [claims[k].verdict for claims in whole]
        if verdicts[0] == ABSENT:
            continue
        names = _panels_of(claim.answers, [base.name for base in bases])
        relevant = [choice for choice in VALUES if any(changes(choice, name) for name in names)]
        tables.append(
            ClaimTable(
                claim.number,
                claim.sentence,
                relevant,
                verdicts,
                [claims[k].verdict for claims in short],
                conclude(verdicts, relevant),
            )
        )
    return tables


def _paper_panel(name: str) -> Panel:
    if name not in PANELS:
        raise unknown("panel", name, list(PANELS))
    return PANELS[name]


def _panels_of(answers: Sequence[Any], names: Sequence[str]) -> list[str]:
    """The panels that a claim asks about; all of them for a claim that counts."""
    asked = {answer.question.partition(":")[0] for answer in answers}
    return [name for name in names if name in asked] or list(names)


# -- conclusions ---------------------------------------------------------------------------------------------

Condition = tuple[str, frozenset[Any], str]
"""A choice, the values that meet the condition, and the condition in words."""


def _conditions(choices: Sequence[str]) -> Iterator[Condition]:
    for choice in choices:
        if choice == "kappa":
            for low, high in combinations(range(len(KAPPAS) + 1), 2):
                values = KAPPAS[low:high]
                if len(values) == 1:
                    yield choice, frozenset(values), f"kappa = {values[0]:g} on multi-TSP"
                elif len(values) < len(KAPPAS):
                    bound = f"at least {values[0]:g}" if high == len(KAPPAS) else f"at most {values[-1]:g}"
                    yield choice, frozenset(values), f"kappa of {bound} on multi-TSP"
        else:
            for value in VALUES[choice]:
                yield choice, frozenset([value]), _WORDS[choice].format(value)


def _where(verdicts: Sequence[str], wanted: str, choices: Sequence[str]) -> tuple[str, int]:
    """The simplest condition under which every verdict is the wanted one, and the settings that meet it."""
    best, covered = "", 0
    for size in range(1, _LONGEST + 1):
        for group in combinations(list(_conditions(choices)), size):
            if len({choice for choice, _, _ in group}) < size:
                continue
            met = [
                verdict
                for setting, verdict in zip(SETTINGS, verdicts, strict=True)
                if all(getattr(setting, choice) in values for choice, values, _ in group)
            ]
            if len(met) > covered and set(met) == {wanted}:
                best, covered = " and ".join(words for _, _, words in group), len(met)
    return best, covered


def conclude(verdicts: Sequence[str], choices: Sequence[str]) -> str:
    """What a reader may conclude from the verdicts under all settings.

    Examples
    --------
    >>> conclude(["holds"] * len(SETTINGS), ["ties"])
    'Holds whatever the choice.'
    >>> conclude(["holds" if s.ties == "random" else "does not hold" for s in SETTINGS], ["ties"])
    'Holds with random ties, and only there; elsewhere it does not hold.'
    """
    total, counts = len(verdicts), Counter(verdicts)
    for verdict, sentence in (
        (HOLDS, "Holds whatever the choice."),
        (FAILS, "Does not hold, whatever the choice."),
        (EQUAL, "Neither confirmed nor refuted: level, whatever the choice."),
        (CLOSE, "Undecided, whatever the choice."),
    ):
        if counts[verdict] == total:
            return sentence
    main, words = next((v, words) for v, words in _MAIN if counts[v])
    where, covered = _where(verdicts, main, choices)
    rest = [(counts[verdict], text) for verdict, text in _REST if verdict != main and counts[verdict]]
    elsewhere = " or ".join(f"{text} ({count})" if len(rest) > 1 else text for count, text in rest)
    if covered < counts[main]:
        rule = f", always with {where}" if where else ", with no simple rule"
        return f"{words} in {counts[main]} of {total} settings{rule}; elsewhere it {elsewhere}."
    only = ", and only there" if main == HOLDS else ""
    return f"{words} with {where}{only}; elsewhere it {elsewhere}."


_MAIN = ((HOLDS, "Holds"), (FAILS, "Does not hold"), (EQUAL, "Neither confirmed nor refuted: level"))
_REST = ((FAILS, "does not hold"), (EQUAL, "is level"), (CLOSE, "is undecided"))


def rows(tables: Sequence[ClaimTable]) -> list[dict[str, Any]]:
    """One row per setting: the choices, then the verdict on each claim."""
    return [
        {name: getattr(setting, name) for name in VALUES}
        | {f"claim {table.number}": table.verdicts[k] for table in tables}
        for k, setting in enumerate(SETTINGS)
    ]
