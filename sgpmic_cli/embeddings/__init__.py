"""Low-dimensional coordinates from the data alone: functions (Y, q) -> X, and the rule that chooses q."""

from sgpmic_cli.embeddings.dimension import dimensions_for
from sgpmic_cli.embeddings.isomap import isomap
from sgpmic_cli.embeddings.pca import pca
from sgpmic_cli.embeddings.ppca import ppca

__all__ = ["dimensions_for", "isomap", "pca", "ppca"]
