"""Shapes: clusters that are not round.

The data are two half moons and two rings. k-means separates them by a straight line. GroupMap looks
for divisions that the columns and a map of the neighbours agree about, and for wide gaps.
"""

import matplotlib.pyplot as plt
from sklearn.cluster import KMeans
from sklearn.datasets import make_circles, make_moons
from sklearn.metrics import adjusted_rand_score

from sgpmic import GroupMap

tables = {
    "moons": make_moons(300, noise=0.05, random_state=0),
    "rings": make_circles(300, noise=0.04, factor=0.45, random_state=0),
}
figure, panels = plt.subplots(2, 2, figsize=(6.5, 4.6), layout="constrained")
for row, (name, (X, y)) in zip(panels, tables.items(), strict=True):
    for ax, model in zip(
        row, (KMeans(2, n_init=10, random_state=0), GroupMap(2, random_state=0)), strict=True
    ):
        labels = model.fit_predict(X)
        title = f"{name}, {type(model).__name__}"
        print(f"{title}: adjusted Rand index {adjusted_rand_score(y, labels):.2f}")
        ax.scatter(*X[labels == 0].T, s=7)
        ax.scatter(*X[labels == 1].T, s=7)
        ax.set(title=title, xticks=[], yticks=[])
plt.show()
