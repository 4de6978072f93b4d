import numpy as np
import pytest
from small_studies import prepared

from sgpmic_cli.errors import UsageError
from sgpmic_cli.experiments.plan.table_data import load_table_data


@pytest.fixture
def folder(tmp_path):
    for name in ("b", "a", "c"):
        rows = "".join(f"{(5 * i) % 12},{(7 * i) % 11},{'xy'[i % 2]}\n" for i in range(12))
        (tmp_path / f"{name}.csv").write_text(f"u,v,y\n{rows}")
    (tmp_path / "notes.txt").write_text("not a table")
    return tmp_path


def test_a_pattern_stands_for_its_files_in_order_and_the_last_column_for_the_classes(folder):
    found = load_table_data([f"{folder}/*.csv", "iris"], [95])
    assert [one.name for one in found] == ["a.csv", "b.csv", "c.csv", "iris"]
    assert found[0].data.class_names == ("x", "y")
    assert found[0].data.feature_names == ("u", "v")


def test_a_pattern_without_files_is_refused(folder):
    with pytest.raises(UsageError, match=r"no file is called like .*none-.*quotes"):
        load_table_data([f"{folder}/none-*.csv"], [95])


def test_one_scale_for_all_methods(folder, tmp_path):
    methods = ["pca-fcm", "k-means", "sgp-mic+"]
    plan = prepared([f"{folder}/a.csv"], [95], methods, scale="standard", store=tmp_path)
    for cell in plan.cells:
        assert np.allclose(cell.data.Y.std(axis=0, ddof=1), 1.0)
    # Those that scale by themselves are told; fuzzy c-means has no such parameter and gets scaled columns.
    assert [cell.settings.get("scale") for cell in plan.cells] == [None, "standard", "standard"]
    raw = prepared([f"{folder}/a.csv"], [95], methods, scale="none", store=tmp_path)
    assert raw.cells[0].data.Y[:, 0].max() == 11.0
    assert raw.cells[1].settings["scale"] == "none"


def test_an_unknown_scale_is_refused():
    with pytest.raises(UsageError, match=r"unknown scale 'standart' .*did you mean 'standard'"):
        prepared(["iris"], [95], ["k-means"], scale="standart")
