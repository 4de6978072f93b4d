import os

import numpy as np
import pandas as pd
import pytest
from command_line import assert_one_sentence, document, sgpmic

from sgpmic_cli.files import MARKER
from sgpmic_cli.paper.model.estimator import SGPMIC
from sgpmic_cli.scores import purity


@pytest.fixture(scope="module")
def fitted():
    rng = np.random.RandomState(0)
    values = rng.randn(40, 3) + 5.0 * (np.arange(40) % 2)[:, None]
    frame = pd.DataFrame(values, columns=["a", "b", "c"])
    return SGPMIC(2, 2, n_inducing=10, max_iter=3, random_state=0).fit(frame), frame


@pytest.fixture(autouse=True)
def files(fitted, here):
    """A model, its training rows and new rows in the working directory."""
    model, frame = fitted
    model.save("model.npz")
    frame.to_csv("train.csv", index=False)
    kinds = np.where(np.arange(40) % 2, "odd", "even")
    (frame + 0.1).assign(kind=kinds).to_csv("new.csv", index=False)


def labels_in(folder):
    return pd.read_csv(f"{folder}/labels.csv")["cluster"]


def test_new_rows_get_labels_probabilities_and_points(fitted, here):
    model, frame = fitted
    told = document("predict model.npz new.csv --label kind")
    folder = here / "sgpmic-out" / "predict" / "new"
    assert set(os.listdir(folder)) == {MARKER, "labels.csv", "embedding.csv"}
    new = frame + 0.1
    labels = pd.read_csv(folder / "labels.csv", dtype=str).astype(float)
    assert np.array_equal(labels[["p0", "p1"]], model.predict_proba(new).round(4))
    assert np.array_equal(labels["cluster"], model.predict(new))
    embedding = pd.read_csv(folder / "embedding.csv", dtype=str).astype(float)
    assert np.array_equal(embedding[["x1", "x2"]], model.transform(new))
    assert told["scores"]["acc"] == purity(np.arange(40) % 2, model.predict(new)) == 100.0
    assert told["sizes"] == [20, 20]


def test_the_folder_of_a_fit_is_accepted_as_a_model(here):
    (here / "fit").mkdir()
    (here / "model.npz").rename(here / "fit" / "model.npz")
    result = sgpmic("predict fit train.csv")
    assert "2 of sizes 20, 20" in result.stdout
    assert "ACC" not in result.stdout
    assert "sgpmic-out/predict/train" in result.stderr


def test_a_prediction_is_replaced_only_with_force(fitted, here):
    for name, rows in (("a", 40), ("b", 10)):
        (here / name).mkdir()
        fitted[1].head(rows).to_csv(f"{name}/new.csv", index=False)
    sgpmic("predict model.npz a/new.csv")
    refusal = "'sgpmic-out/predict/new' already contains the results of `sgpmic predict`"
    assert_one_sentence(sgpmic("predict model.npz b/new.csv", code=2), refusal)
    assert len(labels_in("sgpmic-out/predict/new")) == 40
    sgpmic("predict model.npz b/new.csv --force")
    assert len(labels_in("sgpmic-out/predict/new")) == 10
    assert_one_sentence(sgpmic("predict model.npz new.csv --out .", code=2), "did not write")
