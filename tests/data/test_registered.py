"""Registered data sets: complete entries, published values and downloads."""

import dataclasses
import hashlib

import numpy as np
import pytest
from scipy.io import savemat

from sgpmic_cli.data import entry, load, names
from sgpmic_cli.data.registered import cache_folder, describe_all, fetch, load_entry
from sgpmic_cli.data.registry import bundled_folder
from sgpmic_cli.errors import DataUnavailable, UsageError


@pytest.fixture
def download(tmp_path):
    """A data set whose publisher's file is on this machine, as a file:// address."""
    path = tmp_path / "publisher" / "small.mat"
    path.parent.mkdir()
    savemat(path, {"fea": np.arange(6).reshape(2, 3), "gnd": np.array([[2], [1]])})
    sha256 = hashlib.sha256(path.read_bytes()).hexdigest()
    urls = ("file://localhost/nowhere/small.mat", f"file://localhost{path}")
    return dataclasses.replace(entry("yale"), filename=path.name, sha256=sha256, urls=urls)


@pytest.mark.parametrize("name", names())
def test_entries_are_complete_and_values_are_as_published(name):
    found = entry(name)
    assert found.title
    assert found.licence
    assert found.attribution
    assert (bundled_folder() / f"{name}.csv").is_file() == (found.kind in ("bundled", "generated"))
    if found.kind == "download":
        assert all(url.endswith(f"/{found.filename}") for url in found.urls)
        assert len(found.sha256) == 64
    else:
        dataset = load(name)
        assert dataset.Y.shape == (found.n, found.p)
        assert dataset.n_classes == found.n_classes == len(np.unique(dataset.labels))
        assert dataset.sha256 == found.values_sha256


@pytest.mark.usefixtures("publishers_files")
@pytest.mark.parametrize("name", ["yale", "coil20"])
def test_the_publishers_files_have_the_published_values(name):
    found = entry(name)
    dataset = load(name)
    assert (*dataset.Y.shape, dataset.n_classes) == (found.n, found.p, found.n_classes)
    assert dataset.sha256 == found.values_sha256


def test_a_missing_download_says_how_to_get_it():
    with pytest.raises(DataUnavailable, match="`sgpmic datasets fetch yale`, with `--from FILE`"):
        load("yale")
    states = {data["name"]: (data["state"], data["path"]) for data in describe_all()}
    assert states["yale"] == ("absent", None)
    assert states["digits"] == ("installed", None)
    assert states["iris"][0] == "bundled"
    with pytest.raises(UsageError, match="did you mean 'iris'"):
        entry("irs")


@pytest.mark.filterwarnings("ignore:Retry downloading", "ignore:SHA256 checksum")
def test_a_download_is_checked_and_kept(download, tmp_path, monkeypatch):
    monkeypatch.setattr("time.sleep", lambda _: None)
    folder = tmp_path / "cache"
    assert fetch(download) == folder / "small.mat"
    data = load_entry(download)
    assert data.Y.tolist() == [[0, 1, 2], [3, 4, 5]]
    assert [data.class_names[label] for label in data.labels] == ["2", "1"]
    assert data.feature_names == ("v1", "v2", "v3")
    (folder / "small.mat").write_bytes(b"damaged")
    with pytest.raises(DataUnavailable, match="datasets fetch"):
        load_entry(download)
    other = dataclasses.replace(download, sha256="0" * 64)
    with pytest.raises(DataUnavailable, match=r"yale is unavailable: no download from .*SHA256"):
        fetch(other)
    assert fetch(download).read_bytes() != b"damaged"
    assert [path.name for path in folder.iterdir()] == ["small.mat"]


def test_cache_folder(tmp_path, monkeypatch):
    for name in ("SGPMIC_DATA", "XDG_CACHE_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    assert cache_folder() == tmp_path / ".cache" / "sgpmic"
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "xdg"))
    assert cache_folder() == tmp_path / "xdg" / "sgpmic"
    monkeypatch.setenv("SGPMIC_DATA", "~/data")
    assert cache_folder() == tmp_path / "data"
