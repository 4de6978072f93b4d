"""In a pipeline: the estimator follows scikit-learn's interface.

A `QuantileTransformer` makes the columns normal before the fit. Input and output are pandas data
frames.
"""

import matplotlib.pyplot as plt
import pandas as pd
from sklearn.metrics import adjusted_rand_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import QuantileTransformer

from sgpmic import GroupMap, plot_map
from sgpmic_cli.data import load

wdbc = load("wdbc")
frame = pd.DataFrame(wdbc.Y, columns=wdbc.feature_names)
pipeline = make_pipeline(
    QuantileTransformer(n_quantiles=100, output_distribution="normal"),
    GroupMap(n_clusters=2, random_state=0),
).set_output(transform="pandas")

points = pipeline.fit_transform(frame)
model = pipeline[-1]
print(points.head(3).round(2).to_string())
agreement = adjusted_rand_score(wdbc.labels, model.labels_)
print("agreement with the diagnosis (adjusted Rand index):", round(agreement, 2))

plot_map(model).set_title("569 tumours in two dimensions")
plt.show()
