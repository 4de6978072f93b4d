"""Generated sets: two after the paper's figure of spherical data, thin shapes, and clouds of known difficulty.

A generator takes the number of rows, the number of classes and a seed, and gives equal parts one after the other.
"""

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

    No straight line parts neighbours, so that k-means and fuzzy c-means on the plane cut every arc. The paper's figure
    is meant to show that such data need a nonlinear model.
    """
    random = np.random.RandomState(seed)
    circle = np.arange(n) * n_classes // n  # (N,) equal parts, one after the other
    angle = random.uniform(0.0, np.pi, size=n)
    upwards = circle % 2 == 1
    height = np.where(upwards, 0.5 - np.sin(angle), np.sin(angle))
    # 1.2 radii from one centre to the next leave a gap of 0.4 between every second arc, whose ends face each other.
    Y = np.column_stack([1.2 * circle + np.cos(angle), height]) + random.normal(
        scale=0.05, size=(n, 2)
    )
    return Y.round(_DECIMALS), [f"arc {index + 1}" for index in circle]


def spirals(n: int, n_classes: int, seed: int) -> tuple[np.ndarray, list[str]]:
    """Arms t (cos(t + a), sin(t + a)) wound around one point, t from 2 to 10, each turned by a = 2 pi / n_classes."""
    random = np.random.RandomState(seed)
    arm = _parts(n, n_classes)
    t = np.sqrt(
        random.uniform(2.0**2, 10.0**2, size=n)
    )  # even along the arm, whose length grows like t^2 / 2
    turned = t + 2 * np.pi * arm / n_classes
    Y = t[:, None] * _circle(turned) + random.normal(scale=0.2, size=(n, 2))
    return _named(Y, "arm", arm)


def semicircles(n: int, n_classes: int, seed: int) -> tuple[np.ndarray, list[str]]:
    """Half circles of radius one along a line, every second one upside down; centres 4/3 and gaps 2/3 apart."""
    random = np.random.RandomState(seed)
    piece = _parts(n, n_classes)
    up = 1.0 - 2.0 * (piece % 2)  # +1, -1, +1, ...
    curve = _circle(random.uniform(0.0, np.pi, size=n)) * np.column_stack([np.ones(n), up])
    Y = (
        curve
        + np.column_stack([4.0 / 3.0 * piece, np.zeros(n)])
        + random.normal(scale=0.05, size=(n, 2))
    )
    return _named(Y, "piece", piece)


def circles(n: int, n_classes: int, seed: int) -> tuple[np.ndarray, list[str]]:
    """Circles around one point with the radii 1, 2, 3, ..."""
    random = np.random.RandomState(seed)
    ring = _parts(n, n_classes)
    angle = random.uniform(0.0, 2 * np.pi, size=n)
    Y = (ring + 1.0)[:, None] * _circle(angle) + random.normal(scale=0.1, size=(n, 2))
    return _named(Y, "ring", ring)


def pinwheel(n: int, n_classes: int, seed: int) -> tuple[np.ndarray, list[str]]:
    """Vanes: Gaussians (r, s) of mean (1, 0), deviations 0.3 and 0.05, turned by 2 pi k / n_classes + 0.25 exp(r)."""
    random = np.random.RandomState(seed)
    vane = _parts(n, n_classes)
    along, across = random.normal(1.0, 0.3, size=n), random.normal(0.0, 0.05, size=n)
    angle = 2 * np.pi * vane / n_classes + 0.25 * np.exp(along)
    cos, sin = np.cos(angle), np.sin(angle)
    return _named(
        np.column_stack([along * cos - across * sin, along * sin + across * cos]), "vane", vane
    )


def moons(n: int, n_classes: int, seed: int) -> tuple[np.ndarray, list[str]]:
    """Half circles (cos t, sin t) and (1 - cos t, 1/2 - sin t), t from 0 to pi, and so on along a line."""
    random = np.random.RandomState(seed)
    moon = _parts(n, n_classes)
    up = 1.0 - 2.0 * (moon % 2)
    curve = _circle(random.uniform(0.0, np.pi, size=n)) * up[:, None]
    Y = (
        curve
        + np.column_stack([1.0 * moon, 0.25 - 0.25 * up])
        + random.normal(scale=0.08, size=(n, 2))
    )
    return _named(Y, "moon", moon)


def blobs20(n: int, n_classes: int, seed: int) -> tuple[np.ndarray, list[str]]:
    """Gaussians of unit variance in 20 dimensions, centres 4 apart, each along the diagonal of its own columns."""
    random = np.random.RandomState(seed)
    blob = _parts(n, n_classes)
    own = (_parts(20, n_classes) == np.arange(n_classes)[:, None]).astype(float)  # (n_classes, 20)
    centres = 4.0 / np.sqrt(2.0) * own / np.sqrt(own.sum(axis=1, keepdims=True))
    return _named(centres[blob] + random.normal(size=(n, 20)), "blob", blob)


def overlapping(n: int, n_classes: int, seed: int) -> tuple[np.ndarray, list[str]]:
    """Gaussians of unit variance in the plane, centres on a circle, neighbours 3 apart: one row in ten is mixed."""
    random = np.random.RandomState(seed)
    blob = _parts(n, n_classes)
    radius = 1.5 / np.sin(np.pi / n_classes)
    return _named(
        radius * _circle(2 * np.pi * blob / n_classes) + random.normal(size=(n, 2)), "blob", blob
    )


def unequal(n: int, n_classes: int, seed: int) -> tuple[np.ndarray, list[str]]:
    """Gaussians in the plane, centres on a circle of radius 3; deviations 0.4, 0.8, 1.6, ... and as many more rows."""
    random = np.random.RandomState(seed)
    size = 2.0 ** np.arange(n_classes)
    bounds = np.cumsum(size) / size.sum()
    blob = np.searchsorted(bounds, (np.arange(n) + 0.5) / n)
    Y = 3.0 * _circle(2 * np.pi * blob / n_classes) + 0.4 * size[blob][:, None] * random.normal(
        size=(n, 2)
    )
    return _named(Y, "blob", blob)


def _parts(n: int, n_classes: int) -> np.ndarray:
    """The class of each row (n,): equal parts, one after the other."""
    return np.arange(n) * n_classes // n


def _circle(angle: np.ndarray) -> np.ndarray:
    """Points of the unit circle (n, 2)."""
    return np.column_stack([np.cos(angle), np.sin(angle)])


def _named(Y: np.ndarray, word: str, part: np.ndarray) -> tuple[np.ndarray, list[str]]:
    return Y.round(_DECIMALS), [f"{word} {index + 1}" for index in part]


_PLANE = ("x", "y")
GENERATORS = {
    "spiral": (spiral, ("x", "y", "z")),
    "arcs": (arcs, _PLANE),
    "spirals": (spirals, _PLANE),
    "semicircles": (semicircles, _PLANE),
    "circles": (circles, _PLANE),
    "pinwheel": (pinwheel, _PLANE),
    "moons": (moons, _PLANE),
    "blobs20": (blobs20, tuple(f"v{j + 1:02d}" for j in range(20))),
    "overlapping": (overlapping, _PLANE),
    "unequal": (unequal, _PLANE),
}
