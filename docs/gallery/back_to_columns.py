"""Back to the columns: what the model expects between two clusters, and rows it makes up.

`inverse_transform` turns a latent point into a row; `sample` draws rows from the whole mixture.
"""

import numpy as np
from gallery_style import COLOURS, picture

from sgpmic import SGPMIC
from sgpmic_cli.data import load

iris = load("iris")
model = SGPMIC(n_clusters=3, random_state=0).fit(iris.Y)

made_up, _ = model.sample(150, random_state=0)
print("means of the columns, measured:", iris.Y.mean(axis=0).round(1).tolist())
print("means of the columns, made up: ", made_up.mean(axis=0).round(1).tolist())

order = np.argsort(iris.Y[:, 2])
ends = model.embedding_[order[0]], model.embedding_[order[-1]]
way = np.linspace(*ends, 40)

with picture("back_to_columns") as figure:
    left, right = figure.subplots(1, 2)
    for j, row in enumerate(model.inverse_transform(way).T):
        left.plot(row, label=iris.feature_names[j].replace("_", " "), color=COLOURS[j])
    left.set(title="from one end of the latent space to the other", xticks=[], ylabel="cm")
    left.legend()
    right.scatter(iris.Y[:, 2], iris.Y[:, 3], s=8, label="measured")
    right.scatter(made_up[:, 2], made_up[:, 3], s=8, marker="x", label="made up")
    right.set(title="petals", xlabel="length (cm)", ylabel="width (cm)")
    right.legend()
