"""From a raw data frame: fit, look, save, and assign new rows.

The measurements of the wines are in a pandas data frame, with the strength of a wine as text and
some values missing. The script shows the way of such a table through the package. `write_report`
writes the page that `sgpmic fit` writes.
"""

import matplotlib.pyplot as plt
import pandas as pd
from sklearn.datasets import load_wine

import sgpmic

frame = pd.DataFrame(load_wine(as_frame=True).data)
strength = pd.cut(frame.pop("alcohol"), [0, 12.5, 13.5, 20], labels=["light", "medium", "strong"])
frame.insert(0, "strength", strength.astype(str))
frame.loc[::10, "magnesium"] = float("nan")
training, new = frame.iloc[::2], frame.iloc[1::2]

model = sgpmic.GroupMap(random_state=0).fit(training)
print("rows of each cluster:", model.cluster_sizes_.tolist())

figure, (left, right) = plt.subplots(1, 2, figsize=(8.5, 3.6), layout="constrained")
sgpmic.plot_map(model, ax=left).set_title("map of the training rows")
sgpmic.plot_profiles(model, training, ax=right).set_title("profiles of the clusters")
sgpmic.write_report(model, training, "wines.html")

model.save("wines.npz")
again = sgpmic.load("wines.npz")
print("clusters of new rows:", again.predict(new.head()).tolist())
print("points on the map:", again.transform(new.head()).round(1).tolist())
plt.show()
