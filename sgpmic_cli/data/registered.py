"""Load a registered data set: bundled, downloaded, generated, or part of a library."""

from collections.abc import Sequence
from typing import Any

import pandas as pd

from sgpmic_cli.data.dataset import Dataset
from sgpmic_cli.data.registry import Entry, bundled_folder
from sgpmic_cli.errors import DataUnavailable


def load_entry(registered: Entry, **source: Any) -> Dataset:
    """Load a registered data set. Raise DataUnavailable if it is not as published.

    `source` are the arguments `data_dir`, `mirror` and `offline` of `load`.
    """
    columns: Sequence[str]
    if registered.kind == "download":
        from sgpmic_cli.data.originals import parse_original, read_original

        return parse_original(registered, read_original(registered, **source))
    if registered.kind == "generated":
        from sgpmic_cli.data.generated import generate

        size = registered.n, registered.n_classes
        Y, classes, columns = generate(registered.name, *size, registered.seed)
    elif registered.kind == "random":
        from sgpmic_cli.data.random_shapes import random_shape

        Y, labels = random_shape(registered.seed or 0)
        columns = [f"x{p + 1}" for p in range(registered.p)]
        classes = [f"curve {label + 1}" for label in labels]
    elif registered.kind == "installed":
        from sklearn.datasets import load_digits

        digits = load_digits()
        Y, classes, columns = digits.data, [*map(str, digits.target)], digits.feature_names
    else:
        return _load_bundled(registered)
    return Dataset.from_classes(registered.name, Y, classes, columns)


def _load_bundled(registered: Entry) -> Dataset:
    path = bundled_folder() / f"{registered.name}.csv"
    try:
        table = pd.read_csv(path, dtype=str)
        *columns, label = table.columns
        # Python's float rounds correctly, which the parser of pandas does not.
        Y, classes = table[columns].to_numpy(float), table[label].tolist()
        dataset = Dataset.from_classes(registered.name, Y, classes, columns)
    except (TypeError, ValueError):
        dataset = None
    if dataset is None or dataset.sha256 != registered.values_sha256:
        raise DataUnavailable(
            f"the bundled file {path.name} in {path.parent} is not the published data any more; "
            "reinstall sgpmic or restore the file"
        )
    return dataset
