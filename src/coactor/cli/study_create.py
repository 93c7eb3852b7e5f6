"""``coactor study create``, ``extend`` and ``configure``, and the files that they read."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from coactor import loaders, plugins
from coactor.cli.options import domain_option, parameters_of, with_options
from coactor.cli.stores import Result, on_new_store, on_store, on_study
from coactor.domains.roads import network_json
from coactor.loaders.tables import read_json
from coactor.studies import catalog
from coactor.studies.errors import Conflict, Invalid
from coactor.studies.log.ledger import Ledger
from coactor.studies.log.store import Store
from coactor.studies.opening import open_study
from coactor.studies.study import Study

settings_options = with_options(  # that can be changed later
    click.option("--proposals", help="Which proposals to make: default, paper, polish, ..."),
    click.option("--budget", type=float, help="Seconds of an ask; inf for no time limit."),
    click.option("--cost", "costs", multiple=True, metavar="OPERATOR=COST", help="The cost of an operator."),
    click.option("--grace", type=float, help="Seconds in which a tell can be withdrawn."),
    click.option(
        "--control",
        type=float,
        help="Share of proposals made without what was learned, such as 0.1, to compare.",
    ),
)


@click.command()
@click.argument("name")
@click.option("--domain", required=True, help="An installed domain, such as tour, or FILE.py:DOMAIN.")
@click.option(
    "--parameters",
    default="{}",
    help='Parameters of the domain as JSON, such as \'{"points": 20, "features": 10}\'.',
)
@click.option("--learner", default="default", help="Name of an installed learner.")
@settings_options
@click.option(
    "--network",
    type=click.Path(path_type=Path),
    metavar="FOLDER",
    help="Roads: a folder with links.csv and, optionally, nodes.csv, turns.csv and trips.csv.",
)
@click.option(
    "--habits/--no-habits", default=None, help="Whether past choices are a feature.  [default: as learned]"
)
@click.option(
    "--start",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Start with the weights in use, as JSON (a list, or numbers by the names of the features), "
    "or with what `coactor learn` wrote.",
)
@click.option(
    "--trust",
    type=float,
    help="How far to trust them: 1 if errors are as large as the weights, 10 if a tenth.  [default: hardly]",
)
@on_new_store
def create(
    store: Store,
    name: str,
    domain: str,
    parameters: str,
    learner: str,
    network: Path | None,
    start: Path | None,
    costs: tuple[str, ...],
    **settings: Any,
) -> Result:
    """Create a study."""
    given = parameters_of(parameters)
    if network is not None:
        given = with_network(domain, given, network)
    _check_is_new(store, name)
    open_study(
        store,
        name,
        plugins.load_domain(domain, given) if ":" in domain else catalog.make(domain, given),
        learner,
        create=True,
        start=None if start is None else read_json(start),
        settings=_given(costs, settings),
    )
    return about(store, name), f"Created {name}."


def _check_is_new(store: Store, name: str) -> None:
    with store.reading() as sql:
        if any(head.name == name for head in sql.studies()):
            raise Conflict(f"There is already a study {name!r}; choose another name.")


@click.command()
@click.argument("study_name", metavar="STUDY")
@click.option("--name", required=True, help="Name of the new study.")
@domain_option
@on_store
def extend(store: Store, study_name: str, name: str, domain: Any) -> Result:
    """Go on with habits: a new study with this feature that has learned all that was told in STUDY."""
    from coactor.archives import extending

    _check_is_new(store, name)
    extending.extend(Study(store, study_name, domain), name)
    return about(store, name), f"Created {name}; ask there from now on."


@click.command()
@on_study
@settings_options
@click.option("--actor", default="operator", help="Who changes the settings.")
def configure(opened: Study, costs: tuple[str, ...], actor: str, **settings: Any) -> Result:
    """Change settings of a study; the change is recorded in its log. Without options, show them."""
    now = opened.configure(_given(costs, settings), actor=actor)
    return now, "\n".join(f"{key}: {value}" for key, value in now.items())


def _given(each_cost: tuple[str, ...], options: dict[str, Any]) -> Any:
    """The settings that the options name."""
    costs = {}
    for text in each_cost:
        operator, _, cost = text.partition("=")
        try:
            costs[operator] = float(cost)
        except ValueError:
            raise Invalid(f"--cost is {text!r}; expected an operator and a number: swap=2.") from None
    settings = {**options, "costs": costs or None}
    return {name: value for name, value in settings.items() if value is not None}


def about(store: Store, name: str) -> dict[str, Any]:
    """Totals, features and weights of a study, from its log alone: the domain need not be installed."""
    ledger = Ledger(store, name)
    first, projection = ledger.first, ledger.projection
    return {
        "name": name,
        "domain": first.config["domain"],
        "learner": first.config["learner"],
        **projection.totals(),
        "hash": projection.hash.hex(),
        "features": first.config["features"],
        "weights": [float(w) for w in projection.knowledge.learner.weights],
    }


def with_network(domain: str, given: dict[str, Any], folder: Path) -> dict[str, Any]:
    """Add the network of a folder to the parameters of a study. Raises Invalid if it is not one of roads."""
    if domain != "roads":
        raise Invalid(f"--network is for the domain roads, not {domain!r}.")
    network, _ = loaders.read_roads(folder)
    return {**given, "network": network_json.encode(network)}
