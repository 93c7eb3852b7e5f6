"""Choices of people in the long format, and the domain of their alternatives."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from coactor import check_domain
from coactor.domains import Alternatives, Situation
from coactor.loaders import read_choices

HEADER = "id,choice,price,chid,alt\n"
BRANDS = (
    HEADER + "ana,0,3,1,red\nana,1,2,1,blue\nben,1,5,1,red\nben,0,1,1,blue\nana,1,4,2,blue\nana,0,4,2,red\n"
)


def read(folder: Path, text: str) -> tuple[Alternatives, list]:  # type: ignore[type-arg]
    path = folder / "choices.csv"
    path.write_text(text)
    return read_choices(path)


def test_read_choices_groups_the_alternatives_of_each_choice(tmp_path: Path) -> None:
    domain, choices = read(tmp_path, BRANDS)
    assert domain.feature_names == ("price", "blue")
    assert [(one.person, one.choice, one.problem.names) for one in choices] == [
        ("ana", 1, ("red", "blue")),
        ("ben", 0, ("red", "blue")),
        ("ana", 0, ("blue", "red")),
    ]
    np.testing.assert_array_equal(choices[2].problem.rows, [[4.0, 1.0], [4.0, 0.0]])


def test_read_choices_gives_numbered_alternatives_no_features(tmp_path: Path) -> None:
    domain, _ = read(tmp_path, BRANDS.replace("red", "1").replace("blue", "2"))
    assert domain.feature_names == ("price",)


@pytest.mark.parametrize(("no", "yes"), [("0", "1"), ("0.0", "1.0"), ("FALSE", "TRUE"), ("no", "yes")])
def test_read_choices_takes_the_truth_values_that_r_and_python_write(
    tmp_path: Path, no: str, yes: str
) -> None:
    rows = [(1, "red", no), (1, "blue", yes), (2, "red", yes), (2, "blue", no)]
    _, choices = read(tmp_path, HEADER + "".join(f"ana,{c},3,{k},{name}\n" for k, name, c in rows))
    assert [one.choice for one in choices] == [1, 0]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "no column 'chosen' or 'choice'"),
        (HEADER, "has no choices"),
        (HEADER + "ana,1,3,1,red\nana,1,2,1,blue\n", "line 2: person 'ana' chose 2 of 2 alternatives"),
        (HEADER + "ana,2,3,1,red\n", "line 2: chosen is '2'; expected 1 or 0"),
        (HEADER + "ana,maybe,3,1,red\n", "line 2: chosen is 'maybe'; expected a number"),
        (HEADER + "ana,1,cheap,1,red\n", "price is 'cheap'; expected a number"),
        (HEADER + "ana,1,3,1,red\nana,0,3,1,red\n", "an alternative twice"),
        ("id,choice,chid,alt\nana,1,1,1\n", "no column with a feature"),
        (HEADER + f"{'a' * 101},1,3,1,red\n", "line 2: .*text of at most 100 characters; found 'a+"),
        (HEADER + " ,1,3,1,red\n", "line 2: column 'person' is empty"),
        ("id,choice,price,chid,alt,price\nana,1,3,1,1,4\n", "line 1: there are 2 columns 'price'; keep one"),
        (
            "id,person_id,choice,price,chid,alt\n1,ana,1,3,1,1\n",
            "line 1: the columns 'person_id' and 'id' are both the person; keep one of them",
        ),
    ],
)
def test_read_choices_raises_value_error_for_malformed_files(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        read(tmp_path, text)


def test_alternatives_conform() -> None:
    domain = Alternatives(3)
    check_domain(domain, list(domain.sample(np.random.default_rng(0), n=4)))
    x = Situation(np.eye(3), ("a", "b", "c"))
    assert domain.decode_problem(domain.encode_problem(x)).names == ("a", "b", "c")
    assert domain.edits_between(x, 0, 2) == 1
    assert repr(Alternatives(1, ["price"])) == "<Alternatives feature_names=('price',)>"


def test_alternatives_refuse_what_is_not_a_change() -> None:
    domain, x = Alternatives(3), Situation(np.eye(3))
    with pytest.raises(ValueError, match="already chosen"):
        domain.apply(x, 1, {"op": "choose", "args": [1]})
    with pytest.raises(ValueError, match="no alternatives"):
        domain.decode_problem({"alternatives": np.zeros((0, 3)).tolist()})


WIDE = {
    "choice": ["bus", "car", "bus"],
    "price_car": [3.0, 2.0, None],
    "price_bus": [1.0, 4.0, 1.5],
    "time_bus": [30, 40, 20],
}


@pytest.mark.parametrize(
    "wide",
    [pd.DataFrame(WIDE), pl.DataFrame(WIDE), pd.DataFrame(WIDE).convert_dtypes()],
    ids=["pandas", "polars", "NA"],
)
def test_read_choices_takes_wide_data_frames_without_people(wide: Any) -> None:
    domain, choices = read_choices(wide)
    assert domain.feature_names == ("price", "time", "bus")
    assert [(one.person, one.choice, one.problem.names) for one in choices] == [
        ("", 1, ("car", "bus")),
        ("", 0, ("car", "bus")),
        ("", 0, ("bus",)),
    ]
    np.testing.assert_array_equal(choices[0].problem.rows, [[3.0, 0.0, 0.0], [1.0, 30.0, 1.0]])


def test_read_choices_takes_wide_files_with_the_alternative_first(tmp_path: Path) -> None:
    _, choices = read(tmp_path, "id,chosen,bus.price,car.price\nana,car,1,2\nben,bus,3,4\n")
    assert [(one.person, one.choice) for one in choices] == [("ana", 1), ("ben", 0)]
    assert [one.problem.rows[0, 0] for one in choices] == [1.0, 3.0]


@given(st.data())
def test_long_and_wide_tables_are_the_same_choices(data: st.DataObject) -> None:
    count = data.draw(st.integers(1, 5))
    names = data.draw(st.lists(st.sampled_from(["bus", "car", "on foot", "e-bike"]), min_size=2, unique=True))
    numbers = st.floats(-9, 9).map(lambda value: round(value, 3))
    values = {name: data.draw(st.lists(numbers, min_size=count, max_size=count)) for name in names}
    chosen = data.draw(st.lists(st.sampled_from(names), min_size=count, max_size=count))
    wide = pd.DataFrame({"chosen": chosen, **{f"price_{name}": own for name, own in values.items()}})
    long = pd.DataFrame(
        [
            {"situation": k, "alternative": name, "chosen": chosen[k] == name, "price": own[k]}
            for k in range(count)
            for name, own in values.items()
        ]
    )
    (one, first), (two, second) = read_choices(wide), read_choices(long)
    assert one.feature_names == two.feature_names
    for a, b in zip(first, second, strict=True):
        assert (a.person, a.choice, a.problem.names) == (b.person, b.choice, b.problem.names)
        np.testing.assert_array_equal(a.problem.rows, b.problem.rows)


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ({"age": [3, 4]}, "line 1: the column 'age' belongs to no alternative; leave it out"),
        ({"household_size": [3, 4]}, "the column 'household_size' belongs to no alternative"),
        ({"choice": ["walk", "bus"]}, "line 1: no column belongs to the chosen alternative 'bus'; expected"),
        ({"price_car": ["cheap", "5"]}, "the data frame, line 1: price is 'cheap'; expected a number"),
        ({"time_bus": [None, 3]}, "line 1: column 'time' is empty"),
        ({"choice": ["car", None]}, "line 2: column 'chosen' is empty"),
    ],
)
def test_read_choices_says_what_a_wide_table_lacks(columns: dict[str, Any], message: str) -> None:
    given = {"choice": ["car", "bus"], "price_car": [1, 2], "price_bus": [3, 4], "time_bus": [1, 2]} | columns
    with pytest.raises(ValueError, match=message):
        read_choices(pd.DataFrame(given))


def test_read_choices_refuses_what_is_no_table() -> None:
    with pytest.raises(TypeError, match=r"Expected .* a data frame .*; got list\."):
        read_choices([1, 2])
