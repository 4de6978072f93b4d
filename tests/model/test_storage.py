import io
import json
import os
import pickle
import zipfile
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from sgpmic_cli.data.intake.recipe import TableRecipe
from sgpmic_cli.errors import UsageError
from sgpmic_cli.model.paper import stored
from sgpmic_cli.model.paper.estimator import PaperSGPMIC

Y = np.random.RandomState(0).randn(30, 3)


@pytest.fixture(scope="module")
def fitted():
    frame = pd.DataFrame(Y, columns=["a", "b", "c"])
    return PaperSGPMIC(2, 2, n_inducing=10, max_iter=3, scale="standard", random_state=0).fit(frame)


@pytest.fixture
def saved(fitted, tmp_path):
    path = tmp_path / "model.npz"
    fitted.save(path)
    return path


def rewrite(path, about=None, without=(), **arrays):
    """The file with parts of its header or some of its arrays exchanged, or left out of the header."""
    with np.load(path) as members:
        content = {name: members[name] for name in members.files}
    header = json.loads(content["header"].tobytes())
    header.update(about or {})
    header = {name: value for name, value in header.items() if name not in without}
    content["header"] = np.frombuffer(json.dumps(header).encode(), dtype=np.uint8)
    content.update(arrays)
    np.savez(path, **{name: array for name, array in content.items() if array is not None})


@pytest.mark.parametrize(
    "settings",
    [{}, {"kernel": "linear"}, {"ard": True, "covariance_type": "full"}, {"n_components": 0.9}],
)
def test_a_loaded_model_is_the_same_model(tmp_path, settings):
    model = PaperSGPMIC(
        **{"n_clusters": 2, "n_inducing": 10, "max_iter": 3, "random_state": 0, **settings}
    ).fit(Y)
    model.save(tmp_path / "m.npz")
    loaded = PaperSGPMIC.load(tmp_path / "m.npz")
    new = Y + 0.1
    for method in ("predict", "predict_proba", "transform", "score_samples"):
        assert np.array_equal(getattr(loaded, method)(new), getattr(model, method)(new)), method
    for name in (*stored.ATTRIBUTES, *stored.SCALARS, "labels_", "noise_variances_", "twins_"):
        assert np.array_equal(getattr(loaded, name), getattr(model, name)), name
        assert type(getattr(loaded, name)) is type(getattr(model, name)) or np.isscalar(
            getattr(model, name)
        ), name
    for ours, theirs in zip(loaded.kernel_params_, model.kernel_params_, strict=True):
        assert all(np.array_equal(ours[name], theirs[name]) for name in theirs)
    kept = {
        name: value for name, value in model.get_params().items() if name not in model._of_a_run
    }
    assert {name: loaded.get_params()[name] for name in kept} == kept


def test_column_names_travel_along(fitted, saved):
    loaded = PaperSGPMIC.load(saved)
    assert list(loaded.feature_names_in_) == ["a", "b", "c"]
    with pytest.raises(ValueError, match="feature names"):
        loaded.predict(pd.DataFrame(Y, columns=["a", "c", "b"]))


def test_the_recipe_of_the_table_travels_along(fitted, saved, tmp_path):
    recipe = replace(
        TableRecipe.of_numbers(Y, ["a", "b", "c"]), label="kind", left_out={"d": "it is empty"}
    )
    assert not hasattr(PaperSGPMIC.load(saved), "recipe_")
    model = PaperSGPMIC.load(saved)
    model.recipe_ = recipe
    model.save(tmp_path / "with.npz")
    assert PaperSGPMIC.load(tmp_path / "with.npz").recipe_ == recipe


def test_a_file_of_the_first_format_still_loads(saved, fitted):
    rewrite(saved, {"version": 1}, without=["recipe", "kind", "details"])
    new = pd.DataFrame(Y + 0.1, columns=["a", "b", "c"])
    assert np.array_equal(PaperSGPMIC.load(saved).predict(new), fitted.predict(new))


def test_an_unfitted_model_is_not_saved(tmp_path):
    with pytest.raises(ValueError, match="not fitted"):
        PaperSGPMIC().save(tmp_path / "m.npz")
    assert not list(tmp_path.iterdir())


def test_a_failed_save_leaves_the_old_file(fitted, saved, monkeypatch):
    before = saved.read_bytes()

    def fail(*arguments):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", fail)
    with pytest.raises(OSError, match="No space"):
        fitted.save(saved)
    assert saved.read_bytes() == before
    assert [path.name for path in saved.parent.iterdir()] == ["model.npz"]


def test_others_may_read_the_file(saved):
    mask = os.umask(0)
    os.umask(mask)
    assert saved.stat().st_mode & 0o777 == 0o666 & ~mask


def test_a_missing_file_is_told(tmp_path):
    with pytest.raises(UsageError, match="There is no model file"):
        PaperSGPMIC.load(tmp_path / "none.npz")


def test_a_newer_format_names_the_way_out(saved):
    rewrite(saved, {"version": 99, "written_by": "9.9"})
    with pytest.raises(
        UsageError, match=r"written by sgpmic 9\.9 in model format 99; .* install a newer sgpmic"
    ):
        PaperSGPMIC.load(saved)


def test_pickled_code_is_never_run(saved, tmp_path):
    class Bomb:
        def __reduce__(self):
            return os.mkdir, (str(tmp_path / "boom"),)

    bomb = np.array([Bomb()], dtype=object)
    for name in ("rows", "header", "theta"):
        PaperSGPMIC.load(saved)
        whole = saved.read_bytes()
        with np.load(saved) as members:
            content = {member: members[member] for member in members.files}
        np.savez(saved, **{**content, name: bomb})
        with pytest.raises(UsageError, match="not a readable sgpmic model"):
            PaperSGPMIC.load(saved)
        saved.write_bytes(whole)
    saved.write_bytes(pickle.dumps(Bomb()))
    with pytest.raises(UsageError, match="not a readable sgpmic model"):
        PaperSGPMIC.load(saved)
    assert not (tmp_path / "boom").exists()


def test_a_truncated_or_flipped_file_is_refused_or_harmless(saved, fitted):
    whole = saved.read_bytes()
    rng = np.random.RandomState(0)
    expected = fitted.responsibilities_
    refused = 0
    for trial in range(150):
        damaged = bytearray(whole)
        if trial < 40:
            damaged = damaged[: rng.randint(len(whole))]
        else:
            damaged[rng.randint(len(whole))] ^= 1 << rng.randint(8)
        saved.write_bytes(damaged)
        try:
            loaded = PaperSGPMIC.load(saved)
        except UsageError:
            refused += 1
        else:  # the flip hit a date or the like
            assert np.array_equal(loaded.responsibilities_, expected)
    assert refused > 100


@pytest.mark.parametrize(
    ("header", "arrays"),
    [
        ({"format": "other"}, {}),
        ({"version": "one"}, {}),
        ({"parameters": {"n_clusters": 2, "callback": "print"}}, {}),
        ({"parameters": {"n_clusters": 2, "memory": "/"}}, {}),
        ({"parameters": {"no_such": 1}}, {}),
        ({"parameters": {"n_clusters": -2}}, {}),
        ({"parameters": []}, {}),
        ({"fitted": {"fit": 1}}, {}),
        ({"fitted": {**dict.fromkeys(stored.SCALARS, 1), "n_features_in_": 10**12}}, {}),
        ({"fitted": {**dict.fromkeys(stored.SCALARS, 1), "n_features_in_": "3"}}, {}),
        ({"fitted": {**dict.fromkeys(stored.SCALARS, float("nan")), "n_features_in_": 3}}, {}),
        ({"version": 0}, {}),
        ({"version": 1.5}, {}),
        ({"feature_names": "abc"}, {}),
        ({"feature_names": ["a"]}, {}),
        ({"recipe": {}}, {}),
        ({"recipe": "any"}, {}),
        ({"recipe": TableRecipe.of_numbers(Y[:, :2], ["a", "b"]).to_json()}, {}),
        ({"fitted": {**dict.fromkeys(stored.SCALARS, 1), "n_features_in_": 3.0}}, {}),
        ({}, {"rows": None}),
        ({}, {"rows": np.full((30, 3), 1e200)}),
        ({}, {"weights_": np.array([1e5, 1e5])}),
        ({}, {"covariances_": np.tile([[1.0, 1e6], [0.0, 1.0]], (2, 1, 1))}),
        ({}, {"rows": np.zeros((29, 3))}),
        ({}, {"rows": np.full((30, 3), np.nan)}),
        ({}, {"rows": np.zeros((30, 3), dtype=complex)}),
        ({}, {"weights_": np.array([2.0, -1.0])}),
        ({}, {"weights_": np.float64(1.0)}),
        ({}, {"responsibilities_": np.full((30, 2), 7.0)}),
        ({}, {"covariances_": -np.tile(np.eye(2), (2, 1, 1))}),
        ({}, {"covariances_": np.zeros((2, 2, 2))}),
        ({}, {"scale_": np.zeros(3)}),
        ({}, {"embedding_": np.zeros(30)}),
        ({}, {"theta": np.zeros((2, 9))}),
        ({}, {"lower_bounds_": np.zeros((2, 2))}),
        ({}, {"header": np.frombuffer(b"[" * 100_000, dtype=np.uint8)}),
        ({}, {"header": np.frombuffer(b"\xff\xfe", dtype=np.uint8)}),
    ],
)
def test_a_file_that_is_no_model_is_refused_in_one_sentence(saved, header, arrays):
    rewrite(saved, header, **arrays)
    with pytest.raises(UsageError) as refused:
        PaperSGPMIC.load(saved)
    assert str(saved) in str(refused.value)
    assert "\n" not in str(refused.value)


def test_an_archive_that_unpacks_to_gigabytes_is_not_unpacked(saved):
    with (
        zipfile.ZipFile(saved, "a", zipfile.ZIP_DEFLATED) as archive,
        archive.open("more.npy", "w") as member,
    ):
        for _ in range(80):
            member.write(bytes(1024**2))
    with pytest.raises(UsageError, match="unpacks to more than a model can hold"):
        PaperSGPMIC.load(saved)


def test_members_that_are_no_arrays_are_refused(saved):
    with zipfile.ZipFile(saved) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, content in members.items():
            archive.writestr(name, b"plain text" if name == "header.npy" else content)
    saved.write_bytes(buffer.getvalue())
    with pytest.raises(UsageError, match="not a readable sgpmic model"):
        PaperSGPMIC.load(saved)
