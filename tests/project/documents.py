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
import shlex
import subprocess
import sys
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click
import pytest
from click.testing import CliRunner

from coactor import plugins
from coactor.cli import main

ROOT = Path(__file__).parents[2]
FENCE = re.compile(r"^(`{3,})([^`\n]*)\n(.*?)^\1[ \t]*$", re.DOTALL | re.MULTILINE)
SHELL = re.compile(r"[|<>$`;&*]|^\w+=")
NOT_RUN = ("make ", "pip ", "python benchmarks/")  # tests of the words of a command look at these
ADDRESS = "http://127.0.0.1:8765"


def pages() -> list[Path]:
    top = [ROOT / name for name in ("README.md", "CONTRIBUTING.md")]
    return top + sorted(p for p in (ROOT / "docs").rglob("*.md") if "generated" not in p.parts)


@dataclass(frozen=True)
class Block:
    """One fence of a page: the words that say what it is, the file that it becomes, and its text."""

    place: str
    words: str
    caption: str
    text: str

    def commands(self) -> list[tuple[str, str]]:
        """The commands of a console block, each with the output shown below it."""
        parts = re.split(r"^\$ ", re.sub(r"\\\n\s*", " ", self.text), flags=re.MULTILINE)[1:]
        pairs = (part.partition("\n") for part in parts)
        return [(command.partition("  #")[0].strip(), output) for command, _, output in pairs]


def blocks(page: Path) -> list[Block]:
    text = page.read_text(encoding="utf-8")
    result = []
    for fence in FENCE.finditer(text):
        place = f"{page.relative_to(ROOT)}:{text.count(chr(10), 0, fence.start()) + 1}"
        words, body, caption = fence[2].strip(), fence[3], ""
        if words.startswith("{code-block}"):
            words = words.removeprefix("{code-block}").strip()
            if option := re.match(r":caption: (.*)\n+", body):
                caption, body = option[1], body[option.end() :]
        elif words.startswith("{literalinclude}"):
            source = page.parent / words.removeprefix("{literalinclude}").strip()
            caption, body = source.name, source.read_text(encoding="utf-8")
        result.append(Block(place, words, caption, body))
    return result


def same_output(wanted: str, printed: str) -> bool:
    flags = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
    return doctest.OutputChecker().check_output(wanted.strip() + "\n", printed.strip() + "\n", flags)


class Runner:
    """Runs the blocks of one page in a folder, which becomes the current one.

    `shorter` has what is added to a command so that it takes seconds, as (pattern, words); `skipped` are
    commands that are not run.
    """

    def __init__(
        self, patch: pytest.MonkeyPatch, folder: Path, shorter: list[tuple[str, str]], skipped: set[str]
    ):
        self.patch, self.folder, self.shorter, self.skipped = patch, folder, shorter, skipped
        self.printed, self.address = "", ADDRESS
        self.names: dict[str, Any] = {}
        self.servers: list[subprocess.Popen[str]] = []
        programs, site = folder / ".programs", folder / ".site"
        programs.mkdir()
        for name, words in (("coactor", '-c "from coactor.cli import main; main()"'), ("python", "")):
            (programs / name).write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} {words} "$@"\n')
            (programs / name).chmod(0o755)
        for name in [name for name in os.environ if name.startswith("COACTOR")]:
            patch.delenv(name)
        paths = [str(ROOT / "src"), str(folder), str(site)]
        patch.setenv("PATH", str(programs), prepend=os.pathsep)
        patch.setenv("PYTHONPATH", os.pathsep.join(paths))
        patch.setenv("MPLBACKEND", "Agg")
        patch.chdir(folder)
        patch.syspath_prepend(str(site))
        patch.syspath_prepend(str(folder))

    def run(self, block: Block) -> None:
        text = block.text.replace(ADDRESS, self.address)
        if block.caption:
            path = self.folder / block.caption
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
            sys.modules.pop(path.stem, None)
        elif block.words in ("python", "python continues"):
            if block.words == "python":
                self.names = {"__name__": "__main__"}
            with contextlib.redirect_stdout(io.StringIO()) as out:
                exec(compile(text, block.place, "exec"), self.names)
            self.printed = out.getvalue()
        elif block.words == "console":
            for command, output in block.commands():
                self.command(block.place, command, output)
        elif block.words == "text output":
            assert same_output(text, self.printed), f"{block.place} prints:\n{self.printed}"
        elif block.words in ("json", "toml"):
            {"json": json.loads, "toml": tomllib.loads}[block.words](text)

    def command(self, place: str, command: str, wanted: str) -> None:
        if command == "pip install --editable .":
            self.install()
        if command in self.skipped or command.startswith(NOT_RUN):
            return
        extra = next((more for pattern, more in self.shorter if re.search(pattern, command)), "")
        full = f"{command.replace(ADDRESS, self.address)} {extra}".strip()
        if command.startswith("coactor serve"):
            code, printed = self.serve(full)
        elif command.startswith("coactor ") and not SHELL.search(full):
            code, printed = self.coactor(full)
        else:
            code, printed = self.shell(full)
        assert code == 0, f"{place}: `{full}` ends with {code}:\n{printed}"
        assert not wanted.strip() or same_output(wanted, printed), f"{place}: `{full}` prints:\n{printed}"

    def coactor(self, command: str) -> tuple[int, str]:
        """Run a command in this process, which has everything imported and compiled."""
        result = CliRunner().invoke(main, shlex.split(command)[1:], prog_name="coactor")
        if result.exception is not None and not isinstance(result.exception, SystemExit):
            raise result.exception
        return result.exit_code, result.output

    def shell(self, command: str) -> tuple[int, str]:
        """Run a command in bash; what it exports is there for the next one."""
        exported = self.folder / ".environment"
        script = f"set -euo pipefail\n{command}\nenv -0 >{shlex.quote(str(exported))}"
        done = subprocess.run(
            ["bash", "-c", script],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
            timeout=60,
        )
        if done.returncode == 0:
            for line in exported.read_text(encoding="utf-8").split("\0"):
                name, _, value = line.partition("=")
                if name.startswith("COACTOR"):
                    self.patch.setenv(name, value)
        return done.returncode, done.stdout

    def serve(self, command: str) -> tuple[int, str]:
        """Start a server on a free port with the options that are shown."""
        words = shlex.split(command)
        words[0] = str(self.folder / ".programs" / "coactor")
        log = self.folder / f".server{len(self.servers)}"
        with log.open("w") as out:
            self.servers.append(subprocess.Popen([*words, "--port", "0", "--json"], stdout=out, text=True))
        code, _ = self.shell(
            f"until grep -q '^}}' {log}; do kill -0 {self.servers[-1].pid}; sleep 0.05; done"
        )
        if code != 0:
            return code, log.read_text()
        self.address = f"http://127.0.0.1:{json.loads(log.read_text())['own_port']}"
        return self.shell(f"curl --fail --silent {self.address}/health")

    def install(self) -> None:
        """Install the page's own package, so that its entry points are known."""
        words = ["--quiet", "--no-deps", "--no-index", "--no-build-isolation", "--target", ".site", "."]
        subprocess.run([sys.executable, "-m", "pip", "install", *words], check=True)
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


def unknown_words(command: str) -> list[str]:
    """What a shown command names and is not there: a command, an option, an extra, a target, a benchmark."""
    program, *words = shlex.split(command, comments=True)
    if program == "coactor":
        context, current = click.Context(main, info_name="coactor"), main
        while isinstance(current, click.Group) and words and not words[0].startswith("-"):
            inner = current.get_command(context, words[0])
            if inner is None:
                return [words[0]]
            current, words = inner, words[1:]
        known = {name for p in current.get_params(context) for name in (*p.opts, *p.secondary_opts, "--help")}
        return [w for w in words if re.match(r"--?[a-z]", w) and w.partition("=")[0] not in known]
    if program == "python" and words[0].startswith("benchmarks/"):
        path = ROOT / words[0]
        source = path.read_text(encoding="utf-8") if path.exists() else ""
        return [w for w in words if not path.exists() or (w.startswith("--") and f'"{w}"' not in source)]
    if program == "make":
        makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
        return [w for w in words if "=" not in w and not re.search(rf"^{w}:", makefile, flags=re.MULTILINE)]
    if program == "pip":
        extras = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
        named = re.findall(r"(?:coactor|\.)\[([\w,]+)\]", command)
        return [e for names in named for e in names.split(",") if e not in extras["optional-dependencies"]]
    return []
