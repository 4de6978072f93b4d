"""Clusterers that SGP-MIC is compared with, with the interface of scikit-learn.

They embed the rows and cluster the embedding: the methods of the paper, variants and a null model.
They have the parameters and attributes of `EmbeddingClusterer`; the class docstrings describe the
additional ones. The public names are the classes of this folder in `experiments/methods.toml`.
Importing one class does not import the others.
"""

import importlib
import tomllib
from functools import cache
from importlib.resources import files
from typing import Any


@cache
def _modules() -> dict[str, str]:
    """Return the module of each class."""
    registry = files("sgpmic_cli.paper") / "experiments" / "methods.toml"
    entries = tomllib.loads(registry.read_text(encoding="utf-8")).values()
    targets = sorted({entry["target"] for entry in entries})
    pairs = [target.split(":") for target in targets if target.startswith(f"{__name__}.")]
    return {name: module for module, name in pairs}


def __getattr__(name: str) -> Any:
    if name == "__all__":
        return sorted(_modules())
    if not name.startswith("_") and name in _modules():
        return getattr(importlib.import_module(_modules()[name]), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(_modules())
