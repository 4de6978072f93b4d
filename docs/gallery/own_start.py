"""Your own labels: which of them are doubtful.

`init` accepts labels or probabilities. Here a fifth of the growers'
labels is replaced by random ones. The labels stay as they are, but a label that the other rows
contradict gets a low probability.
"""

import matplotlib.pyplot as plt
import numpy as np

from sgpmic import GroupMap, plot_map
from sgpmic_cli.data import load

wine = load("wine")
random = np.random.RandomState(0)
replaced = random.rand(len(wine.Y)) < 0.2
given = np.where(replaced, random.randint(3, size=len(wine.Y)), wine.labels)
model = GroupMap(n_clusters=3, init=given, random_state=0).fit(wine.Y)

wrong = given != wine.labels
doubtful = model.responsibilities_.max(axis=1) < 0.6
print(f"wrong labels: {wrong.sum()} of {len(wrong)}")
print(f"doubtful labels: {doubtful.sum()}, of which {(doubtful & wrong).sum()} are wrong")

ax = plot_map(model)
ax.scatter(*model.embedding_[doubtful].T, s=40, facecolors="none", edgecolors="#262626")
ax.set_title("the given labels; doubtful ones are circled")
plt.show()
