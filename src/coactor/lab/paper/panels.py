"""The eight panels of the paper's figure, as data: what is solved, who corrects it, where it stops."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from types import MappingProxyType
from typing import Any, Literal

from coactor.lab.engine.plugins import load_class, unknown
from coactor.protocol import Domain, Samples


@dataclass(frozen=True, slots=True)
class DataFile:
    """A ranking data set on disk, and the digest that says it is still the same one."""

    paths: tuple[str, ...]
    digest: str


@dataclass(frozen=True, slots=True)
class Panel:
    """One setting of the experiments.

    Attributes
    ----------
    name, title
        On the command line, and over the picture.
    domain, parameters
        ``module:Class`` of the domain and what its constructor is given.
    problems
        Where problems come from: the domain's own sampling, the generated ranking twin, or a data file.
    kappa, budget
        The expert's threshold, and the range of his budget (None: unlimited).
    log
        Whether the vertical axis is logarithmic.
    expert_line
        Whether solving with the true visible weights makes sense (not where all of utility is hidden).
    stream
        Panels of one stream see the same problems: the two ranking panels differ in the budget alone.
    assumption_1
        False where the solver is not locally optimal for the expert's operator, on purpose.
    slips, turns, twist
        For the robustness table: the share of the expert's moves that are errors, whether his taste changes
        half way, and how features or weights differ from the paper's (twists.py).
    """

    name: str
    title: str
    domain: str
    parameters: tuple[tuple[str, int], ...] = ()
    problems: Literal["sample", "twin", "data"] = "sample"
    kappa: float = 0.1
    budget: tuple[int, int] | None = None
    log: bool = True
    expert_line: bool = True
    stream: str = ""
    assumption_1: bool = True
    data: DataFile | None = field(default=None)
    slips: float = 0.0
    turns: bool = False
    twist: str = ""

    @property
    def noise_free(self) -> bool:
        """Whether the expert sees nothing that the solver does not: Theorem 1's setting."""
        return self.problems == "sample" and dict(self.parameters).get("hidden", 0) == 0

    def make_domain(self) -> Domain:
        """The domain, ready to use."""
        made: Domain = load_class(self.domain, "panel")(**dict(self.parameters))
        return made

    def plain(self) -> dict[str, Any]:
        """As JSON-able data."""
        return asdict(self)


_CUBE = "coactor.domains:Hypercube"
_TOUR = "coactor.domains:Tour"
_FLEET = "coactor.domains:Fleet"
_RANKING = "coactor.domains:Ranking"
RANKING_FEATURES = 700


def _ranking(name: str, title: str, budget: tuple[int, int] | None) -> Panel:
    return Panel(
        name,
        title,
        _RANKING,
        (("features", RANKING_FEATURES),),
        problems="twin",
        kappa=2.0,
        budget=budget,
        log=False,
        expert_line=False,
        stream="rank",
    )


_ALL = (
    Panel("path-clean", "Path planning, no noise", _CUBE, (("hidden", 0),), assumption_1=False),
    Panel("path-noise", "Path planning, noise", _CUBE, (("hidden", 1),), assumption_1=False),
    Panel("tsp-clean", "TSP, no noise", _TOUR, (("hidden", 0),)),
    Panel("tsp-noise", "TSP, noise", _TOUR, (("hidden", 10),)),
    Panel("mtsp-clean", "Multi-TSP, no noise", _FLEET, (("hidden", 0),)),
    Panel("mtsp-noise", "Multi-TSP, noise", _FLEET, (("hidden", 1),)),
    _ranking("rank-unlimited", "Learning to rank, unlimited", None),
    _ranking("rank-budget", "Learning to rank, budget 5 to 15", (5, 15)),
)
PANELS: Mapping[str, Panel] = MappingProxyType({panel.name: panel for panel in _ALL})


def find_panel(name: str, *, kappa: float | None = None) -> Panel:
    """A panel by name, or one made from a user's own domain, written ``module:Class``.

    Such a domain must be able to make problems: ``sample(rng, n)``. Its expert's weights are uniform on
    [0, 1], as everywhere in the paper.
    """
    if name in PANELS:
        panel = PANELS[name]
    elif ":" in name:
        panel = Panel(name, name.partition(":")[2], name, log=False, assumption_1=False)
        made = panel.make_domain()
        if not isinstance(made, Samples):
            raise ValueError(
                f"panel {name!r}: the domain has no sample(rng, n); it must make problems to be compared on"
            )
        hidden = int(getattr(made, "hidden", 0))
        if hidden:
            panel = replace(panel, assumption_1=False)
    else:
        raise unknown("panel", name, list(PANELS))
    return panel if kappa is None else replace(panel, kappa=kappa)


def with_data(panel: Panel, data: DataFile, features: int) -> Panel:
    """The same ranking panel on a data file."""
    return replace(panel, problems="data", parameters=(("features", features),), data=data)
