"""Find classes of the user: by entry point, as ``module:Class``, or as ``file.py:Class``."""

from __future__ import annotations

import difflib
import importlib
import importlib.util
import inspect
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from functools import cache
from importlib.metadata import entry_points
from pathlib import Path
from types import ModuleType
from typing import Any

LEARNERS, DOMAINS = "coactor.learners", "coactor.domains"
"""The entry point groups under which installed packages announce their classes."""


@cache
def announced(group: str) -> dict[str, Any]:
    """The entry points of a group, by name. Nothing is imported before `load` of an entry point is called."""
    return {point.name: point for point in entry_points(group=group)}


def unknown(kind: str, name: str, known: Iterable[str]) -> ValueError:
    """An error that suggests the nearest known names."""
    lower = {word.lower(): word for word in known}
    near = difflib.get_close_matches(name.lower(), lower, n=3, cutoff=0.5)
    hint = f"Did you mean {' or '.join(lower[word] for word in near)}? " if near else ""
    return ValueError(f"Unknown {kind} {name!r}. {hint}Known are {', '.join(lower.values())}.")


def load_class(text: str, kind: str) -> Any:
    """The class or factory that ``module:Class`` names.

    Raises ValueError if it cannot be imported or is not callable.
    """
    _, thing = load(text)
    if not callable(thing):
        raise ValueError(f"The {kind} {text!r} cannot be called.")
    return thing


def load_domain(text: str, parameters: dict[str, Any]) -> Any:
    """The domain that ``module:name`` names: an object such as a model, or a class, made with parameters.

    Raises ValueError if there is none, or if the class rejects the parameters.
    """
    from coactor.validation import checked_domain  # imports numpy, which a command's --help does not need

    return checked_domain(make_domain(text, load(text)[1], parameters))


def make_domain(text: str, thing: Any, parameters: dict[str, Any]) -> Any:
    """The domain that was loaded from this text. Raises ValueError if it cannot be made."""
    if not callable(thing):
        if parameters:
            raise ValueError(f"The domain {text!r} is an object and takes no parameters.")
        return thing
    with making("domain", text):
        return thing(**parameters)


@contextmanager
def making(kind: str, text: str) -> Iterator[None]:
    """Raise ValueError in place of whatever a class of the user raises when an object of it is made."""
    try:
        yield
    except ValueError:
        raise
    except Exception as error:
        raise ValueError(f"The {kind} {text!r} cannot be made: {type(error).__name__}: {error}.") from error


def load(text: str) -> tuple[ModuleType, Any]:
    """The module and the object that ``module:name`` names; the current folder is searched too.

    The module may also be the path of a file that ends in ``.py``. Raises ValueError if there is none.
    """
    where, colon, name = text.rpartition(":")
    if not colon or not where or not name:
        raise ValueError(f"{text!r} is not of the form module:Class, for example mypackage.things:Mine.")
    try:
        module = _module_from_file(Path(where)) if where.endswith(".py") else _module(where)
    except (ImportError, OSError) as error:
        raise ValueError(
            f"Cannot import {where!r} ({error}). Run the command in its folder, or install it."
        ) from error
    except (Exception, SystemExit) as error:  # the module is not ours; whatever it raises is its own defect
        raise ValueError(f"{where!r} cannot be imported: {type(error).__name__}: {error}.") from error
    thing = getattr(module, name, None)
    if thing is None:
        public = [word for word in vars(module) if word[0] != "_"]
        near = difflib.get_close_matches(name, public, n=3, cutoff=0.4) or public or ["nothing"]
        raise ValueError(f"{where!r} has no {name!r}; it has {', '.join(near)}.")
    return module, thing


def _module(name: str) -> ModuleType:
    if name in sys.modules:
        return sys.modules[name]
    with _on_path(""):  # the current folder, as for `python -m`
        return importlib.import_module(name)


def _module_from_file(path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(path.stem, path)
    if spec is None or spec.loader is None:
        raise ImportError("not a Python file")
    module = importlib.util.module_from_spec(spec)
    sys.modules[path.stem] = module  # dataclasses look their module up
    try:
        with _on_path(str(path.parent.resolve())):  # its folder, as for `python file.py`
            spec.loader.exec_module(module)
    except BaseException:
        del sys.modules[path.stem]
        raise
    return module


@contextmanager
def _on_path(folder: str) -> Iterator[None]:
    before = list(sys.path)
    sys.path.insert(0, folder)
    try:
        yield
    finally:
        sys.path[:] = before


def source_of(thing: Any) -> bytes:
    """The text of the file that defines a class."""
    try:
        file = inspect.getsourcefile(thing)
    except TypeError:
        file = None
    return Path(file).read_bytes() if file and Path(file).is_file() else repr(thing).encode()
