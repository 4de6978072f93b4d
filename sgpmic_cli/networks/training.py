"""Optimisers that update one flat parameter vector in place, and training in minibatches."""

import math
from collections.abc import Callable, Iterator

import numpy as np

DECAYS = 0.9, 0.999  # of the two moments of Adam
EPSILON = 1e-8
MIN_IMPROVEMENT = 1e-4  # of the best loss, as a fraction, that resets the patience


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

    def __init__(
        self,
        parameters: np.ndarray,
        gradient: np.ndarray,
        learning_rate: float,
        momentum: float = 0.9,
    ) -> None:
        self.parameters, self.gradient = parameters, gradient
        self.learning_rate, self.momentum = learning_rate, momentum
        self._velocity = np.zeros_like(parameters)

    def step(self) -> None:
        """Update the parameters once."""
        self._velocity *= self.momentum
        self._velocity -= self.gradient * self.learning_rate
        self.parameters += self._velocity


def minibatches(n_rows: int, batch_size: int, rng: np.random.RandomState) -> Iterator[np.ndarray]:
    """Yield the indices 0..n-1 in random order; the last batch may be smaller."""
    order = rng.permutation(n_rows)
    for start in range(0, n_rows, batch_size):
        yield order[start : start + batch_size]


def train(
    step: Callable[[np.ndarray], float],
    n_rows: int,
    *,
    epochs: int,
    batch_size: int,
    rng: np.random.RandomState,
    patience: int | None = None,
) -> list[float]:
    """Call `step(rows)` for every minibatch and return the mean loss of every epoch.

    `step` updates the parameters and returns the loss of the batch. With `patience`, stop after
    that many consecutive epochs without enough improvement of the best loss.
    """
    curve: list[float] = []
    best, waited = np.inf, 0
    for epoch in range(epochs):
        total = 0.0
        with np.errstate(over="ignore", invalid="ignore"):  # reported below
            for rows in minibatches(n_rows, batch_size, rng):
                total += len(rows) * step(rows)
        loss = total / n_rows
        if not np.isfinite(loss):
            raise FloatingPointError(
                f"The training loss became {loss} in epoch {epoch + 1}; "
                "use a lower learning rate or rescale the data."
            )
        curve.append(loss)
        if loss < best - MIN_IMPROVEMENT * abs(best) or best == np.inf:
            best, waited = loss, 0
        else:
            waited += 1
            if patience is not None and waited >= patience:
                break
    return curve
