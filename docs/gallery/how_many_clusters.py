"""How many clusters: let the model say, and look at what spoke for the number.

Without a number of clusters, each candidate is compared with what the same procedure makes of clouds that have none.
`no_clusters_` is True where nothing stands out; then the labels are one cluster, not an invention.
"""

import numpy as np
from gallery_style import picture
from sklearn.datasets import make_blobs

from sgpmic import SGPMIC

X, _ = make_blobs(n_samples=240, centers=4, n_features=6, cluster_std=1.6, random_state=3)
cloud = np.random.RandomState(0).randn(240, 6)

models = {
    "four groups": SGPMIC(random_state=0).fit(X),
    "a plain cloud": SGPMIC(random_state=0).fit(cloud),
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
