"""VAE-FCM: fuzzy c-means on the code of a variational autoencoder.

The printed column is close to chance. `VAEFCM` reproduces it with the settings of examples for
images: a sigmoid output with cross-entropy averaged over columns, a divergence summed over code
dimensions, and fuzzy c-means on one random sample of the code. Values above 1 saturate the logits,
so the code collapses to the prior. In single precision, large columns overflow and all rows get one
label, as in some of the printed runs. `VAESoundFCM` uses a Gaussian likelihood and the mean code
instead. docs/baseline-settings.md compares the variants.

D. P. Kingma and M. Welling, "Auto-Encoding Variational Bayes", ICLR, 2014.
"""

from dataclasses import dataclass
from functools import partial
from typing import ClassVar

import numpy as np

from sgpmic_cli._typing import Array
from sgpmic_cli.estimator_base.parameter_checks import BOOLEAN
from sgpmic_cli.paper.methods.ae_fcm import AEFCM
from sgpmic_cli.paper.networks.autoencoders import Loss, VariationalAutoencoder
from sgpmic_cli.paper.networks.losses import binary_cross_entropy, gaussian_likelihood

# Keras clips probabilities to [1e-7, 1 - 1e-7]; this is the same limit for logits.
LOGIT_LIMIT = float(np.log((1.0 - 1e-7) / 1e-7))


@dataclass(eq=False, repr=False, kw_only=True)
class VAEFCM(AEFCM):
    """A clusterer that trains a VAE with averaged cross-entropy and clusters a sample of the code.

    The other parameters are those of `AEFCM`.

    Parameters
    ----------
    epochs : int, default=200
        Number of training epochs.
    batch_size : int, default=256
        Number of rows per minibatch.
    single_precision : bool, default=False
        Compute in single precision. Columns with large values then overflow; the codes are NaN
        and all rows get label 0. The paper's table needs this.

    Attributes
    ----------
    embedding_ : ndarray of shape (n_samples, n_components)
        One sample of the codes; NaN if single precision overflowed.
    loss_curve_ : list of float
        Training loss of each epoch; empty if single precision overflowed.
    """

    epochs: int = 200
    batch_size: int = 256
    single_precision: bool = False

    _rules: ClassVar = {**AEFCM._rules, "single_precision": BOOLEAN}

    def _learn(self, Y: Array, rng: np.random.RandomState) -> None:
        try:
            super()._learn(Y, rng)
        except FloatingPointError:
            if not self.single_precision:
                raise
            # Fuzzy c-means of NaN codes would assign every row to the first cluster.
            self.loss_curve_: list[float] = []
            self.embedding_ = np.full((len(Y), self.n_components), np.nan)
            self.labels_ = np.zeros(len(Y), np.int64)

    def _embed(self, Y: Array, rng: np.random.RandomState) -> Array:
        network = self._network(Y, partial(binary_cross_entropy, limit=LOGIT_LIMIT), rng)
        return self._trained(network, Y, rng).sample(Y, rng).astype(np.float64)

    def _network(self, Y: Array, loss: Loss, rng: np.random.RandomState):
        single = self.single_precision
        return VariationalAutoencoder(self._sizes(Y), loss, rng, single_precision=single)


class VAESoundFCM(VAEFCM):
    """A clusterer that trains a VAE with a Gaussian likelihood and clusters the mean code.

    The parameters and attributes are those of `VAEFCM`; `embedding_` holds the mean codes.
    """

    def _embed(self, Y: Array, rng: np.random.RandomState) -> Array:
        Y = Y - Y.mean(axis=0)
        scale = np.sqrt(np.mean(Y**2))  # one factor keeps the relative scale of the columns
        if scale > 0:
            Y /= scale
        network = self._network(Y, gaussian_likelihood, rng)
        return self._trained(network, Y, rng).encode(Y)
