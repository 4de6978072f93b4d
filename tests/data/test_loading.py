import csv
import dataclasses
from pathlib import Path

import numpy as np
import pytest
from sklearn.datasets import load_iris

from sgpmic_cli.data import entry, load, loading, names
from sgpmic_cli.errors import DataUnavailable, UsageError

SHARED = Path(__file__).parents[2].parent / "shared" / "datasets"
BUNDLED = [name for name in names() if entry(name).kind == "bundled"]

# The column "variance % (Q)" of the paper's Table 2: Q at 50, 95 and 99 %.
TABLE_2_Q = {
    "iris": [1, 2, 3],
    "wine": [1, 2, 4],
    "sonar": [2, 17, 29],
    "wdbc": [1, 1, 2],
    "australian": [1, 1, 1],
    "segment": [2, 4, 6],
    "bc": [1, 7, 9],
    "cmc": [1, 2, 5],
}
# Share of the largest class: what a method scores when it puts all rows into one cluster.
MAJORITY = {
    "wine": 39.89,
    "wdbc": 62.74,
    "bc": 65.01,
    "cmc": 42.70,
    "sonar": 53.37,
    "australian": 55.51,
}


@pytest.mark.parametrize("name", BUNDLED)
def test_bundled_sets_have_the_registered_shape_and_hash(name):
    dataset, found = load(name), entry(name)
    assert dataset.name == name
    assert dataset.Y.shape == (found.n, found.p)
    assert len(dataset.feature_names) == found.p
    assert dataset.n_classes == found.n_classes == len(np.unique(dataset.labels))
    assert dataset.sha256 == found.values_sha256


@pytest.mark.parametrize("name", BUNDLED)
def test_bundled_values_equal_the_reference_tables(name):
    if not SHARED.is_dir():
        pytest.skip("the reference tables are not beside this checkout")
    with (SHARED / f"{name}.csv").open(newline="") as file:
        rows = list(csv.reader(file))[1:]
    dataset = load(name)
    assert dataset.Y.tolist() == [[float(cell) for cell in row[:-1]] for row in rows]
    assert [dataset.class_names[label] for label in dataset.labels] == [row[-1] for row in rows]


@pytest.mark.parametrize("name", BUNDLED)
def test_raw_columns_give_the_printed_latent_dimensions(name):
    Y = load(name).without(entry(name).as_run_drop).Y
    power = np.linalg.svd(Y - Y.mean(axis=0), compute_uv=False) ** 2
    share = np.cumsum(power) / power.sum()
    assert [
        int(np.searchsorted(share, percent / 100) + 1) for percent in (50, 95, 99)
    ] == TABLE_2_Q[name]


@pytest.mark.parametrize(("name", "percent"), MAJORITY.items())
def test_labels_have_the_printed_majority_share(name, percent):
    dataset = load(name)
    assert round(100 * np.bincount(dataset.labels).max() / len(dataset.labels), 2) == percent


def test_iris_is_ucis_and_not_scikit_learns():
    rows, columns = np.nonzero(load_iris().data != load("iris").Y)
    assert list(zip(rows.tolist(), columns.tolist(), strict=True)) == [(34, 3), (37, 1), (37, 2)]


def test_a_changed_bundled_file_is_not_used(tmp_path, monkeypatch):
    text = (loading.bundled_folder() / "iris.csv").read_text()
    (tmp_path / "iris.csv").write_text(text.replace("5.1,3.5", "5.2,3.5", 1))
    monkeypatch.setattr(loading, "bundled_folder", lambda: tmp_path)
    with pytest.raises(DataUnavailable, match=r"iris\.csv .* is not the published data"):
        load("iris")


def test_names_win_over_files_and_files_never_pass_for_names(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("iris").write_text("a,b\n1,2\n3,4\n")
    assert load("iris").Y.shape == (150, 4)
    assert load("./iris").name == "./iris"
    Path("mine").write_text("a,b\n1,2\n3,4\n")
    assert load("mine").name == "mine"
    assert load("mine").Y.tolist() == [[1, 2], [3, 4]]


def test_a_word_that_is_no_file_is_taken_for_a_name(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(UsageError, match=r"no data set 'wne'.*did you mean 'wine'"):
        load("wne")
    with pytest.raises(UsageError, match=r"no file wne\.csv"):
        load("wne.csv")
    with pytest.raises(UsageError, match="no data set"):
        load("n" * 5000)
    with pytest.raises(UsageError, match="cannot be read"):
        load("n" * 5000 + ".csv")


def test_label_belongs_to_files():
    with pytest.raises(UsageError, match="iris brings its own classes"):
        load("iris", label="species")


def test_home_is_expanded(tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path))
    (tmp_path / "t.csv").write_text("a,b\n1,2\n3,4\n")
    assert load("~/t.csv").Y.shape == (2, 2)


def test_yale_from_a_mirror():
    if not (SHARED / "original").is_dir():
        pytest.skip("the publishers' files are not beside this checkout")
    dataset = load("yale", mirror=str(SHARED / "original"), offline=True)
    assert dataset.Y.shape == (165, 1024)
    assert np.bincount(dataset.labels).tolist() == [11] * 15
    assert dataset.sha256 == entry("yale").values_sha256


def test_a_parsed_original_carries_the_registered_name(tmp_path):
    found = dataclasses.replace(entry("iris"), name="two")
    dataset = loading.parse_original(found, b"1,2,b\n3,4,a\n\n")
    assert dataset.name == "two"
    assert dataset.feature_names == ("v1", "v2")
    assert dataset.labels.tolist() == [1, 0]
