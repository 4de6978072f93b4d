"""Model files: one .npz file with plain arrays and a JSON header.

There is no pickle, so a file cannot run code. The content of a file may be invalid. An estimator
that rebuilds itself from it checks it, and any exception means that the file is damaged.
"""

import json
import stat
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from sgpmic_cli._typing import Array, PathLike
from sgpmic_cli._version import __version__
from sgpmic_cli.errors import UsageError
from sgpmic_cli.estimator_base.scaling import SAFE_RANGE
from sgpmic_cli.files.atomic import replacing, strict_json

FORMAT = "sgpmic-model"
FORMAT_VERSION = 2
SMALL = 64 * 1024**2  # bytes that any file may decompress to ...
MAX_RATIO = 100  # ... and otherwise at most this many times its size
MAX_HEADER = 16 * 1024**2
FIRST_KIND = "paper"  # of files without a kind, written when there was one estimator

Arrays = Mapping[str, Array]


def save(path: PathLike, header: dict[str, Any], arrays: Arrays) -> None:
    """Write a fitted model to `path` atomically."""
    header = {"format": FORMAT, "version": FORMAT_VERSION, "written_by": __version__, **header}
    text = json.dumps(header, default=lambda scalar: scalar.item(), allow_nan=False)
    members = {name: np.asarray(array, dtype=np.float64) for name, array in arrays.items()}
    members["header"] = np.frombuffer(text.encode(), dtype=np.uint8)
    with replacing(Path(path)) as file:
        np.savez_compressed(file, allow_pickle=False, **members)


def load(path: PathLike, estimators: Sequence[Any], *, every_row: bool = True) -> Any:
    """Read a model file and rebuild the one of the estimators that it holds.

    Raise UsageError with one sentence if the file is not a model or is damaged.
    """
    try:
        with _opened(Path(path)) as members:
            header = strict_json(members["header"].tobytes())
            _check_version(path, header)
            kind, kinds = header.get("kind", FIRST_KIND), {own._kind: own for own in estimators}
            if kind not in kinds:
                writer = header["written_by"]
                raise UsageError(
                    f"{path} holds a model of kind {kind!r} of sgpmic {writer}, and not of kind "
                    f"{' or '.join(map(repr, kinds))}: use sgpmic.load, install sgpmic {writer}, "
                    "which can read it, or fit the table again."
                )
            try:
                with np.errstate(over="raise", invalid="raise", divide="raise"):
                    return kinds[kind]._rebuilt(header, members, every_row)
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
    if not isinstance(header["version"], int) or header["version"] < 1:
        raise ValueError("its header names no version")
    if header["version"] > FORMAT_VERSION:
        raise UsageError(
            f"{path} was written by sgpmic {header['written_by']} in model format "
            f"{header['version']}; this is sgpmic {__version__}, which reads up to format "
            f"{FORMAT_VERSION}: install a newer sgpmic."
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
