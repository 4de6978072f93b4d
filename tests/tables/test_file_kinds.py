"""Files that are no plain text: compressed, Parquet, .xlsx and .npy, and standard input."""

import gzip
import io
import pickle
import sys
import zipfile

import numpy as np
import pandas as pd
import pytest

from sgpmic_cli.data import TextFormat, load
from sgpmic_cli.errors import UsageError
from sgpmic_cli.tables.notation import Notation, numbers_of, texts_of
from sgpmic_cli.tables.read import read_table

ROWS = np.random.RandomState(0).randn(30, 3)


def zipped(*names):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name in names:
            archive.writestr(name, "a,b\n1,2\n3,4\n")
    return buffer.getvalue()


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (zipped("one.csv", "two.csv"), "holds 2 files; compress one"),
        (zipped("xl/workbook.xml", "b.xml"), "is not a readable xlsx file"),
        (b"\xd0\xcf\x11\xe0\0", "is no text file in UTF-8"),
        (gzip.compress(b"a,b\n1,2\n3,4\n")[:-9], "is not a readable compressed file"),
        (zipped("one.csv")[:-30], "is not a readable compressed file"),
        (b"PAR1\x15 and no more", "is not a readable Parquet file"),
        (b"a,b\n" + b"1,2\n" * 5000 + b"1,\0002\n", "is no text file in UTF-8"),
    ],
    ids=range(7),
)
def test_unreadable_content_is_refused(tmp_path, content, sentence):
    if content.startswith(b"PAR1"):
        pytest.importorskip("pyarrow")
    if "xlsx file" in sentence:
        pytest.importorskip("openpyxl")
    (tmp_path / "t.csv").write_bytes(content)
    with pytest.raises(UsageError) as caught:
        load(str(tmp_path / "t.csv"))
    assert sentence in str(caught.value)


@pytest.mark.parametrize(
    ("module", "extra", "content"),
    [
        ("pyarrow.parquet", "parquet", b"PAR1\x15...PAR1"),
        ("openpyxl", "xlsx", zipped("xl/workbook.xml", "b.xml")),
    ],
)
def test_file_without_its_library_says_what_to_install(
    tmp_path, monkeypatch, module, extra, content
):
    monkeypatch.setitem(sys.modules, module, None)  # importing it fails
    (tmp_path / "t").write_bytes(content)
    with pytest.raises(UsageError, match=rf"pip install 'sgpmic\[{extra}\]'"):
        load(str(tmp_path / "t"))


def saved(array, **options):
    buffer = io.BytesIO()
    np.save(buffer, array, **options)
    return buffer.getvalue()


def parquet(frame):
    pytest.importorskip("pyarrow")
    frame.to_parquet("t.parquet", row_group_size=2)
    return "t.parquet"


def test_npy_file_is_mapped_and_columns_are_named_by_position(here):
    np.save("t.npy", ROWS)
    data = load("t.npy")
    array = data.Y
    while isinstance(array.base, np.ndarray):
        array = array.base
    assert isinstance(array, np.memmap)
    assert not data.Y.flags.writeable
    assert np.array_equal(data.Y, ROWS)
    assert data.feature_names == ("column_1", "column_2", "column_3")
    assert not data.recipe.named
    assert data.notes == ()


@pytest.mark.parametrize("kind", ["f4", ">f8", "i8", "u2", "?", "fortran", "compressed"])
def test_other_types_of_numbers_are_converted(here, kind):
    array = np.round(10 * np.abs(ROWS)) if kind != "?" else (ROWS > 0) * 1.0
    if kind == "compressed":
        (here / "t.npy").write_bytes(gzip.compress(saved(array)))
    else:
        np.save("t.npy", np.asfortranarray(array) if kind == "fortran" else array.astype(kind))
    data = load("t.npy")
    assert data.Y.dtype == np.float64
    assert np.array_equal(data.Y, array)


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (saved(ROWS[:, 0]), "an array of shape (30,) and type float64"),
        (saved(ROWS[None]), "an array of shape (1, 30, 3)"),
        (saved(ROWS * 1j), "type complex128"),
        (saved(ROWS.astype(str)), "type <U"),
        (saved(ROWS.astype(object), allow_pickle=True), "is not a readable .npy file"),
        (saved(ROWS)[:-8], "is not a readable .npy file"),
        (saved(ROWS)[:40], "is not a readable .npy file"),
        (saved(ROWS[:0]), "shape (0, 3)"),
        (pickle.dumps(ROWS), "is no text file in UTF-8"),
    ],
    ids=range(9),
)
def test_npy_file_without_a_table_of_numbers_is_refused(here, content, sentence):
    (here / "t.npy").write_bytes(content)
    with pytest.raises(UsageError) as caught:
        load("t.npy")
    assert sentence in str(caught.value)
    assert "\n" not in str(caught.value)


def test_parquet_with_missing_values_dates_large_integers_and_row_names(here):
    frame = pd.DataFrame(
        {
            "n": pd.array([2**53 + 1, None, 3], dtype="Int64"),
            "small": np.array([0.5, np.nan, 2.5], dtype=np.float32),
            "ok": [True, False, None],
            "when": pd.to_datetime(["2024-01-31", "2024-02-01", None]),
            "word": ["x", None, "y"],
            "month": pd.period_range("2020-01", periods=3, freq="M"),
            "lasted": pd.to_timedelta([12, 36, None], unit="h"),
        },
        index=pd.Index(["p", "q", "r"], name="who"),
    )
    table = read_table(parquet(frame), TextFormat())
    assert [*table.frame] == ["who", "n", "small", "ok", "when", "word", "month", "lasted"]
    np.testing.assert_array_equal(
        numbers_of(table.frame["small"], Notation())[0], [0.5, np.nan, 2.5]
    )
    assert texts_of(table.frame["n"]).tolist() == ["9007199254740993", "", "3"]
    assert texts_of(table.frame["ok"]).tolist() == ["True", "False", ""]
    assert texts_of(table.frame["word"]).tolist() == ["x", "", "y"]
    assert texts_of(table.frame["month"]).tolist() == [*("2020-01-01", "2020-02-01", "2020-03-01")]
    np.testing.assert_array_equal(
        numbers_of(table.frame["when"], Notation())[0], [19753, 19754, np.nan]
    )
    assert texts_of(table.frame["lasted"]).tolist() == ["0.5", "1.5", ""]
    twice = frame.rename_axis("word")
    assert [*read_table(parquet(twice), TextFormat()).frame] == [*frame]


def workbook(cells, notes=()):
    openpyxl = pytest.importorskip("openpyxl")
    book, buffer = openpyxl.Workbook(), io.BytesIO()
    for note in notes:
        book.active.append([note, None])
    sheet = book.create_sheet("data") if notes else book.active
    for row in ROWS.tolist():
        sheet.append(row)
    for place, value in cells.items():
        sheet[place] = value
    book.save(buffer)
    return buffer.getvalue()


def test_cells_far_from_the_table_are_refused(here):
    (here / "t.xlsx").write_bytes(workbook({"XFD7": 1, **{f"A{i}": 1 for i in range(40, 200)}}))
    with pytest.raises(UsageError, match="a cell far from its table, in column 16384 "):
        load("t.xlsx")
    edited = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(workbook({}))) as old, zipfile.ZipFile(edited, "w") as new:
        for name in old.namelist():
            row = b'<row r="2000000"><c r="A2000000"><v>1</v></c></row></sheetData>'
            new.writestr(name, old.read(name).replace(b"</sheetData>", row))
    (here / "t.xlsx").write_bytes(edited.getvalue())
    with pytest.raises(UsageError, match="in column 3 or beyond row 1,048,576; delete it"):
        load("t.xlsx")


def test_one_note_names_the_columns_before_a_far_cell(here):
    (here / "t.xlsx").write_bytes(workbook({"XFD20": 1}))
    rows = load("t.xlsx")
    assert rows.feature_names == ("column_1", "column_2", "column_3")
    assert rows.notes[0] == "column 'column_16384' is left out: its only value is '1'."
    assert rows.notes[1] == "empty columns without a name are left out: 16380."
    assert len(rows.notes) == 2


def test_the_first_sheet_with_a_table_is_read(here):
    (here / "t.xlsx").write_bytes(workbook({}, ["About these data", "A. N. Other"]))
    rows = load("t.xlsx")
    np.testing.assert_allclose(rows.Y, ROWS)
    assert rows.notes[0].startswith("the first with a table of 2 sheets is read: 'data'; to read")


@pytest.mark.parametrize("compressed", [gzip.compress(b"a,b\n1,2\n", mtime=0), zipped("one.csv")])
def test_files_that_are_too_large_after_decompression_are_refused(here, monkeypatch, compressed):
    monkeypatch.setattr("sgpmic_cli.tables.read.MAX_BYTES", 7)
    (here / "t.csv").write_bytes(compressed)
    with pytest.raises(UsageError, match="more than 2 GiB when it is decompressed"):
        load("t.csv")
