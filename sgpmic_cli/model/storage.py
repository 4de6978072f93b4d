"""Fitted models on disk: one .npz file of plain arrays with a JSON header. No pickle, so a file can run no code."""

import json
import math
import os
import uuid
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from sgpmic_cli._version import __version__
from sgpmic_cli.errors import UsageError
from sgpmic_cli.model.bound import SAFE_RANGE, Parameters
from sgpmic_cli.model.mixture import mixture

if TYPE_CHECKING:
    from sgpmic_cli.model.estimator import SGPMIC

FORMAT = "sgpmic-model"
FORMAT_VERSION = 1
SMALL = 64 * 1024**2  # bytes that may be unpacked whatever the size of the file; beyond, an archive of ...
MAX_RATIO = 100  # ... measured numbers stays far below this many times its size
MAX_HEADER = 16 * 1024**2
ARRAYS = (  # attributes
    "responsibilities_",
    "embedding_",
    "inducing_points_",
    "weights_",
    "means_",
    "covariances_",
    "offset_",
    "scale_",
    "lower_bounds_",
)
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
    temporary = target.with_name(f"{target.name}.{uuid.uuid4().hex[:8]}.tmp")
    try:
        with open(temporary, "xb") as file:
            np.savez_compressed(file, allow_pickle=False, **arrays)
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, target)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


def load(cls: type["SGPMIC"], path: str | os.PathLike[str]) -> "SGPMIC":
    """Read a model; a file that is not one, or is damaged, is refused in one sentence."""
    try:
        arrays = _read(Path(path))
        header = json.loads(arrays.pop("header").tobytes().decode())
        if header["format"] != FORMAT:
            raise ValueError("its header names another format")
        if not isinstance(header["version"], int) or header["version"] < 1:
            raise ValueError("its header names no version")
        if header["version"] > FORMAT_VERSION:
            raise UsageError(
                f"{path} was written by sgpmic {header['written_by']} in model format {header['version']}; "
                f"this is sgpmic {__version__}, which reads up to format {FORMAT_VERSION}: install a newer sgpmic."
            )
        with np.errstate(over="raise", invalid="raise", divide="raise"):
            return _rebuild(cls, header, arrays)
    except UsageError:
        raise
    except FileNotFoundError:
        raise UsageError(f"There is no model file {path}; `sgpmic fit` writes one.") from None
    except Exception as fault:  # damage shows in as many ways as zip, zlib, npy and JSON have of complaining
        reason = " ".join(str(fault).split()) or type(fault).__name__
        raise UsageError(f"{path} is not a readable sgpmic model ({reason[:200]}); fit and save it again.") from None


def _read(path: Path) -> dict[str, np.ndarray]:
    wanted = [*ARRAYS, "theta", "log_beta", "rows", "header"]
    with zipfile.ZipFile(path) as archive:
        sizes = {member.filename: member.file_size for member in archive.infolist()}
    if sum(sizes.values()) > max(SMALL, MAX_RATIO * path.stat().st_size) or sizes.get("header.npy", 0) > MAX_HEADER:
        raise ValueError("it unpacks to more than a model can hold")
    with np.load(path, allow_pickle=False) as members:
        return {name: members[name] for name in wanted}


def _rebuild(cls: type["SGPMIC"], header: dict[str, Any], arrays: dict[str, np.ndarray]) -> "SGPMIC":
    if not header["parameters"].keys().isdisjoint(RUNTIME):
        raise ValueError("its header sets what belongs to a run")
    model = cls(**header["parameters"])
    model._check_parameters()
    for name in SCALARS:
        value = header["fitted"][name]
        if not isinstance(value, bool | int | float) or not math.isfinite(value):
            raise ValueError(f"its header holds {value!r} as {name}")
        setattr(model, name, value)
    _check_header(model, header["feature_names"])
    _check_shapes(model, arrays)
    for name in ARRAYS:
        setattr(model, name, arrays[name])
    model.lower_bounds_ = arrays["lower_bounds_"].tolist()
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


def _check_header(model: "SGPMIC", feature_names: Any) -> None:
    p = model.n_features_in_
    if not isinstance(p, int) or isinstance(p, bool) or p < 1:
        raise ValueError(f"its header counts {p!r} features")
    if feature_names and not (
        isinstance(feature_names, list) and len(feature_names) == p and all(isinstance(n, str) for n in feature_names)
    ):
        raise ValueError("its header does not name the features one by one")


def _check_shapes(model: "SGPMIC", arrays: dict[str, np.ndarray]) -> None:
    n, q = arrays["embedding_"].shape
    m, p = int(model.n_clusters), int(model.n_features_in_)
    k = len(arrays["inducing_points_"])
    expected = {
        "responsibilities_": (n, m),
        "inducing_points_": (k, q),
        "weights_": (m,),
        "means_": (m, q),
        "covariances_": (m, q, q),
        "offset_": (p,),
        "scale_": (p,),
        "rows": (n, p),
        "theta": (m, len(model._kernel().names(q))),
        "log_beta": (1,),
        "lower_bounds_": (arrays["lower_bounds_"].size,),
    }
    for name, shape in expected.items():
        if arrays[name].shape != shape:
            raise ValueError(f"its array {name} has shape {arrays[name].shape} where {shape} belongs")
    for name, array in arrays.items():
        if array.dtype != np.float64 or not np.isfinite(array).all():
            raise ValueError(f"its array {name} holds something other than finite numbers")
    S, covariances = arrays["responsibilities_"], arrays["covariances_"]
    weights = arrays["weights_"]
    sums = np.append(S.sum(axis=1), weights.sum())
    if (S < 0).any() or (weights <= 0).any() or not np.allclose(sums, 1.0):
        raise ValueError("its responsibilities or weights are no probabilities")
    if (arrays["scale_"] <= 0).any() or (np.linalg.eigvalsh(covariances) <= 0).any():
        raise ValueError("a scale or a covariance in it is not positive")
    if not np.allclose(covariances, covariances.transpose(0, 2, 1)):
        raise ValueError("a covariance in it is not symmetric")
    if np.abs(arrays["rows"]).max() > SAFE_RANGE[1]:
        raise ValueError("its rows are beyond what a model can hold")


def _plain(value: Any) -> Any:
    return value.item() if isinstance(value, np.generic) else value
