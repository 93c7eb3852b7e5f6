from __future__ import annotations

import subprocess
import sys

import pytest

from coactor.lab.engine.contenders import Line, parse_lines
from coactor.lab.paper.panels import PANELS, find_panel


def test_a_line_is_a_learner_and_its_proposals():
    assert Line.parse("PER").proposals == "paper"
    assert Line.parse("default").proposals == "default"
    assert Line.parse("default+paper").proposals == "paper"
    assert Line.parse(" CSPER+deep ") == Line("CSPER+deep", "CSPER", "deep")
    assert Line.parse("averaged-PER").make(3).weights.shape == (3,)
    assert Line.parse("tests.lab.helpers:Slow").make(4).weights.shape == (4,)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("CSPR", "did you mean CSPER"),
        ("per", "did you mean PER"),
        ("PER+dep", "did you mean deep"),
        ("no.such.module:Thing", "cannot import no.such.module"),
        ("tests.lab.helpers:Slwo", "did you mean Slow"),
        ("tests.lab.helpers:", "module:Class"),
    ],
)
def test_unknown_names_suggest_the_nearest(text, said):
    with pytest.raises(ValueError, match=said):
        Line.parse(text)


def test_a_class_that_is_no_learner_is_refused():
    with pytest.raises(ValueError, match="has no reads"):
        Line.parse("tests.lab.helpers:Nothing").make(3)


@pytest.mark.parametrize(
    ("texts", "said"), [([], "no learner"), ([" "], "no learner"), (["PER", "PER"], "twice")]
)
def test_lines_are_named_once(texts, said):
    with pytest.raises(ValueError, match=said):
        parse_lines(texts)


def test_the_eight_panels_are_the_specs():
    assert list(PANELS) == [
        "path-clean",
        "path-noise",
        "tsp-clean",
        "tsp-noise",
        "mtsp-clean",
        "mtsp-noise",
        "rank-unlimited",
        "rank-budget",
    ]
    sizes = {
        name: (domain.dim, domain.hidden)
        for name, domain in ((name, panel.make_domain()) for name, panel in PANELS.items())
    }
    assert sizes["path-clean"] == (10, 0)
    assert sizes["path-noise"] == (10, 1)
    assert sizes["tsp-clean"] == (100, 0)
    assert sizes["tsp-noise"] == (100, 10)
    assert sizes["mtsp-clean"] == (10, 0)
    assert sizes["mtsp-noise"] == (10, 1)
    assert sizes["rank-budget"] == (700, 1)
    assert {panel.kappa for name, panel in PANELS.items() if "rank" not in name} == {0.1}
    assert PANELS["rank-budget"].budget == (5, 15)
    assert PANELS["rank-unlimited"].budget is None
    assert [name for name, panel in PANELS.items() if panel.noise_free] == [
        "path-clean",
        "tsp-clean",
        "mtsp-clean",
    ]


def test_own_domains_are_panels_too():
    panel = find_panel("tests.lab.helpers:Bits", kappa=0.5)
    assert panel.kappa == 0.5
    assert panel.make_domain().dim == 5
    with pytest.raises(ValueError, match=r"no sample\(rng, n\)"):
        find_panel("tests.lab.helpers:NoProblems")
    with pytest.raises(ValueError, match="did you mean tsp-clean"):
        find_panel("tsp-claen")


def test_asking_for_help_imports_nothing_heavy():
    code = "import sys, coactor.cli, coactor.lab, coactor.cli.paper; print(sorted(sys.modules))"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    for heavy in ("'numpy'", "'numba'", "'matplotlib'", "'joblib'", "'distributed'"):
        assert heavy not in loaded
