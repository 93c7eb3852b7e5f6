"""Write the reference pages: Python from `__all__`, HTTP from OpenAPI, commands from click."""

from __future__ import annotations

import inspect
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from types import ModuleType
from typing import Any

import click
from sphinx.pycode import ModuleAnalyzer

import coactor


def write(folder: Path) -> None:
    """Write all generated pages; a page that has not changed keeps its time stamp."""
    folder.mkdir(exist_ok=True)
    pages = {**python_pages(), "http.md": http_page(), "commands.md": commands_page()}
    for old in folder.glob("*.md"):
        if old.name not in pages:
            old.unlink()
    for name, text in pages.items():
        path = folder / name
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")


# -- Python --------------------------------------------------------------------------------------------


def public_modules() -> Iterator[tuple[str, ModuleType]]:
    """`coactor`, then every module that its `__all__` names."""
    yield "coactor", coactor
    for name in coactor.__all__:
        thing = getattr(coactor, name)
        if isinstance(thing, ModuleType):
            yield thing.__name__, thing


def public_names(module: ModuleType) -> list[str]:
    """What the module exports; without `__all__`, what it defines and does not hide."""
    if hasattr(module, "__all__"):
        return [n for n in module.__all__ if not isinstance(getattr(module, n), ModuleType)]
    return [
        name
        for name, thing in vars(module).items()
        if not name.startswith("_") and getattr(thing, "__module__", None) == module.__name__
    ]


def python_pages() -> dict[str, str]:
    pages, homes = {}, {}
    for path, module in public_modules():
        rows, entries = [], []
        for name in public_names(module):
            thing = getattr(module, name)
            home = homes.setdefault(id(thing), f"{path}.{name}")
            rows.append((name, home, summary(thing) or escape(" ".join(data_docs(path, name)))))
            if home == f"{path}.{name}":
                entries.append(entry(home, thing))
        pages[f"{path}.md"] = python_page(path, rows, entries)
    listing = "\n".join(f"{Path(name).stem}" for name in pages)
    pages["python.md"] = f"""# Python

Every public name. A name is public if a module on this page lists it in `__all__`.

```{{toctree}}
:maxdepth: 1

{listing}
```
"""
    return pages


def python_page(path: str, rows: list[tuple[str, str, str]], entries: list[str]) -> str:
    table = "\n".join(f"   * - :py:obj:`{name} <{home}>`\n     - {text}" for name, home, text in rows)
    listing = f".. list-table::\n   :widths: 30 70\n\n{table}\n" if rows else ""
    body = "\n\n".join(entries)
    return (
        f"# {path}\n\n```{{eval-rst}}\n.. automodule:: {path}\n   :no-members:\n\n{listing}\n\n{body}\n```\n"
    )


def summary(thing: Any) -> str:
    """The first sentence of its docstring; data has none of its own."""
    if not (inspect.isclass(thing) or inspect.isroutine(thing)):
        return ""
    return escape(" ".join((inspect.getdoc(thing) or "").partition("\n\n")[0].split()))


def data_docs(package: str, name: str) -> list[str]:
    """The string below an assignment, in the package or in one of its modules."""
    for module in [m for m in sys.modules if m == package or m.startswith(f"{package}.")]:
        docs = ModuleAnalyzer.for_module(module).find_attr_docs()
        if ("", name) in docs:
            return list(docs["", name])
    return []


def entry(path: str, thing: Any) -> str:
    if inspect.isclass(thing):
        options = "   :members:\n   :inherited-members: dict, tuple, Exception, ValueError"
        if getattr(thing, "_is_protocol", False):  # its members are the point, with or without a docstring
            options = "   :members:\n   :undoc-members:"
        return f".. autoclass:: {path}\n{options}\n"
    return f".. {'autofunction' if callable(thing) and inspect.isroutine(thing) else 'autodata'}:: {path}\n"


CODE = re.compile(r"(?<!`)(``?)(?=[^`\s])([^`]+?)\1(?!`)", re.DOTALL)


def escape(text: str) -> str:
    """Plain text with `code` in backticks as reStructuredText: nothing else in it is markup."""
    parts, end = [], 0
    for match in CODE.finditer(text):
        before, after = text[end : match.start()], text[match.end() : match.end() + 1]
        parts += [
            re.sub(r"([*|_`\\])", r"\\\1", before),
            "\\ " if before[-1:].isalnum() else "",
            f"``{match[2]}``",
        ]
        parts.append("\\ " if after and after not in " \n.,;:!?)]}'\"-/>" else "")
        end = match.end()
    return "".join(parts) + re.sub(r"([*|_`\\])", r"\\\1", text[end:])


def plain_docstring(app: Any, what: str, name: str, thing: Any, options: Any, lines: list[str]) -> None:
    """An autodoc hook: docstrings are plain text with NumPy sections, examples and indented blocks."""
    if what == "data":  # autodoc would show the docstring of its type
        package, _, attribute = name.rpartition(".")
        lines[:] = data_docs(package, attribute)
    blocks: list[list[str]] = [[]]
    for line in lines:
        if line.strip():
            blocks[-1].append(line)
        elif blocks[-1]:
            blocks.append([])
    in_section, result = False, []
    for block in filter(None, blocks):
        in_section |= len(block) > 1 and set(block[1].strip()) == {"-"}
        code = next((k for k, line in enumerate(block) if line.lstrip().startswith(">>>")), None)
        if code is not None:  # below the heading "Examples"
            result += [*escape("\n".join(block[:code])).split("\n"), *block[code:], ""]
        elif block[0].startswith("    ") and not in_section:
            result += ["::", "", *block, ""]
        else:
            result += [*escape("\n".join(block)).split("\n"), ""]
    lines[:] = result


# -- HTTP ----------------------------------------------------------------------------------------------


def openapi() -> dict[str, Any]:
    from coactor.studies import Store
    from coactor.web.app import create_app

    with TemporaryDirectory() as folder:
        store = Store(f"sqlite:///{folder}/empty.db")
        try:
            return create_app(store).openapi()
        finally:
            store.close()


def http_page() -> str:
    about = openapi()
    schemas = about.get("components", {}).get("schemas", {})
    groups: dict[str, list[str]] = {}
    for path, verbs in about["paths"].items():
        for verb, route in verbs.items():
            group = next(iter(route.get("tags", [])), "other")
            groups.setdefault(group, []).append(http_route(schemas, verb, path, route))
    sections = "\n".join(f"## {name.capitalize()}\n\n" + "\n".join(rows) for name, rows in groups.items())
    bodies = "\n".join(http_schema(name, schema) for name, schema in sorted(schemas.items()))
    return f"""# HTTP

{about["info"].get("description", "")}
A running server describes itself at `/api/openapi.json` (OpenAPI).
This page is made from that description.

A request needs `Authorization: Bearer TOKEN`, except for `/health` and `/login`.
A refused request is answered with `application/problem+json`; its `detail` says what to do.

{sections}

## Bodies

{bodies}
"""


def http_route(schemas: dict[str, Any], verb: str, path: str, route: dict[str, Any]) -> str:
    rows = [
        (p["name"], p["in"], kind(p.get("schema", {})), p.get("required", False))
        for p in route.get("parameters", [])
    ]
    body = route.get("requestBody", {}).get("content", {}).get("application/json", {}).get("schema", {})
    fields = schemas.get(body.get("$ref", "").rpartition("/")[2], {})
    rows += [
        (name, "body", kind(schema), name in fields.get("required", []))
        for name, schema in fields.get("properties", {}).items()
    ]
    lines = [f"### `{verb.upper()} {path}`", "", route.get("description", route.get("summary", "")), ""]
    if rows:
        lines += ["| name | in | type | |", "|---|---|---|---|"]
        lines += [f"| `{n}` | {i} | {k} | {'required' if r else ''} |" for n, i, k, r in rows]
        lines.append("")
    answers = [
        f"{code} {answer(reply)}".strip() for code, reply in sorted(route["responses"].items()) if code < "4"
    ]
    errors = [code for code in sorted(route["responses"]) if code >= "4"]
    lines.append(f"Answers {', '.join(answers)}." + (f" Errors: {', '.join(errors)}." if errors else ""))
    return "\n".join(lines) + "\n"


def answer(reply: dict[str, Any]) -> str:
    schema = reply.get("content", {}).get("application/json", {}).get("schema") or {}
    return kind(schema) if schema else ""


def http_schema(name: str, schema: dict[str, Any]) -> str:
    about, meanings = described(schema.get("description", ""))
    lines = [f"### {name}", "", about, ""]
    if schema.get("properties"):
        required = schema.get("required", [])
        lines += ["| field | type | | |", "|---|---|---|---|"]
        lines += [
            f"| `{n}` | {kind(s)} | {'required' if n in required else ''} | {meanings.get(n, '')} |"
            for n, s in schema["properties"].items()
        ]
    return "\n".join(lines) + "\n"


def described(docstring: str) -> tuple[str, dict[str, str]]:
    """The text of a docstring without its section of attributes, and what that says of each field."""
    about, _, section = inspect.cleandoc(docstring).partition("\n\nAttributes\n----------\n")
    meanings = {}
    for match in re.finditer(r"^(\w[\w, ]*)\n((?: {4}.*\n?)+)", section, re.MULTILINE):
        for field in match[1].split(", "):
            meanings[field] = " ".join(match[2].split()).replace("|", "\\|")
    return about, meanings


def kind(schema: dict[str, Any]) -> str:
    """A schema in a few words."""
    if "$ref" in schema:
        name = str(schema["$ref"]).rpartition("/")[2]
        return f"[{name}](#{name.lower()})"
    if "anyOf" in schema:
        return " or ".join(kind(part) for part in schema["anyOf"])
    if "enum" in schema:
        return " or ".join(f"`{value}`" for value in schema["enum"])
    if schema.get("type") == "array":
        return f"list of {kind(schema.get('items', {}))}"
    return str(schema.get("type", "any"))


# -- commands ------------------------------------------------------------------------------------------


def commands_page() -> str:
    from coactor.cli import main

    context = click.Context(main, info_name="coactor", show_default=True)
    sections = "\n".join(command_sections(main, context, 2))
    return f"# Commands\n\nThe help texts of the program, as `--help` prints them.\n\n{sections}\n"


def command_sections(group: click.Group, context: click.Context, level: int) -> Iterator[str]:
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        if command is None:
            continue
        inner = click.Context(command, info_name=name, parent=context, max_content_width=88)
        yield f"{'#' * level} `{inner.command_path}`\n\n```text\n{command.get_help(inner)}\n```\n"
        if isinstance(command, click.Group):
            yield from command_sections(command, inner, level + 1)
