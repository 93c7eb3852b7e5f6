from __future__ import annotations

import gzip
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from coactor.loaders import read_letor

ROWS = "2 qid:1 1:0.5 3:0.25 # first\n0 qid:1 2:-1e-3\n\n# a comment\n1 qid:4 3:17\n"


def write(folder: Path, text: str, name: str = "rows.txt") -> Path:
    path = folder / name
    path.write_text(text)
    return path


def dense(query: object) -> np.ndarray:
    rows = query.documents  # type: ignore[attr-defined]
    out = np.zeros(rows.shape)
    for r in range(rows.shape[0]):
        lo, hi = rows.indptr[r], rows.indptr[r + 1]
        out[r, rows.indices[lo:hi]] = rows.values[lo:hi]
    return out


def test_read_letor_reads_rows_with_a_qid(tmp_path: Path) -> None:
    first, second = read_letor(write(tmp_path, ROWS))
    assert np.array_equal(dense(first), [[0.5, 0, 0.25], [0, -1e-3, 0]])
    assert np.array_equal(dense(second), [[0, 0, 17]])
    assert first.labels.tolist() == [2, 0]
    assert second.labels.tolist() == [1]


@pytest.mark.parametrize("name", ["rows.txt.query", "rows.txt.group"])
def test_read_letor_finds_a_group_file_beside_the_rows(tmp_path: Path, name: str) -> None:
    path = write(tmp_path, "1 1:1\n0 1:2\n3 1:3")
    write(tmp_path, "2\n1\n", name)
    assert [len(query.labels) for query in read_letor(path)] == [2, 1]


def test_read_letor_reads_gzip(tmp_path: Path) -> None:
    path = tmp_path / "rows.txt.gz"
    path.write_bytes(gzip.compress(b"1 1:1\n0 1:2\n"))
    write(tmp_path, "2\n", "rows.txt.query")
    assert [len(query.labels) for query in read_letor(path)] == [2]
    path.write_bytes(gzip.compress(ROWS.encode())[:-9])
    with pytest.raises(ValueError, match="truncated"):
        read_letor(path)


def test_read_letor_detects_zero_based_feature_numbers(tmp_path: Path) -> None:
    path = write(tmp_path, "1 qid:1 0:4 2:5\n")
    assert dense(read_letor(path, features=5)[0]).tolist() == [[4, 0, 5, 0, 0]]
    with pytest.raises(ValueError, match="expected at most 2 features"):
        read_letor(path, features=2)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("1 qid:1 1:0.5\n1 qid:1 2\n", "line 2: expected rows like"),
        ("\n1 qid:1 x:1\n", "line 2: expected rows like"),
        ("1 qid:1 -1:1\n", "line 1: expected rows like"),
        ("1 qid:1 1:1 # 2:2\n1 qid:1 2:1 2:1\n", "line 2: .*increasing feature numbers"),
        ("1 qid:1 2:nan\n", "line 1: expected rows like"),
        ("good qid:1 2:1\n", "line 1: expected rows like"),
        ("1 qid:1 1:1\n1 qid:2 1:1\n1 qid:1 1:1\n", "row 3: query 1 appears twice"),
        ("1 qid:1 1:1\n1 1:1\n", "2 rows and 1 qids; expected one each, or none"),
        ("1 1:1\n", "no qid column"),
        ("# nothing\n", "no rows"),
    ],
)
def test_read_letor_raises_value_error_with_file_and_line(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        read_letor(write(tmp_path, text))


def test_read_letor_raises_value_error_for_group_files_that_do_not_match(tmp_path: Path) -> None:
    path = write(tmp_path, "1 1:1\n0 1:2\n")
    with pytest.raises(ValueError, match=r"counts 3 rows, but .* has 2"):
        read_letor(path, write(tmp_path, "3\n", "a"))
    with pytest.raises(ValueError, match=r"line 2: got '1\.5'"):
        read_letor(path, write(tmp_path, "1\n1.5\n", "b"))
    with pytest.raises(FileNotFoundError, match="There is no file"):
        read_letor(tmp_path / "none")


def test_read_letor_names_the_missing_extra(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "sklearn.datasets", None)
    with pytest.raises(ImportError, match=r"pip install 'coactor\[data\]'"):
        read_letor(write(tmp_path, ROWS))


@settings(max_examples=60, deadline=None)
@given(
    rows=st.lists(
        st.tuples(
            st.integers(0, 4),
            st.dictionaries(
                st.integers(1, 40), st.floats(allow_nan=False, allow_infinity=False), min_size=1, max_size=6
            ),
            st.sampled_from(["repr", ".3f", ".17g", "e"]),
        ),
        min_size=1,
        max_size=8,
    )
)
def test_read_letor_parses_numbers_like_python(
    tmp_path_factory: pytest.TempPathFactory, rows: list[tuple[int, dict[int, float], str]]
) -> None:
    lines, expected = [], []
    for label, pairs, style in rows:
        shown = {k: repr(v) if style == "repr" else format(v, style) for k, v in sorted(pairs.items())}
        lines.append(f"{label} qid:3 " + " ".join(f"{k}:{v}" for k, v in shown.items()))
        expected.append([(k - 1, float(v)) for k, v in shown.items()])
    path = write(tmp_path_factory.mktemp("rows"), "\n".join(lines))
    (query,) = read_letor(path, features=40)
    rows_read = query.documents
    for r, row in enumerate(expected):
        lo, hi = rows_read.indptr[r], rows_read.indptr[r + 1]
        assert (
            list(zip(rows_read.indices[lo:hi].tolist(), rows_read.values[lo:hi].tolist(), strict=True)) == row
        )
