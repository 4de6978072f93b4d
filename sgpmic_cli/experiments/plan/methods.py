"""Register the methods of the tables, and resolve the names that a user gives."""

import inspect
import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from sgpmic_cli.data.registry import nearest
from sgpmic_cli.errors import UsageError
from sgpmic_cli.experiments.plan.third_party import (
    check_classes,
    constructor_parameters,
    import_class,
)

ENTRY_POINTS = "sgpmic.methods"


@dataclass(frozen=True)
class Method:
    """A clusterer with the interface of scikit-learn, and how the experiments call it."""

    name: str
    target: str  # "module:Class"
    title: str = ""
    # The paper ran it without the columns in `as_run_drop` of the data set.
    drops_columns: bool = True
    settings: Mapping[str, Any] = field(default_factory=dict, hash=False)
    # Every combination of the grid is run, and the labels choose the best one.
    grid: Mapping[str, tuple[Any, ...]] = field(default_factory=dict, hash=False)
    # Settings that reproduce the printed numbers: on the paper's data, under `as-run`.
    as_run: Mapping[str, Any] = field(default_factory=dict, hash=False)
    # Scores of columns that the paper scored differently: on the paper's data, under `as-run`.
    as_run_scores: Mapping[str, str] = field(default_factory=dict, hash=False)
    # Settings under the protocol `as-stated`.
    as_stated: Mapping[str, Any] = field(default_factory=dict, hash=False)
    # Estimated seconds of a run on 1000 rows. It orders the work and changes no result.
    cost: float = 0.1
    in_paper: bool = True
    # The settings that the paper leaves open were searched to match this column of its table.
    fitted: bool = False
    # The method of the paper whose column this variant is compared with.
    variant_of: str = ""
    # One of the general-purpose clusterers that the name `peers` selects.
    peer: bool = False

    @property
    def module(self) -> str:
        """Return the module that defines the class."""
        return self.target.partition(":")[0]

    @property
    def label(self) -> str:
        """Return the name shown in tables."""
        return self.title or self.name

    @property
    def third_party(self) -> bool:
        """Return whether the class is outside this package, so only child processes import it."""
        return not self.target.startswith("sgpmic_cli.")

    def load(self) -> type:
        """Import the class."""
        return import_class(self.target)

    def accepts(self) -> frozenset[str]:
        """Return the names of the constructor's parameters."""
        if self.third_party and self.module not in sys.modules:
            return constructor_parameters(self.target)
        return _signature(self.target)


@cache
def _signature(target: str) -> frozenset[str]:
    return frozenset(inspect.signature(import_class(target)).parameters)


def _baseline(name: str, target: str, title: str, **options: Any) -> Method:
    return Method(name, f"sgpmic_cli.baselines.{target}", title, **options)


def _peer(name: str, class_name: str, title: str) -> Method:
    target = f"sgpmic_cli.baselines.peers:{class_name}"
    return Method(name, target, title, drops_columns=False, in_paper=False, peer=True)


LAMBDAS = (0.001, 0.01, 0.1, 1.0, 10.0, 100.0, 1000.0)
# The printed NMI of AML, UNCA and DEC is that of the clusters; the other columns print the NMI of
# the classes that the clusters are mapped to. See docs/printed-numbers.md.
NMI_OF_CLUSTERS = {"nmi": "nmi_clusters"}
# Most projections of UNCA end before this cap. The eigenvectors are as inexact as in the authors'
# program.
UNCA_AS_RUN = {"line_searches": 30, "eigenvector_error": 1.5}
# Found by the search of settings (benchmarks/) and named in full, so that the table does not change
# with the estimator's defaults.
SGPMIC_AS_RUN = {
    "isomap_components": "largest",
    "center": False,
    "scale": "global",
    "kernel_start": 0.5,
    "start_sharpness": 2.0,
    "covariance_type": "spherical",
    "covariance_floor": 0.05,
    "learn_weights": False,
    "learn_noise": False,
    "optimizer": "lbfgs",
    "optimizer_steps": 3,
    "max_iter": 10,
}
# Algorithm 1 as printed: raw Y, scaled conjugate gradients on all parameters together, then pi at
# its maximum. The floor keeps C invertible at the start. The paper does not state the number of
# iterations nor the form and the start of C.
SGPMIC_AS_STATED = {
    "isomap_components": "joined",
    "center": False,
    "scale": "none",
    "kernel_start": 1.0,
    "start_sharpness": 1.0,
    "covariance_type": "full",
    "covariance_floor": 1e-6,
    "learn_weights": True,
    "learn_noise": True,
    "optimizer": "scg",
    "optimizer_steps": 10,
    "prior_by_gradient": True,
    "white_everywhere": True,
    "max_iter": 30,
}

# The paper's methods are in the order of its columns. A new method is one entry here.
_BUILT_IN = (
    _baseline("pca-fcm", "pca_fcm:PCAFCM", "PCA-FCM", cost=0.02),
    _baseline(
        "isomap-fcm",
        "isomap_fcm:IsomapFCM",
        "ISOMAP-FCM",
        as_stated={"components": "joined", "unit_variance": False},
    ),
    _baseline("ppca-fcm", "ppca_fcm:PPCAFCM", "PPCA-FCM", as_stated={"posterior": True}, cost=0.02),
    _baseline("fgplvm-fcm", "fgplvm_fcm:FGPLVMFCM", "FGPLVM-FCM", fitted=True),
    _baseline("ae-fcm", "ae_fcm:AEFCM", "AE-FCM", drops_columns=False, cost=0.65, fitted=True),
    _baseline(
        "vae-fcm",
        "vae_fcm:VAEFCM",
        "VAE-FCM",
        drops_columns=False,
        # Codes overflow in some runs, which the printed standard deviations show too.
        as_run={"single_precision": True},
        cost=1.5,
        fitted=True,
    ),
    # The paper tunes lambda, which may mean one value for all rows or one for each row. The printed
    # columns are closer to one value. `aml-tuned` and `unca-tuned` choose a value for each row.
    _baseline(
        "aml", "aml:AML", "AML", as_run={"max_outer": 0}, as_run_scores=NMI_OF_CLUSTERS, fitted=True
    ),
    _baseline(
        "unca",
        "unca:UNCA",
        "UNCA",
        settings={"lam": 100.0},
        as_run=UNCA_AS_RUN,
        as_run_scores=NMI_OF_CLUSTERS,
        cost=6.0,
        fitted=True,
    ),
    _baseline(
        "dec",
        "dec:DEC",
        "DEC",
        settings={"lam": 6.0},
        as_run={"n_init": 1, "warm": False},
        as_run_scores=NMI_OF_CLUSTERS,
        cost=0.2,
        fitted=True,
    ),
    _baseline("sdc", "sdc:SDC", "SDC", drops_columns=False, cost=0.3),
    _baseline(
        "deepc",
        "deepc:DEEPC",
        "DEEPC",
        drops_columns=False,
        # The printed ACC on CMC is below the fraction of its largest class, so it is not purity.
        as_run_scores={"acc": "acc_hungarian"},
        cost=3.5,
        fitted=True,
    ),
    Method(
        "sgp-mic",
        "sgpmic_cli.model.paper.estimator:PaperSGPMIC",
        "SGP-MIC",
        as_run=SGPMIC_AS_RUN,
        as_stated=SGPMIC_AS_STATED,
        cost=1.2,
        fitted=True,
    ),
    # The methods below are not in Table 2, so `all` does not select them.
    _baseline("gplvm-fcm", "gplvm_fcm:GPLVMFCM", "GPLVM-FCM", cost=10.0, in_paper=False),
    _baseline(
        "aml-tuned",
        "aml:AML",
        "AML (lambda by row)",
        grid={"lam": LAMBDAS},
        as_run_scores=NMI_OF_CLUSTERS,
        in_paper=False,
        variant_of="aml",
    ),
    _baseline(
        "unca-tuned",
        "unca:UNCA",
        "UNCA (lambda by row)",
        grid={"lam": LAMBDAS},
        as_run=UNCA_AS_RUN,
        as_run_scores=NMI_OF_CLUSTERS,
        cost=6.0,
        in_paper=False,
        variant_of="unca",
    ),
    _baseline(
        "vae-sound-fcm",
        "vae_fcm:VAESoundFCM",
        "VAE-FCM (Gaussian likelihood)",
        drops_columns=False,
        cost=1.5,
        in_paper=False,
        variant_of="vae-fcm",
    ),
    # The default model, for data of one's own. Its Q and inducing inputs do not depend on the row.
    Method(
        "sgp-mic+",
        "sgpmic_cli.model.estimator:SGPMIC",
        "SGP-MIC+ (ours)",
        drops_columns=False,
        settings={"n_components": 2, "n_inducing": 10},
        cost=2.0,
        in_paper=False,
    ),
    _peer("k-means", "PeerKMeans", "k-means"),
    _peer("gmm", "PeerGaussianMixture", "GMM"),
    _peer("spectral", "PeerSpectral", "spectral"),
    _peer("ward", "PeerWard", "Ward"),
    _peer("hdbscan", "PeerHDBSCAN", "HDBSCAN"),
)


def known() -> dict[str, Method]:
    """Return all methods by name: the built-in ones and the entry points of other packages."""
    from importlib.metadata import entry_points

    methods = {method.name: method for method in _BUILT_IN}
    for point in entry_points(group=ENTRY_POINTS):
        methods.setdefault(point.name, _third_party(point.name, point.value))
    return methods


def resolve(names: Iterable[str]) -> list[Method]:
    """Return the methods of the given names.

    `all` selects the methods of the paper's Table 2, `peers` the general-purpose clusterers, and
    `module:Class` a third-party class.
    """
    methods = known()
    chosen: dict[str, Method] = {}
    for name in names:
        if name == "all":
            chosen |= {method.name: method for method in methods.values() if method.in_paper}
        elif name == "peers":
            chosen |= {method.name: method for method in methods.values() if method.peer}
        elif name in methods:
            chosen[name] = methods[name]
        elif ":" in name:
            chosen[name] = _third_party(name, name)
        else:
            valid = [*methods, "all", "peers"]
            raise UsageError(
                unknown("method", name, valid, "or module:Class for a clusterer of your own")
            )
    if not chosen:
        raise UsageError("no method was named: give methods=pca-fcm,ppca-fcm for example, or all.")
    check_classes(method.target for method in chosen.values() if method.third_party)
    return list(chosen.values())


def _third_party(name: str, target: str) -> Method:
    # The time of an unknown method cannot be estimated; a high cost keeps its batches short.
    return Method(name, target, drops_columns=False, in_paper=False, cost=3.0)


def unknown(kind: str, name: str, valid: Iterable[str], more: str = "") -> str:
    """Return the message for an unknown name, with the nearest valid name and all of them."""
    valid = list(valid)
    every = ", ".join([*valid, more] if more else valid)
    return f"unknown {kind} {name!r}{nearest(name, valid)}; valid: {every}."
