"""The commands that compute the paper's experiments and ours beside them."""
