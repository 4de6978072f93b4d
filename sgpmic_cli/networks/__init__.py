"""Small dense networks in NumPy, double precision unless told otherwise; they know nothing of who trains them."""

from sgpmic_cli.networks.autoencoder import Autoencoder
from sgpmic_cli.networks.dense import Dense
from sgpmic_cli.networks.losses import (
    binary_cross_entropy,
    gaussian_divergence,
    gaussian_likelihood,
    mean_squared_error,
)
from sgpmic_cli.networks.optimisers import Adam, Momentum
from sgpmic_cli.networks.training import minibatches, train
from sgpmic_cli.networks.variational import VariationalAutoencoder

__all__ = [
    "Adam",
    "Autoencoder",
    "Dense",
    "Momentum",
    "VariationalAutoencoder",
    "binary_cross_entropy",
    "gaussian_divergence",
    "gaussian_likelihood",
    "mean_squared_error",
    "minibatches",
    "train",
]
