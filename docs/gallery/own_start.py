"""Your own start: labels that already exist.

`init` accepts labels, probabilities, or the name of one clustering. Here a fifth of the growers'
labels is replaced by random ones. The rows whose label the fit changed are circled.
"""

import numpy as np
from gallery_style import picture, scatter
from sklearn.metrics import adjusted_rand_score

from sgpmic import SGPMIC
from sgpmic_cli.data import load

wine = load("wine")
random = np.random.RandomState(0)
wrong = random.rand(len(wine.Y)) < 0.2
before = np.where(wrong, random.randint(3, size=len(wine.Y)), wine.labels)
model = SGPMIC(n_clusters=3, init=before, random_state=0).fit(wine.Y)
changed = model.labels_ != before

print("agreement with the growers before:", round(adjusted_rand_score(wine.labels, before), 2))
print(
    "agreement with the growers after: ", round(adjusted_rand_score(wine.labels, model.labels_), 2)
)

with picture("own_start", width=4.0) as figure:
    axes = figure.subplots()
    scatter(axes, model.embedding_, model.labels_, "after the fit; changed rows are circled")
    axes.scatter(
        *model.embedding_[np.flatnonzero(changed)].T, s=40, facecolors="none", edgecolors="#262626"
    )
