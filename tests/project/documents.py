"""Run what the documentation shows: Python blocks, files, commands and their output.

A page is a story that is told from top to bottom in one empty folder:

    ```python                     runs in a namespace of its own
    ```python continues           runs in the namespace of the block before
    ```text output                what the Python block before must print
    ```{code-block} csv           with `:caption: links.csv` it becomes that file
    ```console                    `$ ` begins a command; other lines are what it must print

In output, `...` stands for anything. A server that a page starts runs until the page ends.
"""

from __future__ import annotations

import contextlib
import doctest
import io
import json
import os
import re
import select
import shlex
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import click
import pytest
from click.testing import CliRunner

from coactor import plugins
from coactor.cli import main

ROOT = Path(__file__).parents[2]
FENCE = re.compile(
    r"^(?P<fence>`{3,})(?P<info>[^`\n]*)\n(?P<body>.*?)^(?P=fence)[ \t]*$", re.DOTALL | re.MULTILINE
)
SHELL = re.compile(r"[|<>$`;&*]|^\w+=")
ADDRESS = "http://127.0.0.1:8765"
PATIENCE = 60.0  # seconds until a command or a server is given up


@dataclass(frozen=True)
class Block:
    """One fence of a page: its language, the words after it, its options and its text."""

    page: Path
    line: int
    language: str
    words: tuple[str, ...]
    options: dict[str, str]
    text: str

    @property
    def place(self) -> str:
        return f"{self.page.relative_to(ROOT)}:{self.line}"

    def commands(self) -> list[tuple[str, str]]:
        """The commands of a console block, each with the output shown below it."""
        joined = re.sub(r"\\\n\s*(?:> )?", " ", self.text)
        commands: list[tuple[str, str]] = []
        for line in joined.splitlines():
            if line.startswith("$ "):
                commands.append((line[2:].strip(), ""))
            elif commands:
                commands[-1] = (commands[-1][0], commands[-1][1] + line + "\n")
        return commands


def pages() -> list[Path]:
    top = [ROOT / name for name in ("README.md", "CONTRIBUTING.md")]
    return top + sorted(p for p in (ROOT / "docs").rglob("*.md") if "generated" not in p.parts)


def blocks(page: Path) -> list[Block]:
    text = page.read_text(encoding="utf-8")
    result = []
    for match in FENCE.finditer(text):
        line = text.count("\n", 0, match.start()) + 1
        words = match["info"].split()
        body, options = match["body"], {}
        if words[:1] == ["{code-block}"]:
            words = words[1:]
            while option := re.match(r":([\w-]+): ?(.*)\n", body):
                options[option[1]] = option[2]
                body = body[option.end() :].lstrip("\n")
        language = words[0] if words else ""
        if language == "{literalinclude}":
            source = (page.parent / words[1]).resolve()
            body, options = source.read_text(encoding="utf-8"), {"caption": source.name}
        result.append(Block(page, line, language, tuple(words[1:]), options, body))
    return result


def same_output(wanted: str, printed: str) -> bool:
    flags = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
    return doctest.OutputChecker().check_output(wanted.strip() + "\n", printed.strip() + "\n", flags)


def unknown_options(command: str) -> list[str]:
    """Options of a shown `coactor` command that the program does not have."""
    words = shlex.split(command, comments=True)[1:]
    context = click.Context(main, info_name="coactor")
    current: click.Command = main
    while isinstance(current, click.Group) and words:
        inner = current.get_command(context, words[0])
        if inner is None:
            return [words[0]]
        current, words = inner, words[1:]
    known = {name for p in current.get_params(context) for name in (*p.opts, *p.secondary_opts)}
    return [w for w in words if re.match(r"--?[a-z]", w) and w.partition("=")[0] not in known]


@dataclass
class Runner:
    """Runs the blocks of one page.

    Attributes
    ----------
    folder
        Where files are written and commands run.
    shorter
        What is added to a command so that it takes seconds: (pattern, words).
    skipped
        Commands that are not run, each with the reason.
    """

    folder: Path
    shorter: list[tuple[str, str]]
    skipped: dict[str, str]
    names: dict[str, Any] = field(default_factory=dict)
    printed: str = ""
    environment: dict[str, str] = field(default_factory=dict)
    address: str = ADDRESS
    servers: list[subprocess.Popen[str]] = field(default_factory=list)

    def __post_init__(self) -> None:
        programs = self.folder / ".programs"
        programs.mkdir()
        python = shlex.quote(sys.executable)
        for name, words in (("coactor", '-c "from coactor.cli import main; main()"'), ("python", "")):
            (programs / name).write_text(f'#!/bin/sh\nexec {python} {words} "$@"\n', encoding="utf-8")
            (programs / name).chmod(0o755)
        paths = [str(ROOT / "src"), str(self.folder)]
        self.environment = {
            **{k: v for k, v in os.environ.items() if not k.startswith("COACTOR")},
            "PATH": f"{programs}{os.pathsep}{os.environ['PATH']}",
            "PYTHONPATH": os.pathsep.join(paths),
            "MPLBACKEND": "Agg",
        }

    def run(self, block: Block) -> None:
        if "caption" in block.options and block.language != "console":
            path = self.folder / block.options["caption"]
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(self.located(block.text), encoding="utf-8")
            sys.modules.pop(path.stem, None)
        elif block.language == "python":
            self.python(block)
        elif block.language == "toml":
            tomllib.loads(block.text)
        elif block.language == "console":
            for command, output in block.commands():
                self.command(block, command, output)
        elif block.language == "json":
            json.loads(block.text)
        elif block.language == "text" and block.words == ("output",):
            assert same_output(block.text, self.printed), f"{block.place} prints:\n{self.printed}"

    def located(self, text: str) -> str:
        """With the address of the running server in place of the one that is shown."""
        return text.replace(ADDRESS, self.address)

    def python(self, block: Block) -> None:
        if block.words != ("continues",):
            self.names = {"__name__": "__main__"}
        out = io.StringIO()
        code = compile("\n" * block.line + self.located(block.text), str(block.page), "exec")
        with self._here(), contextlib.redirect_stdout(out):
            exec(code, self.names)
        self.printed = out.getvalue()

    def command(self, block: Block, command: str, output: str) -> None:
        if command in self.skipped:
            return
        words = shlex.split(command, comments=True)
        if words[0] == "make":
            makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
            targets = [w for w in words[1:] if "=" not in w]
            missing = [t for t in targets if not re.search(rf"^{t}:", makefile, flags=re.MULTILINE)]
            ran = (len(missing), f"There is no target {', '.join(missing)}.")
        elif words[:2] == ["pip", "install"]:
            ran = installable(words[2:])
            if words[2:] == ["--editable", "."]:
                self.announce()
        elif words[:2] == ["coactor", "serve"]:
            ran = self.serve(words[2:])
        elif words[0] == "python" and words[1].startswith("benchmarks/"):
            source = (ROOT / words[1]).read_text(encoding="utf-8")
            missing = [w for w in words[2:] if w.startswith("--") and f'"{w}"' not in source]
            ran = (len(missing), f"There is no option {', '.join(missing)}.")
        else:
            extra = next((more for pattern, more in self.shorter if re.search(pattern, command)), "")
            command = self.located(f"{command.partition('  #')[0]} {extra}".strip())
            simple = words[0] == "coactor" and not SHELL.search(command)
            ran = self.coactor(shlex.split(command)[1:]) if simple else self.shell(command)
        code, printed = ran
        assert code == 0, f"{block.place}: `{command}` ends with {code}:\n{printed}"
        if output.strip():
            assert same_output(output, printed), f"{block.place}: `{command}` prints:\n{printed}"

    def coactor(self, words: list[str]) -> tuple[int, str]:
        """Run a command in this process, which has everything imported and compiled."""
        with self._here():
            result = CliRunner().invoke(main, words, prog_name="coactor")
        if result.exception is not None and not isinstance(result.exception, SystemExit):
            raise result.exception
        return result.exit_code, result.output

    def shell(self, command: str) -> tuple[int, str]:
        """Run a command in bash; what it exports is there for the next one."""
        kept = self.folder / ".environment"
        done = subprocess.run(
            ["bash", "-c", f"set -euo pipefail\n{command}\nenv -0 >{shlex.quote(str(kept))}"],
            cwd=self.folder,
            env=self.environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
            timeout=PATIENCE,
        )
        if done.returncode == 0:
            pairs = (line.partition("=") for line in kept.read_text(encoding="utf-8").split("\0") if line)
            self.environment = {name: value for name, _, value in pairs}
        return done.returncode, done.stdout

    def serve(self, words: list[str]) -> tuple[int, str]:
        """Start a server on a free port with the options that are shown."""
        server = subprocess.Popen(
            [str(self.folder / ".programs" / "coactor"), "serve", *words, "--port", "0", "--json"],
            cwd=self.folder,
            env=self.environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        self.servers.append(server)
        self.address = f"http://127.0.0.1:{json.loads(first_json(server))['own_port']}"
        return self.shell(f"curl --fail --silent {self.address}/health")

    def announce(self) -> None:
        """What an editable install of the page's own package would make known: its entry points."""
        project = tomllib.loads((self.folder / "pyproject.toml").read_text(encoding="utf-8"))["project"]
        info = self.folder / f"{project['name']}-{project['version']}.dist-info"
        info.mkdir()
        header = f"Metadata-Version: 2.1\nName: {project['name']}\nVersion: {project['version']}\n"
        (info / "METADATA").write_text(header, encoding="utf-8")
        lines = []
        for group, points in project["entry-points"].items():
            lines += [f"[{group}]", *(f"{name} = {target}" for name, target in points.items())]
        (info / "entry_points.txt").write_text("\n".join(lines), encoding="utf-8")
        plugins.announced.cache_clear()

    def close(self) -> None:
        for server in self.servers:
            server.terminate()
        for server in self.servers:
            try:
                server.wait(timeout=10)
            except subprocess.TimeoutExpired:
                server.kill()
                server.wait()
            if server.stdout is not None:
                server.stdout.close()

    @contextlib.contextmanager
    def _here(self) -> Iterator[None]:
        """In the page's folder, with its modules and variables in reach."""
        with pytest.MonkeyPatch.context() as patch:
            patch.chdir(self.folder)
            patch.syspath_prepend(str(self.folder))
            for name in ("COACTOR_STORE", "COACTOR_TOKEN"):
                if name in self.environment:
                    patch.setenv(name, self.environment[name])
                else:
                    patch.delenv(name, raising=False)
            yield


def first_json(server: subprocess.Popen[str]) -> str:
    """The first JSON object that a server prints."""
    assert server.stdout is not None
    text = ""
    while not text.endswith("}\n"):
        ready, _, _ = select.select([server.stdout], [], [], PATIENCE)
        part = os.read(server.stdout.fileno(), 4096).decode() if ready else ""
        assert part, "The server did not say where it listens."
        text += part
    return text


def installable(words: list[str]) -> tuple[int, str]:
    """Whether the extras that are shown exist; installing them is test_packaging's business."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    for word in words:
        if match := re.fullmatch(r"(?:coactor|\.)\[([\w,]+)\]", word):
            unknown = set(match[1].split(",")) - set(project["optional-dependencies"])
            if unknown:
                return 1, f"There is no extra {', '.join(sorted(unknown))}."
    return 0, ""
