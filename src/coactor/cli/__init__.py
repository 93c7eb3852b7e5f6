"""The command line: one small group; each command imports what it needs when it runs."""

from __future__ import annotations

import importlib

import click

# name -> (module, attribute, one-line help). Help is here so that `coactor --help` imports nothing.
COMMANDS: dict[str, tuple[str, str, str]] = {
    "reproduce": ("coactor.cli.paper", "reproduce", "Reproduce the paper: figure, claims, report."),
    "compare": ("coactor.cli.paper", "compare", "Compare learners fairly on one panel."),
    "demo": ("coactor.cli.paper", "demo", "Watch effort fall, in the terminal, in seconds."),
    "learn": ("coactor.cli.archive", "learn", "Warm-start a learner from what people did."),
    "evaluate": ("coactor.cli.archive", "evaluate", "Replay what people did: effort saved?"),
    "serve": ("coactor.cli.serve", "serve", "Serve studies over HTTP, with a page for people."),
    "study": ("coactor.cli.study", "study", "Look after studies: list, show, log, verify, copy, ..."),
    "token": ("coactor.cli.token", "token", "Make and end the tokens that let people in."),
    "check": ("coactor.cli.check", "check", "Check a domain or a learner of your own."),
    "version": ("coactor.cli.check", "version", "Print the version."),
}
# The extra that a command needs beyond the plain dependencies.
EXTRAS = {"serve": "serve", "study": "studies", "token": "studies"}


class LazyGroup(click.Group):
    """A group that imports a command only when it is run or asked for its own help."""

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


@click.group(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"]})
def main() -> None:
    """Learn what an expert wants from the corrections the expert makes."""
