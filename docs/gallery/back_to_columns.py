"""Back to the columns: rows along a line on the map.

`inverse_transform` maps a latent point to a row of the table.
"""

import matplotlib.pyplot as plt
import numpy as np

from sgpmic import GroupMap
from sgpmic_cli.data import load

iris = load("iris")
model = GroupMap(n_clusters=3, random_state=0).fit(iris.Y)

order = np.argsort(iris.Y[:, 2])
ends = model.embedding_[order[0]], model.embedding_[order[-1]]
line = np.linspace(*ends, 40)

figure, axes = plt.subplots(figsize=(4.5, 2.8), layout="constrained")
for name, column in zip(iris.feature_names, model.inverse_transform(line).T, strict=True):
    axes.plot(column, label=name.replace("_", " "))
axes.set(title="along a line on the map", xticks=[], ylabel="cm")
axes.legend()
plt.show()
