"""Rows are assigned in blocks: the output does not depend on their size."""

import numpy as np
import pandas as pd
import pytest
from command_line import document

from sgpmic_cli import GroupMap, row_blocks
from sgpmic_cli.paper.model.estimator import SGPMIC

TABLES = ("labels.csv", "embedding.csv")
RNG = np.random.RandomState(0)
TRAIN = pd.DataFrame(RNG.randn(60, 3) + 6.0 * (np.arange(60) % 2)[:, None], columns=["a", "b", "c"])
NEW = pd.DataFrame(RNG.randn(150, 3) + 6.0 * (np.arange(150) % 2)[:, None], columns=["a", "b", "c"])


@pytest.fixture(autouse=True)
def small_products(here, monkeypatch):
    # Rows that are multiplied together share rounding errors, so their blocks must be equal.
    monkeypatch.setattr(GroupMap, "_rows_at_once", 4)
    monkeypatch.setattr(SGPMIC, "_rows_at_once", 4)


def written(folder):
    return [(folder / name).read_bytes() for name in TABLES]


def write(kind, table):
    name = f"new.{kind}"
    if kind == "npy":
        np.save(name, table[["a", "b", "c"]].to_numpy())
    elif kind == "parquet":
        pytest.importorskip("pyarrow")
        table.to_parquet(name, row_group_size=40)
    else:
        table.to_csv(name, index=False)
    return name


@pytest.mark.parametrize(
    ("kind", "model"),
    [
        *((kind, GroupMap(2, max_iter=3, random_state=0)) for kind in ("csv.gz", "npy", "parquet")),
        ("csv", SGPMIC(2, n_inducing=9, max_iter=2)),
    ],
)
def test_predictions_in_blocks_are_equal_byte_for_byte(here, monkeypatch, kind, model):
    named = TRAIN.assign(name=[f"bird {i}" for i in range(60)])
    model.fit(TRAIN.to_numpy() if kind == "npy" else named).save("model.npz")
    names = [f'bird "{i}",\n of many' if i % 7 == 0 else f"{i:04d}" for i in range(150)]
    table = NEW.assign(name=names, kind=np.where(np.arange(150) % 2, "1", "1.0"))
    columns = "" if kind == "npy" else "--label kind"
    line = f"predict model.npz {write(kind, table)} {columns} --out"
    first = document(line, "one")
    monkeypatch.setattr(row_blocks, "ROWS", 16)
    second = document(line, "many")
    assert written(here / "one") == written(here / "many")
    found = pd.read_csv("many/labels.csv", dtype={"id": str})
    assert found["row"].tolist() == list(range(1, 151))
    probabilities = model.predict_proba(NEW if kind != "npy" else NEW.to_numpy())
    assert np.array_equal(found[["p0", "p1"]], probabilities.round(4))
    if columns:
        assert found["id"].tolist() == names
    assert first.pop("mean_probability") == pytest.approx(second.pop("mean_probability"))
    assert {**first, "out": ""} == {**second, "out": ""}
