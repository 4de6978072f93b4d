"""Generate the data sets of `benchmarks.study`: curved shapes and Gaussian clusters.

A generator takes a random state, the number of rows and the number of classes. It returns the
values and the class of each row. The classes have equal sizes unless stated otherwise and follow
one another.
"""

from collections.abc import Callable
from functools import partial

import numpy as np
from numpy.random import RandomState

Generated = tuple[np.ndarray, np.ndarray]

# Sine and cosine differ between platforms in the last bit. Rounding makes values and hashes equal.
_DECIMALS = 6


def half_circles(random: RandomState, n: int, n_classes: int, **shape: float) -> Generated:
    """Generate a chain of unit half circles that open downwards and upwards in turn.

    `shape` has the step between the centres, the lift and the horizontal flip of every second half
    circle, and the noise. If each has an end inside the next one, no straight line separates
    neighbours, so k-means and fuzzy c-means cut every one.
    """
    label = _classes(n, n_classes)
    odd = label % 2
    turn = np.column_stack([np.where(odd, shape["flip"], 1.0), np.where(odd, -1.0, 1.0)])
    curve = circle(random.uniform(0.0, np.pi, size=n)) * turn
    centres = np.column_stack([shape["step"] * label, shape["lift"] * odd])
    return curve + centres + random.normal(scale=shape["noise"], size=(n, 2)), label


semicircles = partial(half_circles, step=4.0 / 3.0, lift=0.0, flip=1.0, noise=0.05)
moons = partial(half_circles, step=1.0, lift=0.5, flip=-1.0, noise=0.08)


def spirals(random: RandomState, n: int, n_classes: int) -> Generated:
    """Generate arms t (cos(t + a), sin(t + a)), t from 2 to 10, with a = 2 pi k / n_classes."""
    arm = _classes(n, n_classes)
    t = np.sqrt(random.uniform(2.0**2, 10.0**2, size=n))  # even in arc length
    curve = t[:, None] * circle(t + 2 * np.pi * arm / n_classes)
    return curve + random.normal(scale=0.2, size=(n, 2)), arm


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


# The generator, the number of rows and the number of classes.
SETS: dict[str, tuple[Callable[..., Generated], int, int]] = {
    "spirals": (spirals, 400, 2),
    "semicircles": (semicircles, 450, 3),
    "circles": (circles, 400, 2),
    "pinwheel": (pinwheel, 500, 5),
    "moons": (moons, 400, 2),
    "blobs20": (blobs20, 1000, 2),
    "overlapping": (overlapping, 600, 3),
    "unequal": (unequal, 700, 3),
}


def generate(name: str) -> Generated:
    """Return the values (n, P) and the classes (n,) of a data set."""
    generator, n, n_classes = SETS[name]
    Y, label = generator(RandomState(0), n, n_classes)
    return Y.round(_DECIMALS), label
