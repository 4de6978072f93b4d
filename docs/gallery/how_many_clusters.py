"""How many clusters: let the model choose, and look at the evidence.

If `n_clusters` is not given, each candidate is compared with the same procedure on null reference
data, which have no clusters. If no candidate stands out, `no_clusters_` is True and all rows form
one cluster.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import make_blobs

from sgpmic import GroupMap, plot_selection

X, _ = make_blobs(n_samples=240, centers=4, n_features=6, cluster_std=1.6, random_state=3)
gaussian = np.random.RandomState(0).randn(240, 6)

figure, panels = plt.subplots(1, 2, figsize=(9.0, 3.0), sharey=True, layout="constrained")
for name, rows, ax in zip(("four groups", "one Gaussian"), (X, gaussian), panels, strict=True):
    model = GroupMap(random_state=0).fit(rows)
    print(f"{name}: {model.n_clusters_} clusters, no_clusters_ is {model.no_clusters_}")
    plot_selection(model, ax=ax)
    ax.set_title(f"{name}: {model.n_clusters_}", pad=24)  # above the legend
plt.show()
