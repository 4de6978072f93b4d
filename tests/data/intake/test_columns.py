import numpy as np
import pytest

from sgpmic_cli.data.intake.columns import DATE, FORMATTED, ID_NAME, TextColumn
from sgpmic_cli.data.intake.raw_table import Cells


@pytest.mark.parametrize(
    ("pattern", "matching", "others"),
    [
        (
            DATE,
            ["2024-01-31", "31.1.2024", "1/31/24", "2024-01-31T12:00:00Z", "12:30", "3 Jan 2020"],
            ["12-34"],
        ),
        (FORMATTED, ["1,200.50", "$5", "5 €", "12%", "1 000", "1'000"], ["A12"]),
        (
            ID_NAME,
            ["id", "ID", "patient_id", "customerId", "Row", "key", "sample.index"],
            ["width", "acid", "humid", "paid", "monkey", "crow", "mid"],
        ),
    ],
)
def test_dates_formatted_numbers_and_names_of_identifiers(pattern, matching, others):
    assert all(map(pattern.fullmatch, matching))
    assert not any(map(pattern.fullmatch, others))


def test_numbers_are_written_exactly():
    assert Cells.of(np.array([2**53 + 1, -3])).texts.tolist() == ["9007199254740993", "-3"]
    assert Cells.of(np.array([1.0, 0.1, np.nan])).texts.tolist() == ["1", "0.10000000000000001", ""]


def test_truth_values_are_categories_in_any_spelling():
    column = TextColumn.learn(
        "c", Cells.of(np.array(["TRUE", "false", "True", "NA"], dtype=object)).categories
    )
    assert column.categories == ("False", "True")
    ones, unknown = column.encode(Cells.of(np.array(["true", "False", "maybe"], dtype=object)))
    assert ones[:2].tolist() == [[0, 1], [1, 0]]
    assert unknown.tolist() == [False, False, True]
