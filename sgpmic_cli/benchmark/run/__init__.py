"""Compute the planned runs and store them, which gives one data frame with a row for each run."""
