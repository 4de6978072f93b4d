"""Model files of both estimators: equal predictions, no pickle, and damaged files refused."""

import json
import os
import pickle
import zipfile
from dataclasses import asdict

import numpy as np
import pandas as pd
import pytest

from sgpmic_cli import SGPMIC, GroupMap, load
from sgpmic_cli.errors import UsageError
from sgpmic_cli.tables.recipe import TableRecipe

Y = np.random.RandomState(0).randn(40, 3) + 4.0 * (np.arange(40) % 2)[:, None]
GAPS = np.where(np.random.RandomState(1).rand(40, 3) < 0.1, np.nan, Y)
EMPTY_ROW = np.where(np.arange(40)[:, None] == 3, np.nan, Y)
FRAME = pd.DataFrame(Y, columns=["a", "b", "c"])


def default(**parameters):
    usual = {"n_clusters": 2, "max_iter": 3, "n_resamples": 0, "random_state": 0}
    return GroupMap(**{**usual, **parameters})


def paper(**parameters):
    own = {"n_clusters": 2, "n_inducing": 10, "max_iter": 3, "random_state": 0}
    return SGPMIC(**{**own, **parameters})


@pytest.fixture(scope="module", params=[default, paper])
def fitted(request):
    return request.param().fit(FRAME)


@pytest.fixture
def saved(fitted, tmp_path):
    path = tmp_path / "model.npz"
    fitted.save(path)
    return path


def rewrite(path, about=None, **arrays):
    """Replace parts of the header, and replace or remove arrays of a file."""
    with np.load(path) as members:
        content = {name: members[name] for name in members.files}
    header = json.loads(content["header"].tobytes()) | (about or {})
    content["header"] = np.frombuffer(json.dumps(header).encode(), dtype=np.uint8)
    content |= arrays
    np.savez(path, **{name: array for name, array in content.items() if array is not None})


def assert_refused(path):
    with pytest.raises(UsageError) as refused:
        load(path)
    assert str(path) in str(refused.value)
    assert "\n" not in str(refused.value)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    ("model", "X"),
    [
        (default(), Y),
        (default(n_clusters=(2, 3), n_components=1), Y),
        (default(max_rows=30, n_resamples=2), Y),
        (default(init=np.arange(40) % 2), Y),
        (default(), GAPS),
        (default(), EMPTY_ROW),
        (default(), np.insert(Y, 1, 5.0, axis=1)),  # a constant column
        (default(n_clusters=1), Y),
        (default(), np.random.RandomState(1).randn(12, 30)),
        (paper(), Y),
        (paper(kernel="linear"), Y),
        (paper(ard=True, covariance_type="full", n_components=0.9), Y),
        (paper(covariance_type="full", prior_by_gradient=True, white_everywhere=True), Y),
    ],
)
def test_a_loaded_model_is_the_same_model(tmp_path, model, X):
    model.fit(X).save(tmp_path / "m.npz")
    loaded = load(tmp_path / "m.npz")
    assert type(loaded) is type(model)
    for method in ("predict", "predict_proba", "transform", "score_samples"):
        new = X + 0.1
        np.testing.assert_array_equal(getattr(loaded, method)(new), getattr(model, method)(new))
    learned = {name for name in vars(model) if name.endswith("_")} - {"log_density_"}
    assert learned == {name for name in vars(loaded) if name.endswith("_")}
    for name in learned - {"kernel_params_"}:
        np.testing.assert_array_equal(getattr(loaded, name), getattr(model, name), name)
    for ours, theirs in zip(loaded.kernel_params_, model.kernel_params_, strict=True):
        assert all(np.array_equal(ours[name], theirs[name]) for name in theirs)
    run = (*model._run_parameters, "init")
    kept = {name: value for name, value in model.get_params().items() if name not in run}
    assert kept == {name: loaded.get_params()[name] for name in kept}


def test_the_other_estimator_does_not_load_a_file(fitted, saved):
    other = GroupMap if type(fitted) is SGPMIC else SGPMIC
    with pytest.raises(UsageError, match=r"holds a model of kind '.*': use sgpmic\.load"):
        other.load(saved)
    assert type(type(fitted).load(saved)) is type(fitted)


@pytest.mark.parametrize("version", [2, 99])
def test_a_file_of_another_version_names_the_version_that_reads_it(saved, version):
    rewrite(saved, {"version": version, "written_by": "0.2.0"})
    with pytest.raises(UsageError, match=r"install sgpmic 0\.2\.0, which can read it, or fit"):
        load(saved)


def test_column_names_and_recipe_are_stored_and_a_new_fit_drops_the_recipe(fitted, saved):
    model = load(saved)
    assert list(model.feature_names_in_) == ["a", "b", "c"]
    assert model.encoder_.recipe_ == fitted.encoder_.recipe_
    np.testing.assert_array_equal(model.predict(FRAME[["a", "c", "b"]]), fitted.labels_)
    again = model.set_params(max_iter=1).fit(Y)
    assert again.encoder_ is None
    assert not hasattr(again, "feature_names_in_")


def test_files_that_cannot_be_read_are_named(tmp_path):
    with pytest.raises(ValueError, match="not fitted"):
        GroupMap().save(tmp_path / "m.npz")
    assert not (tmp_path / "m.npz").exists()
    with pytest.raises(UsageError, match="There is no model file"):
        load(tmp_path / "none.npz")


def test_pickled_code_is_never_run(saved, tmp_path):
    class Bomb:
        def __reduce__(self):
            return os.mkdir, (str(tmp_path / "boom"),)

    whole = saved.read_bytes()
    for name in ("rows", "header", "scale_"):
        saved.write_bytes(whole)
        rewrite(saved, **{name: np.array([Bomb()], dtype=object)})
        assert_refused(saved)
    saved.write_bytes(pickle.dumps(Bomb()))
    assert_refused(saved)
    assert not (tmp_path / "boom").exists()


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
            loaded = load(saved)
        except UsageError:
            refused += 1
        else:  # the flip changed a date or the like
            np.testing.assert_array_equal(loaded.responsibilities_, fitted.responsibilities_)
    assert refused > 40


OTHER_RECIPE = asdict(TableRecipe.of_numbers(["a", "b"]))
HEADERS = {
    "format": ["other"],
    "version": ["one", 0, 1.5],
    "kind": ["other", []],
    "parameters": [[], {"no_such": 1}, {"n_clusters": -2}, {"n_clusters": 2, "callback": "print"}],
    "fitted": [[], {}],
    "feature_names": ["abc", ["a"]],
    "recipe": [{}, OTHER_RECIPE],
    "left_out": [["x"], [999], [-5], [0.5], [3, 3]],
    "unusual_below": ["x", float("inf")],
}


@pytest.mark.parametrize(
    ("part", "value"), [(part, value) for part, values in HEADERS.items() for value in values]
)
def test_an_invalid_header_is_refused_in_one_sentence(saved, part, value):
    rewrite(saved, {part: value})
    assert_refused(saved)


ONES = np.ones((40, 2))
BOTH = {
    "rows": [None, np.full((40, 3), 1e200), Y[:39], np.full((40, 3), np.nan), Y.astype(complex)],
    "responsibilities_": [7.0 * ONES],
    "embedding_": [np.zeros(40)],
    "scale_": [np.zeros(3)],
    "offset_": [np.zeros(2), np.float64(0.0)],
    "lower_bounds_": [np.zeros((2, 2))],
    "header": [np.frombuffer(text, dtype=np.uint8) for text in (b"[" * 100_000, b"\xff\xfe")],
}
DEFAULT = {
    "mu": [np.zeros((39, 2)), np.zeros(40)],
    "log_s": [1e4 * ONES],
    "log_g": [np.full(2, np.nan)],
    "covariances": [-np.tile(np.eye(2), (2, 1, 1))],
    "labels": [np.full(40, 2.0), np.full(40, 0.5)],
    "temperature": [np.zeros(1)],
    "coefficients": [np.zeros((1, 2, 2))],
    "refit_weights": [-np.ones((6, 2)), 0.7 * ONES],
    "missing_covariance": [-np.eye(3)],
    "embedding_variances_": [0.0 * ONES],
    "consensus_": [0.7 * ONES],
}
PAPER = {
    "weights_": [np.array([1e5, 1e5]), np.array([2.0, -1.0]), np.float64(1.0)],
    "covariances_": [np.tile([[1.0, 1e6], [0.0, 1.0]], (2, 1, 1)), np.zeros((2, 2, 2))],
    "theta": [np.zeros((2, 9))],
}


def test_invalid_arrays_are_refused_in_one_sentence(fitted, saved):
    whole = saved.read_bytes()
    own = PAPER if type(fitted) is SGPMIC else DEFAULT
    for name, values in (BOTH | own).items():
        for value in values:
            saved.write_bytes(whole)
            rewrite(saved, **{name: value})
            assert_refused(saved)


RESULTS = {
    "converged_": ["yes", None],
    "base_clusterings_": [None, "one", [1]],
    "selection_": [3, [], [{}], {"n_clusters": 0}, {"score": "high"}, {"plausible": 1}],
    "verdicts_": [[], {"verdict": "good"}, {"depth": "deep"}, {"neighbour": 9}],
    "group_depths_": [[None], ["x"]],
    "stability_": [[0.5], [None, None], 1.0],
}


def test_invalid_results_are_refused_in_one_sentence(tmp_path):
    path = tmp_path / "m.npz"
    default(n_clusters=(2, 3), n_resamples=2).fit(Y).save(path)
    with np.load(path) as members:
        fitted = json.loads(members["header"].tobytes())["fitted"]
    for name, values in RESULTS.items():
        for value in values:
            change = value
            if isinstance(value, dict):  # of the first row of a table
                change = [{**fitted[name][0], **value}, *fitted[name][1:]]
            rewrite(path, {"fitted": {**fitted, name: change}})
            assert_refused(path)
    rewrite(path, {"fitted": fitted})
    load(path)


def test_an_archive_that_decompresses_to_gigabytes_is_refused(saved):
    with zipfile.ZipFile(saved, "a", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        archive.writestr("more.npy", bytes(80 * 1024**2))
    with pytest.raises(UsageError, match="decompresses to more than a model can hold"):
        load(saved)
