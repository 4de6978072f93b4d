from pathlib import Path

import pytest

from sgpmic_cli.data import TableOptions, load
from sgpmic_cli.errors import UsageError


def test_registered_names_win_over_files(here):
    for name in ("iris", "mine"):
        Path(name).write_text("a,b\n1,2\n3,4\n")
    assert load("iris").Y.shape == (150, 4)
    assert load("./iris").name == "./iris"
    assert load("mine").name == "mine"
    assert load("mine").Y.tolist() == [[1, 2], [3, 4]]


def test_table_options_of_a_registered_set_are_refused():
    with pytest.raises(UsageError, match="iris has its own classes"):
        load("iris", label="species")
    with pytest.raises(UsageError, match="iris is a registered data set"):
        load("iris", table=TableOptions(drop=("petal_width",)))


def test_home_folder_is_expanded(tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path))
    (tmp_path / "t.csv").write_text("a,b\n1,2\n3,4\n")
    assert load("~/t.csv").Y.shape == (2, 2)
