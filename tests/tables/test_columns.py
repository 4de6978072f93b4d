import numpy as np
import pandas as pd
import pytest

from sgpmic_cli.tables.columns import (
    code_reason,
    identifier_reason,
    learn_recipe,
    numbering_reason,
)
from sgpmic_cli.tables.notation import Notation, find_notation, numbers_of
from sgpmic_cli.tables.options import TableOptions
from sgpmic_cli.tables.read import table_of_frame


@pytest.mark.parametrize(
    ("texts", "numbers"),
    [
        (["1,5", "2"], [1.5, 2]),
        (["960", "1,020"], [960, 1020]),
        (["1,020", "0,5"], [1.02, 0.5]),
        (["1.020", "960,5"], [1020, 960.5]),
        (["$1,200.50", "-$3"], [1200.5, -3]),
        (["1 000 €", "20 €", "NA"], [1000, 20, np.nan]),
        (["EUR5.5", "-3 EUR", ""], [5.5, -3, np.nan]),
        (["12 %", "8.5 %"], [12, 8.5]),
        (["1'000", "2\N{RIGHT SINGLE QUOTATION MARK}500.5"], [1000, 2500.5]),
        (["\N{MINUS SIGN}1.5", "2"], [-1.5, 2]),
        (["31.01.2024", "1.2.2024"], [19753, 19754]),
        (["1/31/2024", "2/1/2024"], [19753, 19754]),
        (["2024-01-31T12:00:00+02:00", "2024-02-01"], [19753 + 10 / 24, 19754]),
        (["Jan 31, 2024", "Feb 1, 2024"], [19753, 19754]),
        (["06:00", "18:00"], [0.25, 0.75]),
        (["12 %", "8.5"], None),
        (["$5", "€5"], None),
        (["1,02,3", "2"], None),
        (["A12", "A13"], None),
        (["12-34", "56-78"], None),
        (["2024-W05-1", "2024-W06-1"], None),
    ],
)
def test_notation_reads_the_whole_column_or_is_not_given(texts, numbers):
    notation = find_notation(texts)
    if numbers is None:
        assert notation is None
    else:
        np.testing.assert_allclose(notation.read(np.array(texts, dtype=object)), numbers)


def column(name, values):
    """Return a column of a table and its numbers."""
    cells = table_of_frame("t", pd.DataFrame({name: values})).frame[name]
    return cells, numbers_of(cells, Notation())[0]


@pytest.mark.parametrize(
    ("name", "values", "why"),
    [
        ("zip", ["20095", "80331"], "name suggests a code"),
        ("storeId", [1, 1, 2], "name suggests a code"),
        ("x", ["007", "010"], "leading zeros"),
        ("x", [2**53 + 1, 5], "more digits"),
        ("cowcode2", [2, 20, 2], "name suggests a code"),
        ("MOSTYPE", [1, 41, 1], "name suggests a code"),
        ("humid", [1, 2], None),
        ("price_index", [1, 1], None),
    ],
)
def test_codes_are_recognised_by_name_and_text(name, values, why):
    found = code_reason(*column(name, values))
    assert why is found or why in found


@pytest.mark.parametrize(
    ("name", "values", "is_id"),
    [
        ("respondent", [*range(10, 30, 2)], True),
        ("respondent", [*range(10, 28, 2)], False),  # few rows
        ("respondent", [7, 7, *range(10, 30)], False),
        ("pidnum", [*range(10, 30, 2)], True),
        ("salary", [*range(50_000, 50_020)], False),
        ("x", [*range(10**8, 10**8 + 20)], True),
        ("x", [*range(10**8 - 20, 10**8)], False),  # eight digits
        ("x", [5, *range(10**8, 10**8 + 20)], False),
    ],
)
def test_identifiers_are_different_and_named_or_long(name, values, is_id):
    assert (identifier_reason(*column(name, values)) is not None) == is_id


@pytest.mark.parametrize(
    ("values", "dates", "counts"),
    [
        (np.arange(12), False, True),
        (1990 + 5 * np.arange(12), False, True),
        (np.arange(12) ** 3, False, False),  # a table that is sorted by a quantity
        (np.arange(12) + np.arange(12) // 3, False, True),  # rows of a longer table
        (np.r_[np.arange(12) ** 3, 1331], False, False),
        (np.arange(12) ** 3, True, True),
        (np.arange(9), False, False),
        (np.arange(12)[::-1], True, False),
        (np.arange(21) % 3, False, True),
        (1952 + 5 * (np.arange(24) % 12), False, False),  # years of two countries
        (1 + np.arange(20) % 5, False, True),
        (2 + np.arange(20) % 5, False, False),
        (np.arange(20) % 2, False, False),
        (np.r_[np.zeros(6), np.arange(20) % 5], False, False),
    ],
)
def test_rising_numbers_count_rows(values, dates, counts):
    assert (numbering_reason(values.astype(float), dates=dates) is not None) == counts


def decision(values, name="x", **options):
    """Return what a column of a table is taken for, or the problem with it."""
    frame = pd.DataFrame({name: values, "other": np.arange(len(values)) ** 3 % 11})
    recipe, problems = learn_recipe(table_of_frame("t", frame), TableOptions(**options))
    return problems[0] if problems else recipe.roles[0].taken_as


def words(n_distinct, n):
    return [f"w{i % n_distinct}" for i in range(n)]


@pytest.mark.parametrize(
    ("values", "taken_as"),
    [
        (words(20, 60), "categories"),
        (words(21, 60), "categories"),  # the twenty most frequent of them, and others
        (words(41, 82), "left out"),  # the twenty are less than half of the rows
        (words(31, 60), "left out"),
        (words(5, 10), "categories"),  # half as many values as rows
        (words(6, 10), "left out"),
        (words(2, 3), "categories"),
        (words(3, 5), "left out"),
        (["bad", *"1234567"] * 3 + ["8", "9"] * 2, "categories"),  # ten values, each shared
        (["bad", *"12345678"] * 3 + ["9", "10"] * 2, "'bad' is not a number"),  # eleven
        (["bad", *"1234567"] * 3 + ["8"], "'bad' is not a number"),  # a number of one row
        ([0.5, 2, 9e99], "numbers"),
        ([0.5, 2, 1e100], "too large to be squared"),
        ([19000101, 20991231, 20991231], "dates"),
        ([18991231, 20991231, 20991231], "numbers"),
        ([19000101, 21000101, 21000101], "numbers"),
    ],
)
def test_limits_of_the_decision_about_a_column(values, taken_as):
    assert taken_as in decision(values)


@pytest.mark.parametrize(("distinct", "taken_as"), [(20, "categories"), (21, "id")])
def test_a_column_that_is_asked_for_has_a_limit_of_categories_as_well(distinct, taken_as):
    assert taken_as in decision(words(distinct, distinct), columns=["x", "other"])
