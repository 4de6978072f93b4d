"""The paper's setting: a point for every row, ISOMAP and fuzzy c-means to begin with.

`SGPMIC.from_paper` is the model that stands in the reproduced tables, here with its own defaults. An M-step never
lowers the bound that is drawn here. An E-step may: it maximises the standard bound, and the KL-corrected one is drawn.
"""

import numpy as np
from gallery_style import picture, scatter

from sgpmic import SGPMIC
from sgpmic_cli.data import load
from sgpmic_cli.scores import purity

iris = load("iris")
model = SGPMIC.from_paper(n_clusters=3, n_components=2, random_state=0).fit(iris.Y)
bounds = np.asarray(model.lower_bounds_)

print("purity, the paper's ACC:", round(purity(iris.labels, model.labels_), 1), "%")
gains = bounds[1::2] - bounds[0 : len(bounds) - 1 : 2]
print("the least gain of an M-step is not negative:", bool(gains.min() >= 0))

with picture("paper_setting") as figure:
    left, right = figure.subplots(1, 2)
    scatter(left, model.embedding_, model.labels_, "latent space")
    right.plot(bounds)
    right.set(title="bound after every update", xlabel="update")
