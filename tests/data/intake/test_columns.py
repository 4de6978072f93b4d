import numpy as np

from sgpmic_cli.data.intake.columns import TextColumn
from sgpmic_cli.data.intake.raw_table import Cells


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
