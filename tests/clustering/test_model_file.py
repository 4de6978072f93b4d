"""Model files of both estimators: equal predictions, no pickle, and damaged files refused."""

import json
import os
import pickle

import numpy as np
import pandas as pd
import pytest

from sgpmic_cli import SGPMIC, GroupMap, load
from sgpmic_cli.errors import UsageError
from sgpmic_cli.model_file import RUN_PARAMETERS

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
    """Replace parts of the header and arrays of a file."""
    with np.load(path) as members:
        content = {name: members[name] for name in members.files}
    header = json.loads(str(content["header"])) | (about or {})
    content["header"] = np.array(json.dumps(header))
    content |= arrays
    np.savez(path, **content)


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
        (paper(covariance_type="full", n_components=0.9), Y),
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
    for name in learned:
        np.testing.assert_array_equal(getattr(loaded, name), getattr(model, name), name)
    own = model.get_params().items()
    kept = {name: value for name, value in own if name not in RUN_PARAMETERS}
    assert kept == {name: loaded.get_params()[name] for name in kept}


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
    for name in ("embedding_", "header", "scale_"):
        saved.write_bytes(whole)
        rewrite(saved, **{name: np.array([Bomb()], dtype=object)})
        assert_refused(saved)
    saved.write_bytes(pickle.dumps(Bomb()))
    assert_refused(saved)
    assert not (tmp_path / "boom").exists()


def test_a_truncated_file_is_refused(saved):
    whole = saved.read_bytes()
    for size in (0, 10, len(whole) // 2, len(whole) - 1):
        saved.write_bytes(whole[:size])
        assert_refused(saved)
