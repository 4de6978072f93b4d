"""Planned runs computed, kept on disk, and brought together into one outcome for each cell."""
