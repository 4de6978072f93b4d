"""Parquet files: tables of numbers in one array, all others as frames."""

import subprocess
import sys

import numpy as np
import pandas as pd
import pytest

from sgpmic_cli.data import load
from sgpmic_cli.data.intake import parquet
from sgpmic_cli.data.intake.options import TableOptions, TextFormat
from sgpmic_cli.data.intake.raw_table import read_table
from sgpmic_cli.errors import UsageError

pytest.importorskip("pyarrow")

NUMBERS = pd.DataFrame(
    {
        "whole": pd.array([1, None, 3, 7, 9], dtype="Int64"),
        "small": np.array([0.5, 1.5, np.nan, 2.5, 3.5], dtype=np.float32),
        "unsigned": np.arange(5, dtype=np.uint8),
        "float": [-0.0, 1e-300, 2.0, np.nan, 5.0],
    }
)


def written(tmp_path, frame, **how):
    frame.to_parquet(tmp_path / "t.parquet", row_group_size=2, **how)
    return str(tmp_path / "t.parquet")


@pytest.mark.parametrize("in_memory", [True, False])
def test_numbers_are_one_array_in_memory_or_in_a_file(
    tmp_path, monkeypatch, in_memory, lies_in_a_file
):
    monkeypatch.setattr(parquet, "FITS_INTO_MEMORY", 20 if in_memory else 19)
    path = written(tmp_path, NUMBERS)
    table = read_table(path, TextFormat())
    assert table.named
    assert table.columns == list(NUMBERS.columns)
    assert lies_in_a_file(table.numbers) != in_memory
    assert np.array_equal(
        table.numbers, NUMBERS.to_numpy(dtype=np.float64, na_value=np.nan), equal_nan=True
    )
    for j, cells in enumerate(table.cells.values()):
        assert np.array_equal(cells, table.numbers[:, j], equal_nan=True)
    data = load(path, table=TableOptions(missing="model"))
    assert lies_in_a_file(data.Y) != in_memory
    assert not data.Y.flags.writeable


@pytest.mark.parametrize(
    "other",
    [
        NUMBERS.assign(word=list("abcde")),
        NUMBERS.assign(yes=[True, False, True, False, True]),
        NUMBERS.set_index(pd.Index([5, 6, 7, 8, 3], name="place")),
    ],
    ids=["text", "truth", "index"],
)
def test_anything_else_is_read_as_a_frame(tmp_path, other):
    table = read_table(written(tmp_path, other), TextFormat())
    assert table.numbers is None
    assert set(table.columns) == {*other.columns, *filter(None, other.index.names)}
    assert np.array_equal(table.cells["whole"], [1.0, np.nan, 3.0, 7.0, 9.0], equal_nan=True)


def test_columns_that_only_pandas_knows_are_not_taken_for_numbers(tmp_path):
    """Months are whole numbers in the file; a process that has not written them must be told by their metadata."""
    path = written(tmp_path, NUMBERS.assign(month=pd.period_range("2020-01", periods=5, freq="M")))
    program = (
        "import sys; from sgpmic_cli.data.intake.options import TextFormat; "
        "from sgpmic_cli.data.intake.raw_table import read_blocks, read_table; "
        "one = read_table(sys.argv[1], TextFormat()); many = next(read_blocks(sys.argv[1], TextFormat())); "
        "print(one.cells['month'][0], many.cells['month'][0])"
    )
    found = subprocess.run(
        [sys.executable, "-c", program, path], capture_output=True, text=True, check=True
    )
    assert found.stdout.split() == ["2020-01", "2020-01"]


def test_memory_must_do_where_the_temporary_folder_has_no_room(
    tmp_path, monkeypatch, lies_in_a_file
):
    path = written(tmp_path, NUMBERS)
    monkeypatch.setattr(parquet, "FITS_INTO_MEMORY", 0)
    monkeypatch.setattr(parquet.tempfile, "gettempdir", lambda: str(tmp_path / "none"))
    table = read_table(path, TextFormat())
    assert not lies_in_a_file(table.numbers)
    assert np.array_equal(table.numbers[:, 2], np.arange(5.0))


def test_rows_that_are_promised_and_missing_are_told(tmp_path, monkeypatch):
    path = written(tmp_path, NUMBERS)
    room = parquet.ParquetTable._room
    monkeypatch.setattr(
        parquet.ParquetTable, "_room", lambda self: np.vstack([room(self), room(self)])
    )
    with pytest.raises(
        UsageError, match=r"not a readable Parquet file \(5 of its 10 rows are there\)"
    ):
        read_table(path, TextFormat())


def test_names_that_occur_twice_are_refused(tmp_path):
    import pyarrow as pa
    import pyarrow.parquet as pq

    twice = pa.table([pa.array([1.0, 2.0]), pa.array([3.0, 4.0])], names=["a", "a"])
    pq.write_table(twice, tmp_path / "t.parquet")
    with pytest.raises(UsageError, match="has 2 columns named 'a'; give every column its own name"):
        read_table(str(tmp_path / "t.parquet"), TextFormat())


def test_a_file_without_rows_and_a_damaged_one_are_refused(tmp_path):
    path = written(tmp_path, NUMBERS.iloc[:0])
    with pytest.raises(UsageError, match="has a header and no rows"):
        read_table(path, TextFormat())
    whole = (tmp_path / "t.parquet").read_bytes()
    (tmp_path / "t.parquet").write_bytes(whole[: len(whole) // 2] + b"PAR1")
    with pytest.raises(UsageError, match="not a readable Parquet file"):
        read_table(path, TextFormat())
