"""Damaged files of this program are computed again with one warning, or refused."""

import json
import os
import random

import pytest

from sgpmic_cli.errors import SgpmicError
from sgpmic_cli.experiments.run.records import Record, Store
from sgpmic_cli.experiments.studies.reference import DEFAULT_PATH
from sgpmic_cli.scores import score_all

RECORD = Record(
    key="k" * 64,
    dataset="iris",
    method="aml",
    q=2,
    n_clusters=3,
    settings={"lam": 0.1},
    repeat=0,
    seed=7,
    status="ok",
    seconds=0.5,
    scores=dict.fromkeys(score_all([0, 1], [0, 1]), 50.0),
    warnings=["slow"],
    n_iter=4,
    trace={"loss": [3.0, 2.5]},
)
DEEP = "[" * 100_000 + "]" * 100_000
NOT_JSON_OBJECTS = ["", "{}", "[]", "null", "\xff", DEEP]


@pytest.fixture
def store(tmp_path):
    warnings = []
    found = Store(tmp_path / "runs", warn=warnings.append)
    found.open()
    found.write(RECORD)
    found.path = found.folder / f"{RECORD.key}.json"
    found.warnings = warnings
    assert found.read(RECORD.key) == RECORD
    return found


def test_every_flipped_bit_of_a_record_is_noticed(store):
    whole = store.path.read_bytes()
    rng = random.Random(0)
    for _ in range(400):
        changed = bytearray(whole)
        changed[rng.randrange(len(whole))] ^= 1 << rng.randrange(8)
        store.path.write_bytes(changed)
        assert store.read(RECORD.key) in (None, RECORD)  # a space may become another


@pytest.mark.parametrize(
    "content",
    [*NOT_JSON_OBJECTS, "NaN", '{"checksum": 1}', "link to /dev/zero", "pipe"],
)
def test_damaged_record_is_computed_again_with_one_warning(store, content):
    store.path.unlink()
    if content.startswith("link to "):
        store.path.symlink_to(content.removeprefix("link to "))
    elif content == "pipe":
        os.mkfifo(store.path)
    else:
        store.path.write_bytes(content.encode("latin-1"))
    assert store.read(RECORD.key) is None
    assert store.read(RECORD.key) is None
    assert len(store.warnings) == 1
    store.write(RECORD)
    assert store.read(RECORD.key) == RECORD


def test_unreadable_record_is_one_sentence(store):
    store.path.unlink()
    store.path.symlink_to(store.path)
    with pytest.raises(SgpmicError, match="cannot read the run record"):
        store.read(RECORD.key)


def reference_with(value):
    reference = json.loads(DEFAULT_PATH.read_text())
    reference["cells"] = reference["cells"][:1]
    reference["cells"][0]["acc"][0] = "HERE"
    return json.dumps(reference).replace('"HERE"', value)


BAD_REFERENCES = map(reference_with, ["NaN", "1e999", "-1", "101", '"90"', "true", "[]"])


@pytest.mark.parametrize(
    "text", [*NOT_JSON_OBJECTS, '{"cells": 1}', '{"cells": [1]}', *BAD_REFERENCES]
)
def test_damaged_reference_fails_the_gate(folder, refused, text):
    (folder / "reference.json").write_bytes(text.encode("latin-1"))
    refused(["check", "--reference", "reference.json"], 1, "nothing was compared")


@pytest.mark.parametrize("name", ["/dev/zero", "."])
def test_unreadable_reference_fails_the_gate(refused, name):
    refused(["check", "--reference", name], 1, "reference")


SWEEP = "dataset,method,n_clusters,metric,mean,std,n\niris,aml,3,acc,{},1.0,10\n"
ONLY_THE_DEFAULT_MODEL = SWEEP.format(90).replace("aml", "sgp-mic+")
BAD_SWEEPS = [SWEEP.format(bad) for bad in ("nan", "inf", "x", "1e999", "1,-1,1")]


@pytest.mark.parametrize(
    "text", ["", "a,b\n1,2\n", *BAD_SWEEPS, ONLY_THE_DEFAULT_MODEL, "\xff\xfe", "\0,\n"]
)
def test_damaged_sweep_is_one_sentence(folder, refused, text):
    (folder / "results" / "sweep-clusters").mkdir(parents=True)
    (folder / "results" / "sweep-clusters" / "sweep.csv").write_bytes(text.encode("latin-1"))
    refused(["plot", "figure7", "--out", "figures"], 1, "sweep")


@pytest.mark.parametrize(
    "text", [*NOT_JSON_OBJECTS, '{"cells": 1}', '{"cells": [{}]}', '{"cells": [NaN]}']
)
def test_damaged_table_is_one_sentence_of_the_report(folder, refused, text):
    (folder / "results" / "table2").mkdir(parents=True)
    for name in ("benchmark.json", "manifest.json"):
        (folder / "results" / "table2" / name).write_bytes(text.encode("latin-1"))
    refused(["report"], 1, "benchmark.json")
