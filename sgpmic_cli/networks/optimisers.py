"""Gradient descent on one flat vector, in place."""

import math

import numpy as np


class Adam:
    """Kingma and Ba: steps of the mean gradient over the root mean squared gradient, both bias-corrected."""

    def __init__(
        self,
        parameters: np.ndarray,
        gradient: np.ndarray,
        learning_rate: float = 1e-3,
        decays: tuple[float, float] = (0.9, 0.999),
        epsilon: float = 1e-8,
    ) -> None:
        self.parameters, self.gradient = parameters, gradient
        self.learning_rate, self.decays, self.epsilon = learning_rate, decays, epsilon
        self.steps = 0
        self._first, self._second, self._scratch = (np.zeros_like(parameters) for _ in range(3))

    def step(self) -> None:
        """Move the parameters once."""
        self.steps += 1
        (d1, d2), m, v, s = self.decays, self._first, self._second, self._scratch
        m *= d1
        m += np.multiply(self.gradient, 1.0 - d1, out=s)
        v *= d2
        np.multiply(self.gradient, self.gradient, out=s)
        s *= 1.0 - d2
        v += s
        # m / (1-d1^t) over sqrt(v / (1-d2^t)) + eps, with the two corrections taken out of the vectors
        root = math.sqrt(
            1.0 - d2**self.steps
        )  # no NumPy scalar, which would lift single precision to double
        np.sqrt(v, out=s)
        s += self.epsilon * root
        np.divide(m, s, out=s)
        s *= self.learning_rate * root / (1.0 - d1**self.steps)
        self.parameters -= s


class Momentum:
    """Stochastic gradient descent with a velocity: u <- c u - r g, theta <- theta + u."""

    def __init__(
        self,
        parameters: np.ndarray,
        gradient: np.ndarray,
        learning_rate: float = 1e-2,
        momentum: float = 0.9,
    ) -> None:
        self.parameters, self.gradient = parameters, gradient
        self.learning_rate, self.momentum = learning_rate, momentum
        self._velocity, self._scratch = np.zeros_like(parameters), np.empty_like(parameters)

    def step(self) -> None:
        """Move the parameters once."""
        self._velocity *= self.momentum
        self._velocity -= np.multiply(self.gradient, self.learning_rate, out=self._scratch)
        self.parameters += self._velocity
