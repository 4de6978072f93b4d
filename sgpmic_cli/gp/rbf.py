"""The radial basis function, for NumPy arrays and PyTorch tensors.

    r(z, x) = exp(-1/2 sum_q gamma_q (z_q - x_q)^2)

Its logarithm is a product of two matrices, with a row for each z and a column for each x:

    log r = a.b       a = (z, -1/2 z^2, 1)       b = (gamma x, gamma, -1/2 sum_q gamma_q x_q^2)

So one matrix product gives all exponents, and two give the gradients from T = dL/dR * R:
dL/da = T b' and dL/db = a' T. Z is (K, Q) and X is (Q, N). `gamma` is (Q, 1), or (Q, N) if every x
has its own. It has one row instead of Q if the dimensions share it.
"""

from typing import Any


def rbf(xp: Any, Z: Any, X: Any, gamma: Any, log_scale: Any, out: Any = None) -> Any:
    """Return exp(log_scale) r(z_k, x_n), (K, N); `log_scale` may have a value for each x_n."""
    level = log_scale - 0.5 * (gamma * X * X).sum(0)
    K = xp.matmul(_of_z(xp, Z, gamma), xp.concatenate([*_of_x(xp, X, gamma), level[None]]), out=out)
    return xp.exp(K, out=K)


def rbf_gradients(xp: Any, T: Any, Z: Any, X: Any, gamma: Any) -> tuple[Any, Any, Any, Any]:
    """Return the gradients by Z, X, and the log gamma and log scale of every x from T (K, N)."""
    q = len(X)
    by_z, by_x = T @ xp.concatenate(_of_x(xp, X, gamma)).T, _of_z(xp, Z, gamma).T @ T
    first, second, total = by_x[:q], by_x[q:-1], by_x[-1]
    dZ = by_z[:, :q] - by_z[:, q:] * Z
    dX = gamma * (first - total * X)
    dgamma = gamma * (_shared(X * (first - 0.5 * total * X), gamma, 0) + second)
    return dZ, dX, dgamma, total


def _of_z(xp: Any, Z: Any, gamma: Any) -> Any:
    """Return a, (K, .)."""
    return xp.concatenate([Z, -0.5 * _shared(Z * Z, gamma, 1), xp.ones_like(Z[:, :1])], 1)


def _of_x(xp: Any, X: Any, gamma: Any) -> list[Any]:
    """Return the first two parts of b, (., N)."""
    return [gamma * X, xp.broadcast_to(gamma, (len(gamma), X.shape[1]))]


def _shared(squares: Any, gamma: Any, axis: int) -> Any:
    """Add up the dimensions along an axis if they share one gamma."""
    return squares if len(gamma) == squares.shape[axis] else squares.sum(axis, keepdims=True)
