"""Clusterers that SGP-MIC is compared with: the methods of the paper, variants and null models."""
