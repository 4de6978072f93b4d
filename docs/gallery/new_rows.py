"""New rows: fit once, assign later rows.

Half of the wines are fitted. The other half gets points on the same map and clusters.
`score_samples` returns a lower bound on the log density of a row: it is low for wines whose columns
are in the wrong order.
"""

import matplotlib.pyplot as plt
import numpy as np

from sgpmic import GroupMap, plot_map
from sgpmic_cli.data import load

wine = load("wine")
order = np.random.RandomState(0).permutation(len(wine.Y))
seen, later = wine.Y[order[::2]], wine.Y[order[1::2]]
model = GroupMap(n_clusters=3, random_state=0).fit(seen)

labels, points = model.predict(later), model.transform(later)
reversed_columns = later[:5, ::-1]
print("later rows of each cluster:", np.bincount(labels).tolist())
print("median log density of later rows:", round(float(np.median(model.score_samples(later)))))
print(
    "rows with reversed columns have lower densities:",
    bool(model.score_samples(reversed_columns).max() < model.score_samples(later).min()),
)

ax = plot_map(model)
ax.scatter(*points.T, s=30, facecolors="none", edgecolors="#262626")
ax.set_title("fitted rows, and rows assigned later (circles)")
plt.show()
