import hashlib
import json
import re
from dataclasses import replace

import numpy as np
import pytest
from command_line import document, sgpmic
from scipy.io import savemat

from sgpmic_cli.data import Entry, entry, names
from sgpmic_cli.data.registry import _entries


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


def test_a_local_file_is_imported_and_its_cells_show_our_numbers(here, monkeypatch):
    faces = np.random.RandomState(0).normal(size=(30, 8))
    savemat("my faces.mat", {"fea": faces, "gnd": np.arange(30)[:, None] % 15})
    fetch = "datasets fetch yale --from 'my faces.mat'"
    assert "not the publisher's Yale_32x32.mat: its SHA-256" in sgpmic(fetch, code=2).stderr
    sha256 = hashlib.sha256((here / "my faces.mat").read_bytes()).hexdigest()
    monkeypatch.setitem(_entries(), "yale", replace(entry("yale"), sha256=sha256))
    assert "present" in sgpmic(fetch).stdout
    (here / "my faces.mat").unlink()
    cells = "benchmark --dataset yale --variance 50 --methods pca-fcm --repeats 2 --n-jobs 1"
    row = next(line for line in sgpmic(cells).stdout.splitlines() if "yale" in line)
    ours, paper = re.findall(r"(\d+\.\d\d)±", row)
    assert (paper, float(ours) > 0) == ("53.09", True)
    assert "data differ" in row


@pytest.mark.filterwarnings("ignore:Retry downloading")
def test_a_failed_download_is_one_sentence_beside_the_document(monkeypatch):
    monkeypatch.setattr("time.sleep", lambda _: None)
    monkeypatch.setattr(Entry, "urls", property(lambda _: ("file://localhost/nowhere",)))
    failed = sgpmic("datasets fetch yale iris --json", code=4)
    states = [each["state"] for each in json.loads(failed.stdout)["datasets"]]
    assert states == ["absent", "bundled"]
    assert "yale is unavailable: no download from file://localhost/nowhere" in failed.stderr
