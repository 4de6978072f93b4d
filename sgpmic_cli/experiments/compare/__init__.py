"""Outcomes beside the paper's numbers: verdicts, counts of them, and whether methods differ at all."""
