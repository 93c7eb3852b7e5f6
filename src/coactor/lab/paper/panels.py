"""The eight panels of the paper's figure, as data: the domain, the expert and the problems."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from types import MappingProxyType
from typing import Literal, TypeAlias

from coactor.experts import Policy
from coactor.lab.paper.data.files import DataFile, open_data, read_queries
from coactor.plugins import load_domain, unknown
from coactor.protocol import Candidate, Domain, Samples, has

Ties: TypeAlias = Literal["lowest", "random"]


@dataclass(frozen=True, slots=True)
class Panel:
    """One setting of the experiments.

    Attributes
    ----------
    name, title
        On the command line, and above the plot.
    domain, parameters
        ``module:Class`` of the domain and the arguments of its constructor.
    problems
        Where problems come from: the domain's `sample`, a synthetic ranking data set, or a data file.
    kappa, budget
        The expert's threshold, and the range of their budget (None: unlimited).
    log
        Whether the vertical axis is logarithmic.
    expert_line
        Whether solving with the true visible weights makes sense (not where all of utility is hidden).
    stream
        Panels of one stream have the same problems: the two ranking panels differ in the budget alone.
    data
        The data file that problems come from.
    policy, candidate, ties
        Choices that the paper leaves open (choices.py).
    """

    name: str
    title: str
    domain: str
    parameters: tuple[tuple[str, int | str], ...] = ()
    problems: Literal["sample", "synthetic", "data"] = "sample"
    kappa: float = 0.1
    budget: tuple[int, int] | None = None
    log: bool = True
    expert_line: bool = True
    stream: str = ""
    data: DataFile | None = None
    policy: Policy = "first"
    candidate: Candidate = "final"
    ties: Ties = "lowest"

    def make_domain(self) -> Domain:
        """A new domain object."""
        domain: Domain = load_domain(self.domain, dict(self.parameters))
        return domain


_CUBE = "coactor.domains:Hypercube"
_TOUR = "coactor.domains:Tour"
_FLEET = "coactor.domains:Fleet"
RANKING_FEATURES = 700


_RANK = Panel(
    "rank-unlimited",
    "Learning to rank, unlimited",
    "coactor.domains:Ranking",
    (("features", RANKING_FEATURES),),
    problems="synthetic",
    kappa=2.0,
    log=False,
    expert_line=False,
    stream="rank",
)
_ALL = (
    Panel("path-clean", "Path planning, no noise", _CUBE, (("hidden", 0),)),
    Panel("path-noise", "Path planning, noise", _CUBE, (("hidden", 1),)),
    Panel("tsp-clean", "TSP, no noise", _TOUR, (("hidden", 0),)),
    Panel("tsp-noise", "TSP, noise", _TOUR, (("hidden", 10),)),
    Panel("mtsp-clean", "Multi-TSP, no noise", _FLEET, (("hidden", 0),)),
    Panel("mtsp-noise", "Multi-TSP, noise", _FLEET, (("hidden", 1),)),
    _RANK,
    replace(_RANK, name="rank-budget", title="Learning to rank, budget 5 to 15", budget=(5, 15)),
)
PANELS: Mapping[str, Panel] = MappingProxyType({panel.name: panel for panel in _ALL})


def find_panel(name: str) -> Panel:
    """A panel by name, or one made from a domain of your own, written ``module:Class``.

    Such a domain needs `sample(rng, n)`. The weights of its expert are uniform on [0, 1], as in the paper.
    Raises ValueError if there is no such panel, or if the domain cannot generate problems.
    """
    if name in PANELS:
        return PANELS[name]
    if ":" not in name:
        raise unknown("panel", name, list(PANELS))
    panel = Panel(name, name.partition(":")[2], name, log=False)
    if not has(panel.make_domain(), Samples):
        raise ValueError(f"Panel {name!r}: the domain has no sample(rng, n); a panel must generate problems.")
    return panel


def use_data(panels: Sequence[Panel], paths: Sequence[str | Path]) -> tuple[Panel, ...]:
    """The same panels, with the ranking panels on these LETOR/SVMlight files.

    Raises ValueError if no panel is a ranking panel, or a file is not valid.
    """
    if all(panel.problems == "sample" for panel in panels):
        raise ValueError(
            "A data file is given, but no ranking panel is run; add rank-unlimited or rank-budget."
        )
    data = open_data(paths)
    features = {"features": int(read_queries(data)[0].documents.shape[1])}

    def on_data(panel: Panel) -> Panel:
        parameters = tuple((dict(panel.parameters) | features).items())
        return replace(panel, problems="data", parameters=parameters, data=data)

    return tuple(panel if panel.problems == "sample" else on_data(panel) for panel in panels)
