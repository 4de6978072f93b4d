"""Back to the columns: rows along a line on the map, and sampled rows.

`inverse_transform` maps a latent point to a row of the table. `sample` draws new rows from the
mixture.
"""

import matplotlib.pyplot as plt
import numpy as np

from sgpmic import GroupMap
from sgpmic_cli.data import load

iris = load("iris")
model = GroupMap(n_clusters=3, random_state=0).fit(iris.Y)

sampled, _ = model.sample(150, random_state=0)
print("means of the columns, measured:", iris.Y.mean(axis=0).round(1).tolist())
print("means of the columns, sampled: ", sampled.mean(axis=0).round(1).tolist())

order = np.argsort(iris.Y[:, 2])
ends = model.embedding_[order[0]], model.embedding_[order[-1]]
line = np.linspace(*ends, 40)

figure, (left, right) = plt.subplots(1, 2, figsize=(6.5, 2.8), layout="constrained")
for name, column in zip(iris.feature_names, model.inverse_transform(line).T, strict=True):
    left.plot(column, label=name.replace("_", " "))
left.set(title="along a line on the map", xticks=[], ylabel="cm")
left.legend()
right.scatter(iris.Y[:, 2], iris.Y[:, 3], s=8, label="measured")
right.scatter(sampled[:, 2], sampled[:, 3], s=8, marker="x", label="sampled")
right.set(title="petals", xlabel="length (cm)", ylabel="width (cm)")
right.legend()
plt.show()
