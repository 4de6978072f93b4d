"""The experiments that have a command: benchmark, Table 1, sweeps, the search of settings, the gate."""
