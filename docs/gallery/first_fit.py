"""A first fit: wines by their chemical measurements.

The table has 178 wines from three growers and thirteen columns. The model is told that there are
three clusters and nothing about the growers. It finds the clusters first, and then a map of the
wines in two dimensions that shows them.
"""

import matplotlib.pyplot as plt
from sklearn.datasets import load_wine
from sklearn.metrics import adjusted_rand_score

from sgpmic import GroupMap, plot_map

wine = load_wine(as_frame=True)
model = GroupMap(n_clusters=3, random_state=0).fit(wine.data)

print("rows of each cluster:", model.cluster_sizes_.tolist())
agreement = adjusted_rand_score(wine.target, model.labels_)
print("agreement with the growers (adjusted Rand index):", round(agreement, 2))
print("iterations:", model.n_iter_, "converged:", model.converged_)

figure, (left, right) = plt.subplots(1, 2, figsize=(6.5, 3.2), layout="constrained")
plot_map(model, ax=left)
plot_map(model, classes=wine.target, ax=right)
left.set_title("clusters of the model")
right.set_title("growers, not used in the fit")
plt.show()
