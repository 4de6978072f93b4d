import json

import pytest
from command_line import document, sgpmic

from sgpmic_cli.data import Entry, entry, names


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


@pytest.mark.usefixtures("publishers_files")
def test_a_set_in_the_mirror_folder_is_present():
    (yale,) = document("datasets fetch yale")["datasets"]
    assert yale["state"] == "present"
    assert yale["path"].endswith("Yale_32x32.mat")


@pytest.mark.filterwarnings("ignore:Retry downloading")
def test_a_failed_download_is_one_sentence_beside_the_document(monkeypatch):
    monkeypatch.setattr("time.sleep", lambda _: None)
    monkeypatch.setattr(Entry, "urls", property(lambda _: ("file://localhost/nowhere",)))
    failed = sgpmic("datasets fetch yale iris --json", code=4)
    states = [each["state"] for each in json.loads(failed.stdout)["datasets"]]
    assert states == ["absent", "bundled"]
    assert "yale is unavailable: no download from file://localhost/nowhere" in failed.stderr
