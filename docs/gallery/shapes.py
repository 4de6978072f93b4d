"""Shapes: clusters that are not round.

The data are two half moons and two rings. k-means separates them by a straight line. If the
neighbour graph of the data falls into the wanted number of parts, these parts are the clusters.
"""

from gallery_style import picture, scatter
from sklearn.cluster import KMeans
from sklearn.datasets import make_circles, make_moons
from sklearn.metrics import adjusted_rand_score

from sgpmic import SGPMIC

tables = {
    "moons": make_moons(300, noise=0.05, random_state=0),
    "rings": make_circles(300, noise=0.04, factor=0.45, random_state=0),
}
with picture("shapes", height=4.6) as figure:
    for row, (name, (X, y)) in zip(figure.subplots(2, 2), tables.items(), strict=True):
        for axes, (method, model) in zip(
            row,
            {
                "k-means": KMeans(2, n_init=10, random_state=0),
                "SGP-MIC": SGPMIC(2, random_state=0),
            }.items(),
            strict=True,
        ):
            labels = model.fit_predict(X)
            score = adjusted_rand_score(y, labels)
            print(f"{name}, {method}: adjusted Rand index {score:.2f}")
            scatter(axes, X, labels, f"{name}, {method}")
