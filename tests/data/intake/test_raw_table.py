import csv
import io

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sgpmic_cli.data.intake.cells import MISSING, is_date, is_dressed_number, is_id_name, to_number
from sgpmic_cli.data.intake.columns import numbers
from sgpmic_cli.data.intake.options import TextFormat
from sgpmic_cli.data.intake.raw_table import parse_csv, read_table
from sgpmic_cli.errors import UsageError

PLAIN = TextFormat()


@pytest.mark.parametrize("separator", [",", ";", "\t", "|"])
@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
def test_separators_line_ends_blank_lines_spaces_and_mark(tmp_path, separator, newline):
    lines = [
        "",
        separator.join("abc"),
        separator.join(["1", " 2 ", "3"]),
        "",
        separator.join("456"),
    ]
    path = tmp_path / "t.csv"
    path.write_bytes(b"\xef\xbb\xbf" + newline.join(lines).encode())
    table = read_table(str(path), PLAIN)
    assert table.columns == ["a", "b", "c"]
    assert [cells.tolist() for cells in table.cells.values()] == [[1, 4], [2, 5], [3, 6]]
    assert table.lines.tolist() == [3, 5]


def test_rows_are_told_by_their_line_also_after_cells_of_several_lines():
    table = parse_csv("t.csv", 'a,b\n"x\ny",1\n\n"p\nq\nr",2\nz,3\n', PLAIN)
    assert table.lines.tolist() == [2, 5, 8]
    assert table.cells["a"].tolist() == ["x\ny", "p\nq\nr", "z"]
    assert table.place(1) == "row 2 (line 5)"


def test_very_wide_lines():
    Y = (
        np.arange(1.0, 16_001.0).reshape(2, 8_000) / 3.0
    )  # longer than what some readers take for a line
    table = parse_csv("t.csv", "\n".join(",".join(map(repr, row)) for row in Y.tolist()), PLAIN)
    assert np.array_equal(np.column_stack(list(table.cells.values())), Y)


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("1,2\n3,4\n", False),
        ("5.1,3.5,setosa\n6,3,virginica\n", False),
        ("rate,2001,2002\n1,2,3\n", True),
        ("name,town\nada,paris\n", True),
        ("1,,3\n4,5,6\n", False),
        ("a,b\n,\n", True),
    ],
)
def test_words_make_a_header_unless_the_next_row_is_built_alike(text, named):
    assert parse_csv("t.csv", text, PLAIN).named == named


def test_a_first_line_with_a_known_name_is_a_header():
    assert not parse_csv("t.csv", "2019,2020\n1,2\n", PLAIN).named
    assert parse_csv("t.csv", "2019,2020\n1,2\n", PLAIN, known=["2020"]).named


def test_cells_asked_for_as_text_and_ids_stay_as_they_are_written():
    table = parse_csv("t.csv", "a,b,site_id\n007,1.0,00\n010,2,01\n", PLAIN, as_text=["a"])
    assert table.cells["a"].tolist() == ["007", "010"]
    assert table.cells["site_id"].tolist() == ["00", "01"]
    assert table.cells["b"].tolist() == [1.0, 2.0]


@pytest.mark.parametrize("rows", [1, 100_000])
@pytest.mark.parametrize("cell", ['"1"2', '"1" 2', '1,"2', '"a""'])
def test_quotes_that_do_not_go_around_a_cell_are_refused_in_files_of_any_size(rows, cell):
    with pytest.raises(UsageError, match=f"line {rows + 2}: a quote"):
        parse_csv("t.csv", "a,b\n" + "1,2.25\n" * rows + f"{cell},4\n", PLAIN)


def test_a_quote_inside_a_cell_is_a_sign_like_any_other():
    table = parse_csv("t.csv", 'pipe,b\n5" steel,1\n6" "old",2\n', PLAIN)
    assert table.cells["pipe"].tolist() == ['5" steel', '6" "old"']


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("a,b,c\n1,2,3\n4,5\n", "line 3: 2 cells where the first line has 3"),
        ("a,b,c\n1,2,3\n\n4,5,6,7\n", "line 4: 4 cells where the first line has 3"),
        ("a,b\n1,2,3\n4,5,6\n", "line 2: 3 cells where the first line has 2"),
        ('a,b\n"x,\ny",1\n3\n', "line 4: 1 cells where the first line has 2"),
    ],
)
def test_rows_of_unequal_length_are_refused(text, sentence):
    with pytest.raises(UsageError, match=sentence):
        parse_csv("t.csv", text, PLAIN)


finite = st.floats(allow_nan=False, allow_infinity=False)
word = st.text(st.characters(codec="utf-8", exclude_categories=("C", "Z")), min_size=1).filter(
    lambda text: text.lower() not in MISSING | {"true", "false"}
)


@st.composite
def tables(draw):
    p = draw(st.integers(2, 5))
    return draw(
        st.lists(st.tuples(st.lists(finite, min_size=p, max_size=p), word), min_size=2, max_size=8)
    )


@settings(deadline=None)
@given(rows=tables(), separator=st.sampled_from([",", ";", "\t"]))
@pytest.mark.slow
def test_what_is_written_is_read_to_the_last_bit(rows, separator):
    text = io.StringIO()
    writer = csv.writer(text, delimiter=separator, lineterminator="\n")
    names = [*(f"f{j}" for j in range(len(rows[0][0]))), "kind"]
    writer.writerow(names)
    writer.writerows([*map(repr, values), kind] for values, kind in rows)
    told = TextFormat(separator=separator)
    table = parse_csv("t.csv", text.getvalue(), told, known=names, as_text=["kind"])
    assert np.array_equal(
        [table.cells[name] for name in names[:-1]], np.array([values for values, _ in rows]).T
    )
    assert table.cells["kind"].tolist() == [kind for _, kind in rows]


odd = st.sampled_from(
    [
        "",
        "nan",
        "inf",
        "1_0",
        "True",
        " 2 ",
        "1e5",
        "0x10",
        '"3"',
        "abc",
        "1e400",
        "-",
        "+1",
        "1.",
        "1e",
    ]
)
cell = st.one_of(odd, finite.map(repr), st.integers(-(2**63), 2**63 - 1).map(str))


@settings(deadline=None, derandomize=True)
@given(st.lists(cell, min_size=1, max_size=5), st.sampled_from([".", ","]))
def test_a_column_is_read_by_one_rule_whether_pandas_sees_numbers_or_text(cells, decimal):
    cells = [text.replace(".", decimal) for text in cells]
    text = "".join(f"{each};0\n" for each in ["name", *cells])
    table = parse_csv("t.csv", text, TextFormat(";", decimal), known=["name"])
    values, wrong = numbers(table.cells["name"], decimal)
    bare = [each.strip().strip('"') for each in cells]
    expected = [None if each.lower() in MISSING else to_number(each, decimal) for each in bare]
    assert np.array_equal(
        values, [np.nan if number is None else number for number in expected], equal_nan=True
    )
    assert wrong.tolist() == [
        number is None and each.lower() not in MISSING
        for number, each in zip(expected, bare, strict=True)
    ]


def test_parquet_with_holes_dates_and_names_for_rows(tmp_path):
    pytest.importorskip("pyarrow")
    frame = pd.DataFrame(
        {
            "a": pd.array([1, None, 3], dtype="Int64"),
            "ok": [True, False, None],
            "when": pd.to_datetime(["2024-01-31", "2024-02-01", None]),
            "word": ["x", None, "y"],
        },
        index=pd.Index(["p", "q", "r"], name="who"),
    )
    frame.to_parquet(tmp_path / "t.parquet")
    table = read_table(str(tmp_path / "t.parquet"), PLAIN)
    assert table.columns == ["who", "a", "ok", "when", "word"]
    assert np.array_equal(table.cells["a"], [1.0, np.nan, 3.0], equal_nan=True)
    assert table.cells["ok"].tolist() == ["True", "False", ""]
    assert table.cells["word"].tolist() == ["x", "", "y"]
    assert is_date(table.cells["when"][0])
    assert table.place(0) == "row 1"


@pytest.mark.parametrize(
    "text", ["2024-01-31", "31.1.2024", "1/31/24", "2024-01-31T12:00:00Z", "12:30", "3 Jan 2020"]
)
def test_dates(text):
    assert is_date(text)
    assert not is_dressed_number("A12")
    assert not is_date("12-34")


@pytest.mark.parametrize("text", ["1,200.50", "$5", "5 €", "12%", "1 000", "1'000"])
def test_numbers_with_signs_around_them(text):
    assert is_dressed_number(text)


def test_names_of_ids():
    assert all(
        map(is_id_name, ["id", "ID", "patient_id", "customerId", "Row", "key", "sample.index"])
    )
    assert not any(map(is_id_name, ["width", "acid", "humid", "paid", "monkey", "crow", "mid"]))
