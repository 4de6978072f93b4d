"""Climbing an objective over several arrays at once, by the scaled conjugate gradients of the model."""

from collections.abc import Callable, Sequence

import numpy as np

from sgpmic_cli._typing import Array
from sgpmic_cli.model.paper.cholesky import NotPositiveDefinite
from sgpmic_cli.model.paper.optimizers import scg

Objective = Callable[
    ..., tuple[float, tuple[Array, ...]]
]  # arrays in, value and one gradient for each array out


def climb(objective: Objective, start: Sequence[Array], steps: int) -> tuple[list[Array], float]:
    """The arrays after at most `steps` steps from `start`, and the value there, which is never below the first one.

    A point at which the objective has no finite value is a step not taken; a start of that kind ends the fit.
    """
    ends = np.cumsum([array.size for array in start])

    def arrays(vector: Array) -> list[Array]:
        parts = np.split(vector, ends[:-1])
        return [part.reshape(array.shape) for part, array in zip(parts, start, strict=True)]

    def descent(vector: Array) -> tuple[float, Array]:
        try:
            with np.errstate(over="ignore", invalid="ignore", divide="ignore", under="ignore"):
                value, gradients = objective(*arrays(vector))
        except NotPositiveDefinite:
            return np.inf, np.zeros_like(vector)
        gradient = np.concatenate([part.ravel() for part in gradients])
        if not (np.isfinite(value) and np.isfinite(gradient).all()):
            return np.inf, np.zeros_like(vector)
        return -value, -gradient

    vector, loss = scg(descent, np.concatenate([array.ravel() for array in start]), steps)
    if not np.isfinite(loss):
        raise FloatingPointError(
            "The likelihood has no finite value at the start of the fit: rescale the data."
        )
    return arrays(vector), -loss
