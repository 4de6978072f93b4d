"""Outcomes beside the paper's numbers: verdicts, wins, and whether methods differ at all."""
