"""The methods that the paper compares SGP-MIC with, each a clusterer in scikit-learn's manner.

A class is imported when it is first asked for: `sgpmic --help` and a single method do not pay for all of them.
"""

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sgpmic_cli.baselines.aml import AML
    from sgpmic_cli.baselines.dec import DEC
    from sgpmic_cli.baselines.deep.ae_fcm import AEFCM
    from sgpmic_cli.baselines.deep.deepc import DEEPC
    from sgpmic_cli.baselines.deep.sdc import SDC
    from sgpmic_cli.baselines.deep.vae_fcm import VAEFCM, VAESoundFCM
    from sgpmic_cli.baselines.fgplvm_fcm import FGPLVMFCM
    from sgpmic_cli.baselines.gplvm_fcm import GPLVMFCM
    from sgpmic_cli.baselines.isomap_fcm import IsomapFCM
    from sgpmic_cli.baselines.pca_fcm import PCAFCM
    from sgpmic_cli.baselines.ppca_fcm import PPCAFCM
    from sgpmic_cli.baselines.unca.estimator import UNCA

__all__ = [
    "AEFCM",
    "AML",
    "DEC",
    "DEEPC",
    "FGPLVMFCM",
    "GPLVMFCM",
    "PCAFCM",
    "PPCAFCM",
    "SDC",
    "UNCA",
    "VAEFCM",
    "IsomapFCM",
    "VAESoundFCM",
]

_MODULES = {
    "AEFCM": "deep.ae_fcm",
    "AML": "aml",
    "DEC": "dec",
    "DEEPC": "deep.deepc",
    "FGPLVMFCM": "fgplvm_fcm",
    "GPLVMFCM": "gplvm_fcm",
    "IsomapFCM": "isomap_fcm",
    "PCAFCM": "pca_fcm",
    "PPCAFCM": "ppca_fcm",
    "SDC": "deep.sdc",
    "UNCA": "unca.estimator",
    "VAEFCM": "deep.vae_fcm",
    "VAESoundFCM": "deep.vae_fcm",
}


def __getattr__(name: str) -> Any:
    if name in _MODULES:
        return getattr(importlib.import_module(f"{__name__}.{_MODULES[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
