import pytest

from sgpmic_cli.data.last_column import last_column


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("a,b,kind\n1,2,x\n", "kind"),
        ('"a";"b, c";"kind of"\n1;2;x\n', "kind of"),
        ("\n\ufeffa\tb\tclass\n", "class"),
        ("5.1,3.5,setosa\n4.9,3.0,setosa\n", "column_3"),
        ("1,2,3\n", "column_3"),
        ("a,b,\n1,2,3\n", "column_3"),
    ],
)
def test_the_last_column_is_found_with_and_without_a_header(tmp_path, text, name):
    path = tmp_path / "rows.csv"
    path.write_text(text, encoding="utf-8")
    assert last_column(str(path)) == name


def test_what_is_no_file_has_no_last_column(tmp_path):
    assert last_column(str(tmp_path)) is None
    assert last_column("no-such-file.csv") is None
