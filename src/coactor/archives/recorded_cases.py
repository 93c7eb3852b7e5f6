"""Recorded cases of any domain: JSON lines, one case each.

    {"problem": ..., "solution": ..., "proposed": ..., "moves": [...], "person": "ana", "time": 1700000000}

`problem` and `solution` are as the domain encodes them, or natural JSON of a domain that has no JSON methods
and samples problems. `proposed`, what was shown to the person, and
`moves`, the edits that lead from there to the solution, are optional: with them, ``coactor learn`` learns
from the real corrections. `person` and `time` (seconds since 1970) are optional too; cases with times are
sorted by them.
"""

from __future__ import annotations

import hashlib
import json
import warnings
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from coactor.archives.cases import Archive, Case
from coactor.grids import GridModel
from coactor.habits import with_habits
from coactor.keeping import NAMED
from coactor.loaders.tables import existing_file
from coactor.plugins import load, load_domain, source_of
from coactor.protocol import Domain, HasParts, Problem, Solution, Usage, has, uses_habits
from coactor.validation import recorded_person

if TYPE_CHECKING:
    from coactor.studies.codec import Codec


def read_cases(
    path: str | Path, domain: str | Domain, parameters: dict[str, Any], habits: bool = True
) -> Archive:
    """Read an archive of JSON lines.

    Parameters
    ----------
    path
        The file.
    domain, parameters
        The domain; or the name of an installed one, or ``module:Class``, and its parameters. A module may
        also have the domain itself, such as a model, under that name.
    habits
        Whether to add a feature of habits, if the domain names the parts of its solutions.

    Raises
    ------
    ValueError
        With the file, the line and what was expected.
    """
    from coactor.studies.codec import Codec  # needs the extra [studies]

    path = existing_file(path)
    own = _make(domain, parameters)
    if habits and has(own, HasParts):
        own = with_habits(own)
    codec = Codec(own)
    x = codec.sampled()
    examples = (x, None if x is None else own.solve(_unrecalled(own, x), np.ones(own.dim)))
    cases: list[tuple[float, int, Case]] = []
    for line, text in enumerate(path.read_text(encoding="utf-8-sig").splitlines(), 1):
        if text.strip():
            try:
                time, case = _case(codec, examples, json.loads(text), cases[-1][0] if cases else 0.0)
                cases.append((time, line, case))
            except ValueError as error:
                raise ValueError(f"{path}, line {line}: {error}") from error
            except Exception as error:  # a domain that does not validate
                raise ValueError(
                    f"{path}, line {line}: the domain raised {type(error).__name__} ({error}); write problem "
                    "and solution as it encodes them."
                ) from error
    if not cases:
        raise ValueError(f"{path} has no cases; expected one JSON object in each line.")
    if note := _broken_rules(own, {line: case for _, line, case in cases}):
        warnings.warn(note, stacklevel=2)
    cases.sort(key=lambda case: case[0])  # stable: a case without a time follows the one before it
    written = load(domain)[0] if isinstance(domain, str) and ":" in domain else type(own)
    source = hashlib.sha256(path.read_bytes() + source_of(written))
    source.update(repr((domain if isinstance(domain, str) else "", parameters, habits)).encode())
    return Archive.of([case for _, _, case in cases], own, source.hexdigest())


def _broken_rules(domain: Any, cases: Mapping[int, Case]) -> str:
    """How many solutions break which rules, and in which lines; they are learned from like all others."""
    if not isinstance(domain, GridModel):
        return ""
    broken = {line: domain.broken(case.problem, case.solution) for line, case in cases.items()}
    rules = Counter(one.rule for found in broken.values() for one in found)
    names = ", ".join(f"{rule!r} {number} time{'s' * (number > 1)}" for rule, number in rules.most_common())
    lines = [str(line) for line, found in broken.items() if found]
    where = ", ".join(lines[:NAMED])
    return f"{len(lines)} of {len(cases)} solutions break rules: {names}; see line {where}." if rules else ""


def _make(domain: str | Domain, parameters: dict[str, Any]) -> Domain:
    if not isinstance(domain, str):
        return domain
    if ":" not in domain:
        from coactor.studies import catalog

        return catalog.make(domain, parameters, limits=False)
    loaded: Domain = load_domain(domain, parameters)
    return loaded


def _unrecalled(domain: Domain, x: Problem) -> Problem:
    """The problem as it is before anything is recalled for it."""
    return domain.extend(x, Usage((), (), np.empty(0))) if uses_habits(domain) else x


def _case(
    codec: Codec, examples: tuple[Problem | None, Solution | None], data: Any, time: float
) -> tuple[float, Case]:
    if not isinstance(data, dict) or not {"problem", "solution"} <= data.keys():
        hint = "; this is an exported study, which `coactor study import` reads"
        exported = isinstance(data, dict) and str(data.get("format", "")).startswith("coactor study")
        raise ValueError(f"expected an object with 'problem' and 'solution'{hint if exported else ''}.")
    x = codec.problem(data["problem"], examples[0])
    y = codec.solution(x, data["solution"], examples[1])
    codec.domain.features(
        _unrecalled(codec.domain, x), y
    )  # the only check of a domain that does not validate
    proposed, moves = data.get("proposed"), data.get("moves")
    if moves is not None and (proposed is None or not isinstance(moves, list)):
        raise ValueError("'moves' must be a list of edits of 'proposed', which must be given too.")
    when = data.get("time", time)
    if not isinstance(when, int | float) or isinstance(when, bool):
        raise ValueError(f"'time' is {when!r}; expected seconds since 1970.")
    person = data.get("person")
    case = Case(
        x,
        y,
        None if proposed is None else codec.solution(x, proposed, examples[1]),
        moves,
        "" if person is None else recorded_person(person),
    )
    return float(when), case
