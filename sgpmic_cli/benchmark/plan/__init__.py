"""Plan a benchmark: methods and data sets give cells and their runs."""
