"""A first fit: wines by their chemical measurements.

The table has 178 wines from three growers and thirteen columns. The model is told that there are
three clusters and nothing about the growers. It learns a map of the wines in two dimensions
together with the clusters.
"""

import numpy as np
from gallery_style import picture, scatter
from scipy.optimize import linear_sum_assignment
from sklearn.metrics import adjusted_rand_score

from sgpmic import SGPMIC
from sgpmic_cli.data import load
from sgpmic_cli.scores import contingency

wine = load("wine")
model = SGPMIC(n_clusters=3, random_state=0).fit(wine.Y)

print("rows of each cluster:", model.cluster_sizes_.tolist())
print(
    "agreement with the growers (adjusted Rand index):",
    round(adjusted_rand_score(wine.labels, model.labels_), 2),
)
print("iterations:", model.n_iter_, "converged:", model.converged_)

# A grower gets the colour of the cluster that shares most wines with it.
colours = linear_sum_assignment(contingency(wine.labels, model.labels_), maximize=True)[1]
growers = colours[np.unique(wine.labels, return_inverse=True)[1]]

with picture("first_fit") as figure:
    left, right = figure.subplots(1, 2)
    scatter(left, model.embedding_, model.labels_, "clusters of the model")
    scatter(right, model.embedding_, growers, "growers, not used in the fit")
