"""Generate data sets: two after the paper's figures, curved shapes, and Gaussian clusters.

A generator takes a random state, the number of rows and the number of classes. It returns the
values and the class of each row. The classes have equal sizes unless stated otherwise and follow
one another.
"""

import numpy as np
from numpy.random import RandomState

Generated = tuple[np.ndarray, np.ndarray]

# Sine and cosine differ between platforms in the last bit. Rounding makes values and hashes equal.
_DECIMALS = 6


def spiral(random: RandomState, n: int, n_classes: int) -> Generated:
    """Generate a conical spiral (t cos t, t sin t, t) with one turn per class."""
    fraction = (np.arange(n) + 0.5) / n
    # The arc length grows like t^2 / 2, so the square root spreads the points evenly.
    t = 2 * np.pi * n_classes * np.sqrt(fraction)  # (N,)
    Y = np.column_stack([t * np.cos(t), t * np.sin(t), t]) + random.normal(scale=0.1, size=(n, 3))
    return Y, np.minimum(t // (2 * np.pi), n_classes - 1).astype(int)


def arcs(random: RandomState, n: int, n_classes: int) -> Generated:
    """Generate a chain of unit half circles that open downwards and upwards in turn.

    Each arc has an end inside the next one. No straight line separates neighbours, so k-means and
    fuzzy c-means cut every arc. The paper shows with arcs of five circles that its model is
    nonlinear, and does not say how they lie.
    """
    arc = _classes(n, n_classes)
    angle = random.uniform(0.0, np.pi, size=n)
    height = np.where(arc % 2 == 1, 0.5 - np.sin(angle), np.sin(angle))
    # Centres 1.2 apart leave a gap of 0.4 between the facing ends of every second arc.
    Y = np.column_stack([1.2 * arc + np.cos(angle), height])
    return Y + random.normal(scale=0.05, size=(n, 2)), arc


def spirals(random: RandomState, n: int, n_classes: int) -> Generated:
    """Generate arms t (cos(t + a), sin(t + a)), t from 2 to 10, with a = 2 pi k / n_classes."""
    arm = _classes(n, n_classes)
    t = np.sqrt(random.uniform(2.0**2, 10.0**2, size=n))  # even in arc length
    curve = t[:, None] * circle(t + 2 * np.pi * arm / n_classes)
    return curve + random.normal(scale=0.2, size=(n, 2)), arm


def semicircles(random: RandomState, n: int, n_classes: int) -> Generated:
    """Generate unit half circles along a line, alternately upside down, with centres 4/3 apart."""
    piece = _classes(n, n_classes)
    sign = 1.0 - 2.0 * (piece % 2)
    curve = circle(random.uniform(0.0, np.pi, size=n)) * np.column_stack([np.ones(n), sign])
    centres = np.column_stack([4.0 / 3.0 * piece, np.zeros(n)])
    return curve + centres + random.normal(scale=0.05, size=(n, 2)), piece


def circles(random: RandomState, n: int, n_classes: int) -> Generated:
    """Generate concentric circles with the radii 1, 2, 3, ..."""
    ring = _classes(n, n_classes)
    curve = (ring + 1.0)[:, None] * circle(random.uniform(0.0, 2 * np.pi, size=n))
    return curve + random.normal(scale=0.1, size=(n, 2)), ring


def pinwheel(random: RandomState, n: int, n_classes: int) -> Generated:
    """Generate bent vanes.

    Points (r, s) have mean (1, 0) and standard deviations 0.3 and 0.05. Vane k is rotated by
    2 pi k / n_classes + 0.25 exp(r).
    """
    vane = _classes(n, n_classes)
    r, s = random.normal(1.0, 0.3, size=n), random.normal(0.0, 0.05, size=n)
    angle = 2 * np.pi * vane / n_classes + 0.25 * np.exp(r)
    cos, sin = np.cos(angle), np.sin(angle)
    return np.column_stack([r * cos - s * sin, r * sin + s * cos]), vane


def moons(random: RandomState, n: int, n_classes: int) -> Generated:
    """Generate half circles (cos t, sin t) and (1 - cos t, 1/2 - sin t), continued along a line."""
    moon = _classes(n, n_classes)
    sign = 1.0 - 2.0 * (moon % 2)
    curve = circle(random.uniform(0.0, np.pi, size=n)) * sign[:, None]
    centres = np.column_stack([1.0 * moon, 0.25 - 0.25 * sign])
    return curve + centres + random.normal(scale=0.08, size=(n, 2)), moon


def blobs20(random: RandomState, n: int, n_classes: int) -> Generated:
    """Generate Gaussians of unit variance in 20 dimensions with centres 4 apart.

    Each centre lies on the diagonal of the columns of its class.
    """
    blob = _classes(n, n_classes)
    own = (_classes(20, n_classes) == np.arange(n_classes)[:, None]).astype(float)  # (M, 20)
    centres = 4.0 / np.sqrt(2.0) * own / np.sqrt(own.sum(axis=1, keepdims=True))
    return centres[blob] + random.normal(size=(n, 20)), blob


def overlapping(random: RandomState, n: int, n_classes: int) -> Generated:
    """Generate unit Gaussians on a circle, neighbours 3 apart; about 10 % of the rows overlap."""
    blob = _classes(n, n_classes)
    centres = 1.5 / np.sin(np.pi / n_classes) * circle(2 * np.pi * blob / n_classes)
    return centres + random.normal(size=(n, 2)), blob


def unequal(random: RandomState, n: int, n_classes: int) -> Generated:
    """Generate Gaussians on a circle of radius 3 with standard deviations 0.4, 0.8, 1.6, ...

    The number of rows doubles from class to class as well.
    """
    size = 2.0 ** np.arange(n_classes)
    blob = np.searchsorted(np.cumsum(size) / size.sum(), (np.arange(n) + 0.5) / n)
    noise = 0.4 * size[blob][:, None] * random.normal(size=(n, 2))
    return 3.0 * circle(2 * np.pi * blob / n_classes) + noise, blob


def _classes(n: int, n_classes: int) -> np.ndarray:
    """Return the class of each row (n,), in parts of equal size."""
    return np.arange(n) * n_classes // n


def circle(angle: np.ndarray) -> np.ndarray:
    """Return points on the unit circle (n, 2)."""
    return np.column_stack([np.cos(angle), np.sin(angle)])


_PLANE = ("x", "y")
# The function, the word for its classes, and the names of its columns.
GENERATORS = {
    "spiral": (spiral, "turn", ("x", "y", "z")),
    "arcs": (arcs, "arc", _PLANE),
    "spirals": (spirals, "arm", _PLANE),
    "semicircles": (semicircles, "piece", _PLANE),
    "circles": (circles, "ring", _PLANE),
    "pinwheel": (pinwheel, "vane", _PLANE),
    "moons": (moons, "moon", _PLANE),
    "blobs20": (blobs20, "blob", tuple(f"v{j + 1:02d}" for j in range(20))),
    "overlapping": (overlapping, "blob", _PLANE),
    "unequal": (unequal, "blob", _PLANE),
}


def generate(name: str, n: int, n_classes: int, seed: int) -> tuple[np.ndarray, list[str]]:
    """Return the values (n, P) and the class names of a generated data set."""
    generator, word, _ = GENERATORS[name]
    Y, label = generator(RandomState(seed), n, n_classes)
    return Y.round(_DECIMALS), [f"{word} {index + 1}" for index in label]
