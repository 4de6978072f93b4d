"""The radial basis function, for NumPy arrays and PyTorch tensors.

    r(x, z) = exp(-1/2 sum_q gamma_q (x_q - z_q)^2)

`gamma` has the shape (..., Q). Leading axes are processes; X (N, Q) and Z (K, Q) may have them too.
"""

from typing import Any


def rbf(xp: Any, X: Any, Z: Any, gamma: Any, log_scale: Any) -> Any:
    """Return exp(log_scale) r(x_n, z_k), (..., N, K); `log_scale` may have a value for each row."""
    K = (X * gamma[..., None, :]) @ Z.T  # -1/2 |x - z|^2 = x.z - 1/2 |x|^2 - 1/2 |z|^2
    K += log_scale - 0.5 * ((X * X) @ gamma[..., :, None])
    K -= 0.5 * (gamma[..., None, :] @ (Z * Z).T)
    return xp.exp(K, out=K)


def rbf_gradients(T: Any, X: Any, Z: Any, gamma: Any) -> tuple[Any, Any, Any]:
    """Return the gradients by X, Z and log gamma from T = dL/dR * R, (..., N, K)."""
    gamma = gamma[..., None, :]
    dX = gamma * (T @ Z - T.sum(-1)[..., None] * X)
    dZ = gamma * (T.mT @ X - T.sum(-2)[..., None] * Z)
    # Multiplying all points by a factor is the same as multiplying gamma by its square.
    return dX, dZ, 0.5 * ((X * dX).sum(-2) + (Z * dZ).sum(-2))
