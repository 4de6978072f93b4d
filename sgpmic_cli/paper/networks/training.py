"""Optimisers that update one flat parameter vector in place, and training in minibatches."""

import math
from collections.abc import Callable

import numpy as np
from sklearn.utils import gen_batches

DECAYS = 0.9, 0.999  # of the two moments of Adam
EPSILON = 1e-8
MOMENTUM = 0.9


class Adam:
    """Adam of Kingma and Ba (2015)."""

    def __init__(self, parameters: np.ndarray, gradient: np.ndarray, learning_rate: float) -> None:
        self.parameters, self.gradient = parameters, gradient
        self.learning_rate, self.steps = learning_rate, 0
        self._first, self._second = np.zeros_like(parameters), np.zeros_like(parameters)

    def step(self) -> None:
        """Update the parameters once."""
        self.steps += 1
        (d1, d2), m, v = DECAYS, self._first, self._second
        m *= d1
        m += self.gradient * (1.0 - d1)
        v *= d2
        v += self.gradient * self.gradient * (1.0 - d2)
        # Equal to m / (1-d1^t) over sqrt(v / (1-d2^t)) + eps, with fewer operations on vectors.
        # math.sqrt returns a Python float, which does not convert single precision to double.
        root = math.sqrt(1.0 - d2**self.steps)
        update = m / (np.sqrt(v) + EPSILON * root)
        update *= self.learning_rate * root / (1.0 - d1**self.steps)
        self.parameters -= update


class Momentum:
    """Gradient descent with momentum: u <- c u - r g, theta <- theta + u."""

    def __init__(self, parameters: np.ndarray, gradient: np.ndarray, learning_rate: float) -> None:
        self.parameters, self.gradient = parameters, gradient
        self.learning_rate = learning_rate
        self._velocity = np.zeros_like(parameters)

    def step(self) -> None:
        """Update the parameters once."""
        self._velocity *= MOMENTUM
        self._velocity -= self.gradient * self.learning_rate
        self.parameters += self._velocity


def train(
    step: Callable[[np.ndarray], float],
    n_rows: int,
    *,
    epochs: int,
    batch_size: int,
    rng: np.random.RandomState,
) -> list[float]:
    """Call `step(rows)` for every minibatch and return the mean loss of every epoch.

    `step` updates the parameters and returns the loss of the batch. Every epoch has a new order of
    the rows.
    """
    curve: list[float] = []
    for epoch in range(epochs):
        order, total = rng.permutation(n_rows), 0.0
        with np.errstate(over="ignore", invalid="ignore"):  # reported below
            for batch in gen_batches(n_rows, batch_size):
                rows = order[batch]
                total += len(rows) * step(rows)
        curve.append(total / n_rows)
        if not np.isfinite(curve[-1]):
            raise FloatingPointError(
                f"The training loss became {curve[-1]} in epoch {epoch + 1}; "
                "use a lower learning rate or rescale the data."
            )
    return curve
