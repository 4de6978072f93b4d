import numpy as np
import pytest

from sgpmic_cli.data.intake.columns import (
    TextColumn,
    is_date,
    is_formatted_number,
    is_id_name,
    texts,
    written,
)


@pytest.mark.parametrize(
    "text", ["2024-01-31", "31.1.2024", "1/31/24", "2024-01-31T12:00:00Z", "12:30", "3 Jan 2020"]
)
def test_dates(text):
    assert is_date(text)
    assert not is_date("12-34")


@pytest.mark.parametrize("text", ["1,200.50", "$5", "5 €", "12%", "1 000", "1'000"])
def test_formatted_numbers(text):
    assert is_formatted_number(text)
    assert not is_formatted_number("A12")


def test_names_of_identifiers():
    ids = ["id", "ID", "patient_id", "customerId", "Row", "key", "sample.index"]
    assert all(map(is_id_name, ids))
    assert not any(map(is_id_name, ["width", "acid", "humid", "paid", "monkey", "crow", "mid"]))


def test_numbers_are_written_exactly():
    assert written(np.array([2**53 + 1, -3])).tolist() == ["9007199254740993", "-3"]
    assert written(np.array([2**64 - 1], dtype=np.uint64)).tolist() == ["18446744073709551615"]
    assert written(np.array([1.0, 0.1, np.nan])).tolist() == ["1", "0.10000000000000001", ""]


def test_truth_values_are_categories_in_any_spelling():
    cells = np.array(["TRUE", "false", "True", "NA"], dtype=object)
    column = TextColumn.learn("c", texts(cells))
    assert column.categories == ("False", "True")
    ones, unknown = column.encode(np.array(["true", "False", "maybe"], dtype=object), ".")
    assert ones[:2].tolist() == [[0, 1], [1, 0]]
    assert unknown.tolist() == [False, False, True]
