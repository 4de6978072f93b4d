"""Random shapes: curves of six families with random parameters, for tests of any clusterer.

The family of a shape is its seed modulo 6. Every curve is a cluster. The distance
between neighbouring rows along a curve and the noise are random fractions of the smallest distance
between two curves, so that the truth is visible.
"""

import numpy as np
from scipy.spatial import KDTree

from benchmarks.shapes import circle

Curves = list[np.ndarray]

POINTS = 2000  # of a finely drawn curve
SPACING = (0.03, 0.10)  # fractions of the smallest distance between curves
NOISE = (0.03, 0.11)
SHAPE_ROWS = (200, 1500)
LIFTED_COLUMNS = 10


def random_spirals(random: np.random.Generator) -> Curves:
    """Draw arms of equal angles around one centre."""
    k, first = random.integers(2, 5), random.uniform(1.0, 3.0)
    t = np.linspace(first, first + 2.0 * np.pi * random.uniform(0.5, 1.5), POINTS)
    return [t[:, None] * circle(t + 2.0 * np.pi * m / k) for m in range(k)]


def rings(random: np.random.Generator) -> Curves:
    """Draw circles around one centre."""
    radii = np.cumsum(random.uniform(0.8, 1.6, random.integers(2, 5)))
    return [radius * circle(np.linspace(0.0, 2.0 * np.pi, POINTS)) for radius in radii]


def random_arcs(random: np.random.Generator) -> Curves:
    """Draw a chain of half circles that open downwards and upwards in turn."""
    k, step, drop = random.integers(2, 6), random.uniform(0.9, 1.3), random.uniform(0.1, 0.5)
    half = circle(np.linspace(0.0, np.pi, POINTS))
    return [half * [1.0, 1.0 - 2.0 * (m % 2)] + [step * m, drop * (m % 2)] for m in range(k)]


def waves(random: np.random.Generator) -> Curves:
    """Draw parallel sine curves."""
    k, x = random.integers(2, 6), np.linspace(0.0, 2.0 * np.pi, POINTS)
    y = random.uniform(0.5, 1.5) * np.sin(random.uniform(0.6, 1.5) * x)
    step = random.uniform(0.7, 1.2)
    return [np.column_stack([x, y + step * m]) for m in range(k)]


def mixed(random: np.random.Generator) -> Curves:
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


FAMILIES = (random_spirals, rings, random_arcs, waves, mixed)


def random_shape(seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the rows (N, P) and clusters (N,) of a shape, P = 2, or 10 for a lifted one."""
    random = np.random.default_rng(seed)
    number = seed % (len(FAMILIES) + 1)
    lifted = number == len(FAMILIES)
    family = FAMILIES[random.integers(len(FAMILIES)) if lifted else number]
    curves = family(random)
    if family is mixed:  # the pieces are about one apart, and clouds have no length
        gap, lengths = 1.0, np.full(len(curves), 5.0)
    else:
        gap = min(
            float(np.min(KDTree(one).query(other)[0]))
            for m, one in enumerate(curves)
            for other in curves[:m]
        )
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


def _points(piece: np.ndarray, n: int, random: np.random.Generator) -> np.ndarray:
    """Draw n points of a piece."""
    return piece[random.integers(POINTS, size=n)]


def _even_points(curve: np.ndarray, n: int, random: np.random.Generator) -> np.ndarray:
    """Draw n points of a curve, even in arc length."""
    along = np.r_[0.0, np.cumsum(_steps(curve))]
    drawn = random.uniform(0.0, along[-1], n)
    return np.column_stack([np.interp(drawn, along, column) for column in curve.T])


def _steps(curve: np.ndarray) -> np.ndarray:
    return np.linalg.norm(np.diff(curve, axis=0), axis=1)


def _rotation(random: np.random.Generator) -> np.ndarray:
    cos, sin = circle(random.uniform(0.0, 2.0 * np.pi, 1))[0]
    return np.array([[cos, -sin], [sin, cos]])
