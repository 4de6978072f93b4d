"""New rows: fit once, assign later rows.

Half of the wines are fitted. The other half gets points on the same map and clusters.
`score_samples` returns the log density of a row: wines whose columns are in the wrong order have a
low density.
"""

import numpy as np
from gallery_style import COLOURS, picture

from sgpmic import SGPMIC
from sgpmic_cli.data import load

wine = load("wine")
order = np.random.RandomState(0).permutation(len(wine.Y))
seen, later = wine.Y[order[::2]], wine.Y[order[1::2]]
model = SGPMIC(n_clusters=3, random_state=0).fit(seen)

labels, points = model.predict(later), model.transform(later)
reversed_columns = later[:5, ::-1]
print("later rows of each cluster:", np.bincount(labels).tolist())
print("median log density of later rows:", round(float(np.median(model.score_samples(later)))))
print(
    "rows with reversed columns have lower densities:",
    bool(model.score_samples(reversed_columns).max() < model.score_samples(later).min()),
)

with picture("new_rows", width=4.0) as figure:
    axes = figure.subplots()
    for m in range(3):
        axes.scatter(*model.embedding_[model.labels_ == m].T, s=6, color=COLOURS[m], alpha=0.35)
        axes.scatter(*points[labels == m].T, s=14, color=COLOURS[m], marker="^")
    axes.set(title="fitted (dots) and assigned later (triangles)", xticks=[], yticks=[])
