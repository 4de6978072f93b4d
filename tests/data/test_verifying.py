import shutil
from pathlib import Path

import pytest

from sgpmic_cli.data import entry, inventory, load, loading, names
from sgpmic_cli.data.inventory import exit_code, verify
from sgpmic_cli.data.registry import bundled_folder

ORIGINAL = Path(__file__).parents[2].parent / "shared" / "datasets" / "original"
needs_originals = pytest.mark.skipif(
    not ORIGINAL.is_dir(), reason="the publishers' files are not beside this checkout"
)


@pytest.fixture(autouse=True)
def _cache(monkeypatch, tmp_path):
    monkeypatch.setenv("SGPMIC_DATA", str(tmp_path / "cache"))


def states(checks):
    return {(check.dataset, check.check): check.state for check in checks}


def test_all_sets_are_hashed_without_a_mirror():
    checks = verify()
    expected = {name: "absent" if entry(name).kind == "download" else "ok" for name in names()}
    assert {check.dataset: check.state for check in checks} == expected
    assert exit_code(checks) == 0


@needs_originals
def test_bundled_sets_equal_the_publishers_files():
    checks = verify(mirror=str(ORIGINAL), offline=True)
    found = states(checks)
    assert all(found[name, "original"] == "ok" for name in names() if entry(name).filename)
    assert exit_code(checks) == 0


def iris_as_published():
    """Return the publishers' file, byte for byte, from the bundled values."""
    iris = load("iris")
    rows = zip(iris.Y, iris.labels, strict=True)
    lines = [
        ",".join([*(f"{value:.1f}" for value in row), iris.class_names[label]])
        for row, label in rows
    ]
    return "\n".join([*lines, "", ""]).encode()


def test_missing_intact_and_changed_originals(tmp_path):
    (tmp_path / "iris.data").write_bytes(iris_as_published())
    found = states(verify(mirror=str(tmp_path)))
    assert found["iris", "original"] == "ok"
    assert found["sonar", "original"] == found["yale", "original"] == "unavailable"
    (tmp_path / "iris.data").write_bytes(iris_as_published().replace(b"5.1", b"5.2", 1))
    assert states(verify(mirror=str(tmp_path)))["iris", "original"] == "failed"


def test_empty_mirror_is_unavailable(tmp_path):
    assert exit_code(verify(mirror=str(tmp_path))) == 4


def test_changed_bundled_value_fails(tmp_path, monkeypatch):
    for path in bundled_folder().glob("*.csv"):
        shutil.copy(path, tmp_path)
    text = (tmp_path / "iris.csv").read_text()
    (tmp_path / "iris.csv").write_text(text.replace("4.9,3,", "4.9,3.5,", 1))
    monkeypatch.setattr(loading, "bundled_folder", lambda: tmp_path)
    checks = verify()
    assert [check.dataset for check in checks if check.state == "failed"] == ["iris"]
    assert exit_code(checks) == 1


def test_unreadable_bundled_file_fails(tmp_path, monkeypatch):
    monkeypatch.setattr(loading, "bundled_folder", lambda: tmp_path)
    found = states(verify())
    assert found["iris", "values"] == "failed"
    assert found["spiral", "values"] == "ok"


def test_damaged_download_fails(tmp_path):
    (tmp_path / "cache").mkdir()
    (tmp_path / "cache" / "Yale_32x32.mat").write_bytes(b"not it")
    checks = verify()
    assert states(checks)["yale", "cache"] == "failed"
    assert exit_code(checks) == 1


@needs_originals
def test_intact_download_is_ok(tmp_path):
    (tmp_path / "cache").mkdir()
    shutil.copy(ORIGINAL / "Yale_32x32.mat", tmp_path / "cache")
    assert states(verify())["yale", "cache"] == "ok"


def test_exit_codes():
    failed = inventory.Check("a", "values", "failed", "")
    unavailable = inventory.Check("b", "original", "unavailable", "")
    assert exit_code([unavailable, failed]) == 1
    assert exit_code([unavailable]) == 4
    assert exit_code([]) == 0
