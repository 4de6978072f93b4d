"""Damaged files of this program are computed again with one warning, or refused."""

import json
import os
import random

import pytest

from sgpmic_cli.benchmark.run import Store
from sgpmic_cli.paper.experiments.protocols import REFERENCE
from sgpmic_cli.scores import score_all

ROW = {
    **{"key": "k" * 64, "dataset": "iris", "method": "aml", "q": 2, "n_clusters": 3},
    **{"settings": {"lam": 0.1}, "repeat": 0, "seed": 7, "status": "ok", "seconds": 0.5},
    **{"reason": "", "traceback": "", "warnings": ["slow"], "n_iter": 4},
    "scores": dict.fromkeys(score_all([0, 1], [0, 1]), 50.0),
    "trace": {"loss": [3.0, 2.5]},
}
DEEP = "[" * 100_000 + "]" * 100_000
NOT_JSON_OBJECTS = ["", "{}", "[]", "null", "\xff", DEEP]


@pytest.fixture
def store(tmp_path):
    warnings = []
    found = Store(tmp_path / "runs", warn=warnings.append)
    found.open()
    found.write(ROW)
    found.path = found.folder / f"{ROW['key']}.json"
    found.warnings = warnings
    assert found.read(ROW["key"]) == ROW
    return found


def test_every_flipped_bit_of_a_record_is_noticed(store):
    whole = store.path.read_bytes()
    rng = random.Random(0)
    for _ in range(100):
        changed = bytearray(whole)
        changed[rng.randrange(len(whole))] ^= 1 << rng.randrange(8)
        store.path.write_bytes(changed)
        assert store.read(ROW["key"]) in (None, ROW)  # a space may become another


@pytest.mark.parametrize("content", [*NOT_JSON_OBJECTS, "NaN", '{"checksum": 1}', "a pipe"])
def test_damaged_record_is_computed_again_with_one_warning(store, content):
    store.path.unlink()
    if content == "a pipe":
        os.mkfifo(store.path)
    else:
        store.path.write_bytes(content.encode("latin-1"))
    assert store.read(ROW["key"]) is None
    assert store.read(ROW["key"]) is None
    assert len(store.warnings) == 1
    if content == "a pipe":
        store.path.unlink()
    store.write(ROW)
    assert store.read(ROW["key"]) == ROW


def reference_with(value):
    reference = json.loads(REFERENCE.read_text())
    reference["cells"] = reference["cells"][:1]
    reference["cells"][0]["acc"][0] = "HERE"
    return json.dumps(reference).replace('"HERE"', value)


NOT_SCORES = ["NaN", "1e999", "-1", "101", '"90"', "true", "[]"]
REFERENCES = [*NOT_JSON_OBJECTS, '{"cells": 1}', '{"cells": [1]}', *map(reference_with, NOT_SCORES)]
SWEEP = "dataset,method,n_clusters,metric,mean,std,n\niris,aml,3,acc,{},1.0,10\n"
SWEEPS = ["", "a,b\n1,2\n", "\xff\xfe", "\0,\n"]
SWEEPS += [SWEEP.format(bad) for bad in ("nan", "inf", "x", "1e999", "1,-1,1")]
SWEEPS += [SWEEP.format(90).replace("aml", "sgp-mic+")]  # no method of the paper
TABLES = [*NOT_JSON_OBJECTS, '{"cells": 1}', '{"cells": [{}]}', '{"cells": [NaN]}']


@pytest.mark.parametrize(
    ("command", "name", "text", "words"),
    [
        *(("check --reference file", "file", text, "nothing was compared") for text in REFERENCES),
        *(("plot figure7", "results/sweep-clusters/sweep.csv", text, "sweep") for text in SWEEPS),
        *(("report", "results/table2/benchmark.json", text, "benchmark.json") for text in TABLES),
    ],
)
def test_damaged_file_is_one_sentence(folder, refused, command, name, text, words):
    (folder / name).parent.mkdir(parents=True, exist_ok=True)
    (folder / name).write_bytes(text.encode("latin-1"))
    refused(command.split(), 1, words)


def test_unreadable_reference_fails_the_gate(refused):
    for name in ("/dev/zero", "."):
        refused(["check", "--reference", name], 1, "reference")
