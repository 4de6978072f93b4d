import csv
import io

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sgpmic_cli.errors import UsageError
from sgpmic_cli.tables.cells import MISSING
from sgpmic_cli.tables.csv_text import Source
from sgpmic_cli.tables.options import TextFormat
from sgpmic_cli.tables.read import tables_in

PLAIN = TextFormat()


def parse(text, format=PLAIN, known=()):
    source = Source(io.BufferedReader(io.BytesIO(text.encode())), "t.csv")
    return next(tables_in(source, format, known, whole=True))


def test_rows_have_their_line_after_cells_of_several_lines():
    table = parse('a,b\n"x\ny",1\n\n"p\nq\nr" ,2\nz,3\n')
    assert table.lines.tolist() == [2, 5, 8]
    assert table.cells["a"].texts.tolist() == ["x\ny", "p\nq\nr", "z"]
    assert table.place(1) == "row 2 (line 5)"


def test_a_line_that_names_no_separator_is_a_row():
    with pytest.raises(UsageError, match="line 2: 2 cells where the first line has 1"):
        parse("sep=\na;b\n1,5;2\n3;4\n", TextFormat(decimal=","))


@pytest.mark.parametrize("first", ["", "sep=,\n", "SEP=,\n"])
def test_decimal_commas_in_quotes_are_found_and_read_again(first):
    text = f'{first}"a","b"\n"1,5","2"\n"3","4,5"\n'
    found = parse(text)
    again = parse(text, found.format)
    for table in (found, again):
        assert [cells.numbers.tolist() for cells in table.cells.values()] == [[1.5, 3], [2, 4.5]]


@pytest.mark.parametrize("cell", ['"1" 2', '"a""'])
def test_misplaced_quotes_are_refused(cell):
    with pytest.raises(UsageError, match="line 3: a quote"):
        parse(f"a,b\n1,2.25\n{cell},4\n")


def test_quote_inside_a_cell_is_an_ordinary_character():
    table = parse('pipe,b\n5" steel,1\n6" "old",2\n')
    assert table.cells["pipe"].texts.tolist() == ['5" steel', '6" "old"']


finite = st.floats(allow_nan=False, allow_infinity=False)
word = st.text(st.characters(codec="utf-8", exclude_categories=("C", "Z")), min_size=1).filter(
    lambda text: text.lower() not in MISSING
)


def tables(p):
    row = st.tuples(st.lists(finite, min_size=p, max_size=p), word)
    return st.lists(row, min_size=2, max_size=8)


@settings(max_examples=40)
@given(rows=st.integers(2, 5).flatmap(tables), separator=st.sampled_from([",", ";", "\t"]))
def test_written_tables_are_read_exactly(rows, separator):
    text = io.StringIO()
    writer = csv.writer(text, delimiter=separator, lineterminator="\n")
    names = [*(f"f{j}" for j in range(len(rows[0][0]))), "kind"]
    writer.writerow(names)
    writer.writerows([*map(repr, values), kind] for values, kind in rows)
    format = TextFormat(separator=separator)
    table = parse(text.getvalue(), format, known=names)
    expected = np.array([values for values, _ in rows]).T
    assert np.array_equal([table.cells[name].numbers for name in names[:-1]], expected)
    assert table.cells["kind"].texts.tolist() == [kind for _, kind in rows]
