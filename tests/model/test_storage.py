"""Model files of both estimators: equal predictions, no pickle, and damaged files refused."""

import io
import json
import os
import pickle
import zipfile
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from sgpmic_cli import SGPMIC, PaperSGPMIC
from sgpmic_cli.data.intake.recipe import TableRecipe
from sgpmic_cli.errors import UsageError
from sgpmic_cli.model.model_file import load

Y = np.random.RandomState(0).randn(40, 3) + 4.0 * (np.arange(40) % 2)[:, None]
GAPS = np.where(np.random.RandomState(1).rand(40, 3) < 0.1, np.nan, Y)
FRAME = pd.DataFrame(Y, columns=["a", "b", "c"])
RECIPE = TableRecipe.of_numbers(Y, ["a", "b", "c"])


def default(**parameters):
    return SGPMIC(**{"n_clusters": 2, "max_iter": 3, "random_state": 0, **parameters})


def paper(**parameters):
    own = {"n_clusters": 2, "n_inducing": 10, "max_iter": 3, "random_state": 0}
    return PaperSGPMIC(**{**own, **parameters})


@pytest.fixture(scope="module", params=[default, paper])
def fitted(request):
    return request.param().fit(FRAME)


@pytest.fixture
def saved(fitted, tmp_path):
    path = tmp_path / "model.npz"
    fitted.save(path)
    return path


def rewrite(path, about=None, without=(), **arrays):
    """Replace or remove parts of the header and arrays of a file."""
    with np.load(path) as members:
        content = {name: members[name] for name in members.files}
    header = json.loads(content["header"].tobytes()) | (about or {})
    header = {name: value for name, value in header.items() if name not in without}
    content["header"] = np.frombuffer(json.dumps(header).encode(), dtype=np.uint8)
    content |= arrays
    np.savez(path, **{name: array for name, array in content.items() if array is not None})


def assert_refused(path):
    with pytest.raises(UsageError) as refused:
        load(path)
    assert str(path) in str(refused.value)
    assert "\n" not in str(refused.value)


@pytest.mark.filterwarnings("ignore:40 rows are more than max_rows", "ignore:cluster")
@pytest.mark.parametrize(
    ("model", "X"),
    [
        (default(), Y),
        (default(n_clusters=(2, 3), n_components=1), Y),
        (default(max_rows=30, n_resamples=2), Y),
        (default(init=np.arange(40) % 2), Y),
        (default(), GAPS),
        (default(n_clusters=1), Y),
        (default(), np.random.RandomState(1).randn(12, 30)),
        (paper(), Y),
        (paper(kernel="linear"), Y),
        (paper(ard=True, covariance_type="full", n_components=0.9), Y),
    ],
)
def test_a_loaded_model_is_the_same_model(tmp_path, model, X):
    model.fit(X).save(tmp_path / "m.npz")
    loaded = load(tmp_path / "m.npz")
    assert type(loaded) is type(model)
    for method in ("predict", "predict_proba", "transform", "score_samples"):
        new = X + 0.1
        np.testing.assert_array_equal(getattr(loaded, method)(new), getattr(model, method)(new))
    learned = {name for name in vars(model) if name.endswith("_")}
    assert learned == {name for name in vars(loaded) if name.endswith("_")}
    for name in learned - {"kernel_params_"}:
        np.testing.assert_array_equal(getattr(loaded, name), getattr(model, name), name)
    for ours, theirs in zip(loaded.kernel_params_, model.kernel_params_, strict=True):
        assert all(np.array_equal(ours[name], theirs[name]) for name in theirs)
    run = (*model._run_parameters, "init")
    kept = {name: value for name, value in model.get_params().items() if name not in run}
    assert kept == {name: loaded.get_params()[name] for name in kept}


def test_the_other_estimator_does_not_load_a_file(fitted, saved):
    other = SGPMIC if type(fitted) is PaperSGPMIC else PaperSGPMIC
    with pytest.raises(UsageError, match=r"holds a model of kind '.*' and .* use sgpmic\.load"):
        other.load(saved)
    assert type(type(fitted).load(saved)) is type(fitted)


def test_the_default_model_of_an_older_version_is_refused(saved):
    rewrite(saved, {"kind": "latent-distribution"})
    with pytest.raises(
        UsageError, match=r"holds the default model of sgpmic 0\.2, .*: fit the table again, or "
    ):
        load(saved)


def test_a_paper_model_of_the_first_format_still_loads(tmp_path):
    model = paper().fit(Y)
    model.save(tmp_path / "m.npz")
    rewrite(tmp_path / "m.npz", {"version": 1}, without=["recipe", "kind", "details"])
    np.testing.assert_array_equal(load(tmp_path / "m.npz").predict(Y), model.predict(Y))


def test_column_names_and_recipe_are_stored_and_a_new_fit_drops_the_recipe(saved, tmp_path):
    model = load(saved)
    assert list(model.feature_names_in_) == ["a", "b", "c"]
    with pytest.raises(ValueError, match="feature names"):
        model.predict(FRAME[["a", "c", "b"]])
    assert not hasattr(model, "recipe_")
    model.recipe_ = replace(RECIPE, label="kind", left_out={"d": "it is empty"})
    model.save(tmp_path / "with.npz")
    assert load(tmp_path / "with.npz").recipe_ == model.recipe_
    assert not hasattr(model.set_params(max_iter=1).fit(FRAME), "recipe_")


def test_a_failed_save_leaves_the_old_file(fitted, saved, monkeypatch):
    before = saved.read_bytes()

    def fail(*arguments):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", fail)
    with pytest.raises(OSError, match="No space"):
        fitted.save(saved)
    assert saved.read_bytes() == before
    assert [path.name for path in saved.parent.iterdir()] == ["model.npz"]


def test_files_that_cannot_be_read_are_named(saved, tmp_path):
    with pytest.raises(ValueError, match="not fitted"):
        SGPMIC().save(tmp_path / "m.npz")
    assert not (tmp_path / "m.npz").exists()
    with pytest.raises(UsageError, match="There is no model file"):
        load(tmp_path / "none.npz")
    rewrite(saved, {"version": 99, "written_by": "9.9"})
    with pytest.raises(UsageError, match=r"sgpmic 9\.9 in model format 99; .* install a newer"):
        load(saved)


def test_pickled_code_is_never_run(saved, tmp_path):
    class Bomb:
        def __reduce__(self):
            return os.mkdir, (str(tmp_path / "boom"),)

    whole = saved.read_bytes()
    for name in ("rows", "header", "scale_"):
        saved.write_bytes(whole)
        with np.load(saved) as members:
            content = {member: members[member] for member in members.files}
        np.savez(saved, **{**content, name: np.array([Bomb()], dtype=object)})
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


COUNTS = {"n_iter_": 1, "converged_": True, "no_clusters_": False, "jitter_": 0.0}


@pytest.mark.parametrize(
    "header",
    [
        {"format": "other"},
        {"version": "one"},
        {"version": 0},
        {"version": 1.5},
        {"kind": "other"},
        {"kind": []},
        {"parameters": {"n_clusters": 2, "callback": "print"}},
        {"parameters": {"no_such": 1}},
        {"parameters": {"n_clusters": -2}},
        {"parameters": []},
        {"fitted": {}},
        {"fitted": {**COUNTS, "n_features_in_": 10**12}},
        {"fitted": {**COUNTS, "n_features_in_": "3"}},
        {"fitted": {**COUNTS, "n_features_in_": 3, "n_iter_": float("nan")}},
        {"feature_names": "abc"},
        {"feature_names": ["a"]},
        {"recipe": {}},
        {"recipe": TableRecipe.of_numbers(Y[:, :2], ["a", "b"]).to_json()},
    ],
)
def test_an_invalid_header_is_refused_in_one_sentence(saved, header):
    rewrite(saved, header)
    assert_refused(saved)


BOTH = [
    {"rows": None},
    {"rows": np.full((40, 3), 1e200)},
    {"rows": np.zeros((39, 3))},
    {"rows": np.full((40, 3), np.nan)},
    {"rows": np.zeros((40, 3), dtype=complex)},
    {"responsibilities_": np.full((40, 2), 7.0)},
    {"embedding_": np.zeros(40)},
    {"scale_": np.zeros(3)},
    {"lower_bounds_": np.zeros((2, 2))},
    {"header": np.frombuffer(b"[" * 100_000, dtype=np.uint8)},
    {"header": np.frombuffer(b"\xff\xfe", dtype=np.uint8)},
]
OWN = {
    default: [
        {"mu": np.zeros((39, 2))},
        {"mu": np.zeros(40)},
        {"log_s": np.full((40, 2), 1e4)},
        {"log_g": np.full(2, np.nan)},
        {"covariances": -np.tile(np.eye(2), (2, 1, 1))},
        {"labels": np.full(40, 2.0)},
        {"labels": np.full(40, 0.5)},
        {"temperature": np.zeros(1)},
        {"coefficients": np.zeros((1, 2, 2))},
        {"stability": np.full(40, 2.0)},
        {"missing_mean": np.zeros(2)},
        {"missing_mean": np.zeros(3), "missing_covariance": -np.eye(3)},
        {"embedding_variances_": np.zeros((40, 2))},
        {"consensus_": np.full((40, 2), 0.7)},
    ],
    paper: [
        {"weights_": np.array([1e5, 1e5])},
        {"weights_": np.array([2.0, -1.0])},
        {"weights_": np.float64(1.0)},
        {"covariances_": np.tile([[1.0, 1e6], [0.0, 1.0]], (2, 1, 1))},
        {"covariances_": np.zeros((2, 2, 2))},
        {"theta": np.zeros((2, 9))},
    ],
}


@pytest.mark.parametrize(
    ("make", "arrays"), [(make, arrays) for make, own in OWN.items() for arrays in BOTH + own]
)
def test_invalid_arrays_are_refused_in_one_sentence(tmp_path, make, arrays, models={}):
    if make not in models:
        models[make] = make().fit(FRAME)
    models[make].save(tmp_path / "m.npz")
    rewrite(tmp_path / "m.npz", **arrays)
    assert_refused(tmp_path / "m.npz")


@pytest.mark.parametrize(
    "details",
    [
        {},
        {"base_clusterings_": ["one"], "selection_": 3},
        {"base_clusterings_": "one", "selection_": None},
    ],
)
def test_invalid_details_are_refused_in_one_sentence(tmp_path, details):
    default().fit(Y).save(tmp_path / "m.npz")
    rewrite(tmp_path / "m.npz", {"details": details})
    assert_refused(tmp_path / "m.npz")


def test_an_archive_that_unpacks_to_gigabytes_is_not_unpacked(saved):
    with (
        zipfile.ZipFile(saved, "a", zipfile.ZIP_DEFLATED) as archive,
        archive.open("more.npy", "w") as member,
    ):
        for _ in range(80):
            member.write(bytes(1024**2))
    with pytest.raises(UsageError, match="unpacks to more than a model can hold"):
        load(saved)


def test_members_that_are_no_arrays_are_refused(saved):
    with zipfile.ZipFile(saved) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, content in members.items():
            archive.writestr(name, b"plain text" if name == "header.npy" else content)
    saved.write_bytes(buffer.getvalue())
    assert_refused(saved)
