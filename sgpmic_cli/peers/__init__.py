"""Clusterers that SGP-MIC is compared with outside the paper."""
