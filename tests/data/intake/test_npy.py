"""Tables in .npy files."""

import gzip
import io
import pickle

import numpy as np
import pytest

from sgpmic_cli.data import TableOptions, load
from sgpmic_cli.errors import UsageError

ROWS = np.random.RandomState(0).randn(30, 3)


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def saved(array, **how):
    buffer = io.BytesIO()
    np.save(buffer, array, **how)
    return buffer.getvalue()


def test_numbers_are_left_in_the_file_and_named_by_position(here):
    np.save("t.npy", ROWS)
    data = load("t.npy")
    assert isinstance(data.Y, np.memmap)
    assert not data.Y.flags.writeable
    assert np.array_equal(data.Y, ROWS)
    assert (data.feature_names, data.names_made_up, data.notes) == (
        ("column_1", "column_2", "column_3"),
        True,
        (),
    )


@pytest.mark.parametrize("kind", ["f4", ">f8", "i8", "u2", "fortran", "packed"])
def test_other_numbers_are_converted(here, kind):
    array = np.round(10 * np.abs(ROWS))
    if kind == "packed":
        (here / "t.npy").write_bytes(gzip.compress(saved(array)))
    else:
        np.save("t.npy", np.asfortranarray(array) if kind == "fortran" else array.astype(kind))
    data = load("t.npy")
    assert data.Y.dtype == np.float64
    assert np.array_equal(data.Y, array)


def test_it_is_read_as_the_same_numbers_in_a_csv_are(here):
    array = ROWS.copy()
    array[3, 1] = np.nan
    np.save("t.npy", np.column_stack([np.arange(30), array, np.arange(30) % 2]))
    np.savetxt(
        "t.csv",
        np.column_stack([np.arange(30), array, np.arange(30) % 2]),
        delimiter=",",
        fmt="%.17g",
    )
    for options in (
        {"missing": "median"},
        {"missing": "drop"},
        {"missing": "model"},
        {"drop": ("column_2",)},
    ):
        table = TableOptions(label="column_5", **options)
        one, other = load("t.npy", table=table), load("t.csv", table=table)
        assert one.sha256 == other.sha256, options
        assert (one.ids, one.recipe) == (other.ids, other.recipe)
        assert one.row_numbers.tolist() == other.row_numbers.tolist()
        assert one.notes == other.notes[1:]  # without that on a header, which no .npy file has


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (saved(ROWS[:, 0]), "holds an array of 1 dimension, not 2"),
        (saved(ROWS[None]), "holds an array of 3 dimensions, not 2"),
        (saved(ROWS * 1j), "holds values of type complex128, not numbers"),
        (saved(ROWS > 0), "holds values of type bool, not numbers"),
        (saved(ROWS.astype(str)), "not numbers"),
        (saved(ROWS.astype(object), allow_pickle=True), "is not a readable .npy file"),
        (saved(ROWS)[:-8], "is not a readable .npy file"),
        (saved(ROWS)[:40], "is not a readable .npy file"),
        (saved(ROWS[:0]), "t.npy"),
        (pickle.dumps(ROWS), "is called a .npy file and is none"),
        (b"", "is called a .npy file and is none"),
        (b"1,2\n3,4\n", "is called a .npy file and is none"),
    ],
    ids=[
        "one",
        "three",
        "complex",
        "bool",
        "text",
        "objects",
        "cut",
        "header",
        "empty",
        "pickled",
        "nothing",
        "csv",
    ],
)
@pytest.mark.parametrize("packed", [False, True])
def test_what_is_no_table_of_numbers_is_told_in_one_sentence(here, content, sentence, packed):
    (here / "t.npy").write_bytes(gzip.compress(content) if packed else content)
    with pytest.raises(UsageError) as caught:
        load("t.npy")
    assert sentence in str(caught.value)
    assert "numpy.save" in str(caught.value)
    assert "\n" not in str(caught.value)


def test_infinite_numbers_are_told_with_their_place(here):
    array = ROWS.copy()
    array[4, 1] = np.inf
    np.save("t.npy", array)
    with pytest.raises(UsageError, match="row 5, column 'column_2': the value is not finite"):
        load("t.npy")
