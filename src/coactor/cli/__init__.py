"""The command line. Each command imports what it needs when it runs."""

from __future__ import annotations

import importlib
import platform
from importlib import metadata

import click

from coactor.version import __version__

# name -> (module, attribute, one-line help). Help is here so that `coactor --help` imports nothing.
COMMANDS: dict[str, tuple[str, str, str]] = {
    "reproduce": ("coactor.cli.paper", "reproduce", "Reproduce the paper: figure, claims, report."),
    "verify-results": ("coactor.cli.paper", "verify_results", "Run a reproduction again, and compare."),
    "open-choices": ("coactor.cli.paper", "open_choices", "Judge the claims with other choices."),
    "compare": ("coactor.cli.paper", "compare", "Compare learners on one panel, with paired statistics."),
    "bench": ("coactor.cli.bench", "bench", "Compare a learner with all others: one page."),
    "learn": ("coactor.cli.archive", "learn", "Learn from an archive of recorded solutions."),
    "evaluate": ("coactor.cli.archive", "evaluate", "Replay an archive: how much effort is saved?"),
    "solve": ("coactor.cli.solve", "solve", "Solve a routing file by its own costs."),
    "features": ("coactor.cli.archive", "features", "Say which feature is missing, by evidence."),
    "serve": ("coactor.cli.serve", "serve", "Serve studies over HTTP, with a web page for experts."),
    "study": ("coactor.cli.study", "study", "Manage studies: list, show, log, verify, copy, ..."),
    "token": ("coactor.cli.token", "token", "Create, list and revoke access tokens."),
    "check": ("coactor.cli.check", "check", "Check a domain or a learner of your own."),
}
# The extra that a command needs beyond the plain dependencies.
EXTRAS = {"serve": "serve", "study": "studies", "token": "studies"}


class LazyGroup(click.Group):
    """A group that imports a command only when it runs or shows its own help."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        if name not in COMMANDS:
            return None
        module, attribute, _ = COMMANDS[name]
        try:
            command = getattr(importlib.import_module(module), attribute)
        except ImportError as error:
            if name not in EXTRAS:
                raise
            raise click.ClickException(
                f"`coactor {name}` needs packages that are not installed; install them with: "
                f"pip install 'coactor[{EXTRAS[name]}]'"
            ) from error
        assert isinstance(command, click.Command)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, line) for name, (_, _, line) in COMMANDS.items()])


def _print_versions(ctx: click.Context, _: click.Parameter, wanted: bool) -> None:
    if wanted:
        numbers = {"coactor": __version__, "Python": platform.python_version()}
        numbers |= {name: metadata.version(name) for name in ("numpy", "numba")}
        click.echo(", ".join(f"{name} {number}" for name, number in numbers.items()))
        ctx.exit()


@click.group(
    cls=LazyGroup,
    context_settings={"help_option_names": ["-h", "--help"], "show_default": True},
    invoke_without_command=True,
    epilog="""To begin:

    \b
    coactor serve --try          correct proposals in a browser; pip install 'coactor[serve]'
    coactor compare PER default  whose proposals need the least editing
    coactor bench default        what a learner saves; also one of your own

    In Python: help(coactor.Session). In a notebook: coactor.notebook.edit(session, problem).
    """,
)
@click.option(
    "--version",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_print_versions,
    help="Print the versions of coactor, Python, numpy and numba.",
)
@click.pass_context
def main(ctx: click.Context) -> None:
    """Learn what an expert wants from the corrections the expert makes."""
    if ctx.invoked_subcommand is None:
        click.echo(ctx.get_help())
