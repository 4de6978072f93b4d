"""Compare results with the numbers of the paper."""
