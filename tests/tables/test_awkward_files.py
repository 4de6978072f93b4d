import io
from pathlib import Path

import pytest
from awkward_files import FILES, content, markdown, standard_input

from sgpmic_cli.data import TableOptions, TextFormat, load
from sgpmic_cli.errors import UsageError

PAGE = Path(__file__).parents[2] / "docs" / "intake.md"


def loaded(case, folder, monkeypatch):
    needed = {"parquet": "pyarrow", "lists": "pyarrow", "xlsx": "openpyxl"}
    if case.get("stored_as") in needed:
        pytest.importorskip(needed[case["stored_as"]])
    path = case["name"]
    if path == "-":
        monkeypatch.setattr("sys.stdin", standard_input(io.BytesIO(content(case))))
    else:
        path = str(folder / path)
        Path(path).write_bytes(content(case))
    options = {
        name: tuple(value) if isinstance(value, list) else value
        for name, value in case.get("options", {}).items()
    }
    format = TextFormat(**case.get("format", {}))
    return load(path, table=TableOptions(**options, format=format))


@pytest.mark.parametrize("case", FILES, ids=[case["name"] for case in FILES])
def test_each_file_is_treated_as_documented(case, tmp_path, monkeypatch):
    if "refused" in case:
        with pytest.raises(UsageError) as caught:
            loaded(case, tmp_path, monkeypatch)
        sentence = str(caught.value)
        assert [part for part in case["refused"] if part not in sentence] == [], sentence
        assert "\n" not in sentence
        assert case["name"] in sentence
        return
    data = loaded(case, tmp_path, monkeypatch)
    assert list(data.feature_names) == case["features"]
    assert len(data.Y) == case["rows"]
    if "first" in case:
        assert data.Y[0].tolist() == case["first"]
    assert (None if data.ids is None else list(data.ids)) == case.get("ids")
    assert data.row_numbers.tolist() == case.get("row_numbers", list(range(1, case["rows"] + 1)))
    notes = case.get("notes", [])
    assert len(data.notes) == len(notes), data.notes
    assert all(part in note for part, note in zip(notes, data.notes, strict=True)), data.notes


def test_documented_table_is_current():
    assert len(FILES) >= 30
    assert markdown() in PAGE.read_text(encoding="utf-8"), (
        "print the table with python tests/tables/awkward_files.py"
    )
