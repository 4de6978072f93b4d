"""Which rows are uncertain: probabilities beside the labels.

Two of the three Iris species overlap. Rows between them get lower probabilities, and most rows in
the cluster of another species are among them.
"""

import matplotlib.pyplot as plt
import numpy as np

from sgpmic import GroupMap, plot_map
from sgpmic_cli.data import load

iris = load("iris")
model = GroupMap(n_clusters=3, random_state=0).fit(iris.Y)
certain = model.responsibilities_.max(axis=1)

species = np.array([np.bincount(iris.labels[model.labels_ == m]).argmax() for m in range(3)])
wrong = species[model.labels_] != iris.labels
print(f"rows in the cluster of another species: {wrong.sum()} of {len(wrong)}")
ranks = certain.argsort().argsort() + 1
print(f"median rank of their certainty, 1 the lowest: {np.median(ranks[wrong]):.0f}")

figure, (left, right) = plt.subplots(1, 2, figsize=(6.5, 3.2), layout="constrained")
plot_map(model, ax=left)
left.set_title("clusters")
drawn = right.scatter(*model.embedding_.T, c=certain, s=9, cmap="viridis", vmin=0.5, vmax=1.0)
right.set(title="certainty of each row", xlabel="latent dimension 1")
figure.colorbar(drawn, ax=right)
plt.show()
