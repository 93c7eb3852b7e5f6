"""Finding what a user names: a panel, a learner, or his own class written ``module:Class``."""

from __future__ import annotations

import difflib
import importlib
import inspect
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any


def unknown(kind: str, name: str, known: Sequence[str]) -> ValueError:
    """A sentence that names the nearest known words."""
    lower = {word.lower(): word for word in known}
    near = difflib.get_close_matches(name.lower(), lower, n=3, cutoff=0.5)
    hint = f"did you mean {' or '.join(lower[word] for word in near)}? " if near else ""
    return ValueError(
        f"unknown {kind} {name!r}: {hint}Known are {', '.join(known)}; "
        "a class of your own is written module:Class"
    )


def load_class(text: str, kind: str) -> Any:
    """The class (or factory) that ``module:Class`` names; the current folder is searched too."""
    module_name, _, attribute = text.partition(":")
    if not module_name or not attribute:
        raise ValueError(f"{kind} {text!r}: write module:Class, for example mypackage.things:Mine")
    folder = os.getcwd()
    if folder not in sys.path:
        sys.path.insert(0, folder)
    try:
        module = importlib.import_module(module_name)
    except ImportError as error:
        raise ValueError(
            f"{kind} {text!r}: cannot import {module_name} ({error}); run from its folder or install it"
        ) from error
    found = getattr(module, attribute, None)
    if not callable(found):
        public = [name for name, value in vars(module).items() if callable(value) and name[0] != "_"]
        near = difflib.get_close_matches(attribute, public, n=3, cutoff=0.4)
        hint = f"; did you mean {' or '.join(near)}?" if near else ""
        raise ValueError(f"{kind} {text!r}: {module_name} has no class {attribute}{hint}")
    return found


def source_of(thing: Any) -> bytes:
    """The text of the file a class comes from, so that a saved result knows when it changed."""
    try:
        file = inspect.getsourcefile(thing)
    except TypeError:
        file = None
    return Path(file).read_bytes() if file and Path(file).is_file() else repr(thing).encode()
