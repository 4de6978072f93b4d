"""The experiments that have a command: benchmark, Table 1, sweeps and the regression gate."""
