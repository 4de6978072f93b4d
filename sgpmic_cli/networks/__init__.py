"""Small dense networks in NumPy, in double precision by default."""

from sgpmic_cli.networks.autoencoders import Autoencoder, VariationalAutoencoder
from sgpmic_cli.networks.dense import Dense
from sgpmic_cli.networks.losses import binary_cross_entropy, gaussian_likelihood
from sgpmic_cli.networks.training import Adam, Momentum, train

__all__ = [
    "Adam",
    "Autoencoder",
    "Dense",
    "Momentum",
    "VariationalAutoencoder",
    "binary_cross_entropy",
    "gaussian_likelihood",
    "train",
]
