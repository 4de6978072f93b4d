"""Plan an experiment: methods, data sets and protocol give cells and their runs."""
