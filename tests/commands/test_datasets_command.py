import json

import pytest
from command_line import sgpmic

from sgpmic_cli.data import entry, names


@pytest.fixture(autouse=True)
def empty_cache(here, monkeypatch):
    monkeypatch.setenv("SGPMIC_DATA", str(here / "cache"))


def document(line, *more):
    return json.loads(sgpmic(f"datasets {line} --json", *more).stdout)


def test_list_names_every_data_set():
    assert [row["name"] for row in document("list")["datasets"]] == names()
    human = sgpmic("datasets list")
    assert human.exit_code == 0
    assert all(name in human.stdout for name in names())
    assert "\x1b" not in human.stdout


def test_show_gives_licence_and_attribution():
    shown = document("show wine")
    assert shown["licence"] == "CC BY 4.0"
    assert shown["attribution"] == entry("wine").attribution
    assert shown["state"] == "bundled"
    human = sgpmic("datasets show wine").stdout
    assert "Aeberhard" in human
    assert "CC BY 4.0" in human


def test_fetch_offline_is_unavailable_and_still_one_document():
    result = sgpmic("datasets fetch yale --offline --json")
    assert result.exit_code == 4
    assert json.loads(result.stdout)["datasets"][0]["state"] == "unavailable"


def test_a_set_fetched_from_a_mirror_is_present(here, publishers_files):
    chosen = here / "chosen"
    fetched = sgpmic("datasets fetch --mirror", publishers_files, "--data-dir", chosen)
    assert fetched.exit_code == 0
    assert sorted(path.name for path in chosen.iterdir()) == ["COIL20.mat", "Yale_32x32.mat"]
    rows = document("list", "--data-dir", chosen)["datasets"]
    assert {row["name"]: row["state"] for row in rows}["yale"] == "present"


def test_verify_with_an_empty_mirror_finds_data_missing(here):
    assert document("verify")["ok"] is True
    empty = sgpmic("datasets verify --json --mirror", here)
    assert empty.exit_code == 4
    assert json.loads(empty.stdout)["ok"] is False
