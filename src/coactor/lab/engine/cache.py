"""Results of finished tasks on disk: one file per task, addressed by a hash of everything it depends on."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass, is_dataclass
from functools import lru_cache
from importlib.metadata import version
from pathlib import Path
from typing import Any, Generic, TypeVar

from coactor.lab.engine import atomic_files
from coactor.plugins import load_class, source_of

Task = TypeVar("Task")
Result = TypeVar("Result")

FOLDER = "units"
_ROOT = Path(__file__).parents[2]
# No result depends on these. Everything else counts, modules that are added later included.
_WITHOUT_EFFECT = ("cli", "client.py", "web", "studies", "lab/output")
_GROUPS = (".query", ".group")  # where LightGBM stores how many rows each query has
_DIGEST = hashlib.sha256().digest_size


@lru_cache(maxsize=1)
def code_digest(root: Path = _ROOT) -> str:
    """A hash of the code that results depend on, numpy's and numba's versions included."""
    total = hashlib.sha256(f"numpy {version('numpy')}, numba {version('numba')}".encode())
    ignored = [root / name for name in _WITHOUT_EFFECT]
    for file in sorted(root.rglob("*.py")):
        if not any(file == path or path in file.parents for path in ignored):
            total.update(file.relative_to(root).as_posix().encode())
            total.update(file.read_bytes())
    return total.hexdigest()[:16]


def data_digest(paths: Iterable[Path]) -> str:
    """A hash of the content of data files, and of the files with group sizes beside them."""
    total = hashlib.sha256()
    for path in paths:
        stems = dict.fromkeys((str(path), str(path).removesuffix(".gz")))
        beside = [Path(stem + end) for stem in stems for end in _GROUPS]
        for file in (path, *filter(Path.is_file, beside)):
            total.update(atomic_files.digest(file).encode())
    return total.hexdigest()


def source_digests(names: Iterable[str]) -> list[str]:
    """A hash of the source file of each ``module:Class`` that is not ours."""
    foreign = [name for name in names if ":" in name and not name.startswith("coactor.")]
    return [hashlib.sha256(source_of(load_class(name, "class"))).hexdigest() for name in foreign]


@dataclass(frozen=True, slots=True)
class Cache(Generic[Task, Result]):
    """The finished tasks of one kind.

    Attributes
    ----------
    folder
        The files are in its sub-folder ``units``.
    inputs
        Everything that the result of a task depends on apart from our code, as JSON-able data.
    unpack
        The result of a task from its JSON-able data; None if they do not fit the task.
    """

    folder: Path
    inputs: Callable[[Task], Mapping[str, Any]]
    unpack: Callable[[Task, Any], Result | None]

    def path(self, task: Task) -> Path:
        """The file of a task."""
        text = json.dumps({"inputs": self.inputs(task), "code": code_digest()}, sort_keys=True)
        key = hashlib.sha256(text.encode()).hexdigest()[:20]
        name = "-".join("".join(c if c.isalnum() else " " for c in str(task)).split())
        return self.folder / FOLDER / f"{name[:80]}-{key}.unit"

    def save(self, task: Task, result: Result) -> None:
        """Store a result: an array, numbers, or a dataclass of them."""
        path = self.path(task)
        path.parent.mkdir(parents=True, exist_ok=True)
        data = json.dumps(result, default=_plain).encode()
        atomic_files.write(path, hashlib.sha256(data).digest() + data)  # the digest detects corruption

    def load(self, task: Task) -> Result | None:
        """The stored result; None if it is missing, corrupt or of the wrong shape."""
        try:
            content = self.path(task).read_bytes()
        except OSError:
            return None
        digest, data = content[:_DIGEST], content[_DIGEST:]
        if hashlib.sha256(data).digest() != digest:
            return None
        return self.unpack(task, json.loads(data))


def _plain(value: Any) -> Any:
    return asdict(value) if is_dataclass(value) and not isinstance(value, type) else value.tolist()
