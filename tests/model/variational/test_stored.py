"""The default model on disk; what all model files have in common is tested in test_storage."""

import json

import numpy as np
import pandas as pd
import pytest

from sgpmic_cli import SGPMIC
from sgpmic_cli.data.intake.recipe import TableRecipe
from sgpmic_cli.errors import UsageError
from sgpmic_cli.model.paper.estimator import PaperSGPMIC

Y = np.random.RandomState(0).randn(40, 3) + 4.0 * (np.arange(40) % 2)[:, None]
FRAME = pd.DataFrame(Y, columns=["a", "b", "c"])


@pytest.fixture(scope="module")
def fitted():
    return SGPMIC(2, max_iter=5, random_state=0).fit(FRAME)


@pytest.fixture
def saved(fitted, tmp_path):
    path = tmp_path / "model.npz"
    fitted.save(path)
    return path


def rewrite(path, about=None, **arrays):
    with np.load(path) as members:
        content = {**{name: members[name] for name in members.files}, **arrays}
    header = {**json.loads(content["header"].tobytes()), **(about or {})}
    content["header"] = np.frombuffer(json.dumps(header).encode(), dtype=np.uint8)
    np.savez(path, **{name: array for name, array in content.items() if array is not None})


@pytest.mark.filterwarnings("ignore:40 rows are more than max_rows")
@pytest.mark.parametrize(
    ("X", "settings"),
    [
        (Y, {"n_clusters": 2}),
        (Y, {"n_clusters": (2, 3), "n_components": 1}),
        (Y, {"n_clusters": 2, "max_rows": 30}),
        (Y, {"n_clusters": 2, "init": np.arange(40) % 2}),
        (np.random.RandomState(1).randn(12, 30), {"n_clusters": 2}),
    ],
)
def test_a_loaded_model_is_the_same_model(tmp_path, X, settings):
    model = SGPMIC(max_iter=5, random_state=0, **settings).fit(X)
    model.save(tmp_path / "m.npz")
    loaded = SGPMIC.load(tmp_path / "m.npz")
    for method in ("predict", "predict_proba", "transform", "score_samples"):
        assert np.array_equal(getattr(loaded, method)(X + 0.1), getattr(model, method)(X + 0.1)), (
            method
        )
    assert np.array_equal(
        loaded.inverse_transform(model.embedding_), model.inverse_transform(model.embedding_)
    )
    assert np.array_equal(loaded.predict(X), model.labels_)
    learned = {name for name in vars(model) if name.endswith("_") and name != "kernel_params_"}
    assert learned == {
        name for name in vars(loaded) if name.endswith("_") and name != "kernel_params_"
    }
    for name in learned:
        assert np.array_equal(getattr(loaded, name), getattr(model, name)), name
    assert loaded.get_params()["n_clusters"] == settings["n_clusters"]


def test_one_way_to_load_gives_back_either_estimator(fitted, saved, tmp_path):
    PaperSGPMIC(2, n_inducing=10, max_iter=2, random_state=0).fit(Y).save(tmp_path / "paper.npz")
    assert type(SGPMIC.load(tmp_path / "paper.npz")) is PaperSGPMIC
    assert type(SGPMIC.load(saved)) is SGPMIC
    with pytest.raises(UsageError, match=r"where 'paper' is read: use SGPMIC\.load"):
        PaperSGPMIC.load(saved)


def test_a_new_fit_forgets_the_table_of_the_old_one(tmp_path):
    model = SGPMIC(2, max_iter=2, random_state=0).fit(FRAME)
    model.recipe_ = TableRecipe.of_numbers(Y, ["a", "b", "c"])
    model.save(tmp_path / "m.npz")
    assert SGPMIC.load(tmp_path / "m.npz").recipe_ == model.recipe_
    assert not hasattr(model.fit(FRAME), "recipe_")


def test_a_truncated_or_flipped_file_is_refused_or_harmless(saved, fitted):
    whole, rng, refused = saved.read_bytes(), np.random.RandomState(0), 0
    for trial in range(60):
        damaged = bytearray(whole)
        if trial < 20:
            damaged = damaged[: rng.randint(len(whole))]
        else:
            damaged[rng.randint(len(whole))] ^= 1 << rng.randint(8)
        saved.write_bytes(damaged)
        try:
            loaded = SGPMIC.load(saved)
        except UsageError:
            refused += 1
        else:
            assert np.array_equal(loaded.responsibilities_, fitted.responsibilities_)
    assert refused > 40


@pytest.mark.parametrize(
    ("header", "arrays"),
    [
        ({"kind": "other"}, {}),
        ({"kind": []}, {}),
        ({"kind": "paper"}, {}),
        ({"parameters": {"callback": "print"}}, {}),
        ({"parameters": {"n_clusters": [3, 2]}}, {}),
        ({"fitted": {}}, {}),
        ({"details": {}}, {}),
        ({"details": {"start_": ["one"], "selection_": 3}}, {}),
        ({"details": {"start_": "one", "selection_": None}}, {}),
        ({"recipe": TableRecipe.of_numbers(Y[:, :2], ["a", "b"]).to_json()}, {}),
        ({}, {"rows": None}),
        ({}, {"rows": np.full((40, 3), 1e200)}),
        ({}, {"mu": np.zeros((39, 2))}),
        ({}, {"mu": np.zeros(40)}),
        ({}, {"log_s": np.full((40, 2), 1e4)}),
        ({}, {"log_g": np.full((2, 2), np.nan)}),
        ({}, {"S": np.full((40, 2), 0.7)}),
        ({}, {"weights": np.array([0.0, 1.0])}),
        ({}, {"variances": -np.ones((2, 2))}),
        ({}, {"scale_": np.zeros(3)}),
        ({}, {"held": np.full((40, 2), -np.inf)}),
        ({}, {"lower_bounds_": np.zeros(0)}),
    ],
)
def test_a_file_that_is_no_model_is_refused_in_one_sentence(saved, header, arrays):
    rewrite(saved, header, **arrays)
    with pytest.raises(UsageError) as refused:
        SGPMIC.load(saved)
    assert str(saved) in str(refused.value)
    assert "\n" not in str(refused.value)
