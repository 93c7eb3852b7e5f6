"""The HTTP reference: one page rendered from the OpenAPI description, without scripts."""

from __future__ import annotations

from typing import Any

from coactor.web.rendering import render


def page(openapi: dict[str, Any], files: str) -> str:
    """Return the page; `files` is the address of the static files."""
    groups: dict[str, list[dict[str, Any]]] = {}
    errors: dict[str, str] = {}
    for path, methods in openapi["paths"].items():
        for method, operation in methods.items():
            route = _route(openapi, path, method, operation)
            groups.setdefault(next(iter(operation.get("tags", [])), "other"), []).append(route)
            for code, response in operation["responses"].items():
                if code >= "4":
                    errors.setdefault(code, response.get("description", ""))
    return render(
        "api_docs.html", info=openapi["info"], groups=groups, errors=sorted(errors.items()), files=files
    )


def _route(openapi: dict[str, Any], path: str, method: str, operation: dict[str, Any]) -> dict[str, Any]:
    responses = operation["responses"]
    return {
        "method": method.upper(),
        "path": path,
        "description": operation.get("description", operation.get("summary", "")),
        "inputs": _inputs(openapi, operation),
        "results": [f"{code} {_result(responses[code])}".strip() for code in responses if code < "4"],
        "errors": [code for code in responses if code >= "4"],
    }


def _result(response: dict[str, Any]) -> str:
    """Name the schema of a response, or describe it."""
    schema = response.get("content", {}).get("application/json", {}).get("schema")
    name = _type(schema) if schema else ""
    if name and name != "any":
        return name
    return (
        "" if response.get("description") == "Successful Response" else str(response.get("description", ""))
    )


def _inputs(openapi: dict[str, Any], operation: dict[str, Any]) -> list[dict[str, Any]]:
    """List the parameters and the fields of the body."""
    inputs = [
        {
            "name": parameter["name"],
            "where": parameter["in"],
            "type": _type(parameter.get("schema", {})),
            "required": parameter.get("required", False),
            "description": parameter.get("description", ""),
        }
        for parameter in operation.get("parameters", [])
    ]
    content = operation.get("requestBody", {}).get("content", {}).get("application/json", {})
    name = content.get("schema", {}).get("$ref", "").rpartition("/")[2]
    schema = openapi.get("components", {}).get("schemas", {}).get(name, {})
    inputs += [
        {
            "name": key,
            "where": "body",
            "type": _type(value),
            "required": key in schema.get("required", []),
            "description": value.get("description", ""),
        }
        for key, value in schema.get("properties", {}).items()
    ]
    return inputs


def _type(schema: dict[str, Any]) -> str:
    if "$ref" in schema:
        return str(schema["$ref"]).rpartition("/")[2]
    if "anyOf" in schema:
        return " or ".join(_type(part) for part in schema["anyOf"])
    if schema.get("type") == "array":
        return f"list of {_type(schema.get('items', {}))}"
    return str(schema.get("type", "any"))
