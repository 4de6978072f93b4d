import json

from command_line import document, sgpmic

from sgpmic_cli.data import entry, names


def test_list_names_every_data_set():
    assert [row["name"] for row in document("datasets list")["datasets"]] == names()
    human = sgpmic("datasets list").stdout
    assert all(name in human for name in names())
    assert "\x1b" not in human


def test_show_gives_licence_and_attribution():
    shown = document("datasets show wine")
    assert shown["licence"] == "CC BY 4.0"
    assert shown["attribution"] == entry("wine").attribution
    assert shown["state"] == "bundled"
    human = sgpmic("datasets show wine").stdout
    assert "Aeberhard" in human
    assert "CC BY 4.0" in human


def test_fetch_offline_is_unavailable_and_still_one_document():
    result = sgpmic("datasets fetch yale --offline --json", code=4)
    assert json.loads(result.stdout)["datasets"][0]["state"] == "unavailable"


def test_a_set_fetched_from_a_mirror_is_present(here, publishers_files):
    chosen = here / "chosen"
    sgpmic("datasets fetch --mirror", publishers_files, "--data-dir", chosen)
    assert sorted(path.name for path in chosen.iterdir()) == ["COIL20.mat", "Yale_32x32.mat"]
    rows = document("datasets list", "--data-dir", chosen)["datasets"]
    assert {row["name"]: row["state"] for row in rows}["yale"] == "present"


def test_verify_reports_missing_and_damaged_data(here):
    assert document("datasets verify")["ok"] is True
    for mirror in (here, here / "missing"):
        absent = sgpmic("datasets verify --json --mirror", mirror, code=4)
        assert json.loads(absent.stdout)["ok"] is False
        assert "checks did not succeed, the first of iris: " in absent.stderr
    (here / "Yale_32x32.mat").write_bytes(b"not it")
    damaged = sgpmic("datasets verify --mirror", here, "--data-dir", here, code=1)
    assert "checks did not succeed, the first of yale: " in damaged.stderr
