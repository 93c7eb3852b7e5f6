from __future__ import annotations

import numpy as np
import pytest

from coactor.lab.output.tables import claim_data, claims_markdown, to_json
from coactor.lab.paper.claims import ABSENT, CLOSE, FAILS, HOLDS, judge
from coactor.lab.paper.panels import PANELS
from coactor.lab.paper.theorem import TheoremRow


def runs(mean: float, spread: float = 1.0, count: int = 10, seed: int = 0) -> np.ndarray:
    noise = np.random.default_rng(seed).standard_normal(count)
    return mean + spread * (noise - noise.mean())


def totals_of(panels: dict[str, dict[str, float]], **kwargs) -> dict[str, dict[str, np.ndarray]]:
    return {
        panel: {line: runs(mean, seed=hash_of(panel, line), **kwargs) for line, mean in lines.items()}
        for panel, lines in panels.items()
    }


def hash_of(*words: str) -> int:
    return sum(ord(c) for word in words for c in word)


# Numbers with which every claim of the paper holds.
PAPER = {
    "path-clean": {"PER": 480, "CSPER": 440, "PA": 600, "CSPA": 520, "expert": 400},
    "path-noise": {"PER": 730, "CSPER": 700, "PA": 960, "CSPA": 900, "expert": 630},
    "tsp-clean": {"PER": 1700, "CSPER": 1170, "PA": 2370, "CSPA": 1420, "expert": 0},
    "tsp-noise": {"PER": 4560, "CSPER": 4170, "PA": 5270, "CSPA": 4780, "expert": 2860},
    "mtsp-clean": {"PER": 160, "CSPER": 490, "PA": 460, "CSPA": 170, "expert": 0},
    "mtsp-noise": {"PER": 3100, "CSPER": 2400, "PA": 4060, "CSPA": 3700, "expert": 2080},
    "rank-unlimited": {"PER": 3000, "CSPER": 3200, "PA": 3800, "CSPA": 3700},
    "rank-budget": {"PER": 2700, "CSPER": 2800, "PA": 3300, "CSPA": 3200},
}


def row(measured: float, bound: float, held: bool, local: bool = True) -> TheoremRow:
    return TheoremRow(
        "tsp-clean", "PER", 0, 100, 10, 5.0, 2.0, 0.1, False, measured, bound, bound, held, local, True, True
    )


def verdicts(totals, theorem=()) -> dict[int, str]:
    return {claim.number: claim.verdict for claim in judge(totals, theorem, seed=0)}


def test_judge_all_claims_hold_with_numbers_as_in_the_paper():
    claims = verdicts(totals_of(PAPER), [row(1.0, 2.0, True)])
    assert claims == dict.fromkeys(range(1, 12), HOLDS)


@pytest.mark.parametrize(
    ("number", "panel", "line", "value"),
    [
        (1, "path-clean", "PER", 430),  # PER overtakes CSPER
        (1, "path-noise", "CSPA", 990),  # PA is no longer worst
        (2, "path-noise", "expert", 0),
        (3, "tsp-noise", "CSPA", 4000),
        (4, "mtsp-noise", "PER", 2000),
        (5, "mtsp-clean", "PA", 600),
        (6, "mtsp-clean", "PER", 1000),
        (7, "rank-unlimited", "CSPER", 2900),
        (7, "rank-unlimited", "PA", 3100),
        (8, "rank-budget", "CSPER", 3100),  # too far behind
        (8, "rank-budget", "CSPER", 2500),  # ahead, not behind
        (9, "rank-budget", "CSPA", 2750),
    ],
)
def test_judge_a_claim_does_not_hold_if_one_number_is_on_the_other_side(number, panel, line, value):
    means = {name: dict(lines) for name, lines in PAPER.items()}
    means[panel][line] = value
    spread = 0.0 if value == 0 else 1.0
    totals = totals_of(means)
    totals[panel][line] = runs(value, spread)
    assert verdicts(totals, [row(1.0, 2.0, True)])[number] == FAILS


def test_judge_wide_interval_is_too_close_to_call():
    totals = totals_of(PAPER)
    totals["mtsp-noise"]["CSPER"] = runs(2990.0, 700.0)
    totals["mtsp-noise"]["PER"] = runs(3000.0, 10.0)
    assert verdicts(totals)[4] == CLOSE


def test_judge_one_run_is_too_close_to_call():
    single = {
        panel: {line: np.array([float(v)]) for line, v in lines.items()} for panel, lines in PAPER.items()
    }
    claims = verdicts(single)
    assert {claims[n] for n in range(1, 11)} == {CLOSE}


def test_judge_counts_settings_for_claim_10():
    losing = {panel: dict(lines) for panel, lines in PAPER.items()}
    for lines in losing.values():
        lines["CSPER"], lines["CSPA"] = lines["PER"] + 50, lines["PA"] + 50
    assert verdicts(totals_of(losing))[10] == FAILS


def test_judge_broken_bound_counts_only_if_the_assumptions_are_met():
    assert verdicts({}, [row(1.0, 2.0, True), row(3.0, 2.0, False)])[11] == FAILS
    assert verdicts({}, [row(1.0, 2.0, True), row(3.0, 2.0, False, local=False)])[11] == HOLDS
    assert verdicts({}, [row(3.0, 2.0, False, local=False)])[11] == ABSENT


def test_judge_names_panels_that_were_not_run():
    claims = judge({"tsp-clean": totals_of(PAPER)["tsp-clean"]}, [], seed=0)
    assert claims[0].verdict == ABSENT
    assert "path-clean" in claims[0].note
    assert claims[2].verdict == ABSENT  # half of the claim is not enough
    assert "tsp-noise" in claims[2].note
    assert claims[9].verdict == HOLDS  # counted over the panels that were run


def test_claims_as_text_have_their_numbers():
    claims = judge(totals_of(PAPER), [row(1.0, 2.0, True)], seed=0)
    text = claims_markdown(claims, "Made up.")
    assert all(claim.sentence in text for claim in claims)
    assert "path-clean: PA minus PER" in text
    assert '"verdict": "holds"' in to_json([claim_data(claim) for claim in claims])


def test_claims_name_existing_panels():
    for claim in judge(totals_of(PAPER), [], seed=0)[:9]:
        assert claim.answers
        assert {answer.question.split(":")[0] for answer in claim.answers} <= set(PANELS)
