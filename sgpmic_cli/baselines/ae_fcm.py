"""AE-FCM: fuzzy c-means on the code of an autoencoder P-64-32-Q-32-64-P.

The paper gives only the layer sizes. docs/baseline-settings.md describes how the other settings
were chosen. The network uses PyTorch's initial weights and single precision.

G. E. Hinton and R. R. Salakhutdinov, "Reducing the Dimensionality of Data with Neural Networks",
Science 313, 2006.
"""

from typing import ClassVar

import numpy as np

from sgpmic_cli._typing import Array
from sgpmic_cli.baselines._clusterer import EmbeddingFCM
from sgpmic_cli.estimator_base.parameter_checks import (
    NOTHING,
    either,
    layers,
    positive_number,
    whole,
)
from sgpmic_cli.networks import Autoencoder


class AEFCM(EmbeddingFCM):
    """Train an autoencoder on the rows with Adam, then cluster the codes by fuzzy c-means.

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
    patience : int or None, default=None
        Number of epochs without improvement after which training stops. None disables this.

    Attributes
    ----------
    loss_curve_ : list of float
        Training loss of each epoch.
    """

    _rules: ClassVar = {
        "hidden": layers(),
        "epochs": whole(),
        "batch_size": whole(),
        "learning_rate": positive_number(),
        "patience": either(NOTHING, whole()),
    }

    def __init__(
        self,
        n_clusters=8,
        n_components=2,
        *,
        hidden=(64, 32),
        epochs=100,
        batch_size=128,
        learning_rate=1e-3,
        patience=None,
        random_state=None,
    ):
        super().__init__(n_clusters, n_components, random_state=random_state)
        self.hidden = hidden
        self.epochs = epochs
        self.batch_size = batch_size
        self.learning_rate = learning_rate
        self.patience = patience

    def _embed(self, Y: Array, rng: np.random.RandomState) -> Array:
        network = Autoencoder(
            [Y.shape[1], *self.hidden, self.n_components], rng, "pytorch", single_precision=True
        )
        self.loss_curve_ = network.fit(
            Y,
            rng,
            epochs=self.epochs,
            batch_size=self.batch_size,
            learning_rate=self.learning_rate,
            patience=self.patience,
        )
        return network.encode(Y)
