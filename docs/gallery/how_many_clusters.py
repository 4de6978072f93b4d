"""How many clusters: let the model choose, and look at the evidence.

If `n_clusters` is not given, the clusters are the groups that several views of the rows agree
about. Rows without groups are compared with null reference data, which have no clusters. If no
number of clusters stands out, `no_clusters_` is True and all rows form one cluster.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import make_blobs

from sgpmic import GroupMap, plot_map, plot_selection

X, _ = make_blobs(n_samples=240, centers=4, n_features=6, cluster_std=1.6, random_state=3)
gaussian = np.random.RandomState(0).randn(240, 6)

four, one = (GroupMap(random_state=0).fit(rows) for rows in (X, gaussian))
print(four.selection_.to_string(index=False))
print(f"one Gaussian: no_clusters_ is {one.no_clusters_}")

figure, panels = plt.subplots(1, 2, figsize=(9.0, 3.4), layout="constrained")
plot_map(four, ax=panels[0]).set_title("four groups")
plot_selection(one, ax=panels[1]).set_title("one Gaussian", pad=24)  # above the legend
plt.show()
