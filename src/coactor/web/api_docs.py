"""The API's reference as one plain page, written from its own OpenAPI description."""

from __future__ import annotations

from html import escape
from typing import Any


def page(openapi: dict[str, Any], files: str) -> str:
    """A page that lists every route; `files` is where its style is."""
    groups: dict[str, list[str]] = {}
    errors: dict[str, str] = {}
    for path, verbs in openapi["paths"].items():
        for verb, about in verbs.items():
            for code, said in about["responses"].items():
                if code >= "4":
                    errors.setdefault(code, said.get("description", ""))
            group = next(iter(about.get("tags", [])), "other")
            groups.setdefault(group, []).append(_route(openapi, path, verb, about))
    contents = " ".join(f'<a href="#{_id(name)}">{escape(name)}</a>' for name in groups)
    sections = "".join(
        f'<h2 id="{_id(name)}">{escape(name)}</h2>{"".join(routes)}' for name, routes in groups.items()
    )
    refusals = "".join(f"<dt>{escape(code)}</dt><dd>{escape(errors[code])}</dd>" for code in sorted(errors))
    return "".join(
        [
            '<!doctype html><html lang="en"><head><meta charset="utf-8">',
            '<meta name="viewport" content="width=device-width, initial-scale=1">',
            '<meta name="color-scheme" content="light dark">',
            "<title>HTTP API · coactor</title>",
            f'<link rel="icon" href="{files}/icon.svg" type="image/svg+xml">',
            f'<link rel="stylesheet" href="{files}/styles/base.css">',
            f'<link rel="stylesheet" href="{files}/styles/reference.css"></head><body>',
            '<header class="top"><a class="brand" href="/">',
            f'<img src="{files}/icon.svg" alt="" width="24" height="24">coactor</a></header><main>',
            f"<h1>HTTP API, version {escape(openapi['info']['version'])}</h1>",
            f"<p>{escape(openapi['info'].get('description', ''))} ",
            'The same as data: <a href="/api/openapi.json">openapi.json</a>.</p>',
            f'<nav class="contents" aria-label="Contents">{contents}</nav>',
            "<p>A refusal is <code>application/problem+json</code>; its <code>detail</code> is a sentence ",
            f"with the remedy:</p><dl>{refusals}</dl>{sections}</main></body></html>",
        ]
    )


def _id(name: str) -> str:
    return escape(name.replace(" ", "-"))


def _route(openapi: dict[str, Any], path: str, verb: str, about: dict[str, Any]) -> str:
    answers = ", ".join(
        f"{escape(code)} {escape(_answer(said))}".strip()
        for code, said in about["responses"].items()
        if code < "4"
    )
    refusals = ", ".join(escape(code) for code in about["responses"] if code >= "4")
    refused = f"; refuses with {refusals}" if refusals else ""
    return "".join(
        [
            f"<section><h3><code><b>{verb.upper()}</b> {escape(path)}</code></h3>",
            f"<p>{escape(about.get('description', about.get('summary', '')))}</p>",
            _inputs(openapi, about),
            f'<p class="hint">Answers {answers}{refused}.</p></section>',
        ]
    )


def _answer(said: dict[str, Any]) -> str:
    """What comes back, where it has a name."""
    content = said.get("content", {}).get("application/json", {})
    kind = _kind(content["schema"]) if content.get("schema") else ""
    if kind and kind != "any":
        return kind
    return "" if said.get("description") == "Successful Response" else str(said.get("description", ""))


def _inputs(openapi: dict[str, Any], about: dict[str, Any]) -> str:
    rows = [
        (p["name"], p["in"], _kind(p.get("schema", {})), p.get("required", False))
        for p in about.get("parameters", [])
    ]
    content = about.get("requestBody", {}).get("content", {}).get("application/json", {})
    name = content.get("schema", {}).get("$ref", "").rpartition("/")[2]
    schema = openapi.get("components", {}).get("schemas", {}).get(name, {})
    wanted = schema.get("required", [])
    rows += [
        (key, "body", _kind(value), key in wanted) for key, value in schema.get("properties", {}).items()
    ]
    if not rows:
        return ""
    cells = "".join(
        f"<tr><td><code>{escape(name)}</code></td><td>{where}</td><td>{escape(kind)}</td>"
        f"<td>{'required' if required else ''}</td></tr>"
        for name, where, kind, required in rows
    )
    return f"<table><tbody>{cells}</tbody></table>"


def _kind(schema: dict[str, Any]) -> str:
    if "$ref" in schema:
        return str(schema["$ref"]).rpartition("/")[2]
    if "anyOf" in schema:
        return " or ".join(_kind(part) for part in schema["anyOf"])
    if schema.get("type") == "array":
        return f"list of {_kind(schema.get('items', {}))}"
    return str(schema.get("type", "any"))
