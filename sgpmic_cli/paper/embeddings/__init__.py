"""ISOMAP, with landmarks for many rows."""
