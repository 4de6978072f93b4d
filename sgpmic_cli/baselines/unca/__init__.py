"""UNCA: unsupervised neighbourhood component analysis, and the numerical parts that it alone needs."""
