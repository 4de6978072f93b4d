"""In a pipeline: the estimator follows scikit-learn's interface.

A `QuantileTransformer` makes the columns normal before the fit. Input and output are pandas data
frames.
"""

import pandas as pd
from gallery_style import picture, scatter
from sklearn.metrics import adjusted_rand_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import QuantileTransformer

from sgpmic import SGPMIC
from sgpmic_cli.data import load

wdbc = load("wdbc")
frame = pd.DataFrame(wdbc.Y, columns=wdbc.feature_names)
pipeline = make_pipeline(
    QuantileTransformer(n_quantiles=100, output_distribution="normal"),
    SGPMIC(n_clusters=2, random_state=0),
).set_output(transform="pandas")

points = pipeline.fit_transform(frame)
labels = pipeline[-1].labels_
print(points.head(3).round(2).to_string())
print(
    "agreement with the diagnosis (adjusted Rand index):",
    round(adjusted_rand_score(wdbc.labels, labels), 2),
)

with picture("in_a_pipeline", width=4.0) as figure:
    scatter(figure.subplots(), points.to_numpy(), labels, "569 tumours in two dimensions")
