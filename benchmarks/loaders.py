"""Speed and memory of the learning-to-rank loader and of scikit-learn's, on a generated file.

    python benchmarks/loaders.py [--megabytes 1000] [--digits 6]

Each reader runs in a process of its own, so that its peak memory can be measured.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

READERS = ("coactor", "scikit-learn")


def write(path: Path, megabytes: float, digits: int) -> None:
    """Rows with about 100 of 700 features, 20 documents per query."""
    rng = np.random.default_rng(0)
    block = []
    for row in range(2000):
        columns = np.flatnonzero(rng.random(700) < 1 / 7) + 1
        pairs = " ".join(
            f"{c}:{v:.{digits}f}" for c, v in zip(columns, rng.random(len(columns)), strict=True)
        )
        block.append((row // 20, f"{rng.integers(5)} qid:", f" {pairs}\n"))
    query = 0
    with path.open("w") as file:
        while file.tell() < megabytes * 1e6:
            file.writelines(f"{head}{query + number}{tail}" for number, head, tail in block)
            query += 100


def read(reader: str, path: str) -> dict[str, float]:
    """Seconds and peak memory of one reader, after compilation on one row."""
    with tempfile.NamedTemporaryFile("w", suffix=".letor") as small:
        small.write("1 qid:1 1:0.5\n")
        small.flush()
        _read(reader, small.name)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    start = time.perf_counter()
    stored = _read(reader, path)
    seconds = time.perf_counter() - start
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    return {"seconds": seconds, "values": stored, "peak_mb": peak / 1024, "data_mb": stored * 16 / 2**20}


def _read(reader: str, path: str) -> int:
    if reader == "coactor":
        from coactor.loaders import read_letor

        return sum(len(query.documents.values) for query in read_letor(path))
    from sklearn.datasets import load_svmlight_file

    return int(load_svmlight_file(path, query_id=True)[0].nnz)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--megabytes", type=float, default=1000)
    parser.add_argument("--digits", type=int, default=6)
    parser.add_argument("--read", nargs=2, metavar=("READER", "FILE"), help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.read:
        print(json.dumps(read(*options.read)))
        return
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "rows.letor"
        write(path, options.megabytes, options.digits)
        size = path.stat().st_size / 1e6
        rows = {}
        for reader in READERS:
            command = [sys.executable, __file__, "--read", reader, str(path)]
            rows[reader] = json.loads(
                subprocess.run(command, check=True, capture_output=True, text=True).stdout
            )
            row = rows[reader]
            print(
                f"{reader:14s} {row['seconds']:7.1f} s {size / row['seconds']:7.1f} MB/s "
                f" peak {row['peak_mb']:7.0f} MB for {row['data_mb']:.0f} MB of numbers"
            )
    ratio = rows["scikit-learn"]["seconds"] / rows["coactor"]["seconds"]
    print(f"coactor reads at {ratio:.2f} times the speed of scikit-learn ({size:.0f} MB)")


if __name__ == "__main__":
    main()
