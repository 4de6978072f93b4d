"""The paper's model: a latent point for every row, started from ISOMAP and fuzzy c-means.

`SGPMIC` is the model of the reproduced tables, here with its own defaults. An M-step never
lowers the bound. An E-step can lower it slightly, because it skips negligible responsibilities.
"""

import matplotlib.pyplot as plt
import numpy as np

from sgpmic import SGPMIC, plot_map
from sgpmic_cli.data import load
from sgpmic_cli.scores import purity

iris = load("iris")
model = SGPMIC(n_clusters=3, n_components=2, random_state=0).fit(iris.Y)
bounds = np.asarray(model.lower_bounds_)

print("purity, the paper's ACC:", round(purity(iris.labels, model.labels_), 1), "%")
gains = bounds[1::2] - bounds[0 : len(bounds) - 1 : 2]
print("no M-step lowers the bound:", bool(gains.min() >= 0))

figure, (left, right) = plt.subplots(1, 2, figsize=(6.5, 3.2), layout="constrained")
plot_map(model, ax=left)
left.set_title("latent space")
right.plot(bounds)
right.set(title="bound after every update", xlabel="update")
plt.show()
