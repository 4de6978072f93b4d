import json
from dataclasses import asdict

import numpy as np
import pandas as pd
import pytest
from raw_tables import birds

from sgpmic_cli.data import load
from sgpmic_cli.data.loading import rows_for
from sgpmic_cli.errors import UsageError
from sgpmic_cli.tables.recipe import TableRecipe


def load_for(recipe, path, **named):
    return rows_for(recipe, path, format=recipe.format, **named)


@pytest.fixture
def write(here):
    def path_of(frame, name="t.csv", **how):
        frame.to_csv(name, index=False, **how)
        return name

    return path_of


@pytest.fixture
def learned(write):
    return load(write(birds(60), "train.csv")).recipe


def test_new_rows_do_not_depend_on_the_order_of_columns(write, learned):
    new = birds(10, seed=1, missing=0.0)
    plain = load_for(learned, write(new))
    shuffled = new[[*new.columns[::-1]]].assign(extra="x")
    again = load_for(learned, write(shuffled, sep=";"))
    assert np.array_equal(plain.Y, again.Y)
    assert plain.ids == again.ids == tuple(new["bird"])
    assert (plain.notes, len(again.notes)) == ((), 1)
    assert "ignored: 'extra'" in again.notes[0]


def test_all_problems_of_new_rows_are_reported_at_once(write, learned):
    new = birds(10, seed=1, missing=0.0)
    with pytest.raises(
        UsageError,
        match=r"are missing: 'sex' \(did you mean 'sexe'\?\).*; add them, or fit a model without",
    ):
        load_for(learned, write(new.rename(columns={"sex": "sexe"})))
    wrong = new.astype(object)
    wrong.loc[2, "bill_depth"] = "deep"
    wrong.loc[5, "body_mass"] = "inf"
    with pytest.raises(UsageError) as caught:
        load_for(learned, write(wrong), label="kind")
    parts = [
        "no column 'kind' for label",
        "'deep' is not a number",
        "inf is too large",
    ]
    assert "has 3 problems" in str(caught.value)
    assert [part for part in parts if part not in str(caught.value)] == []


def test_unknown_texts_count_as_missing(write):
    table = pd.DataFrame({"a": [1.0, 2, 3, 5], "b": [1.0, 4, 9, 1], "c": ["x", "y", "x", "y"]})
    recipe = load(write(table)).recipe
    new = pd.DataFrame({"a": [1, 2, 3], "b": [1, 2, 3], "c": ["x", "z", "y"]})
    data = load_for(recipe, write(new))
    assert "'c' has 1 value that the model does not know" in data.notes[0]
    assert np.isnan(data.Y).tolist() == [[False] * 4, [False, False, True, True], [False] * 4]


def test_columns_without_names_are_called_by_their_place(write):
    table = pd.DataFrame(
        {"id": ["p", "q", "r"], "a": [1.0, 2, 3], "b": [9.0, 7, 8], "y": ["u", "v", "u"]}
    )
    nameless = load(write(table, header=False), label="column_4").recipe
    assert not nameless.named
    whole = load_for(nameless, write(table, header=False))
    assert np.array_equal(whole.Y, table[["a", "b"]])
    assert whole.ids == ("p", "q", "r")
    assert whole.class_names == ("u", "v")
    with pytest.raises(UsageError, match="columns of the model are missing: 'column_2'"):
        load_for(nameless, write(table))


def test_classes_of_new_rows(write):
    table = pd.DataFrame({"a": [1.0, 2, 3], "b": [9.0, 7, 8], "y": ["u", "v", "u"]})
    recipe = load(write(table), label="y").recipe
    assert load_for(recipe, write(table)).class_names == ("u", "v")
    assert load_for(recipe, write(table[["a", "b"]])).labels is None
    incomplete = table.assign(y=["u", None, "v"])
    assert load_for(recipe, write(incomplete)).labels is None
    with pytest.raises(UsageError, match="the class is missing"):
        load_for(recipe, write(incomplete), label="y")
    renamed = load_for(recipe, write(table.rename(columns={"y": "z"})), label="z")
    assert renamed.labels.tolist() == [0, 1, 0]


def test_texts_of_new_rows_are_read_in_the_notation_of_the_column(write):
    table = pd.DataFrame(
        {"a": ["1,5", "2", "7"], "price": ["€ 1.200,50", "€ 960", "€ 2.000"], "b": [1, 5, 2]}
    )
    recipe = load(write(table, sep=";")).recipe
    assert TableRecipe.from_json(json.loads(json.dumps(asdict(recipe)))) == recipe
    new = pd.DataFrame({"a": ["3", "4"], "price": ["€ 1.020", "€ 3"], "b": [1, 2]})
    assert load_for(recipe, write(new, sep=";")).Y.tolist() == [[3, 1020, 1], [4, 3, 2]]
    with pytest.raises(UsageError, match="'5' is not a number with €; correct such cells"):
        load_for(recipe, write(new.assign(price=["€ 1", "5"]), sep=";"))


def test_new_rows_may_have_decimal_commas(write):
    table = pd.DataFrame({"a": [1.5, 2, 7], "b": [3, 5, 2], "c": ["1,5", "x", "x"]})
    recipe = load(write(table)).recipe
    found = load_for(recipe, write(table.assign(c="x"), sep=";", decimal=","))
    assert found.Y[:, 0].tolist() == [1.5, 2, 7]
