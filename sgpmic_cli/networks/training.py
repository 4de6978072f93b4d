"""Epochs of minibatches with the loss of each kept, early stopping, and a stop with a reason when the loss blows up."""

from collections.abc import Callable, Iterator

import numpy as np


def minibatches(n_rows: int, batch_size: int, rng: np.random.RandomState) -> Iterator[np.ndarray]:
    """The rows 0..n-1 once, in random order; the last batch may be smaller."""
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
    tolerance: float = 1e-4,
) -> list[float]:
    """Call `step(rows)`, which updates the parameters and returns the batch's loss, and return the loss per epoch.

    With `patience`, stop once that many epochs in a row failed to lower the best loss by the share `tolerance`.
    """
    curve: list[float] = []
    best, waited = np.inf, 0
    for epoch in range(epochs):
        total = 0.0
        with np.errstate(over="ignore", invalid="ignore"):  # reported below, with advice
            for rows in minibatches(n_rows, batch_size, rng):
                total += len(rows) * step(rows)
        loss = total / n_rows
        if not np.isfinite(loss):
            raise FloatingPointError(
                f"The training loss became {loss} in epoch {epoch + 1}; lower the learning rate or rescale the data."
            )
        curve.append(loss)
        if loss < best - tolerance * abs(best) or best == np.inf:
            best, waited = loss, 0
        else:
            waited += 1
            if patience is not None and waited >= patience:
                break
    return curve
