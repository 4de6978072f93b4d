"""Files of this program that have come to harm: computed again with one warning, or refused in one sentence."""

import json
import os
import random
from dataclasses import replace

import pytest

from sgpmic_cli.errors import SgpmicError
from sgpmic_cli.experiments.run.records import SCORES, Record, Store, _checksum
from sgpmic_cli.experiments.studies.reference import default_path, read_reference
from sgpmic_cli.figures.sweep_curves import read_sweep
from sgpmic_cli.files.array_cache import kept

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
    scores=dict.fromkeys(SCORES, 50.0),
    warnings=["slow"],
    n_iter=4,
    trace={"loss": [3.0, 2.5]},
)
DEEP = "[" * 100_000 + "]" * 100_000


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


def _is_computed_again(store):
    assert store.read(RECORD.key) is None
    assert store.read(RECORD.key) is None
    assert len(store.warnings) == 1  # once, however many there are
    store.write(RECORD)
    assert store.read(RECORD.key) == RECORD


def test_no_flipped_bit_goes_unnoticed(store):
    whole = store.path.read_bytes()
    rng = random.Random(0)
    for _ in range(400):
        place, bit = rng.randrange(len(whole)), rng.randrange(8)
        changed = bytearray(whole)
        changed[place] ^= 1 << bit
        store.path.write_bytes(changed)
        found = store.read(RECORD.key)
        assert found is None or found == RECORD  # a space may become another


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{}",
        "[]",
        "null",
        "NaN",
        "1e999",
        '"text"',
        DEEP,
        '{"a":' * 50_000,
        "\0",
        "\xff",
        "{" * 10,
        '{"checksum": 1}',
    ],
)
def test_something_else_in_its_place(store, text):
    store.path.write_bytes(text.encode("latin-1"))
    _is_computed_again(store)


@pytest.mark.parametrize(
    ("field", "value"),
    [
        *(
            ("scores", {**RECORD.scores, "acc": bad})
            for bad in (None, "50", True, [50], -101, 1e6, {})
        ),
        *(
            ("scores", bad)
            for bad in (None, {}, [], 5, {"acc": 50.0}, {**RECORD.scores, "more": 1.0})
        ),
        *(("seconds", bad) for bad in (None, -1.0, "fast", True, [])),
        *(
            (name, bad)
            for name in ("q", "n_clusters", "repeat", "seed")
            for bad in (None, -1, 1.5, "2", True)
        ),
        *(
            ("trace", bad)
            for bad in (None, [], {"loss": None}, {"loss": ["x"]}, {"loss": 1.0}, {"loss": [None]})
        ),
        *(("warnings", bad) for bad in (None, "slow", [1], {"a": "b"})),
        *(("n_iter", bad) for bad in (-1, 1.5, "4", True)),
        *((name, bad) for name in ("dataset", "method", "reason") for bad in (None, 1, ["iris"])),
        *(("status", bad) for bad in (None, "", "fine", 1)),
        ("settings", None),
        ("settings", []),
        ("key", "j" * 64),
        ("more", 1),
    ],
)
def test_a_field_of_the_wrong_kind_even_with_a_checksum_that_fits(store, field, value):
    content = json.loads(store.path.read_text())
    content.pop("checksum")
    content[field] = value
    store.path.write_text(json.dumps({**content, "checksum": _checksum(content)}))
    _is_computed_again(store)


@pytest.mark.parametrize("target", ["/dev/zero", "/dev/null", "/dev/full"])
def test_a_link_to_a_device(store, target):
    store.path.unlink()
    store.path.symlink_to(target)
    _is_computed_again(store)


def test_a_pipe_does_not_keep_it_waiting(store):
    store.path.unlink()
    os.mkfifo(store.path)
    _is_computed_again(store)


def test_a_link_to_itself_is_one_sentence(store):
    store.path.unlink()
    store.path.symlink_to(store.path)
    with pytest.raises(SgpmicError, match="cannot read the run record"):
        store.read(RECORD.key)


def test_a_failed_record_needs_no_scores(store):
    failed = replace(RECORD, status="failed", scores={}, reason="no luck", trace={})
    store.write(failed)
    assert store.read(RECORD.key) == failed


@pytest.mark.parametrize("content", [b"", b"\0" * 99, b"PK\x03\x04", b"\x93NUMPY", b"text", None])
def test_a_damaged_array_cache_is_computed_again(tmp_path, content):
    path = tmp_path / "x.npz"
    if content is None:
        path.symlink_to("/dev/zero")
    else:
        path.write_bytes(content)
    assert kept(path, lambda: {"a": [1]})["a"] == [1]


@pytest.fixture
def reference(folder):
    content = json.loads(default_path().read_text())
    content["cells"] = [
        cell
        for cell in content["cells"]
        if (cell["dataset"], cell["method"]) == ("iris", "pca-fcm")
    ]
    assert read_reference(default_path()).cells
    return content


@pytest.mark.parametrize(
    "value", ["NaN", "Infinity", "-Infinity", "1e999", "-1", "101", '"90"', "true", "[]", "{}"]
)
@pytest.mark.parametrize("metric", ["acc", "nmi"])
def test_a_number_that_is_none_fails_the_gate(folder, reference, refused, metric, value):
    reference["cells"][0][metric][0] = "HERE"
    (folder / "reference.json").write_text(json.dumps(reference).replace('"HERE"', value))
    refused(["check", "--reference", "reference.json"], 1, "nothing was compared")


@pytest.mark.parametrize(
    "text", ["", "{}", "[]", "null", DEEP, '{"cells": 1}', '{"cells": [1]}', "\xff"]
)
def test_what_is_no_reference_fails_the_gate(folder, refused, text):
    (folder / "reference.json").write_bytes(text.encode("latin-1"))
    refused(["check", "--reference", "reference.json"], 1, "nothing was compared")


@pytest.mark.parametrize("name", ["/dev/zero", "/dev/null", ".", "absent.json"])
def test_a_reference_that_cannot_be_read_fails_the_gate(refused, name):
    refused(["check", "--reference", name], 1, "reference")


SWEEP = "dataset,method,n_clusters,metric,mean,std,n\niris,aml,3,acc,{},1.0,10\n"


@pytest.mark.parametrize(
    "text",
    [
        "",
        "a,b\n1,2\n",
        *(SWEEP.format(bad) for bad in ("nan", "inf", "x", "1e999", "1,-1,1")),
        "\xff\xfe",
        "\0,\n",
    ],
)
def test_a_damaged_sweep_is_one_sentence(folder, refused, text):
    (folder / "results" / "sweep-clusters").mkdir(parents=True)
    (folder / "results" / "sweep-clusters" / "sweep.csv").write_bytes(text.encode("latin-1"))
    refused(["plot", "figure7", "--out", "figures"], 1, "sweep")


def test_a_sweep_that_is_whole_is_read(tmp_path):
    (tmp_path / "sweep.csv").write_text(SWEEP.format("90.0"))
    assert len(read_sweep(tmp_path, "n_clusters", "sweep-clusters")) == 1


@pytest.mark.parametrize(
    "text",
    ["", "{}", "[]", "null", DEEP, '{"cells": 1}', '{"cells": [{}]}', "\xff", '{"cells": [NaN]}'],
)
def test_a_damaged_table_is_one_sentence_of_the_report(folder, refused, text):
    (folder / "results" / "table2").mkdir(parents=True)
    for name in ("benchmark.json", "manifest.json"):
        (folder / "results" / "table2" / name).write_bytes(text.encode("latin-1"))
    refused(["report"], 1, "benchmark.json")


@pytest.mark.parametrize("text", ["", DEEP, '{"data": 5}'])
@pytest.mark.slow
def test_a_damaged_manifest_of_an_old_fit_does_not_matter(folder, text):
    from typer.testing import CliRunner

    from sgpmic_cli.commands import app

    (folder / "out").mkdir()
    (folder / "out" / "manifest.json").write_bytes(text.encode("latin-1"))
    quick = ["--clusters", "3", "--iterations", "1", "--inducing", "5", "--out", "out", "--quiet"]
    result = CliRunner().invoke(app, ["fit", "iris", *quick])
    assert (result.exit_code, result.stderr) == (0, "")
