"""Generate the data sets of `benchmarks.study`: curves and Gaussian clusters, and random curves.

The sets are sequences of classes. Those of SETS have equal sizes, except for `unequal`. The family
of a random shape is its seed modulo 6. The distance between neighbouring rows along its curves and
the noise are random fractions of the smallest distance between two curves, so the truth is visible.
"""

from collections.abc import Callable
from functools import partial

import numpy as np
from numpy.random import Generator, RandomState
from scipy.spatial import KDTree

from sgpmic_cli._typing import Array, Indices

Generated = tuple[Array, Indices]
Curves = list[Array]

DECIMALS = 6  # sine and cosine differ between platforms in the last bit
POINTS = 2000  # of a finely drawn curve
SPACING = (0.03, 0.10)  # fractions of the smallest distance between curves
NOISE = (0.03, 0.11)
SHAPE_ROWS = (200, 1500)
LIFTED_COLUMNS = 10


def circle(angle: Array) -> Array:
    """Return points on the unit circle (N, 2)."""
    return np.column_stack([np.cos(angle), np.sin(angle)])


def half_circles(
    random: RandomState, label: Indices, step: float, lift: float, flip: float, noise: float
) -> Array:
    """Draw a chain of unit half circles that open downwards and upwards in turn.

    The centres are `step` apart. Every second one is lifted and flipped horizontally.
    """
    odd = label % 2
    turn = np.column_stack([np.where(odd, flip, 1.0), np.where(odd, -1.0, 1.0)])
    curve = circle(random.uniform(0.0, np.pi, size=len(label))) * turn
    centres = np.column_stack([step * label, lift * odd])
    return curve + centres + random.normal(scale=noise, size=(len(label), 2))


def spirals(random: RandomState, arm: Indices) -> Array:
    """Draw two arms t (cos(t + a), sin(t + a)), t from 2 to 10, with a = pi k."""
    t = np.sqrt(random.uniform(2.0**2, 10.0**2, size=len(arm)))  # even in arc length
    curve = t[:, None] * circle(t + 2 * np.pi * arm / 2)
    return curve + random.normal(scale=0.2, size=(len(arm), 2))


def circles(random: RandomState, ring: Indices) -> Array:
    """Draw concentric circles with the radii 1, 2, 3, ..."""
    curve = (ring + 1.0)[:, None] * circle(random.uniform(0.0, 2 * np.pi, size=len(ring)))
    return curve + random.normal(scale=0.1, size=(len(ring), 2))


def pinwheel(random: RandomState, vane: Indices) -> Array:
    """Draw five bent vanes: Gaussian points (r, s), rotated by 2 pi k / 5 + 0.25 exp(r)."""
    r, s = random.normal(1.0, 0.3, size=len(vane)), random.normal(0.0, 0.05, size=len(vane))
    angle = 2 * np.pi * vane / 5 + 0.25 * np.exp(r)
    cos, sin = np.cos(angle), np.sin(angle)
    return np.column_stack([r * cos - s * sin, r * sin + s * cos])


def blobs20(random: RandomState, blob: Indices) -> Array:
    """Draw two unit Gaussians in 20 dimensions whose centres are 4 apart."""
    own = (np.arange(20) * 2 // 20 == np.arange(2)[:, None]).astype(float)  # columns of a class
    centres = 4.0 / np.sqrt(2.0) * own / np.sqrt(own.sum(axis=1, keepdims=True))
    return centres[blob] + random.normal(size=(len(blob), 20))


def overlapping(random: RandomState, blob: Indices) -> Array:
    """Draw three unit Gaussians on a circle, 3 apart; about 10 % of the rows overlap."""
    centres = 1.5 / np.sin(np.pi / 3) * circle(2 * np.pi * blob / 3)
    return centres + random.normal(size=(len(blob), 2))


def unequal(random: RandomState, blob: Indices) -> Array:
    """Draw three Gaussians whose standard deviations, like their sizes, double."""
    noise = 0.4 * (2.0**blob)[:, None] * random.normal(size=(len(blob), 2))
    return 3.0 * circle(2 * np.pi * blob / 3) + noise


# The generator and the sizes of the classes.
SETS: dict[str, tuple[Callable[[RandomState, Indices], Array], tuple[int, ...]]] = {
    "spirals": (spirals, 2 * (200,)),
    "semicircles": (partial(half_circles, step=4 / 3, lift=0.0, flip=1.0, noise=0.05), 3 * (150,)),
    "circles": (circles, 2 * (200,)),
    "pinwheel": (pinwheel, 5 * (100,)),
    "moons": (partial(half_circles, step=1.0, lift=0.5, flip=-1.0, noise=0.08), 2 * (200,)),
    "blobs20": (blobs20, 2 * (500,)),
    "overlapping": (overlapping, 3 * (200,)),
    "unequal": (unequal, (100, 200, 400)),
}


def generate(name: str) -> Generated:
    """Return the values (N, P) and the classes (N,) of a data set."""
    draw, sizes = SETS[name]
    labels = np.repeat(np.arange(len(sizes)), sizes)
    return draw(RandomState(0), labels).round(DECIMALS), labels


def random_spirals(random: Generator) -> Curves:
    """Draw arms of equal angles around one centre."""
    k, first = random.integers(2, 5), random.uniform(1.0, 3.0)
    t = np.linspace(first, first + 2.0 * np.pi * random.uniform(0.5, 1.5), POINTS)
    return [t[:, None] * circle(t + 2.0 * np.pi * m / k) for m in range(k)]


def random_rings(random: Generator) -> Curves:
    """Draw circles around one centre."""
    radii = np.cumsum(random.uniform(0.8, 1.6, random.integers(2, 5)))
    return [radius * circle(np.linspace(0.0, 2.0 * np.pi, POINTS)) for radius in radii]


def random_arcs(random: Generator) -> Curves:
    """Draw a chain of half circles that open downwards and upwards in turn."""
    k, step, drop = random.integers(2, 6), random.uniform(0.9, 1.3), random.uniform(0.1, 0.5)
    half = circle(np.linspace(0.0, np.pi, POINTS))
    return [half * [1.0, 1.0 - 2.0 * (m % 2)] + [step * m, drop * (m % 2)] for m in range(k)]


def random_waves(random: Generator) -> Curves:
    """Draw parallel sine curves."""
    k, x = random.integers(2, 6), np.linspace(0.0, 2.0 * np.pi, POINTS)
    y = random.uniform(0.5, 1.5) * np.sin(random.uniform(0.6, 1.5) * x)
    step = random.uniform(0.7, 1.2)
    return [np.column_stack([x, y + step * m]) for m in range(k)]


def mixed(random: Generator) -> Curves:
    """Draw a ring around a cloud, and clouds, half circles and lines beside it."""
    angle = np.linspace(0.0, 2.0 * np.pi, POINTS)
    found = [2.0 * circle(angle), random.uniform(0.2, 0.4) * random.normal(size=(POINTS, 2))]
    place = np.array([4.2, 0.0])
    for _ in range(random.integers(1, 4)):
        kind = random.integers(3)
        if kind == 0:
            piece = random.normal(size=(POINTS, 2)) * random.uniform(0.2, 0.4, 2)
        elif kind == 1:
            piece = circle(angle / 2.0) * random.uniform(0.7, 1.1)
        else:
            piece = np.column_stack([np.linspace(-1.0, 1.0, POINTS), np.zeros(POINTS)])
        found.append(piece @ _rotation(random) + place)
        place = place + np.array([2.8, random.uniform(-1.0, 1.0)])
    return found


FAMILIES = (random_spirals, random_rings, random_arcs, random_waves, mixed)


def random_shape(seed: int) -> Generated:
    """Return the rows (N, P) and clusters (N,) of a shape, P = 2, or 10 for a lifted one."""
    random = np.random.default_rng(seed)
    number = seed % (len(FAMILIES) + 1)
    lifted = number == len(FAMILIES)
    family = FAMILIES[random.integers(len(FAMILIES)) if lifted else number]
    curves = family(random)
    if family is mixed:  # the pieces are about one apart, and clouds have no length
        gap, lengths = 1.0, np.full(len(curves), 5.0)
    else:
        pairs = [(one, other) for m, one in enumerate(curves) for other in curves[:m]]
        gap = min(float(np.min(KDTree(one).query(other)[0])) for one, other in pairs)
        lengths = np.array([_steps(curve).sum() for curve in curves])
    spacing, noise = gap * random.uniform(*SPACING), gap * random.uniform(*NOISE)
    weights = lengths * random.uniform(0.6, 1.4, len(curves))
    n = np.clip(lengths.sum() / spacing, *SHAPE_ROWS)
    sizes = np.maximum((n * weights / weights.sum()).astype(int), 15)
    draw = _points if family is mixed else _even_points
    rows = np.vstack([draw(*each, random) for each in zip(curves, sizes, strict=True)])
    rows = rows + noise * random.normal(size=rows.shape)
    labels = np.repeat(np.arange(len(curves)), sizes)
    if not lifted:
        return rows @ _rotation(random), labels
    spread = rows.std()
    axes = np.linalg.qr(random.normal(size=(LIFTED_COLUMNS, 2)))[0].T
    bend = random.uniform(0.0, 0.15) * np.sin(rows / spread @ random.normal(size=axes.shape))
    blur = 0.5 * noise / spread * random.normal(size=(len(rows), LIFTED_COLUMNS))
    return rows / spread @ axes + bend + blur, labels


def _points(piece: Array, n: int, random: Generator) -> Array:
    return piece[random.integers(POINTS, size=n)]


def _even_points(curve: Array, n: int, random: Generator) -> Array:
    """Draw n points of a curve, even in arc length."""
    along = np.r_[0.0, np.cumsum(_steps(curve))]
    drawn = random.uniform(0.0, along[-1], n)
    return np.column_stack([np.interp(drawn, along, column) for column in curve.T])


def _steps(curve: Array) -> Array:
    return np.linalg.norm(np.diff(curve, axis=0), axis=1)


def _rotation(random: Generator) -> Array:
    cos, sin = circle(random.uniform(0.0, 2.0 * np.pi, 1))[0]
    return np.array([[cos, -sin], [sin, cos]])
