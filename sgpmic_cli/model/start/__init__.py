"""Where a fit begins: a partition of the rows, and the number of its parts."""
