"""Model files: one .npz file with plain arrays and a JSON header.

There is no pickle, so a file cannot run code. The content of a file may be invalid. An estimator
that rebuilds itself from it checks it, and any exception means that the file is damaged.
"""

import json
import stat
import zipfile
from abc import abstractmethod
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict
from functools import cached_property
from pathlib import Path
from pkgutil import resolve_name
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from sgpmic_cli._typing import Array, Indices, PathLike
from sgpmic_cli._version import __version__
from sgpmic_cli.errors import UsageError
from sgpmic_cli.estimator_base import Rule, check_parameters
from sgpmic_cli.estimator_base.prediction import most_probable, unusual_below, with_left_out
from sgpmic_cli.estimator_base.scaling import SAFE_RANGE
from sgpmic_cli.files import replacing
from sgpmic_cli.tables.encoder import TableEncoder
from sgpmic_cli.tables.recipe import TableRecipe, typed

FORMAT = "sgpmic-model"
FORMAT_VERSION = 3
SMALL = 64 * 1024**2  # bytes that any file may decompress to ...
MAX_RATIO = 100  # ... and otherwise at most this many times its size
MAX_HEADER = 16 * 1024**2

ROW_ATTRIBUTES = {
    *("responsibilities_", "embedding_", "embedding_variances_", "log_density_"),
    "groups_",
}

Arrays = Mapping[str, Array]


def read_model(path: PathLike, estimators: Mapping[str, Any], every_row: bool = True) -> Any:
    """Rebuild the estimator of a file. `estimators` has a class, or its place, for each kind.

    Raise UsageError with one sentence if the file is not a model or is damaged.
    """
    try:
        with _opened(Path(path)) as members:
            header = json.loads(members["header"].tobytes())
            _check_version(path, header)
            kind = header["kind"]
            if kind not in estimators:
                raise UsageError(f"{path} holds a model of kind {kind!r}: use sgpmic.load.")
            try:
                with np.errstate(over="raise", invalid="raise", divide="raise"):
                    found = estimators[kind]
                    found = resolve_name(found) if isinstance(found, str) else found
                    return found._rebuilt(header, members, every_row)
            except UsageError as error:  # a wrong parameter in the file, not of the user
                raise ValueError(str(error)) from None
    except UsageError:
        raise
    except FileNotFoundError:
        raise UsageError(f"There is no model file {path}; `sgpmic fit` writes one.") from None
    except Exception as fault:  # zip, zlib, npy and JSON raise many types for damaged files
        reason = " ".join(str(fault).split()) or type(fault).__name__
        raise UsageError(
            f"{path} is not a readable sgpmic model ({reason[:200]}); fit and save it again."
        ) from None


class StoredModel(BaseEstimator):
    """An estimator with model files."""

    encoder_: TableEncoder | None
    n_features_in_: int
    feature_names_in_: NDArray[np.object_]
    labels_: Indices
    responsibilities_: Array
    log_density_: Array

    _left_out: Indices  # rows of the table without any value
    _kind: ClassVar[str]
    _rules: ClassVar[Mapping[str, Rule]]
    # Parameters that describe a run and not the fitted model. Model files leave them out.
    _run_parameters: ClassVar[Any] = ("n_jobs", "verbose", "callback", "random_state")

    @cached_property
    def unusual_below_(self) -> float:
        """Log density below which a row is unusual."""
        return unusual_below(self.log_density_)

    def save(self, path: PathLike) -> None:
        """Write the fitted model to the file `path`, whole or not at all, without pickle."""
        check_is_fitted(self)
        parameters = self.get_params()
        parameters = {k: v for k, v in parameters.items() if k not in self._run_parameters}
        if not isinstance(parameters.get("init", ""), str):
            del parameters["init"]  # labels belong to the run
        values, arrays = self._content()
        if len(self._left_out):
            rows = arrays.keys() & ROW_ATTRIBUTES
            arrays |= {name: np.delete(arrays[name], self._left_out, axis=0) for name in rows}
        header = {
            "format": FORMAT,
            "version": FORMAT_VERSION,
            "written_by": __version__,
            "kind": self._kind,
            "parameters": parameters,
            "fitted": values,
            "feature_names": [str(name) for name in getattr(self, "feature_names_in_", [])],
            "recipe": None if self.encoder_ is None else asdict(self.encoder_.recipe_),
            "unusual_below": self.unusual_below_,
            "left_out": self._left_out.tolist(),
        }
        text = json.dumps(header, default=lambda scalar: scalar.item(), allow_nan=False)
        members = {name: np.asarray(array, dtype=np.float64) for name, array in arrays.items()}
        members["header"] = np.frombuffer(text.encode(), dtype=np.uint8)
        with replacing(Path(path)) as file:
            np.savez_compressed(file, allow_pickle=False, **members)

    @classmethod
    def load(cls, path: PathLike) -> Self:
        """Read a model file of this class. `sgpmic.load` reads those of both estimators."""
        model: Self = read_model(path, {cls._kind: cls})
        return model

    @classmethod
    def _rebuilt(cls, header: dict[str, Any], arrays: Arrays, every_row: bool) -> Self:
        """Return the estimator of a file, whose content may be invalid."""
        if not header["parameters"].keys().isdisjoint(cls._run_parameters):
            raise ValueError("its header sets parameters of a run")
        parameters = header["parameters"].items()
        model = cls(**{name: tuple(v) if isinstance(v, list) else v for name, v in parameters})
        check_parameters(model, cls._rules)
        model._restore_columns(header, len(arrays["offset_"]))
        model.unusual_below_ = typed(float, header["unusual_below"])
        left_out = typed(list[int], header["left_out"])
        if left_out != sorted({*left_out}) or min(left_out, default=0) < 0:
            raise ValueError("the rows that were left out are impossible")
        model._left_out = np.array(left_out, dtype=np.intp)
        model._restore(header["fitted"], arrays, every_row)
        if every_row:
            model._insert_left_out()
        return model

    def _restore_columns(self, header: dict[str, Any], n_features: int) -> None:
        """Set what is known about the columns of the table from the header of a file."""
        self.encoder_, self.n_features_in_, names = None, n_features, header["feature_names"]
        if header["recipe"] is not None:
            recipe = TableRecipe.from_json(header["recipe"])
            if len(recipe.feature_names) != n_features:
                raise ValueError("its recipe of the table makes other features")
            self.encoder_ = TableEncoder.from_recipe(recipe)
            self.n_features_in_ = len(recipe.file_columns)
        if names:
            if not isinstance(names, list) or [*map(type, names)] != [str] * self.n_features_in_:
                raise ValueError("its header does not name the columns one by one")
            self.feature_names_in_ = np.array(names, dtype=object)

    @abstractmethod
    def _content(self) -> tuple[dict[str, Any], dict[str, Array]]:
        """Return the JSON values and the arrays of a fit, for a model file."""

    @abstractmethod
    def _restore(self, values: dict[str, Any], members: Arrays, every_row: bool) -> None:
        """Set the fitted attributes from the content of a file, which may be invalid.

        Without `every_row`, do not read the results of rows that `predict` does not need.
        """

    def _insert_left_out(self) -> None:
        """Insert the rows without any value into the results of the rows."""
        if not len(self._left_out):
            return
        for name in ROW_ATTRIBUTES & vars(self).keys():
            setattr(self, name, with_left_out(getattr(self, name), self._left_out))
        self.labels_ = most_probable(self.responsibilities_)


def read_arrays(
    members: Arrays, axes: Mapping[str, str], sizes: dict[str, int]
) -> dict[str, Array]:
    """Read the arrays that `axes` names, and check their shapes and values.

    A letter stands for an axis. Axes with equal letters have equal lengths, which `sizes` may give.
    """
    arrays, sizes = {}, {"1": 1, **sizes}
    for name, letters in axes.items():
        arrays[name] = array = members[name]
        shape = tuple(
            sizes.setdefault(letter, size)
            for letter, size in zip(letters, array.shape, strict=True)
        )
        if array.shape != shape:
            raise ValueError(f"its array {name} has shape {array.shape} where {shape} belongs")
        if array.dtype != np.float64 or not np.isfinite(array).all():
            raise ValueError(f"its array {name} holds something other than finite numbers")
    if np.abs(arrays["rows"]).max() > SAFE_RANGE[1]:
        raise ValueError("its rows are beyond what a model can hold")
    return arrays


def check_probabilities(arrays: Arrays, *names: str) -> None:
    """Raise ValueError if the rows of these arrays are not probabilities."""
    for name in names:
        if (arrays[name] < 0).any() or not np.allclose(arrays[name].sum(axis=-1), 1.0):
            raise ValueError(f"its array {name} holds no probabilities")


def _check_version(path: PathLike, header: dict[str, Any]) -> None:
    if header["format"] != FORMAT:
        raise ValueError("its header names another format")
    if header["version"] != FORMAT_VERSION:
        writer = header["written_by"]
        raise UsageError(
            f"{path} was written by sgpmic {writer} in another format of model files: install "
            f"sgpmic {writer}, which can read it, or fit the table again."
        )


@contextmanager
def _opened(path: Path) -> Iterator[Any]:
    """Open an archive that does not decompress to too much."""
    if not stat.S_ISREG(path.stat().st_mode):
        raise ValueError("it is not a regular file")
    with path.open("rb") as file:
        with zipfile.ZipFile(file) as archive:
            sizes = {member.filename: member.file_size for member in archive.infolist()}
        if (
            sum(sizes.values()) > max(SMALL, MAX_RATIO * path.stat().st_size)
            or sizes.get("header.npy", 0) > MAX_HEADER
        ):
            raise ValueError("it decompresses to more than a model can hold")
        file.seek(0)
        with np.load(file, allow_pickle=False) as members:
            yield members
