"""The interactive map of one fit: its rows as JSON, which map.js draws."""

import json

from sgpmic_cli.clustering.plots.latent_space import projection, shown_rows
from sgpmic_cli.clustering.result.fitting import Fitted
from sgpmic_cli.clustering.result.interpretation import differing_values, row_name
from sgpmic_cli.figure_style import look
from sgpmic_cli.pages.markup import Html, tag

SCRIPT = "map.js"


def row_map(fitted: Fitted, picture: Html) -> list[Html]:
    """Return the picture of the map and the rows with which the script replaces it.

    One latent dimension has the picture only, a histogram.
    """
    if fitted.model.embedding_.shape[1] == 1:
        return [picture]
    # The content of a script element must not close the element.
    content = Html(json.dumps(_content(fitted), separators=(",", ":")).replace("<", "\\u003c"))
    return [
        tag("div", tag("div", picture, class_="picture"), class_="map"),
        tag("script", content, type="application/json", id="map-rows"),
    ]


def _content(fitted: Fitted) -> dict[str, object]:
    """Return the clusters and the rows, an evenly spaced subset if there are too many."""
    model, data, profile = fitted.model, fitted.data, fitted.profile
    rows = shown_rows(len(data.Y))
    labels = model.labels_[rows]
    middle, directions, _ = projection(model.embedding_)
    points = (model.embedding_[rows] - middle) @ directions.T
    names, sizes = profile.proposed_names(), model.cluster_sizes_.tolist()
    differ = list(differing_values(fitted, rows))
    features = sorted({j for found in differ for j, _ in found})
    position = {j: n for n, j in enumerate(features)}
    return {
        "table": data.name,
        "total": len(data.Y),
        "features": [profile.features[j] for j in features],
        "clusters": [
            {
                "name": names[m],
                "rows": size,
                "look": look(m),
                "centre": points[labels == m].mean(axis=0).round(4).tolist() if size else None,
                "means": [profile.shown(j, profile.means[m, j]) for j in features],
            }
            for m, size in enumerate(sizes)
        ],
        "classes": None
        if data.labels is None
        else [data.class_names[k] for k in data.labels[rows]],
        "names": [row_name(data, row) for row in rows.tolist()],
        "cluster": labels.tolist(),
        "probability": model.responsibilities_[rows].max(axis=1).round(4).tolist(),
        "unusual": fitted.unusual[rows].astype(int).tolist(),
        "x": points[:, 0].round(4).tolist(),
        "y": points[:, 1].round(4).tolist(),
        # Numbers of features and values by turns; a category has no value besides its name.
        "differ": [
            [part for j, value in found for part in (position[j], profile.value(j, value))]
            for found in differ
        ],
    }
