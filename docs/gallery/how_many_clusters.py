"""How many clusters: let the model choose, and look at the evidence.

If `n_clusters` is not given, each candidate is compared with the same procedure on null reference
data, which have no clusters. If no candidate stands out, `no_clusters_` is True and all rows form
one cluster.
"""

import numpy as np
from gallery_style import picture
from sklearn.datasets import make_blobs

from sgpmic import SGPMIC

X, _ = make_blobs(n_samples=240, centers=4, n_features=6, cluster_std=1.6, random_state=3)
gaussian = np.random.RandomState(0).randn(240, 6)

models = {
    "four groups": SGPMIC(random_state=0).fit(X),
    "one Gaussian": SGPMIC(random_state=0).fit(gaussian),
}
for name, model in models.items():
    print(f"{name}: {model.n_clusters_} clusters, no_clusters_ is {model.no_clusters_}")

with picture("how_many_clusters") as figure:
    for axes, (name, model) in zip(figure.subplots(1, 2, sharey=True), models.items(), strict=True):
        tried = [row for row in model.selection_ if row["n_clusters"] > 1]
        axes.plot(
            [row["n_clusters"] for row in tried], [row["silhouette"] for row in tried], marker="o"
        )
        axes.axvline(model.n_clusters_, linestyle=":", color="#d55e00")
        axes.set(title=f"{name}: {model.n_clusters_}", xlabel="clusters tried", ylabel="silhouette")
