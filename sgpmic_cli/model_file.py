"""Model files: one .npz file with plain arrays and a JSON header, without pickle."""

import json
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from pkgutil import resolve_name
from types import NoneType
from typing import Any, get_args, get_type_hints

import numpy as np
from sklearn.utils.validation import check_is_fitted

from sgpmic_cli import __version__
from sgpmic_cli._typing import Array, PathLike
from sgpmic_cli.errors import UsageError
from sgpmic_cli.estimators import set_encoder
from sgpmic_cli.files import replacing
from sgpmic_cli.tables.recipe import TableRecipe

FORMAT_VERSION = 4
# A file of one model does not import the other.
ESTIMATORS = {
    "GroupMap": "sgpmic_cli.clustering.group_map:GroupMap",
    "SGPMIC": "sgpmic_cli.paper.model.estimator:SGPMIC",
}
# Parameters that describe a run and not the fitted model. Model files leave them out.
RUN_PARAMETERS = ("init", "memory", "n_jobs", "verbose", "callback", "random_state")


def save_model(
    model: Any, path: PathLike, values: dict[str, Any], arrays: Mapping[str, Array]
) -> None:
    """Write a fitted model to a file, whole or not at all.

    `values` are attributes that JSON holds. The names of `arrays` that are attributes end with "_".
    """
    check_is_fitted(model)
    parameters = model.get_params()
    names = getattr(model, "feature_names_in_", None)
    header = {
        "version": FORMAT_VERSION,
        "written_by": __version__,
        "kind": type(model).__name__,
        "parameters": {k: v for k, v in parameters.items() if k not in RUN_PARAMETERS},
        "n_features": model.n_features_in_,
        "feature_names": None if names is None else [str(name) for name in names],
        "recipe": None if model.encoder_ is None else asdict(model.encoder_.recipe_),
        "values": {**values, "unusual_below_": model.unusual_below_},
        "left_out": model._left_out.tolist(),
    }
    text = json.dumps(header, default=lambda scalar: scalar.tolist(), allow_nan=False)
    with replacing(Path(path)) as file:
        np.savez_compressed(file, allow_pickle=False, header=np.array(text), **arrays)


def load(path: PathLike, *, every_row: bool = True) -> Any:
    """Return the fitted estimator of a model file, or of the output folder of `sgpmic fit`.

    Without `every_row`, read only what `predict` needs, which is little even if millions of rows
    were assigned after a fit to a subsample.
    """
    file = Path(path, "model.npz") if Path(path).is_dir() else Path(path)
    if not file.exists():
        raise UsageError(f"There is no model file {file}; `sgpmic fit` writes one.")
    try:
        with np.load(file, allow_pickle=False) as arrays:
            header = json.loads(str(arrays["header"]))
            if header["version"] == FORMAT_VERSION:
                return _rebuilt(header, arrays, every_row)
            writer = header["written_by"]
    except Exception as fault:  # zip, zlib, npy and JSON raise many types for damaged files
        reason = " ".join(str(fault).split())[:200] or type(fault).__name__
        raise UsageError(
            f"{file} is not a readable sgpmic model ({reason}); fit and save it again."
        ) from None
    raise UsageError(
        f"{file} was written by sgpmic {writer} in another format of model files: install sgpmic "
        f"{writer}, which can read it, or fit the table again."
    )


def _rebuilt(header: dict[str, Any], arrays: Mapping[str, Array], every_row: bool) -> Any:
    parameters = header["parameters"].items()
    kind = resolve_name(ESTIMATORS[header["kind"]])
    model = kind(**{name: tuple(v) if isinstance(v, list) else v for name, v in parameters})
    model.encoder_, model.n_features_in_ = None, header["n_features"]
    if header["recipe"] is not None:
        set_encoder(model, TableRecipe.from_json(header["recipe"]))
    if header["feature_names"] is not None:
        model.feature_names_in_ = np.array(header["feature_names"], dtype=object)
    model._left_out = np.array(header["left_out"], dtype=np.intp)
    for name, value in header["values"].items():
        setattr(model, name, value)
    model._restore(arrays, every_row)
    return model


def flattened(value: Any, name: str) -> dict[str, Array]:
    """Return the arrays of nested named tuples; `name.field` is that of a field."""
    if value is None:
        return {}
    if not hasattr(value, "_fields"):
        return {name: np.asarray(value)}
    parts = [flattened(part, f"{name}.{field}") for field, part in value._asdict().items()]
    return {place: array for part in parts for place, array in part.items()}


def unflattened(kind: Any, arrays: Mapping[str, Array], name: str) -> Any:
    """Return the named tuple of this type whose arrays `flattened` returned."""
    if NoneType in get_args(kind):
        (kind,) = (each for each in get_args(kind) if each is not NoneType)
        if not any(place == name or place.startswith(f"{name}.") for place in arrays):
            return None
    if not hasattr(kind, "_fields"):
        array = arrays[name]
        return array if array.ndim else array.item()
    hints = get_type_hints(kind)
    return kind(**{f: unflattened(hints[f], arrays, f"{name}.{f}") for f in kind._fields})
