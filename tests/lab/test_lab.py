"""The public names of coactor.lab, and the examples in docstrings."""

from __future__ import annotations

import doctest
import importlib
import pkgutil

import pytest

import coactor
from coactor import lab

MODULES = [info.name for info in pkgutil.walk_packages(lab.__path__, "coactor.lab.")]


def test_every_public_name_exists_and_is_documented() -> None:
    assert set(lab.__all__) <= set(dir(lab))
    for name in set(lab.__all__) - {"PANELS"}:
        assert getattr(lab, name).__doc__, name
    with pytest.raises(AttributeError, match="no attribute 'nonsense'"):
        _ = coactor.lab.nonsense


@pytest.mark.parametrize("name", MODULES)
def test_examples_in_docstrings_run(name: str) -> None:
    assert doctest.testmod(importlib.import_module(name)).failed == 0
