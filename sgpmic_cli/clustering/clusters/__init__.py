"""The clusters: base clusterings, their consensus, the number of clusters and the probabilities."""
