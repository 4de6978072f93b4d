"""A first fit: wines by what a chemist measured in them.

Thirteen columns, 178 wines from three growers. The model is told that there are three clusters and nothing about the
growers; it draws the wines in two dimensions while it finds the clusters.
"""

from gallery_style import picture, scatter
from sklearn.metrics import adjusted_rand_score

from sgpmic import SGPMIC
from sgpmic_cli.data import load

wine = load("wine")
model = SGPMIC(n_clusters=3, random_state=0).fit(wine.Y)

print("rows of each cluster:", model.cluster_sizes_.tolist())
print("agreement with the growers (adjusted Rand index):", round(adjusted_rand_score(wine.labels, model.labels_), 2))
print("rounds:", model.n_iter_, "converged:", model.converged_)

with picture("first_fit") as figure:
    left, right = figure.subplots(1, 2)
    scatter(left, model.embedding_, model.labels_, "clusters that were found")
    scatter(right, model.embedding_, wine.labels, "growers, which the model never saw")
