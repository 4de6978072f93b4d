import json
from dataclasses import replace

import pytest

from sgpmic_cli.experiments.run.records import Record, Store
from sgpmic_cli.scores import SCORES

SCORE_VALUES = dict.fromkeys(SCORES, 50.0)
RECORD = Record("k" * 64, "iris", "pca-fcm", 2, 3, {"lam": 0.1}, 0, 7, "ok", 0.5, SCORE_VALUES)


@pytest.fixture
def store(tmp_path):
    warnings = []
    store = Store(tmp_path / "runs", warn=warnings.append)
    store.open()
    store.warnings = warnings
    return store


def test_a_record_is_plain_json_and_is_read_back(store):
    failed = replace(RECORD, key="f" * 64, status="failed", scores={}, reason="ValueError: no luck")
    for record in (RECORD, failed):
        store.write(record)
        assert store.read(record.key) == record
        content = json.loads((store.folder / f"{record.key}.json").read_text())
        assert content["settings"] == {"lam": 0.1}
    assert store.read("0" * 64) is None
    assert store.warnings == []
