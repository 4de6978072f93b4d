"""An encoder and a mirrored decoder on one parameter vector, trained to give back their input."""

from collections.abc import Sequence

import numpy as np

from sgpmic_cli.networks.dense import Dense, Start
from sgpmic_cli.networks.losses import mean_squared_error
from sgpmic_cli.networks.optimisers import Adam
from sgpmic_cli.networks.training import train


class Autoencoder:
    """P-h1-h2-...-Q-...-h2-h1-P: ReLU inside, a linear code and a linear output, mean squared error, Adam."""

    def __init__(
        self,
        sizes: Sequence[int],
        rng: np.random.RandomState,
        start: Start = "glorot",
        *,
        single_precision: bool = False,
    ) -> None:
        self._precision = np.dtype(np.float32 if single_precision else np.float64)
        split = Dense.count(sizes)
        hidden = ["relu"] * (len(sizes) - 2)
        self.parameters = np.zeros(split + Dense.count(sizes[::-1]), self._precision)
        self.gradient = np.zeros_like(self.parameters)
        self.encoder = Dense(
            sizes, [*hidden, "linear"], self.parameters[:split], self.gradient[:split]
        )
        self.decoder = Dense(
            sizes[::-1], [*hidden, "linear"], self.parameters[split:], self.gradient[split:]
        )
        self.encoder.initialise(rng, start)
        self.decoder.initialise(rng, start)

    def fit(
        self,
        Y: np.ndarray,
        rng: np.random.RandomState,
        *,
        epochs: int,
        batch_size: int,
        learning_rate: float,
        patience: int | None = None,
    ) -> list[float]:
        """Train on the rows of Y (N, P) and return the loss of every epoch."""
        optimiser = Adam(self.parameters, self.gradient, learning_rate)
        Y = Y.astype(self._precision, copy=False)

        def step(rows: np.ndarray) -> float:
            loss = self.loss(Y[rows])
            optimiser.step()
            return loss

        return train(step, len(Y), epochs=epochs, batch_size=batch_size, rng=rng, patience=patience)

    def loss(self, Y: np.ndarray) -> float:
        """The reconstruction error of the rows of Y; its gradient is left in `gradient`."""
        output = self.decoder.forward(self.encoder.forward(Y))
        loss = mean_squared_error(output, Y, output)
        self.decoder.backward(output)
        self.encoder.backward(self.decoder.input_gradient())
        return loss

    def encode(self, Y: np.ndarray) -> np.ndarray:
        """The codes (N, Q) of the rows of Y."""
        return self.encoder.forward(Y.astype(self._precision, copy=False)).copy()
