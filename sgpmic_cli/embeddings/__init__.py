"""Embeddings (Y, q) -> X (N, q), and the choice of q by explained variance."""

from sgpmic_cli.embeddings.isomap import isomap
from sgpmic_cli.embeddings.pca import dimensions_for, pca, ppca

__all__ = ["dimensions_for", "isomap", "pca", "ppca"]
