"""Generated studies with one feature withheld, and the same with none."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

from coactor import Session, open_study
from coactor.archives import open_archive
from coactor.archives.cases import Case
from coactor.archives.missing_features import cases_of_archive, cases_of_study, diagnose
from coactor.archives.personal_fits import PersonalFits
from coactor.cli import main
from coactor.domains import Graph, Tour
from coactor.search import PlainLandscape

POINTS, CASES = 7, 40
NAMES = [f"stop {k}" for k in range(POINTS)]
TOUR = Tour(points=POINTS, features=2, names=["time", "toll"])


class WithheldFeature:
    """Tours with one more feature, which the expert sees and the study does not have."""

    dim = 3

    def __init__(self, extra: Callable[[Any, Any], float]) -> None:
        self.extra = extra

    def features(self, x: Any, y: Any) -> Any:
        return np.append(TOUR.features(x, y), self.extra(x, y))

    def moves(self, x: Any, y: Any) -> Any:
        return TOUR.moves(x, y)

    def apply(self, x: Any, y: Any, move: Any) -> Any:
        return TOUR.apply(x, y, move)


def withheld(run: int, rng: np.random.Generator) -> tuple[str, Callable[[Any, Any], float]]:
    """A feature of another kind in each run: its name, and its value."""
    a, b = sorted(rng.choice(POINTS, 2, replace=False).tolist())
    pair = NAMES[a], NAMES[b]
    if run % 3 == 0:
        return f"the part {pair[0]} -> {pair[1]}", lambda x, y: 2.0 * (pair in TOUR.parts(x, y))
    if run % 3 == 1:
        return "the square of time", lambda x, y: -((TOUR.features(x, y)[0] + 3.0) ** 2)
    taste = {(p, q): rng.random() for p in NAMES for q in NAMES if p < q}
    return "unusual in", lambda x, y: -3.0 * sum(taste[part] for part in TOUR.parts(x, y))


def generated(
    rng: np.random.Generator,
    extra: Callable[[Any, Any], float],
    tastes: dict[str, list[float]] | None = None,
    odd: str | None = None,
) -> list[Case]:
    """Cases of people who take turns; the weight of the withheld feature is the same for all.

    The odd one makes some edits for no reason.
    """
    tastes = {"": (0.5 + rng.random(2)).tolist()} if tastes is None else tastes
    session, cases = Session(TOUR, "default", proposals="paper"), []
    for k, graph in enumerate(TOUR.sample(rng, CASES * len(tastes))):
        x, person = Graph.of(POINTS, graph.edges, names=NAMES), list(tastes)[k % len(tastes)]
        view = PlainLandscape(WithheldFeature(extra), x, np.append(tastes[person], 1.0))  # type: ignore[arg-type]
        proposal = session.ask(x)
        path, moves = view.climb(proposal.solution, kappa=0.1)
        session.tell(proposal, moves=moves)
        final, effort = path[-1], float(len(moves))
        for _ in range(4 if person == odd else 0):
            choices = list(TOUR.moves(x, final))
            final, effort = TOUR.apply(x, final, choices[rng.integers(len(choices))]), effort + 1
        cases.append(Case(x, final, proposal.solution, None, person, effort))
    return cases


def test_diagnose_names_the_withheld_feature_among_its_first_three_candidates() -> None:
    hits = 0
    for run in range(10):
        rng = np.random.default_rng([run, 9])
        name, extra = withheld(run, rng)
        found = diagnose(TOUR, generated(rng, extra))
        hits += any(one.name.startswith(name) and one.missing for one in found.candidates[:3])
        assert found.sentences()[1].startswith("A feature is missing") == bool(found.missing)
    assert hits >= 8


def test_diagnose_says_that_no_candidate_explains_when_nothing_is_missing() -> None:
    quiet = 0
    for run in range(10):
        found = diagnose(TOUR, generated(np.random.default_rng([run, 9]), lambda x, y: 0.0))
        quiet += found.sentences()[1].startswith("None of the ")
    assert quiet >= 9


DIFFERENT = {"ana": [1.0, 0.05], "ben": [0.05, 1.0], "cleo": [1.0, -0.7]}


def test_diagnose_says_that_no_candidate_explains_when_people_differ() -> None:
    for run in range(3):
        found = diagnose(TOUR, generated(np.random.default_rng([run, 11]), lambda x, y: 0.0, DIFFERENT))
        assert found.sentences()[1].startswith("None of the ")
        assert found.unexplained < 0.4


def test_diagnose_names_the_withheld_feature_when_people_differ() -> None:
    pair = NAMES[1], NAMES[4]
    for run in range(2):
        rng = np.random.default_rng([run, 11])
        found = diagnose(TOUR, generated(rng, lambda x, y: 3.0 * (pair in TOUR.parts(x, y)), DIFFERENT))
        assert "the part stop 1 -> stop 4" in [one.name for one in found.missing[:3]]
        assert not any(name in line for name in DIFFERENT for line in found.sentences())


def test_diagnose_says_which_people_and_places_carry_what_no_candidate_explains() -> None:
    """What Ana alone does has no reason, so no candidate can express it."""
    alike = {name: [1.0, 0.5] for name in ("ana", "ben", "cleo")}
    found = diagnose(TOUR, generated(np.random.default_rng(4), lambda x, y: 0.0, alike, odd="ana"))
    assert found.missing == ()
    assert [name for name, _ in found.carriers] == ["ana"]
    share = found.carriers[0][1]
    assert 0.5 < share <= 1.0
    words = " ".join(found.sentences())
    assert f"None of the {len(found.candidates)} candidates" in words
    assert "Nothing is missing" not in words
    assert (
        f"Cases with these have more of the unexplained effort than chance: ana ({100 * share:.0f} %)."
        in words
    )


@pytest.mark.parametrize("each", [1, 3, 60])
def test_held_back_cases_of_people_are_spread_over_all_folds(each: int) -> None:
    """With one case of each person, all cases were in one fold, and nothing was left to fit to."""
    rng = np.random.default_rng(0)
    rows, owner = rng.normal(size=(180, 2)), np.repeat(np.arange(60), 3)
    people = [f"person {k // each}" for k in range(60)]
    values = PersonalFits(rows, owner, people).held_back()
    assert np.isfinite(values).all()


def test_diagnose_reads_studies_and_archives(tmp_path: Path, plans: Path) -> None:
    url, rng = f"sqlite:///{tmp_path}/desk.db", np.random.default_rng(0)
    with open_study(url, "tours", TOUR, "default", create=True) as study:
        for x in TOUR.sample(rng, 20):
            proposal = study.ask(x)
            study.tell(proposal, moves=[{"op": "reverse", "args": [1, 2]}], actor="ana")
        domain, cases = cases_of_study(study)
        assert len(cases) == 20
        assert all(case.effort == 1.0 for case in cases)
        study.desk().reopen(20, actor="ana")
        assert len(cases_of_study(study)[1]) == 19
        with pytest.raises(ValueError, match="Too early to tell: 19 of 20 finished proposals"):
            diagnose(domain, cases_of_study(study)[1])
    archive = open_archive(plans)
    assert len(cases_of_archive(archive, 3)[1]) == 3
    result = CliRunner().invoke(main, ["features", "tours", "--store", url])
    assert result.exit_code == 1
    assert "19 of 20 finished proposals" in result.output
