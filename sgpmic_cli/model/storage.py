"""Model files: one .npz file with plain arrays and a JSON header.

There is no pickle, so a file cannot run code. Estimators convert themselves to a `FittedState` and
back. This module knows only that state.
"""

import json
import math
import stat
import zipfile
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from sgpmic_cli._typing import PathLike
from sgpmic_cli._version import __version__
from sgpmic_cli.data.intake.recipe import TableRecipe
from sgpmic_cli.errors import UsageError
from sgpmic_cli.files.atomic import replacing
from sgpmic_cli.model.scaling import SAFE_RANGE

FORMAT = "sgpmic-model"
FORMAT_VERSION = 2
SMALL = 64 * 1024**2  # bytes that any file may unpack to ...
MAX_RATIO = 100  # ... and otherwise at most this many times its size
MAX_HEADER = 16 * 1024**2
FIRST_KIND = "paper"  # of files without a kind, written when there was one estimator

Model = TypeVar("Model")


@dataclass(frozen=True)
class FittedState:
    """Everything that a fitted model consists of, as plain values.

    A state from a file may be invalid. Estimators that rebuild themselves call the checks below,
    which raise ValueError.
    """

    kind: str  # of estimator
    parameters: dict[str, Any]  # of the constructor
    scalars: dict[str, bool | int | float]
    arrays: dict[str, np.ndarray]
    feature_names: list[str]  # empty if the columns had no names
    recipe: TableRecipe | None = None  # how raw tables become rows; None for arrays
    details: dict[str, Any] = field(default_factory=dict)  # JSON values

    def check_scalars(self, names: Iterable[str]) -> None:
        """Check that all scalars are finite and that features are counted and named."""
        for name in names:
            value = self.scalars[name]
            if not isinstance(value, bool | int | float) or not math.isfinite(value):
                raise ValueError(f"its header holds {value!r} as {name}")
        p, names = self.scalars["n_features_in_"], self.feature_names
        if not isinstance(p, int) or isinstance(p, bool) or p < 1:
            raise ValueError(f"its header counts {p!r} features")
        if names and not (
            isinstance(names, list) and len(names) == p and all(isinstance(n, str) for n in names)
        ):
            raise ValueError("its header does not name the features one by one")
        if self.recipe is not None and len(self.recipe.feature_names) != p:
            raise ValueError("its recipe of the table makes another number of features")

    def check_arrays(self, shapes: Mapping[str, tuple[int, ...]]) -> None:
        """Check that all arrays exist, have these shapes and hold finite numbers."""
        for name, shape in shapes.items():
            array = self.arrays[name]
            if array.shape != shape:
                raise ValueError(f"its array {name} has shape {array.shape} where {shape} belongs")
            if array.dtype != np.float64 or not np.isfinite(array).all():
                raise ValueError(f"its array {name} holds something other than finite numbers")

    def check_probabilities(self, *names: str) -> None:
        """Check that the rows of these arrays are probabilities."""
        for name in names:
            if (self.arrays[name] < 0).any() or not np.allclose(
                self.arrays[name].sum(axis=-1), 1.0
            ):
                raise ValueError(f"its array {name} holds no probabilities")

    def check_rows(self, name: str) -> None:
        """Check that training rows are in the range that a fit accepts."""
        if np.abs(self.arrays[name]).max() > SAFE_RANGE[1]:
            raise ValueError("its rows are beyond what a model can hold")


def save(state: FittedState, path: PathLike) -> None:
    """Write a fitted model to `path` atomically."""
    header = {
        "format": FORMAT,
        "version": FORMAT_VERSION,
        "written_by": __version__,
        "kind": state.kind,
        "parameters": {name: _plain(value) for name, value in state.parameters.items()},
        "fitted": {name: _plain(value) for name, value in state.scalars.items()},
        "feature_names": state.feature_names,
        "recipe": None if state.recipe is None else state.recipe.to_json(),
        "details": state.details,
    }
    arrays = {name: np.asarray(array, dtype=np.float64) for name, array in state.arrays.items()}
    arrays["header"] = np.frombuffer(json.dumps(header).encode(), dtype=np.uint8)
    with replacing(Path(path)) as file:
        np.savez_compressed(file, allow_pickle=False, **arrays)


def load(path: PathLike, rebuild: Mapping[str, Callable[[FittedState], Model]]) -> Model:
    """Read a model file and rebuild its estimator with the function for its kind.

    Raise UsageError with one sentence if the file is not a model or is damaged.
    """
    try:
        with _opened(Path(path)) as members:
            state = _read(Path(path), members)
            with np.errstate(over="raise", invalid="raise", divide="raise"):
                return _of_kind(rebuild, state, path)(state)
    except UsageError:
        raise
    except FileNotFoundError:
        raise UsageError(f"There is no model file {path}; `sgpmic fit` writes one.") from None
    except Exception as fault:  # zip, zlib, npy and JSON raise many types for damaged files
        reason = " ".join(str(fault).split()) or type(fault).__name__
        raise UsageError(
            f"{path} is not a readable sgpmic model ({reason[:200]}); fit and save it again."
        ) from None


class _Arrays(dict[str, np.ndarray]):
    """Arrays of a file that are read on first use."""

    def __init__(self, members: Mapping[str, np.ndarray]):
        super().__init__()
        self._members = members

    def __missing__(self, name: str) -> np.ndarray:
        self[name] = array = self._members[name]
        return array


def _read(path: Path, members: Mapping[str, np.ndarray]) -> FittedState:
    header = json.loads(members["header"].tobytes().decode())
    if header["format"] != FORMAT:
        raise ValueError("its header names another format")
    if not isinstance(header["version"], int) or header["version"] < 1:
        raise ValueError("its header names no version")
    if header["version"] > FORMAT_VERSION:
        raise UsageError(
            f"{path} was written by sgpmic {header['written_by']} in model format "
            f"{header['version']}; this is sgpmic {__version__}, which reads up to format "
            f"{FORMAT_VERSION}: install a newer sgpmic."
        )
    written = header.get("recipe")
    recipe = None if written is None else TableRecipe.from_json(written)
    return FittedState(
        header.get("kind", FIRST_KIND),
        header["parameters"],
        header["fitted"],
        _Arrays(members),
        header["feature_names"],
        recipe,
        header.get("details", {}),
    )


def _of_kind(
    rebuild: Mapping[str, Callable[[FittedState], Model]], state: FittedState, path: PathLike
) -> Callable[[FittedState], Model]:
    if state.kind not in rebuild:
        raise UsageError(
            f"{path} holds a model of kind {state.kind!r} and not of kind "
            f"{' or '.join(map(repr, rebuild))}: use sgpmic.load or the sgpmic that wrote it."
        )
    return rebuild[state.kind]


def _opened(path: Path) -> Any:
    """Open an archive that does not unpack to too much, as a context manager."""
    if not stat.S_ISREG(path.stat().st_mode):
        raise ValueError("it is not a regular file")
    with zipfile.ZipFile(path) as archive:
        sizes = {member.filename: member.file_size for member in archive.infolist()}
    if (
        sum(sizes.values()) > max(SMALL, MAX_RATIO * path.stat().st_size)
        or sizes.get("header.npy", 0) > MAX_HEADER
    ):
        raise ValueError("it unpacks to more than a model can hold")
    return np.load(path, allow_pickle=False)


def _plain(value: Any) -> Any:
    return value.item() if isinstance(value, np.generic) else value
