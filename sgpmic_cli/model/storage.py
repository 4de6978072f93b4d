"""Fitted models on disk: one .npz file of plain arrays with a JSON header. No pickle, so a file can run no code."""

import json
import os
import tempfile
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from sgpmic_cli import __version__
from sgpmic_cli.errors import UsageError
from sgpmic_cli.model.bound import Parameters
from sgpmic_cli.model.mixture import mixture

if TYPE_CHECKING:
    from sgpmic_cli.model.estimator import SGPMIC

FORMAT = "sgpmic-model"
FORMAT_VERSION = 1
MAX_BYTES = 8 * 1024**3  # what an honest file of a few million rows stays below
ARRAYS = {  # attribute: number of dimensions
    "responsibilities_": 2,
    "embedding_": 2,
    "inducing_points_": 2,
    "weights_": 1,
    "means_": 2,
    "covariances_": 3,
    "offset_": 1,
    "scale_": 1,
    "lower_bounds_": 1,
}
SCALARS = ("lower_bound_", "n_iter_", "converged_", "n_dead_components_", "jitter_", "n_features_in_")
RUNTIME = ("memory", "callback", "random_state")  # constructor arguments that do not describe the model


def save(model: "SGPMIC", path: str | os.PathLike[str]) -> None:
    """Write a fitted model to `path`: a temporary file beside it first, then a rename."""
    from sklearn.utils.validation import check_is_fitted

    check_is_fitted(model)
    target = Path(path)
    header: dict[str, Any] = {
        "format": FORMAT,
        "version": FORMAT_VERSION,
        "written_by": __version__,
        "parameters": {k: _plain(v) for k, v in model.get_params().items() if k not in RUNTIME},
        "fitted": {name: _plain(getattr(model, name)) for name in SCALARS},
        "feature_names": [str(name) for name in getattr(model, "feature_names_in_", [])],
    }
    arrays = {name: np.asarray(getattr(model, name), dtype=np.float64) for name in ARRAYS}
    p = model._placer.p
    arrays["theta"], arrays["log_beta"] = p.theta, np.array([p.log_beta])
    arrays["rows"] = model._placer.Y
    arrays["header"] = np.frombuffer(json.dumps(header).encode(), dtype=np.uint8)
    with tempfile.NamedTemporaryFile(dir=target.parent, suffix=".tmp", delete=False) as temporary:
        try:
            np.savez_compressed(temporary, allow_pickle=False, **arrays)
            temporary.flush()
            os.fsync(temporary.fileno())
        except BaseException:
            os.unlink(temporary.name)
            raise
    os.replace(temporary.name, target)


def load(cls: type["SGPMIC"], path: str | os.PathLike[str]) -> "SGPMIC":
    """Read a model; a file that is not one, or is damaged, is refused in one sentence."""
    try:
        arrays = _read(Path(path))
        header = json.loads(arrays.pop("header").tobytes().decode())
        if header["format"] != FORMAT:
            raise ValueError("its header names another format")
        if header["version"] > FORMAT_VERSION:
            raise UsageError(
                f"{path} was written by sgpmic {header['written_by']} in model format {header['version']}; "
                f"this is sgpmic {__version__}, which reads up to format {FORMAT_VERSION}: install a newer sgpmic."
            )
        return _rebuild(cls, header, arrays)
    except FileNotFoundError:
        raise UsageError(f"There is no model file {path}; `sgpmic fit` writes one.") from None
    except (OSError, ValueError, KeyError, TypeError, EOFError, MemoryError, zipfile.BadZipFile) as fault:
        raise UsageError(f"{path} is not a readable sgpmic model ({fault}); fit and save the model again.") from None


def _read(path: Path) -> dict[str, np.ndarray]:
    with zipfile.ZipFile(path) as archive:
        if sum(member.file_size for member in archive.infolist()) > MAX_BYTES:
            raise ValueError("it unpacks to more than a model can hold")
    with np.load(path, allow_pickle=False) as members:
        wanted = [*ARRAYS, "theta", "log_beta", "rows", "header"]
        return {name: members[name] for name in wanted}


def _rebuild(cls: type["SGPMIC"], header: dict[str, Any], arrays: dict[str, np.ndarray]) -> "SGPMIC":
    model = cls(**header["parameters"])
    model._check_parameters()
    for name, value in header["fitted"].items():
        if name not in SCALARS:
            raise ValueError(f"its header sets {name}, which no model has")
        setattr(model, name, value)
    _check_shapes(model, arrays)
    for name in ARRAYS:
        setattr(model, name, arrays[name])
    model.lower_bounds_ = model.lower_bounds_.tolist()
    model.labels_ = model.responsibilities_.argmax(axis=1)
    if header["feature_names"]:
        model.feature_names_in_ = np.array(header["feature_names"], dtype=object)
    prior = mixture(arrays["weights_"], arrays["means_"], arrays["covariances_"])
    p = Parameters(
        arrays["embedding_"], arrays["inducing_points_"], arrays["theta"], float(arrays["log_beta"][0]), prior
    )
    model.noise_precision_ = p.beta
    model.kernel_params_ = [model._natural(row) for row in p.theta]
    model._prepare(p, arrays["rows"])
    return model


def _check_shapes(model: "SGPMIC", arrays: dict[str, np.ndarray]) -> None:
    n, q = arrays["embedding_"].shape
    m, p = len(arrays["weights_"]), int(model.n_features_in_)
    k = len(arrays["inducing_points_"])
    expected = {
        "responsibilities_": (n, m),
        "inducing_points_": (k, q),
        "means_": (m, q),
        "covariances_": (m, q, q),
        "offset_": (p,),
        "scale_": (p,),
        "rows": (n, p),
        "theta": (m, len(model._kernel().names(q))),
        "log_beta": (1,),
    }
    for name, shape in expected.items():
        if arrays[name].shape != shape:
            raise ValueError(f"its array {name} has shape {arrays[name].shape} where {shape} belongs")
    for name, array in arrays.items():
        if array.dtype != np.float64 or not np.isfinite(array).all():
            raise ValueError(f"its array {name} holds something other than finite numbers")


def _plain(value: Any) -> Any:
    return value.item() if isinstance(value, np.generic) else value
