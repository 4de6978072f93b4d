"""AE-FCM: fuzzy c-means on the code of an autoencoder P-64-32-Q-32-64-P.

The paper states the layer sizes P-64-32-Q, without saying for which method, and no other setting.
docs/baseline-settings.md describes how the other settings were chosen. The network uses PyTorch's
initial weights and single precision.

G. E. Hinton and R. R. Salakhutdinov, "Reducing the Dimensionality of Data with Neural Networks",
Science 313, 2006.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from sgpmic_cli._typing import Array
from sgpmic_cli.estimator_base.parameter_checks import positive_integers, positive_number, whole
from sgpmic_cli.paper.methods._clusterer import EmbeddingFCM
from sgpmic_cli.paper.networks.autoencoders import Autoencoder


@dataclass(eq=False, repr=False, kw_only=True)
class AEFCM(EmbeddingFCM):
    """A clusterer that trains an autoencoder with Adam and applies fuzzy c-means to the codes.

    Parameters
    ----------
    hidden : list or tuple of int, default=(64, 32)
        Sizes of the layers between input and code.
    epochs : int, default=100
        Number of training epochs.
    batch_size : int, default=128
        Number of rows per minibatch.
    learning_rate : float, default=0.001
        Learning rate of Adam.

    Attributes
    ----------
    loss_curve_ : list of float
        Training loss of each epoch.
    """

    hidden: Sequence[int] = (64, 32)
    epochs: int = 100
    batch_size: int = 128
    learning_rate: float = 1e-3

    _rules: ClassVar = {
        "hidden": positive_integers(),
        "epochs": whole(),
        "batch_size": whole(),
        "learning_rate": positive_number(),
    }

    def _embed(self, Y: Array, rng: np.random.RandomState) -> Array:
        network = Autoencoder(self._sizes(Y), rng, "pytorch", single_precision=True)
        return self._trained(network, Y, rng).encode(Y)

    def _sizes(self, Y: Array) -> list[int]:
        return [Y.shape[1], *self.hidden, self.n_components]

    def _trained(self, network, Y: Array, rng: np.random.RandomState):
        self.loss_curve_ = network.fit(
            Y, rng, epochs=self.epochs, batch_size=self.batch_size, learning_rate=self.learning_rate
        )
        return network
