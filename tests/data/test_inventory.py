from sgpmic_cli.data import entry, inventory, load, names
from sgpmic_cli.data.inventory import verify_all
from sgpmic_cli.data.registered import cache_folder


def test_states_and_paths(tmp_path):
    rows = {row["name"]: row for row in inventory.describe_all(tmp_path)}
    assert list(rows) == names()
    assert rows["iris"]["state"] == "bundled"
    assert rows["iris"]["path"].endswith("iris.csv")
    assert rows["arcs"]["state"] == "generated"
    assert (rows["yale"]["state"], rows["yale"]["path"]) == ("absent", None)


def test_failure_does_not_stop_the_others_and_all_downloads_are_the_default(tmp_path):
    found = inventory.fetch_all(["yale", "iris", "coil20"], data_dir=tmp_path, offline=True)
    assert [each["state"] for each in found] == ["unavailable", "bundled", "unavailable"]
    assert "coil20 is unavailable" in found[2]["reason"]
    found = inventory.fetch_all(data_dir=tmp_path, offline=True)
    assert [each["name"] for each in found] == ["yale", "coil20"]


def states(checks):
    return {(check.dataset, check.check): check.state for check in checks}


def test_bundled_and_downloaded_sets_equal_the_publishers_files(publishers_files):
    inventory.fetch_all(mirror=str(publishers_files))
    found = states(verify_all(mirror=str(publishers_files), offline=True))
    assert all(found[name, "original"] == "ok" for name in names() if entry(name).filename)
    assert found["yale", "cache"] == "ok"


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
    found = states(verify_all(mirror=str(tmp_path)))
    assert found["iris", "original"] == "ok"
    assert found["sonar", "original"] == found["yale", "original"] == "unavailable"
    (tmp_path / "iris.data").write_bytes(iris_as_published().replace(b"5.1", b"5.2", 1))
    assert states(verify_all(mirror=str(tmp_path)))["iris", "original"] == "failed"


def test_damaged_download_fails():
    cache_folder().mkdir(parents=True)
    (cache_folder() / "Yale_32x32.mat").write_bytes(b"not it")
    assert states(verify_all())["yale", "cache"] == "failed"
