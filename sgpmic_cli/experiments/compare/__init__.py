"""Compare outcomes with the numbers of the paper."""
