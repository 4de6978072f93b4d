"""Compute the planned runs, store their records, and aggregate them to one outcome per cell."""
