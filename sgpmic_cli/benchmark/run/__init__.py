"""Compute the planned runs, store their records, and aggregate them to one result per cell."""
