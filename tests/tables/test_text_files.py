"""Text files: separators, headers, quotes, encodings and strict numbers of cells."""

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sgpmic_cli.data import TextFormat
from sgpmic_cli.errors import UsageError
from sgpmic_cli.tables.notation import Notation, numbers_of, texts_of
from sgpmic_cli.tables.read import read_table

PLAIN = TextFormat()


@pytest.fixture(scope="module")
def parse(tmp_path_factory):
    path = tmp_path_factory.mktemp("text") / "t.csv"

    def table_of(text, format=PLAIN, known=()):
        path.write_bytes(text.encode())
        return read_table(str(path), format, known)

    return table_of


def test_rows_have_their_line_after_cells_of_several_lines(parse):
    table = parse('a,b\n"x\ny",1\n\n"p\nq\nr",2\nz,3\n')
    assert table.lines.tolist() == [2, 5, 8]
    assert texts_of(table.frame["a"]).tolist() == ["x\ny", "p\nq\nr", "z"]
    assert table.place(1, "a") == "row 2 (line 5), column 'a'"


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("a,b\n1,2\n3,4,5\n", "line 3: 3 cells where the first line has 2"),
        ("sep=\na;b\n1,5;2\n3;4\n", "line 2: 2 cells where the first line has 1"),
        ('a,b\n1,2.25\n"a"",4\n', "line 3: a quote"),
        ('a,b\n1,2.25\n"a" ,4\n', "line 3: a quote"),
    ],
)
def test_rows_of_other_lengths_and_misplaced_quotes_are_refused(parse, text, sentence):
    with pytest.raises(UsageError, match=sentence):
        parse(text, TextFormat(decimal="," if "sep" in text else None))


@pytest.mark.parametrize("first", ["", "sep=,\n", "SEP=,\n"])
def test_decimal_commas_in_quotes_are_found_and_read_again(parse, first):
    text = f'{first}"a","b"\n"1,5","2"\n"3","4,5"\n'
    found = parse(text)
    for table in (found, parse(text, found.format)):
        numbers = [
            numbers_of(column, Notation(","))[0].tolist() for _, column in table.frame.items()
        ]
        assert numbers == [[1.5, 3], [2, 4.5]]


@pytest.mark.parametrize(
    ("cells", "texts"),
    [
        (['5" steel', '6" "old"'], ['5" steel', '6" "old"']),
        (['"a ""b"" , c"', '""'], ['a "b" , c', ""]),
        (['"a"" \nb"', "a "], ['a" \nb', "a"]),
    ],
)
def test_quotes_and_spaces_inside_a_cell_are_kept(parse, cells, texts):
    table = parse("pipe,b\n" + "".join(f"{cell},{i}\n" for i, cell in enumerate(cells)))
    assert texts_of(table.frame["pipe"]).tolist() == texts


NAMED = [
    # texts, then years: the form of the World Bank and of many agencies
    "Country,Code,1960,1961,1962\nAruba,ABW,54211,55438,56225\nChad,TCD,3002,3061,3122\n",
    "country,2020\nAruba,106766\nChad,16425864\n",
    "geo\\time,2018,2019\nAT,8822267,8858775\nBE,11398589,11455519\n",
    "Entity;Code;1990;1995;2000\nAsia;;3,2;3,4;3,7\nPeru;PER;22,1;24,1;26,4\n",
    # words above numbers
    "sepal_length,sepal_width,species\n5.1,3.5,setosa\n4.9,3.0,setosa\n",
    "a,b\n1,2\n3,4\n",
    '"","mpg","cyl"\n"Mazda RX4",21,6\n"Datsun 710",22.8,4\n',
    ",total_bill,tip,day\n0,16.99,1.01,Sun\n1,10.34,1.66,Sun\n",
    "ID;Kunde seit;Saldo (€)\n1;26.12.2021;333,00\n2;01.03.2020;1.903,50\n",
    "Province/State,Country/Region,Lat,Long,1/22/20,1/23/20\n,Peru,-9.2,-75.0,0,0\n,Mali,17.6,-4.0,0,1\n",
    "[Order ID],[Amount]\n17,20.5\n18,11.0\n",
    "Year,2nd party,3rd party\n1990,4,5\n1994,3,6\n",
    "PAR1,PAR2\n5,6\n7,9\n",
    # a number above words
    "1,2\n0.5,red\n7,blue\n",
    "x\n1.5\n2.5\n",
    # words only
    "name,town\nada,paris\nbob,rome\n",
    "Timestamp,How old are you?,Comment\n2024/01/05 10:31,18-25,good\n2024/01/05 11:02,26-35,\n",
    "a,b\n,\n1,2\n",
]
NAMELESS = [
    "1,2\n3,4\n",
    "5.1,3.5,1.4,0.2,Iris-setosa\n4.9,3.0,1.4,0.2,Iris-setosa\n",
    "b,30.83,0,u,g,+\na,58.67,4.46,u,g,+\n",
    "?,2,17\n3,1,18\n",
    "1,,3\n4,5,6\n",
    "Ford,1999,5.1\nVW,2003,4.2\n",
    "pen,1500,1500\ncup,20,300\n",
    "x,1,2,3\ny,2,3,4\n",
    "2019,2020\n1,2\n3,4\n",
    "-1:1 3:0.5,1\n-1:0 3:0.25,2\n",
]


@pytest.mark.parametrize(
    ("text", "named"), [*((text, True) for text in NAMED), *((text, False) for text in NAMELESS)]
)
def test_first_line_is_a_header_or_a_row(parse, text, named):
    table = parse(text)
    assert table.named == named
    assert len(table.frame) == text.count("\n") - named
    assert len(table.frame.columns) > 1 or text.startswith("x\n")


@settings(max_examples=30)
@given(st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=2))
def test_written_numbers_are_read_exactly(parse, numbers):
    table = parse("a\n" + "".join(f"{number!r}\n" for number in numbers))
    assert numbers_of(table.frame["a"], Notation())[0].tolist() == numbers


def test_separators_inside_a_cell_of_several_lines_do_not_count(parse):
    rows = ['red,"; ;\n;"\n' for _ in range(6)]
    assert [*parse("a,b\n" + "".join(rows)).frame] == ["a", "b"]


def test_invalid_formats_are_refused(parse):
    for name in ("klingon", "rot13", "zlib", "quopri", "a\0b"):
        with pytest.raises(UsageError, match=f"--encoding {name} is unknown"):
            parse("a,b\n1,2\n3,4\n", TextFormat(encoding=name))
    for separator in ("ab", ".", "-", "7"):
        with pytest.raises(UsageError, match=f"--separator '{re.escape(separator)}'"):
            TextFormat(separator=separator)
