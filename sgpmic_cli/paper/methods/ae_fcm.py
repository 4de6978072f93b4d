"""AE-FCM and VAE-FCM: fuzzy c-means on the codes of an autoencoder P-64-32-Q-32-64-P.

The paper states the layer sizes P-64-32-Q, without saying for which method, and no other setting.
docs/printed-numbers.md says how the other settings were chosen.

The printed column of VAE-FCM is close to chance. `VAEFCM` reproduces it with the settings of
examples for images: a sigmoid output with cross-entropy averaged over columns, a divergence summed
over code dimensions, and fuzzy c-means on one random sample of the code. Values above 1 saturate
the logits, so the code collapses to the prior. In single precision, large columns overflow and all
rows get one label, as in some of the printed runs.

G. E. Hinton and R. R. Salakhutdinov, "Reducing the Dimensionality of Data with Neural Networks",
Science 313, 2006.
D. P. Kingma and M. Welling, "Auto-Encoding Variational Bayes", ICLR, 2014.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from sgpmic_cli._typing import Array
from sgpmic_cli.estimators import Count, Flag, Positive
from sgpmic_cli.paper.methods import EmbeddingFCM
from sgpmic_cli.paper.networks import Autoencoder, VariationalAutoencoder


@dataclass(eq=False, repr=False, kw_only=True)
class AEFCM(EmbeddingFCM):
    """A clusterer that trains an autoencoder with Adam and applies fuzzy c-means to the codes.

    The network has PyTorch's initial weights and single precision. `loss_curve_` has the training
    loss of each epoch.
    """

    hidden: Sequence[int] = (64, 32)  # sizes of the layers between input and code
    epochs: Count = 100
    batch_size: Count = 128
    learning_rate: Positive = 1e-3

    def _embed(self, Y: Array, rng: np.random.RandomState) -> Array:
        network = self._trained(Y, rng, Autoencoder, initialisation="pytorch", single=True)
        return network.encode(Y)

    def _trained(self, Y: Array, rng: np.random.RandomState, kind: Any, **how: Any) -> Any:
        network = kind([Y.shape[1], *self.hidden, self.n_components], rng, **how)
        self.loss_curve_ = network.fit(Y, rng, self.learning_rate, self.epochs, self.batch_size)
        return network


@dataclass(eq=False, repr=False, kw_only=True)
class VAEFCM(AEFCM):
    """A clusterer that trains a VAE with averaged cross-entropy and clusters a sample of the code.

    The paper's table needs single precision, in which columns with large values overflow: the codes
    are NaN, the loss curve is empty and all rows get label 0.
    """

    epochs: Count = 200
    batch_size: Count = 256
    single_precision: Flag = False

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
        network = self._trained(Y, rng, VariationalAutoencoder, single=self.single_precision)
        return network.sample(Y, rng).astype(np.float64)
