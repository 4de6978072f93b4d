"""The experiments of the paper: printed numbers, protocols, Table 1, sweeps, the page."""
