"""The public API: complete, lazy, and the same for people, tools and `import *`."""

from __future__ import annotations

import ast
from pathlib import Path

import coactor


def test_every_public_name_can_be_imported() -> None:
    for name in coactor.__all__:
        assert getattr(coactor, name) is not None
    assert sorted([*coactor.__all__, "__version__"]) == dir(coactor)
    assert len(set(coactor.__all__)) == len(coactor.__all__)


def test_every_public_name_is_typed() -> None:
    """Names that are imported on first use are known to a type checker only by the stub."""
    stub = ast.parse(Path(coactor.__file__).with_suffix(".pyi").read_text(encoding="utf-8"))
    typed = [alias.name for node in stub.body if isinstance(node, ast.ImportFrom) for alias in node.names]
    assert sorted(typed) == dir(coactor)


def test_every_error_that_a_caller_may_catch_is_public() -> None:
    errors = set(coactor.studies.errors.__all__) - {"Deleted"}  # a kind of NotFound
    assert errors <= set(coactor.__all__)
