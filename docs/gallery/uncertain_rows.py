"""Which rows are uncertain: probabilities beside the labels.

Two of the three Iris species overlap. Rows between them get lower probabilities, and most rows in
the cluster of another species are among them.
"""

import numpy as np
from gallery_style import picture, scatter

from sgpmic import SGPMIC
from sgpmic_cli.data import load

iris = load("iris")
model = SGPMIC(n_clusters=3, random_state=0).fit(iris.Y)
certain = model.responsibilities_.max(axis=1)

species = np.array([np.bincount(iris.labels[model.labels_ == m]).argmax() for m in range(3)])
wrong = species[model.labels_] != iris.labels
print(f"rows in the cluster of another species: {wrong.sum()} of {len(wrong)}")
ranks = certain.argsort().argsort() + 1
print(f"median rank of their certainty, 1 the lowest: {np.median(ranks[wrong]):.0f}")

with picture("uncertain_rows") as figure:
    left, right = figure.subplots(1, 2)
    scatter(left, model.embedding_, model.labels_, "clusters")
    drawn = right.scatter(*model.embedding_.T, c=certain, s=9, cmap="viridis", vmin=0.5, vmax=1.0)
    right.set(title="certainty of each row", xticks=[], yticks=[])
    figure.colorbar(drawn, ax=right)
