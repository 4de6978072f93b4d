"""The two generated sets after the paper's figure of spherical data: a spiral in space and arcs of five circles."""

import numpy as np

# Rounding makes the values, and so their hash, the same where sine and cosine differ in the last bit.
_DECIMALS = 6


def spiral(n: int, n_classes: int, seed: int) -> tuple[np.ndarray, list[str]]:
    """A conical spiral (t cos t, t sin t, t): one turn and one class for each of the consecutive stretches."""
    random = np.random.RandomState(seed)
    share = (np.arange(n) + 0.5) / n
    # Arc length grows like t^2 / 2: the square root spreads the points evenly along the curve.
    t = 2 * np.pi * n_classes * np.sqrt(share)  # (N,)
    Y = np.column_stack([t * np.cos(t), t * np.sin(t), t]) + random.normal(scale=0.1, size=(n, 3))
    turn = np.minimum(t // (2 * np.pi), n_classes - 1).astype(int)
    return Y.round(_DECIMALS), [f"turn {index + 1}" for index in turn]


def arcs(n: int, n_classes: int, seed: int) -> tuple[np.ndarray, list[str]]:
    """Half circles of radius one in a chain, open downwards and upwards by turns, each with an end inside the next.

    No straight line parts neighbours, so that k-means and fuzzy c-means on the
    plane cut every arc: which is what the paper's figure is to show a nonlinear model to be needed for.
    """
    random = np.random.RandomState(seed)
    circle = np.arange(n) * n_classes // n  # (N,) equal parts, one after the other
    angle = random.uniform(0.0, np.pi, size=n)
    upwards = circle % 2 == 1
    height = np.where(upwards, 0.5 - np.sin(angle), np.sin(angle))
    # 1.2 radii from one centre to the next leave a gap of 0.4 between every second arc, whose ends face each other.
    Y = np.column_stack([1.2 * circle + np.cos(angle), height]) + random.normal(scale=0.05, size=(n, 2))
    return Y.round(_DECIMALS), [f"arc {index + 1}" for index in circle]


GENERATORS = {"spiral": (spiral, ("x", "y", "z")), "arcs": (arcs, ("x", "y"))}
