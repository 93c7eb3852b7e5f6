"""The API's reference as one plain page, written from its own OpenAPI description."""

from __future__ import annotations

from html import escape
from typing import Any


def page(openapi: dict[str, Any], files: str) -> str:
    """A page that lists every route; `files` is where its style is."""
    parts = [
        '<!doctype html><html lang="en"><head><meta charset="utf-8">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        "<title>coactor: HTTP API</title>",
        f'<link rel="stylesheet" href="{files}/reference.css"></head><body><main>',
        f"<h1>coactor {escape(openapi['info']['version'])}: HTTP API</h1>",
        f"<p>{escape(openapi['info'].get('description', ''))} ",
        'The same as data: <a href="/api/openapi.json">openapi.json</a>.</p>',
    ]
    for path, verbs in openapi["paths"].items():
        for verb, about in verbs.items():
            parts.append(f"<section><h2><code>{verb.upper()} {escape(path)}</code></h2>")
            parts.append(f"<p>{escape(about.get('description', about.get('summary', '')))}</p>")
            parts.append(_inputs(openapi, about))
            answers = ", ".join(
                f"{escape(code)} {escape(said.get('description', ''))}"
                for code, said in about["responses"].items()
            )
            parts.append(f"<p>Answers: {answers}</p></section>")
    return "".join([*parts, "</main></body></html>"])


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
