"""FGPLVM-FCM: fuzzy c-means on the latent points of a sparse GP-LVM.

The model is SGP-MIC with one component, unit responsibilities and a standard normal prior. The
bound of SGP-MIC is then the DTC likelihood, so that one M-step of SGP-MIC is the fit.
docs/baseline-settings.md describes how the noise precision and the number of steps were chosen.

N. D. Lawrence, "Learning for Larger Datasets with the Gaussian Process Latent Variable Model",
AISTATS, 2007.
"""

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from sgpmic_cli._typing import Array, PathLike
from sgpmic_cli.estimator_base.parameter_checks import MEMORY, whole
from sgpmic_cli.files.array_cache import Memory
from sgpmic_cli.paper.embeddings.isomap import isomap
from sgpmic_cli.paper.methods._clusterer import EmbeddingFCM
from sgpmic_cli.paper.methods.gplvm_fcm import NO_START
from sgpmic_cli.paper.model.bound import Bound, Parameters, observe
from sgpmic_cli.paper.model.em import m_step
from sgpmic_cli.paper.model.estimator import PaperSGPMIC
from sgpmic_cli.paper.model.kernels import RBF
from sgpmic_cli.paper.model.mixture import mixture


@dataclass(eq=False, repr=False, kw_only=True)
class FGPLVMFCM(EmbeddingFCM):
    """A clusterer that maximises the DTC likelihood from ISOMAP and applies fuzzy c-means.

    Parameters
    ----------
    n_inducing : int, default=50
        Number of inducing inputs. They start at random rows of the latent points.
    max_iter : int, default=5
        Number of scaled conjugate gradient steps.
    memory : None, str, path-like or joblib.Memory, default=None
        Cache of the ISOMAP coordinates.

    Attributes
    ----------
    objective_ : float
        Log posterior density at `embedding_`.
    """

    n_inducing: int = 50
    max_iter: int = 5
    memory: PathLike | Memory | None = None

    _rules: ClassVar = {"n_inducing": whole(), "max_iter": whole(), "memory": MEMORY}

    def _embed(self, Y: Array, rng: np.random.RandomState) -> Array:
        variance = float(np.mean(np.var(Y, axis=0, ddof=1)))
        if variance == 0.0:
            raise ValueError("All rows are equal; the data need at least two distinct rows.")
        X = isomap(Y, self.n_components, memory=self.memory)
        Z = X[rng.permutation(len(X))[: self.n_inducing]]
        q, kernel = X.shape[1], RBF()
        prior = mixture(np.ones(1), np.zeros((1, q)), np.eye(q)[None])
        p = Parameters(X, Z, kernel.start(q)[None], float(np.log(4.0 / variance)), prior)
        bound = Bound(kernel, observe(Y - Y.mean(axis=0)), np.ones((len(Y), 1)))
        settings = PaperSGPMIC(optimizer="scg", optimizer_steps=self.max_iter, learn_noise=True)
        p, at_start = m_step(bound, p, settings)
        if not np.isfinite(at_start):
            raise FloatingPointError(NO_START)
        self.objective_, _ = bound.value(replace(p, prior=prior))  # the M-step moves the prior
        return p.X
