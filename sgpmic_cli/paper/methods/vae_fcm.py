"""VAE-FCM: fuzzy c-means on the code of a variational autoencoder.

The printed column is close to chance. `VAEFCM` reproduces it with the settings of examples for
images: a sigmoid output with cross-entropy averaged over columns, a divergence summed over code
dimensions, and fuzzy c-means on one random sample of the code. Values above 1 saturate the logits,
so the code collapses to the prior. In single precision, large columns overflow and all rows get one
label, as in some of the printed runs. docs/baseline-settings.md compares variants.

D. P. Kingma and M. Welling, "Auto-Encoding Variational Bayes", ICLR, 2014.
"""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from sgpmic_cli._typing import Array
from sgpmic_cli.estimator_base.parameter_checks import BOOLEAN
from sgpmic_cli.paper.methods.ae_fcm import AEFCM
from sgpmic_cli.paper.networks.autoencoders import VariationalAutoencoder


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
        network = VariationalAutoencoder(
            self._sizes(Y), rng, single_precision=self.single_precision
        )
        return self._trained(network, Y, rng).sample(Y, rng).astype(np.float64)
