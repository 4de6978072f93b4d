import pytest

from sgpmic_cli.benchmark.plan import load_data


@pytest.fixture
def folder(tmp_path):
    for name in ("b", "a", "c"):
        rows = "".join(f"{(5 * i) % 12},{(7 * i) % 11},{'xy'[i % 2]}\n" for i in range(12))
        (tmp_path / f"{name}.csv").write_text(f"u,v,y\n{rows}")
    (tmp_path / "notes.txt").write_text("not a table")
    return tmp_path


def test_a_pattern_selects_files_in_order_and_the_last_column_is_the_label(folder):
    loaded = load_data([f"{folder}/*.csv", "iris"], [95])
    assert [one.name for one in loaded] == ["a.csv", "b.csv", "c.csv", "iris"]
    assert loaded[0].data.class_names == ("x", "y")
    assert loaded[0].data.feature_names == ("u", "v")


def test_all_has_only_the_rows_of_the_paper():
    loaded = load_data(["all"], [99])
    listed = {one.name: one.explained_variances for one in loaded}
    assert "yale" not in listed
    assert listed["iris"] == (99,)
