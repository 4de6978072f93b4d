"""Clusterers for comparisons outside the paper."""
