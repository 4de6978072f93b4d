"""One way in: a registered name or the path of a CSV becomes a Dataset."""

import os
from pathlib import Path

from sgpmic_cli._typing import PathLike
from sgpmic_cli.data.csv_file import read_csv
from sgpmic_cli.data.dataset import Dataset
from sgpmic_cli.data.generated import GENERATORS
from sgpmic_cli.data.installed import INSTALLED
from sgpmic_cli.data.originals import read_original
from sgpmic_cli.data.publishers import PARSERS
from sgpmic_cli.data.registry import Entry, bundled_folder, entry, names
from sgpmic_cli.errors import DataUnavailable, UsageError

_CSV_ENDINGS = (".csv", ".tsv", ".txt")


def load(
    name_or_path: str,
    *,
    label: str | None = None,
    data_dir: PathLike | None = None,
    mirror: str | None = None,
    offline: bool = False,
    to_cluster: bool = True,
) -> Dataset:
    """Load a registered data set, or any CSV whose column `label` (if given) holds the classes.

    `to_cluster=False` also takes a CSV of one row or one class, which can be placed under a model but not clustered.
    """
    if name_or_path not in names() and _is_path(name_or_path):
        path = Path(os.path.expanduser(name_or_path))
        # A file that happens to be called like a registered set must not be taken for it in a table.
        name = name_or_path if path.name in names() else path.name
        return read_csv(path, name=name, label=label, to_cluster=to_cluster)
    found = entry(name_or_path)
    if label is not None:
        raise UsageError(f"label={label} goes with the path of a CSV file; {found.name} brings its own classes")
    return _load_entry(found, data_dir, mirror, offline)


def _is_path(text: str) -> bool:
    has_folder = any(separator in text for separator in ("/", os.sep, os.altsep) if separator)
    # os.path.exists answers False where a Path would raise: for names too long or with a zero byte.
    return has_folder or text.lower().endswith(_CSV_ENDINGS) or os.path.exists(text)


def _load_entry(found: Entry, data_dir: PathLike | None, mirror: str | None, offline: bool) -> Dataset:
    if found.kind == "generated":
        return load_generated(found)
    if found.kind == "installed":
        return load_installed(found)
    if found.kind == "bundled":
        dataset = load_bundled(found)
        if dataset.sha256 != found.values_sha256:
            raise DataUnavailable(
                f"the bundled file {found.name}.csv in {bundled_folder()} is not the published data any more; "
                "reinstall sgpmic or restore the file"
            )
        return dataset
    return parse_original(found, read_original(found, data_dir=data_dir, mirror=mirror, offline=offline))


def load_bundled(found: Entry) -> Dataset:
    """A bundled CSV as it is on disk, its hash not yet compared."""
    return read_csv(bundled_folder() / f"{found.name}.csv", name=found.name, label="label")


def load_generated(found: Entry) -> Dataset:
    """A generated set, drawn with the registry's seed."""
    generate, feature_names = GENERATORS[found.name]
    Y, classes = generate(found.n, found.n_classes, found.seed or 0)
    return Dataset.from_classes(found.name, Y, classes, feature_names)


def load_installed(found: Entry) -> Dataset:
    """A set that an installed library brings."""
    return Dataset.from_classes(found.name, *INSTALLED[found.name]())


def parse_original(found: Entry, raw: bytes) -> Dataset:
    """The publisher's file, already checked against its hash, as a data set."""
    Y, classes = PARSERS[found.parser](raw)
    width = len(str(Y.shape[1]))
    return Dataset.from_classes(found.name, Y, classes, [f"v{j + 1:0{width}d}" for j in range(Y.shape[1])])
