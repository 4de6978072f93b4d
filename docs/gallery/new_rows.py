"""New rows: fit once, place what comes later.

Half of the wines are fitted to, the other half is placed in the same latent space and assigned. `score_samples` tells
how well the model knows rows like these: a bottle with its columns mixed up stands out.
"""

import numpy as np
from gallery_style import COLOURS, picture

from sgpmic import SGPMIC
from sgpmic_cli.data import load

wine = load("wine")
order = np.random.RandomState(0).permutation(len(wine.Y))
seen, later = wine.Y[order[::2]], wine.Y[order[1::2]]
model = SGPMIC(n_clusters=3, random_state=0).fit(seen)

labels, points = model.predict(later), model.transform(later)
strange = later[:5, ::-1]
print("later rows of each cluster:", np.bincount(labels).tolist())
print("median log density of later rows:", round(float(np.median(model.score_samples(later)))))
print(
    "the same of mixed-up rows is lower:",
    bool(model.score_samples(strange).max() < model.score_samples(later).min()),
)

with picture("new_rows", width=4.0) as figure:
    axes = figure.subplots()
    for m in range(3):
        axes.scatter(*model.embedding_[model.labels_ == m].T, s=6, color=COLOURS[m], alpha=0.35)
        axes.scatter(*points[labels == m].T, s=14, color=COLOURS[m], marker="^")
    axes.set(title="fitted to (dots) and placed later (triangles)", xticks=[], yticks=[])
