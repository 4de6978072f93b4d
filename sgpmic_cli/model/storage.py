"""Fitted models on disk: one .npz file of plain arrays with a JSON header. No pickle, so a file can run no code.

What is written and read is a `FittedState`; the estimator makes one of itself and itself of one. Nothing here knows it.
"""

import json
import math
import zipfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from sgpmic_cli._typing import PathLike
from sgpmic_cli._version import __version__
from sgpmic_cli.atomic import replacing
from sgpmic_cli.data.intake.recipe import TableRecipe
from sgpmic_cli.errors import UsageError
from sgpmic_cli.model.scaling import SAFE_RANGE

FORMAT = "sgpmic-model"
FORMAT_VERSION = 2  # since 2 with the recipe of the table, and without names where columns had none
SMALL = 64 * 1024**2  # bytes that may be unpacked whatever the size of the file; beyond, an archive of ...
MAX_RATIO = 100  # ... measured numbers stays far below this many times its size
MAX_HEADER = 16 * 1024**2
ATTRIBUTES = (  # of the estimator that are arrays
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
ARRAYS = (*ATTRIBUTES, "theta", "log_beta", "rows")
SCALARS = ("lower_bound_", "n_iter_", "converged_", "n_dead_components_", "jitter_", "n_features_in_")

Model = TypeVar("Model")


@dataclass(frozen=True)
class FittedState:
    """All that a fitted model is made of, as plain values."""

    parameters: dict[str, Any]  # of the constructor
    scalars: dict[str, bool | int | float]  # by SCALARS
    arrays: dict[str, np.ndarray]  # by ARRAYS: attributes, kernel parameters and noise as logs, and the rows fitted to
    feature_names: list[str]  # empty when the columns had none
    recipe: TableRecipe | None = None  # how a raw table becomes rows; None when the model was fitted to plain numbers

    def check(self, n_clusters: int, n_theta: int) -> None:
        """Refuse, with a ValueError, what no fit of so many clusters and kernel parameters can have left."""
        for name, value in self.scalars.items():
            if not isinstance(value, bool | int | float) or not math.isfinite(value):
                raise ValueError(f"its header holds {value!r} as {name}")
        self._check_features()
        self._check_shapes(n_clusters, n_theta)
        self._check_values()

    def _check_features(self) -> None:
        p, names = self.scalars["n_features_in_"], self.feature_names
        if not isinstance(p, int) or isinstance(p, bool) or p < 1:
            raise ValueError(f"its header counts {p!r} features")
        if names and not (isinstance(names, list) and len(names) == p and all(isinstance(n, str) for n in names)):
            raise ValueError("its header does not name the features one by one")
        if self.recipe is not None and len(self.recipe.feature_names) != p:
            raise ValueError("its recipe of the table makes another number of features")

    def _check_shapes(self, m: int, n_theta: int) -> None:
        n, q = self.arrays["embedding_"].shape
        k, p = len(self.arrays["inducing_points_"]), self.scalars["n_features_in_"]
        expected = {
            "responsibilities_": (n, m),
            "inducing_points_": (k, q),
            "weights_": (m,),
            "means_": (m, q),
            "covariances_": (m, q, q),
            "offset_": (p,),
            "scale_": (p,),
            "rows": (n, p),
            "theta": (m, n_theta),
            "log_beta": (1,),
            "lower_bounds_": (self.arrays["lower_bounds_"].size,),
        }
        for name, shape in expected.items():
            if self.arrays[name].shape != shape:
                raise ValueError(f"its array {name} has shape {self.arrays[name].shape} where {shape} belongs")

    def _check_values(self) -> None:
        for name, array in self.arrays.items():
            if array.dtype != np.float64 or not np.isfinite(array).all():
                raise ValueError(f"its array {name} holds something other than finite numbers")
        weights, covariances = self.arrays["weights_"], self.arrays["covariances_"]
        S = self.arrays["responsibilities_"]
        sums = np.append(S.sum(axis=1), weights.sum())
        if (S < 0).any() or (weights <= 0).any() or not np.allclose(sums, 1.0):
            raise ValueError("its responsibilities or weights are no probabilities")
        if (self.arrays["scale_"] <= 0).any() or (np.linalg.eigvalsh(covariances) <= 0).any():
            raise ValueError("a scale or a covariance in it is not positive")
        if not np.allclose(covariances, covariances.transpose(0, 2, 1)):
            raise ValueError("a covariance in it is not symmetric")
        if np.abs(self.arrays["rows"]).max() > SAFE_RANGE[1]:
            raise ValueError("its rows are beyond what a model can hold")


def save(state: FittedState, path: PathLike) -> None:
    """Write a fitted model to `path`, whole or not at all."""
    header = {
        "format": FORMAT,
        "version": FORMAT_VERSION,
        "written_by": __version__,
        "parameters": {name: _plain(value) for name, value in state.parameters.items()},
        "fitted": {name: _plain(state.scalars[name]) for name in SCALARS},
        "feature_names": state.feature_names,
        "recipe": None if state.recipe is None else state.recipe.to_json(),
    }
    arrays = {name: np.asarray(state.arrays[name], dtype=np.float64) for name in ARRAYS}
    arrays["header"] = np.frombuffer(json.dumps(header).encode(), dtype=np.uint8)
    with replacing(Path(path)) as file:
        np.savez_compressed(file, allow_pickle=False, **arrays)


def load(path: PathLike, rebuild: Callable[[FittedState], Model]) -> Model:
    """What `rebuild` makes of the state in a file; one that is no model, or is damaged, is refused in one sentence.

    Damage can also show while the model is rebuilt, so that is done in here.
    """
    try:
        state = _read(Path(path))
        with np.errstate(over="raise", invalid="raise", divide="raise"):
            return rebuild(state)
    except UsageError:
        raise
    except FileNotFoundError:
        raise UsageError(f"There is no model file {path}; `sgpmic fit` writes one.") from None
    except Exception as fault:  # damage shows in as many ways as zip, zlib, npy and JSON have of complaining
        reason = " ".join(str(fault).split()) or type(fault).__name__
        raise UsageError(f"{path} is not a readable sgpmic model ({reason[:200]}); fit and save it again.") from None


def _read(path: Path) -> FittedState:
    arrays = _unpacked(path)
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
    scalars = {name: header["fitted"][name] for name in SCALARS}
    written = header.get("recipe")  # files of version 1 have none
    recipe = None if written is None else TableRecipe.from_json(written)
    return FittedState(header["parameters"], scalars, arrays, header["feature_names"], recipe)


def _unpacked(path: Path) -> dict[str, np.ndarray]:
    with zipfile.ZipFile(path) as archive:
        sizes = {member.filename: member.file_size for member in archive.infolist()}
    if sum(sizes.values()) > max(SMALL, MAX_RATIO * path.stat().st_size) or sizes.get("header.npy", 0) > MAX_HEADER:
        raise ValueError("it unpacks to more than a model can hold")
    with np.load(path, allow_pickle=False) as members:
        return {name: members[name] for name in (*ARRAYS, "header")}


def _plain(value: Any) -> Any:
    return value.item() if isinstance(value, np.generic) else value
