"""Clusterers that SGP-MIC is compared with, with the interface of scikit-learn.

The classes listed here embed the rows and cluster the embedding: the methods of the paper, a
variant (GPLVMFCM) and a null model (IsomapMixture). They have the parameters and attributes of
`EmbeddingClusterer`; the class docstrings describe the additional ones. Importing one class does
not import the others.
"""

import importlib
from typing import Any

_MODULES = {
    "AEFCM": "ae_fcm",
    "AML": "aml",
    "DEC": "dec",
    "DEEPC": "deepc",
    "FGPLVMFCM": "fgplvm_fcm",
    "GPLVMFCM": "gplvm_fcm",
    "IsomapFCM": "isomap_fcm",
    "IsomapMixture": "isomap_mixture",
    "PCAFCM": "pca_fcm",
    "PPCAFCM": "pca_fcm",
    "SDC": "sdc",
    "UNCA": "unca.estimator",
    "VAEFCM": "vae_fcm",
}
__all__ = sorted(_MODULES)


def __getattr__(name: str) -> Any:
    if name in _MODULES:
        return getattr(importlib.import_module(f"{__name__}.{_MODULES[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__
