import csv
import io
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sgpmic_cli.data import csv_file, load
from sgpmic_cli.errors import UsageError

TABLE = "width,height,kind\n1.5,2,cat\n-3e2,.25,dog\n0,1,cat\n"


def write(folder: Path, content: str | bytes, name: str = "t.csv") -> str:
    path = folder / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return str(path)


def test_values_labels_and_names(tmp_path):
    dataset = load(write(tmp_path, TABLE), label="kind")
    assert dataset.name == "t.csv"
    assert dataset.Y.tolist() == [[1.5, 2], [-300, 0.25], [0, 1]]
    assert dataset.feature_names == ("width", "height")
    assert dataset.class_names == ("cat", "dog")
    assert dataset.labels.tolist() == [0, 1, 0]


def test_the_label_column_may_stand_anywhere(tmp_path):
    dataset = load(write(tmp_path, "a,y,b\n1,9,2\n3,10,4\n"), label="y")
    assert dataset.Y.tolist() == [[1, 2], [3, 4]]
    assert dataset.class_names == ("9", "10")


def test_a_first_line_with_the_label_is_a_header_of_whatever_else(tmp_path):
    dataset = load(write(tmp_path, "2019,2020,y\n1,2,a\n3,4,b\n5,7,a\n"), label="y")
    assert dataset.feature_names == ("2019", "2020")
    assert dataset.Y.tolist() == [[1, 2], [3, 4], [5, 7]]


def test_it_is_known_whether_the_names_are_those_of_the_file(tmp_path):
    assert not load(write(tmp_path, "column_1,column_2\n1,2\n3,4\n")).names_made_up
    assert load(write(tmp_path, "2019,2020\n1,2\n3,4\n")).names_made_up


def test_classes_that_are_numbers_are_compared_as_numbers(tmp_path):
    dataset = load(write(tmp_path, "a,b,y\n1,2,1\n3,4,2.0\n5,7,1.0\n6,7,2\n"), label="y")
    assert dataset.class_names == ("1", "2.0")
    assert dataset.labels.tolist() == [0, 1, 0, 1]
    mixed = load(write(tmp_path, "a,b,y\n1,2,1\n3,4,1.0\n5,7,x\n"), label="y")
    assert mixed.class_names == ("1", "1.0", "x")


def test_a_decimal_comma_is_pointed_out(tmp_path):
    with pytest.raises(UsageError, match=r"'5,1' is not a number \(a decimal comma, perhaps: write a point\)"):
        load(write(tmp_path, "a;b\n1;2\n5,1;3\n"))


@pytest.mark.parametrize("separator", [",", ";", "\t"])
@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
def test_separators_line_ends_blank_lines_spaces_and_bom(tmp_path, separator, newline):
    lines = [
        "",
        separator.join(["a", "b", "c"]),
        separator.join(["1", " 2 ", "3"]),
        "",
        "4 5 6".replace(" ", separator),
    ]
    dataset = load(write(tmp_path, b"\xef\xbb\xbf" + newline.join(lines).encode()))
    assert dataset.feature_names == ("a", "b", "c")
    assert dataset.Y.tolist() == [[1, 2, 3], [4, 5, 6]]


def test_very_wide_lines(tmp_path):
    # As one cell of another separator this line would be longer than the csv module allows.
    Y = np.arange(40_000.0).reshape(2, 20_000)
    dataset = load(write(tmp_path, "\n".join(",".join(map(repr, row)) for row in Y.tolist())))
    assert np.array_equal(dataset.Y, Y)


def test_quoted_cells_may_hold_the_separator(tmp_path):
    dataset = load(write(tmp_path, '"a, b",c,y\n"1","2","x, y"\n3,4,z\n'), label="y")
    assert dataset.feature_names == ("a, b", "c")
    assert dataset.class_names == ("x, y", "z")


def test_a_first_row_of_numbers_is_data(tmp_path):
    dataset = load(write(tmp_path, "1,2\n3,4\n"))
    assert dataset.feature_names == ("column_1", "column_2")
    assert dataset.Y.tolist() == [[1, 2], [3, 4]]


def test_a_first_row_built_like_the_second_is_data(tmp_path):
    dataset = load(write(tmp_path, "5.1,3.5,setosa\n6,3,virginica\n"), label="column_3")
    assert dataset.Y.tolist() == [[5.1, 3.5], [6, 3]]


def test_numbers_among_the_names_are_still_a_header(tmp_path):
    dataset = load(write(tmp_path, "rate,2001,2002\n1,2,3\n4,5,6\n"))
    assert dataset.feature_names == ("rate", "2001", "2002")
    assert len(dataset.Y) == 2


def test_a_class_may_be_called_none(tmp_path):
    dataset = load(write(tmp_path, "a,b,y\n1,2,none\n3,4,NA\n"), label="y")
    assert dataset.class_names == ("NA", "none")


FAULTS = {
    "empty": ("", None, "is empty"),
    "blank": ("\n \n", None, "is empty"),
    "header only": ("a,b,c\n", None, "has a header and no rows"),
    "short row": ("a,b,c\n1,2,3\n4,5\n", None, "line 3: 2 cells where the first line has 3"),
    "long row": ("a,b,c\n1,2,3\n\n4,5,6,7\n", None, "line 4: 4 cells where the first line has 3"),
    "long rows throughout": ("a,b\n1,2,3\n4,5,6\n", None, "line 2: 3 cells where the first line has 2"),
    "word": ("a,b,c\n1,2,3\n4,five,6\n7,8,9\n", None, "row 2 (line 3), column 'b': 'five' is not a number"),
    "word beside a label": ("a,b,y\n1,2,u\n4,five,v\n", "y", "row 2 (line 3), column 'b': 'five' is not a number"),
    "classes without label": ("a,b,y\n1,2,u\n3,4,v\n", None, "say label=y"),
    "underscore": ("a,b\n1,2_000\n3,4\n", None, "'2_000' is not a number"),
    "decimal comma": ("a;b\n1,5;2\n3;4\n", None, "'1,5' is not a number"),
    "empty cell": ("a,b\n1,2\n3,\n", None, "row 2 (line 3), column 'b': the value is missing; fill it in"),
    "question mark": ("a,b\n1,?\n3,4\n", None, "the value is missing ('?')"),
    "nan": ("a,b\n1,2\nNaN,4\n", None, "row 2 (line 3), column 'a': the value is missing ('NaN')"),
    "inf": ("a,b\n1,2\n3,-inf\n", None, "row 2 (line 3), column 'b': '-inf' is not finite"),
    "too large": ("a,b\n1,2\n3,1e999\n", None, "'1e999' is not finite"),
    "missing class": ("a,b,y\n1,2,u\n3,4,\n", "y", "row 2 (line 3), column 'y': the value is missing"),
    "one column": ("a\n1\n2\n", None, "has one feature column; at least two"),
    "one column and a label": ("a,y\n1,u\n2,v\n", "y", "has one feature column beside the label; at least two"),
    "only a label": ("y\nu\nv\n", "y", "has no feature column beside the label"),
    "other separator": ("a|b\n1|2\n", None, "separated by comma, semicolon or tab"),
    "one class": ("a,b,y\n1,2,u\n3,4,u\n", "y", "column 'y' of {path} holds one class only ('u')"),
    "beyond squaring": ("a,b\n1,2\n3,-1e200\n", None, "row 2, column 'b': -1e+200 is too large to be squared"),
    "equal rows": ("a,b\n1,2\n1,2\n", None, "all rows of {path} are equal"),
    "one row": ("a,b\n1,2\n", None, "has one row of data only"),
    "unknown label": (
        "a,b,kind\n1,2,u\n3,4,v\n",
        "kin",
        "no column 'kin' (did you mean 'kind'?); its columns are a, b",
    ),
    "same name twice": ("a,b,a\n1,2,3\n4,5,6\n", None, "has 2 columns named 'a'"),
    "label not asked for": ("a,b,Class\n1,2,0\n3,4,1\n", None, "say label=Class if it holds the classes"),
    "latin-1": (b"a,b\n1,2\n3,\xe9\n", None, "is not in UTF-8 (byte 0xe9 in line 3)"),
    "utf-16": ("a,b\n1,2\n".encode("utf-16"), None, "is not a text file in UTF-8"),
    "open quote": ('a,b\n1,"2\n3,4\n', None, "check the quotes"),
}


@pytest.mark.parametrize("always_fast", [False, True])
@pytest.mark.parametrize(("content", "label", "message"), FAULTS.values(), ids=FAULTS)
def test_every_fault_has_its_sentence(tmp_path, monkeypatch, content, label, message, always_fast):
    if always_fast:
        monkeypatch.setattr(csv_file, "_FAST_PATH_BYTES", -1)
    path = write(tmp_path, content)
    with pytest.raises(UsageError) as caught:
        load(path, label=label)
    assert message.format(path=path) in str(caught.value)
    assert path in str(caught.value)
    assert "\n" not in str(caught.value)


def test_missing_file_and_folder(tmp_path):
    with pytest.raises(UsageError, match="there is no file"):
        load(str(tmp_path / "none.csv"))
    with pytest.raises(UsageError, match="is a folder"):
        load(str(tmp_path))


def test_no_permission(tmp_path, monkeypatch):
    path = write(tmp_path, TABLE)

    def refuse(self):
        raise PermissionError(13, "Permission denied")

    # The superuser may read everything, so the refusal of the operating system is played.
    monkeypatch.setattr(Path, "read_bytes", refuse)
    with pytest.raises(UsageError, match="no permission to read"):
        load(path)


finite = st.floats(allow_nan=False, allow_infinity=False)
word = st.text(st.characters(codec="utf-8", exclude_categories=("C", "Z")), min_size=1).filter(
    lambda text: text.lower() not in csv_file._MISSING
)


@st.composite
def tables(draw):
    p = draw(st.integers(2, 5))
    row = st.tuples(st.lists(finite, min_size=p, max_size=p), word)
    return draw(st.lists(row, min_size=2, max_size=8).filter(lambda rows: len({kind for _, kind in rows}) > 1))


@pytest.mark.parametrize("threshold", [-1, 1_000_000])
@settings(deadline=None)  # the first example pays for importing pandas
@given(rows=tables(), separator=st.sampled_from([",", ";", "\t"]))
def test_what_is_written_is_read_to_the_last_bit(tmp_path_factory, threshold, rows, separator):
    text = io.StringIO()
    writer = csv.writer(text, delimiter=separator)
    writer.writerow([*(f"f{j}" for j in range(len(rows[0][0]))), "kind"])
    writer.writerows([*map(repr, values), kind] for values, kind in rows)
    path = write(tmp_path_factory.mktemp("csv"), text.getvalue())
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(csv_file, "_FAST_PATH_BYTES", threshold)
        dataset = load(path, label="kind", to_cluster=False)  # also numbers too large to work with
    assert np.array_equal(dataset.Y, np.array([values for values, _ in rows]))
    assert [dataset.class_names[label] for label in dataset.labels] == [kind for _, kind in rows]


odd = st.sampled_from(["", "nan", "inf", "1_0", "True", " 2 ", "1e5", "0x10", '"3"', "abc", "1e400", "-", "+1", "1."])
cell = st.one_of(odd, finite.map(repr), st.integers().map(str))


@settings(deadline=None)  # the first example pays for importing pandas
@given(st.lists(st.lists(cell, min_size=2, max_size=3), min_size=2, max_size=5), st.sampled_from([None, 1]))
def test_the_fast_reader_never_disagrees_with_the_careful_one(rows, label):
    text = "\n".join(",".join(row) for row in rows) + "\n"
    columns = tuple(f"column_{j + 1}" for j in range(len(rows[0])))
    layout = csv_file._Layout(Path("t.csv"), ",", columns, False, label)
    fast = csv_file._parse_fast(text, layout)
    if fast is not None:
        Y, classes = csv_file._parse(text, layout)
        assert np.array_equal(fast[0], Y)
        assert fast[1] == classes


def test_a_plain_large_file_takes_the_fast_way(tmp_path, monkeypatch):
    Y = np.random.RandomState(0).normal(size=(6000, 12))
    path = tmp_path / "large.csv"
    np.savetxt(path, Y, fmt="%.17g", delimiter=",")
    assert path.stat().st_size > csv_file._FAST_PATH_BYTES

    def never(text, layout):
        raise AssertionError("the careful reader was called")

    monkeypatch.setattr(csv_file, "_parse", never)
    assert np.array_equal(load(str(path)).Y, Y)
